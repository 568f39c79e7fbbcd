"""Lassos whose solution is known in closed form, as Paths made by hand; and a path of classes."""

import numpy as np
from scipy import sparse

from sparsesolve.results.path import Path

# Orthogonal columns of mean 0 and mean square 1: the lasso is soft thresholding of X'y/n.
X = np.array(
    [[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]]
    + [[-1, 1, 1], [-1, 1, -1], [-1, -1, 1], [-1, -1, -1]],
    dtype=float,
)
TRUE = np.array([3.0, -2.0, 0.5])
y = X @ TRUE + 10.0


def soft_path(
    X,
    y,
    *,
    lambdas=None,
    n_lambdas=4,
    lambda_min_ratio=0.1,
    stop="deviance",
    dfmax=None,
    pmax=None,
    family="gaussian",
    offset=None,
    weights=None,
    names=None,
):
    """A fitter in closed form with the keywords of sparsesolve.path that matter here."""
    options = dict(locals())
    del options["X"], options["y"]
    z = np.asarray(X).T @ (y - y.mean()) / len(y)
    top = np.abs(z).max()
    if lambdas is None:
        lambdas = np.geomspace(top, lambda_min_ratio * top, n_lambdas)
    lambdas = np.asarray(lambdas, dtype=float)
    if dfmax is not None:
        lambdas = lambdas[[(np.abs(z) > lam).sum() <= dfmax for lam in lambdas]]
    b = np.sign(z)[:, None] * np.maximum(np.abs(z)[:, None] - lambdas, 0.0)
    eta = y.mean() + np.asarray(X) @ b
    null = float(((y - y.mean()) ** 2).sum())
    return Path(
        lambdas=lambdas,
        coefs=sparse.csc_array(b),
        intercepts=np.full(len(lambdas), y.mean()),
        df=(b != 0.0).sum(axis=0),
        dev_ratio=1.0 - ((y[:, None] - eta) ** 2).sum(axis=0) / null,
        null_deviance=null,
        gaps=np.full(len(lambdas), 1e-12),
        n_iters=np.ones(len(lambdas), dtype=int),
        status=np.zeros(len(lambdas), dtype=np.int8),
        stop_reason="all lambdas solved",
        family=family,
        feature_names=names,
        options=options,
        fitter=soft_path,
    )


def soft(lam):
    return np.sign(TRUE) * np.maximum(np.abs(TRUE) - lam, 0.0)


def softmany(lams):
    return np.stack([soft(lam) for lam in lams], axis=1)


fit = soft_path(X, y, lambdas=[3.0, 2.0, 1.0])


def many_classes():
    """A hand-made path of three classes, two features and two lambdas."""
    coefs = [
        sparse.csc_array(np.array(b, dtype=float))
        for b in ([[0, 1], [0, 0]], [[0, 0], [0, -1]], [[0, -1], [0, 0]])
    ]
    return Path(
        lambdas=np.array([2.0, 1.0]),
        coefs=coefs,
        intercepts=np.array([[0, 0], [1, 1], [0, 0.5]]),
        df=np.array([0, 2]),
        dev_ratio=np.array([0, 0.5]),
        null_deviance=1.0,
        gaps=np.zeros(2),
        n_iters=np.ones(2, int),
        status=np.zeros(2, np.int8),
        stop_reason="",
        family="multinomial",
        class_names=np.array(["a", "b", "c"]),
    )
