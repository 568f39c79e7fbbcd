"""Does CONVERGED stand beside what is not? false_converged.py [FIRST] [COUNT] [SIZE] [SOLVER].

Solves small random problems of all families, penalties and options (tests/oracles),
judges every claim by certificates that share nothing with the package, and prints counts: claims,
honest misses, false claims with the seed that repeats each, what no certificate decides, refusals.
`quick` problems are smaller, for a million of them in an hour and a half:

    OPENBLAS_NUM_THREADS=1 python benchmarks/system/false_converged.py 200000 1000000 quick

`medium` ones have up to 1,500 rows and 2,500 columns, half a second each; of these, paths that are
slow or miss lambdas are told, too. With the name of a solver all problems are solved by that one,
which refuses what does not suit it.
"""

import sys
import time
import warnings
from functools import partial
from pathlib import Path

import fuzz
import numpy as np

TESTS = Path(__file__).parents[2] / "tests"
sys.path[:0] = [str(TESTS / "oracles"), str(TESTS)]

import medium_problems  # noqa: E402
import random_problems  # noqa: E402

from sparsesolve.solvers import SOLVERS  # noqa: E402

SIZES = {  # how problems are made, points of a path judged, problems between two lines of counts
    "": (random_problems.problem, None, 10_000),
    "quick": (partial(random_problems.problem, quick=True), None, 10_000),
    "medium": (medium_problems.problem, medium_problems.JUDGED, 100),
}
SLOW = 8.0  # seconds for a path of medium size, from which it is told


def judged(seed, total, size, solver):
    """Solve and judge one problem, count what is found, and print what should not be."""
    problem, most, _ = SIZES[size]
    call = problem(seed)
    about, begun = f"seed {seed}: {call.family} {call.kind or ''}", time.process_time()
    fit = call.fit(**solver)
    seconds = time.process_time() - begun
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            claims, missed, false, undecided = random_problems.judged(call, fit, most)
    except Exception as error:  # the judge's own: to be judged by hand
        print(about, f"not judged, {type(error).__name__}: {error}", flush=True)
        total["not judged"] += 1
        return
    if size == "medium" and (missed or seconds > SLOW):
        print(about, call.X.shape, call.steer, f"{missed} missed, {seconds:.1f} s", flush=True)
    total["claims"] += claims
    total["honest misses"] += missed
    for name, points in (("FALSE", false), ("undecided", undecided)):
        total[name] += len(points)
        if points:
            print(about, name, [(k, f"{lost:.1e}") for k, lost in points], flush=True)


if __name__ == "__main__":
    asked = fuzz.seeds(__doc__, 10_000, size=SIZES, solver=["", *SOLVERS])
    solver = {"solver": asked.solver} if asked.solver else {}
    fuzz.loop(partial(judged, size=asked.size, solver=solver), asked.first, asked.count,
              SIZES[asked.size][2], strict=True)  # fmt: skip
