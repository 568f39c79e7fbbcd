"""The loop of the false_*.py in this folder: problems by seed, and what came of them."""

import argparse
import collections
import re
import time
import warnings

import numpy as np

import sparsesolve as ss


def seeds(sentence, most, **more):
    """Return what the command line asks for: first, count (`most`), and more positional words."""
    parser = argparse.ArgumentParser(description=sentence.splitlines()[0])
    parser.add_argument("first", type=int, nargs="?", default=0, help="the first seed (0)")
    parser.add_argument("count", type=int, nargs="?", default=most, help=f"of seeds ({most:,})")
    for name, choices in more.items():
        parser.add_argument(name, nargs="?", default="", choices=choices)
    return parser.parse_args()


def loop(judged, first, count, every, strict=False):
    """Call judged(seed, total) for each seed, and print the counts after `every` of them.

    A ValueError is a refusal, any other a crash; with `strict` a RuntimeWarning is one, too.
    """
    total, begun = collections.Counter(), time.process_time()
    for seed in range(first, first + count):
        try:
            with warnings.catch_warnings(), np.errstate(all=None if strict else "ignore"):
                warnings.simplefilter("ignore", ss.ConvergenceWarning if strict else Warning)
                if strict:
                    warnings.simplefilter("error", RuntimeWarning)
                judged(seed, total)
        except ValueError as error:
            total["refused"] += 1
            total["refused: " + re.sub(r"[0-9]+", "N", str(error))[:50]] += 1
        except Exception as error:  # a crash is what is looked for
            total["crashes"] += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
        total["problems"] += 1
        if (seed + 1 - first) % every == 0 or seed + 1 == first + count:
            counts = ", ".join(f"{value} {name}" for name, value in sorted(total.items()))
            print(f"seeds {first} to {seed}: {counts}; "
                  f"{time.process_time() - begun:.0f} s of one processor", flush=True)  # fmt: skip


def run(sentence, calls, shares, most, every, strict):
    """Call calls[name](rng, total, about) for each seed; `shares` says how often a name comes."""
    names = [name for name, share in shares.items() for _ in range(share)]

    def judged(seed, total):
        name = names[seed % len(names)]
        calls[name](np.random.default_rng(seed), total, f"seed {seed} {name}")

    asked = seeds(sentence, most)
    loop(judged, asked.first, asked.count, every, strict)
