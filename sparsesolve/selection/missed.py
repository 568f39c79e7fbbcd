"""Choices that depend on fits whose certificate misses the tolerance."""

import numpy as np

from sparsesolve.results.status import Status


def n_missed(lambdas, paths):
    """Return how many paths miss their tolerance at the lambdas around each of these, (L,)."""
    count = np.zeros(len(lambdas), dtype=np.int64)
    for path in paths:
        bad = np.array([status != Status.CONVERGED for status in path.status], dtype=bool)
        if bad.any():
            above = np.searchsorted(-path.lambdas, -lambdas * (1.0 - 1e-12), side="right") - 1
            below = np.searchsorted(-path.lambdas, -lambdas * (1.0 + 1e-12), side="left")
            last = len(bad) - 1
            count += bad[np.clip(above, 0, last)] | bad[np.clip(below, 0, last)]
    return count


def of_choice(cv, n_fits):
    """Return the sentence of a warning if lambda_min depends on fits that miss tol, else ""."""
    k = cv.index_min
    if not cv.n_missed[k]:
        return ""
    return (
        f"; lambda_min = {cv.lambda_min:.4g} is chosen by scores of fits of which "
        f"{cv.n_missed[k]} of {n_fits} miss tol there"
    )

