"""The loop of false_faces.py and false_rooms.py: problems by seed, and what came of them."""

import collections
import re
import sys
import time
import warnings

import numpy as np

import sparsesolve as ss


def run(calls, shares, most, every, strict):
    """Call calls[name](rng, total, about) for each seed of the command line, [FIRST] [COUNT].

    `shares` says how often each name comes; without a word `most` seeds are taken, and counts are
    printed after `every` of them. With `strict` a RuntimeWarning is a crash.
    """
    numbers = [int(word) for word in sys.argv[1:]]
    first, count = [*numbers, *(0, most)[len(numbers) :]]
    total, begun = collections.Counter(), time.process_time()
    names = [name for name, share in shares.items() for _ in range(share)]
    for seed in range(first, first + count):
        rng, name = np.random.default_rng(seed), names[seed % len(names)]
        about = f"seed {seed} {name}"
        try:
            with warnings.catch_warnings(), np.errstate(all=None if strict else "ignore"):
                warnings.simplefilter("ignore", ss.ConvergenceWarning if strict else Warning)
                if strict:
                    warnings.simplefilter("error", RuntimeWarning)
                calls[name](rng, total, about)
        except ValueError as error:
            total["refused"] += 1
            total[f"refused by {name}: " + re.sub(r"[0-9]+", "N", str(error))[:40]] += 1
        except Exception as error:  # a crash is what is looked for
            total["crashes"] += 1
            print(f"{about}: {type(error).__name__}: {error}", flush=True)
        total["calls"] += 1
        if (seed + 1 - first) % every == 0 or seed + 1 == first + count:
            counts = ", ".join(f"{value} {name}" for name, value in sorted(total.items()))
            print(f"seeds {first} to {seed}: {counts}; "
                  f"{time.process_time() - begun:.0f} s of one processor", flush=True)  # fmt: skip
