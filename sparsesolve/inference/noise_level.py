"""The noise level of a gaussian response: of all features where rows allow it, else at lambda_min.

References: Reid, Tibshirani, Friedman (2016), "A study of error variance estimation in lasso
regression".
"""

import numpy as np
from scipy import sparse

from sparsesolve.data import less_offset, read_number, read_offset
from sparsesolve.families import read_family
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.held_out import Rows

# Least n - p for the residuals of all features.
FULL = 20
# Fewer degrees of freedom than this say too little of a noise level.
FEWEST = 5


def noise_level(matrix, y, options, sigma=None, seed=0):
    """Return (sigma, where it comes from) for the gaussian family; (1.0, "") for another.

    `sigma` is the standard deviation of a response of weight 1, or None to estimate it from all
    rows. `options` are those of path.
    """
    family = read_family(options["family"])
    if family.name != "gaussian":
        if sigma is not None:
            raise ValueError(f"sigma is of family='gaussian'; {family.name} knows its variance")
        return 1.0, ""
    if sigma is not None:
        return read_number("sigma", sigma, 0.0, np.inf, open_low=True, open_high=True), "given"
    rows = Rows(family, matrix, family.read(y, matrix.shape[0]), options)
    kept = rows.weights > 0.0
    n, p = int(kept.sum()), matrix.shape[1] + bool(options["intercept"])
    offset = read_offset(options["offset"], rows.n)
    target = rows.y if offset is None else less_offset(rows.y, offset)
    if n - p >= max(FULL, p):
        X = matrix[kept]
        X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
        X = np.column_stack([np.ones(n), X - X.mean(axis=0)]) if options["intercept"] else X
        root = np.sqrt(rows.weights[kept])
        b, _, rank, _ = np.linalg.lstsq(X * root[:, None], target[kept] * root, rcond=None)
        left = np.sum((root * (target[kept] - X @ b)) ** 2)
        return float(np.sqrt(left / (n - rank))), "the residuals of all features"
    given = {**options, "lambdas": None, "progress": False, "start": None}
    cv = cv_path(matrix, y, seed=seed, **given)
    df = cv.path.df[cv.index_min] + bool(options["intercept"])
    if n - df < FEWEST:
        raise ValueError(
            f"lambda_min selects {df} features of {n} rows, which leaves too few to estimate the "
            "noise level; give sigma="
        )
    link = cv.path.predict(matrix, cv.lambda_min, "link", offset=options["offset"])
    left = np.sum(rows.weights * (rows.y - link) ** 2)
    return float(np.sqrt(left / (n - df))), "the lasso at lambda_min of a cross-validation"
