"""Platt scaling: probabilities of two classes from scores of held-out rows."""

import numpy as np
from scipy import special

from sparsesolve.paths.path import path


def sigmoid(scores, positive, weights):
    """Return a and b of P(positive) = 1 / (1 + exp(-(a score + b))).

    The fit is a logistic regression on one column without a penalty. Its responses are Platt's
    targets, (N + 1) / (N + 2) and 1 / (N + 2) with the classes' weights N, so that a and b are
    finite even if the scores separate the classes.

    scores : (n,); positive : (n,) booleans; weights : (n,) that count rows, or None
    """
    w = np.ones(len(scores)) if weights is None else weights * (len(weights) / weights.sum())
    mass = float(w[positive].sum()), float(w[~positive].sum())
    targets = np.where(positive, (mass[0] + 1.0) / (mass[0] + 2.0), 1.0 / (mass[1] + 2.0))
    fit = path(scores[:, None], targets, family="binomial", weights=w, lambdas=[0.0], tol=1e-12)
    return float(fit.coefs.toarray()[0, 0]), float(fit.intercepts[0])


def probabilities(scores, sigmoids):
    """Return (n, K) from scores (n,) of two classes, or (n, K) of each class against the others.
    """
    a, b = np.array(sigmoids).T
    if scores.ndim == 1:
        second = special.expit(a[0] * scores + b[0])
        return np.column_stack([1.0 - second, second])
    each = special.expit(a * scores + b)
    total = each.sum(axis=1, keepdims=True)
    shared = np.divide(each, total, out=np.full_like(each, 1.0 / len(a)), where=total > 0.0)
    return shared


def held_out(scores):
    """Return which rows of scores (n, K) some fold held out."""
    return np.isfinite(scores).all(axis=1)
