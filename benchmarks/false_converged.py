"""Does CONVERGED ever stand beside what is not? false_converged.py [FIRST] [COUNT].

Solves small random problems of all families, penalties and options (`tests/random_problems.py`),
judges every claim by certificates that share nothing with the package, and prints counts: claims,
honest misses, false claims with the seed that repeats each, what no certificate decides, refusals.
"""

import collections
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import random_problems  # noqa: E402


def run(first, count):
    """Print what is found as it is found, and the counts at the end."""
    total, begun = collections.Counter(), time.process_time()
    for seed in range(first, first + count):
        call = random_problems.problem(seed)
        about = f"seed {seed}: {call.family} {call.kind or ''}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                fit = call.fit()
        except ValueError as error:
            total["refused"] += 1
            total["refused: " + str(error)[:60]] += 1
            continue
        except Exception as error:  # a crash is what is looked for
            print(about, f"{type(error).__name__}: {error}", flush=True)
            total["crashes"] += 1
            continue
        with np.errstate(all="ignore"):
            claims, missed, false, undecided = random_problems.judged(call, fit)
        total["problems"] += 1
        total["claims"] += claims
        total["honest misses"] += missed
        for name, points in (("FALSE", false), ("undecided", undecided)):
            total[name] += len(points)
            if points:
                print(about, name, [(k, f"{lost:.1e}") for k, lost in points], flush=True)
    print(f"seeds {first} to {first + count - 1}: ", end="")
    print(*(f"{value} {name}" for name, value in total.items()), sep=", ", end="")
    print(f"; {time.process_time() - begun:.0f} s of one processor", flush=True)


if __name__ == "__main__":
    run(*map(int, [*sys.argv[1:3], "0", "10000"][: max(2, len(sys.argv) - 1)]))
