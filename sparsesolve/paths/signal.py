"""Signals: paths where X is the identity, so that coefficients are a smoother copy of y.

    minimise over b   sum_i w_i (y_i - b_i)^2 / 2 + lambda Omega(b),    sum_i w_i = 1

Given: y (n,), or an image. Returned: a Path whose coefficients are the profile at each lambda.
Without weights a proximal step from anywhere is the solution, b = prox(y) at n lambda.

What Omega does not see, constants or polynomials, is fitted to y beforehand and added again:

    Omega(k + b) = Omega(b)    for k in the kernel,

so that neither the problem nor its gap changes. This null model is what deviances and gaps are
relative to: for total variation the mean, as with an intercept.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from sparsesolve.data import read_weights
from sparsesolve.data.array import real_array
from sparsesolve.families import read_family
from sparsesolve.paths.penalty import read_penalty
from sparsesolve.results.prediction import SIGNAL

# Options that have no meaning for a signal, and their defaults.
WITHOUT = {"offset": None, "start": None, "checkpoint": None, "dfmax": None, "pmax": None,
           "penalty_factor": None, "lower": None, "upper": None, "exclude": None}  # fmt: skip


def signal_path(y, options, solve):
    """Return the path of a signal; `solve` is `solve_path`."""
    penalty, shape = _read_options(options), np.shape(y)
    values = real_array("y", y).astype(float)
    if len(shape) not in (1, 2) or not values.size:
        raise ValueError(f"y has shape {shape}; a signal is (n,), an image (rows, columns)")
    if len(shape) == 2 and getattr(penalty, "shape", shape[:1]) != shape:
        raise ValueError(
            f"y is an image of shape {shape}; give penalty=penalties.TotalVariation2D({shape}), "
            "or y.ravel() with edges for GraphTV"
        )
    if not np.isfinite(values).all():
        place = np.unravel_index(np.flatnonzero(~np.isfinite(values.ravel()))[0], shape)
        raise ValueError(f"y holds NaN or infinity at {', '.join(map(str, place))}; fill gaps, or "
                         "give them weight 0 and any value")  # fmt: skip
    values, names = values.ravel(), options.feature_names
    if names is None and hasattr(y, "index") and hasattr(y, "iloc") and len(shape) == 1:
        plain = list(y.index) == list(range(len(y)))
        names = None if plain else [str(label) for label in y.index]
    null = _null_model(penalty.over(len(values), names), values, options.weights)
    # Proximal steps need Lipschitz constants that are alike, and a prox that is cheap.
    direct = options.weights is None and not hasattr(penalty, "degree")
    solver = "ista" if direct and options.solver == "auto" else options.solver
    inner = options.plain(intercept=False, standardize=False, solver=solver, feature_names=names)
    fit = solve(sparse.identity(len(values), format="csc"), values - null, inner)
    coefs = sparse.csc_array(fit.coefs.toarray() + null[:, None])
    return replace(
        fit, coefs=coefs, df=np.diff(coefs.indptr), fitter=again,
        options={**fit.options, "solver": options.solver},
    )  # fmt: skip


def again(X, y, **options):
    """Fit a signal with the options of its path; see `continuation`."""
    from sparsesolve.paths.path import path

    return path(None, y, **options)


setattr(again, SIGNAL, True)


def _read_options(options):
    """Return the penalty; refuse what has no meaning for a signal."""
    penalty = options.penalty
    if read_family(options.family).name != "gaussian":
        raise ValueError(
            "X is None, and y a signal that squared error smooths; for another family give "
            "X=scipy.sparse.identity(len(y), format='csc')"
        )
    if penalty is None or not hasattr(penalty, "kernel"):
        raise ValueError(
            "X is None, and y a signal, which takes a penalty that compares neighbours: "
            "penalty=penalties.TotalVariation(), TrendFilter(1), TotalVariation2D(y.shape) or "
            "GraphTV(edges)"
        )
    read_penalty(penalty)
    for name, default in WITHOUT.items():
        if getattr(options, name) is not default:
            raise ValueError(f"{name} is not for signals (X is None); leave it out")
    if options.standardize not in (None, False):
        raise ValueError("the values of a signal are compared with one another, not standardised;"
                         " leave standardize out")  # fmt: skip
    return penalty


def _null_model(penalty, y, weights):
    """Return the least squares fit (n,) of y by what the penalty does not see."""
    kernel = penalty.kernel()
    if kernel is None:
        return np.zeros(len(y))
    w = read_weights(weights, len(y))
    w = np.ones(len(y)) if w is None else w / w.sum()
    K = kernel.toarray() if kernel.shape[1] == 1 and sparse.issparse(kernel) else kernel
    if not sparse.issparse(K):
        return K @ np.linalg.lstsq((K * np.sqrt(w)[:, None]), np.sqrt(w) * y, rcond=None)[0]
    mass = K.T @ w  # parts of a signal, each with a constant of its own
    return K @ (K.T @ (w * y) / np.where(mass > 0.0, mass, 1.0))
