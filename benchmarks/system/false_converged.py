"""Does CONVERGED stand beside what is not? false_converged.py [FIRST] [COUNT] [SIZE] [SOLVER].

Solves small random problems of all families, penalties and options (`tests/random_problems.py`),
judges every claim by certificates that share nothing with the package, and prints counts: claims,
honest misses, false claims with the seed that repeats each, what no certificate decides, refusals.
`quick` problems are smaller, for a million of them in an hour and a half:

    OPENBLAS_NUM_THREADS=1 python benchmarks/system/false_converged.py 200000 1000000 quick

`medium` ones have up to 1,500 rows and 2,500 columns, half a second each; of these, paths that are
slow or miss lambdas are told, too. With the name of a solver all problems are solved by that one,
which refuses what does not suit it.
"""

import collections
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "oracles"))

import medium_problems  # noqa: E402
import random_problems  # noqa: E402

from sparsesolve.solvers import SOLVERS  # noqa: E402

SIZES = {  # how problems are made, points of a path judged, problems between two lines of counts
    "": (random_problems.problem, None, 10_000),
    "quick": (partial(random_problems.problem, quick=True), None, 10_000),
    "medium": (medium_problems.problem, medium_problems.JUDGED, 100),
}
SLOW = 8.0  # seconds for a path of medium size, from which it is told


def examine(seed, size, solver, total):
    """Solve and judge one problem, count what is found, and print what should not be."""
    problem, most, _ = SIZES[size]
    call = problem(seed)
    about, begun = f"seed {seed}: {call.family} {call.kind or ''}", time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            fit = call.fit(**solver)
    except ValueError as error:
        total["refused"] += 1
        total["refused: " + str(error)[:60]] += 1
        return
    except Exception as error:  # a crash is what is looked for
        print(about, f"{type(error).__name__}: {error}", flush=True)
        total["crashes"] += 1
        return
    seconds = time.process_time() - begun
    try:
        with np.errstate(all="ignore"):
            claims, missed, false, undecided = random_problems.judged(call, fit, most)
    except Exception as error:  # the judge's own: to be judged by hand
        print(about, f"not judged, {type(error).__name__}: {error}", flush=True)
        total["not judged"] += 1
        return
    if size == "medium" and (missed or seconds > SLOW):
        print(about, call.X.shape, call.steer, f"{missed} missed, {seconds:.1f} s", flush=True)
    total["problems"] += 1
    total["claims"] += claims
    total["honest misses"] += missed
    for name, points in (("FALSE", false), ("undecided", undecided)):
        total[name] += len(points)
        if points:
            print(about, name, [(k, f"{lost:.1e}") for k, lost in points], flush=True)


def run(first, count, size, solver):
    total, begun = collections.Counter(), time.process_time()
    for seed in range(first, first + count):
        examine(seed, size, solver, total)
        if (seed + 1 - first) % SIZES[size][2] == 0 or seed + 1 == first + count:
            print(f"seeds {first} to {seed}: ", end="")
            print(*(f"{value} {name}" for name, value in total.items()), sep=", ", end="")
            print(f"; {time.process_time() - begun:.0f} s of one processor", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    size = next((word for word in sys.argv[1:] if word in SIZES), "")
    named = [word for word in sys.argv[1:] if word in SOLVERS]
    solver = {"solver": named[0]} if named else {}
    run(*numbers, *(0, 10_000)[len(numbers) :], size, solver)
