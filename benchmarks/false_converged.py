"""Does CONVERGED ever stand beside what is not? false_converged.py [FIRST] [COUNT] [quick].

Solves small random problems of all families, penalties and options (`tests/random_problems.py`),
judges every claim by certificates that share nothing with the package, and prints counts: claims,
honest misses, false claims with the seed that repeats each, what no certificate decides, refusals.
`quick` problems are smaller, for a million of them in an hour and a half:

    OPENBLAS_NUM_THREADS=1 python benchmarks/false_converged.py 200000 1000000 quick
"""

import collections
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import random_problems  # noqa: E402

CHUNK = 10_000  # problems between two lines of counts


def examine(seed, quick, total):
    """Solve and judge one problem, count what is found, and print what should not be."""
    call = random_problems.problem(seed, quick)
    about = f"seed {seed}: {call.family} {call.kind or ''}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            fit = call.fit()
    except ValueError as error:
        total["refused"] += 1
        total["refused: " + str(error)[:60]] += 1
        return
    except Exception as error:  # a crash is what is looked for
        print(about, f"{type(error).__name__}: {error}", flush=True)
        total["crashes"] += 1
        return
    try:
        with np.errstate(all="ignore"):
            claims, missed, false, undecided = random_problems.judged(call, fit)
    except Exception as error:  # the judge's own: to be judged by hand
        print(about, f"not judged, {type(error).__name__}: {error}", flush=True)
        total["not judged"] += 1
        return
    total["problems"] += 1
    total["claims"] += claims
    total["honest misses"] += missed
    for name, points in (("FALSE", false), ("undecided", undecided)):
        total[name] += len(points)
        if points:
            print(about, name, [(k, f"{lost:.1e}") for k, lost in points], flush=True)


def run(first, count, quick):
    total, begun = collections.Counter(), time.process_time()
    for seed in range(first, first + count):
        examine(seed, quick, total)
        if (seed + 1 - first) % CHUNK == 0 or seed + 1 == first + count:
            print(f"seeds {first} to {seed}: ", end="")
            print(*(f"{value} {name}" for name, value in total.items()), sep=", ", end="")
            print(f"; {time.process_time() - begun:.0f} s of one processor", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    run(*numbers, *(0, 10_000)[len(numbers) :], quick="quick" in sys.argv)
