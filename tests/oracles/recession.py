"""Is there an optimum? A linear programme over the directions along which a loss never rises.

    F(Z d t) falls for ever as t grows, and is attained nowhere, if and only if every row's loss
    falls or stays along Z d, and some row's falls: then d is such a direction.

Two classes (logit, probit, cloglog): the row falls where y = 1 and z'd > 0, or y = 0 and z'd < 0.
Classes by softmax: it falls where the predictor of the row's class grows against another's.
Counts with a logarithmic link: it falls where y = 0 and z'd < 0, and rises where y > 0 and z'd
is not 0. Shares no line with the package.
"""

import numpy as np
from scipy.optimize import linprog

CLEARLY = 1e-7  # of coefficients of size 1: less is the linear programme's rounding


def no_optimum(kind, Z, y):
    """Whether the unpenalised fit of y (n,) to the columns Z (n, q) has no finite optimum.

    `kind` is "two classes", "classes" or "counts".
    """
    Z, y = np.asarray(Z, dtype=float), np.asarray(y)
    if kind == "two classes":
        return _falls(np.where(y > 0, 1.0, -1.0)[:, None] * Z)
    if kind == "counts":
        return _falls(-Z[y == 0], Z[y > 0])
    labels = np.unique(y)
    rows = []
    for row, label in zip(Z, np.searchsorted(labels, y), strict=True):
        for other in range(len(labels)):
            if other != label:
                difference = np.zeros((len(labels), len(row)))
                difference[label], difference[other] = row, -row
                rows.append(difference.ravel())
    return _falls(np.array(rows))


def _falls(A, still=None):
    """Whether some d with A d >= 0, and B d = 0 for the rows B of `still`, has A d != 0."""
    if not len(A):
        return False
    equal = {} if still is None else {"A_eq": still, "b_eq": np.zeros(len(still))}
    found = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(len(A)), bounds=(-1, 1), **equal)
    if found.status != 0:
        raise ArithmeticError(found.message)
    return -found.fun > CLEARLY
