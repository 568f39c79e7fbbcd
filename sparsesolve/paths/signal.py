"""Signals: paths where X is the identity, so that coefficients are a smoother copy of y; and
matrix completion, where X has those rows of it that were observed.

    minimise over b   sum_i w_i (y_i - b_i)^2 / 2 + lambda Omega(b),    sum_i w_i = 1

Given: y (n,), or an image. Returned: a Path whose coefficients are the profile at each lambda.
Without weights a proximal step from anywhere is the solution, b = prox(y) at n lambda.

What Omega does not see, constants or polynomials, is fitted to y beforehand and added again:

    Omega(k + b) = Omega(b)    for k in the kernel,

so that neither the problem nor its gap changes. This null model is what deviances and gaps are
relative to: for total variation the mean, as with an intercept.
"""

from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import answers_keywords, by_rows, read_weights
from sparsesolve.data.array import real_array
from sparsesolve.families import read_family
from sparsesolve.paths.penalty import read_penalty

# Options that have no meaning for a signal, and their defaults.
WITHOUT = {"offset": None, "start": None, "checkpoint": None, "dfmax": None, "pmax": None,
           "penalty_factor": None, "lower": None, "upper": None, "exclude": None}  # fmt: skip


def signal_path(y, options, solve):
    """Return the path of a signal; `solve` is `solve_path`."""
    penalty, values = _read_options(options), _read_values(y)
    shape = values.shape
    if len(shape) == 2 and getattr(penalty, "shape", shape[:1]) != shape:
        raise ValueError(
            f"y is an image of shape {shape}; give penalty=penalties.TotalVariation2D({shape}), "
            "or y.ravel() with edges for GraphTV"
        )
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
        options={**fit.options, "solver": options.solver, "signal": True},
    )  # fmt: skip


def _read_values(y):
    """Return a signal or an image as numbers."""
    values = real_array("y", y).astype(float)
    shape = values.shape
    if len(shape) not in (1, 2) or not values.size:
        raise ValueError(f"y has shape {shape}; a signal is (n,), an image (rows, columns)")
    if not np.isfinite(values).all():
        place = np.unravel_index(np.flatnonzero(~np.isfinite(values.ravel()))[0], shape)
        raise ValueError(f"y holds NaN or infinity at {', '.join(map(str, place))}; fill gaps, or "
                         "give them weight 0 and any value")  # fmt: skip
    return values


def again(X, y, signal=True, **options):
    """Fit a signal with the options of its path; see `continuation`."""
    from sparsesolve.paths.path import path

    return path(None, y, **options)


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


@answers_keywords()
@by_rows("weights", of="y")
def fused_knots(y: Any, *, weights: ArrayLike | None = None) -> np.ndarray:
    r"""Return every λ at which two pieces of a fused signal become one.

    For ``path(None, y, penalty=TotalVariation())``: the smoothed signal is linear in λ between
    two knots, pieces never break as λ grows, and above the first knot there is one piece.
    ``path(None, y, penalty=TotalVariation(), lambdas=knots[:20])`` is the path from 1 piece to 20,
    without a grid.

    Parameters
    ----------
    y : array-like (n,)
        A signal.
    weights : array-like (n,), default None
        Those of the path; of values with weight 0 nothing is known.

    Returns
    -------
    ndarray (K,)
        The knots, decreasing. Where several pieces join at the same λ it is there several times,
        so that K + 1 is the number of runs of equal values in y.

    Raises
    ------
    ValueError, TypeError
        If y is no signal of finite numbers, or no weight is positive.

    Notes
    -----
    A piece of weight W and weighted sum S has the value :math:`(S + \lambda c) / W`, where c is
    the number of higher neighbours less that of lower ones; so the λ of a merger is known when
    its two pieces are. n log n operations.

    References
    ----------
    Friedman, Hastie, Hoefling, Tibshirani (2007), "Pathwise coordinate optimization", section 6.
    Hoefling (2010), "A path algorithm for the fused lasso signal approximator".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> y = np.array([0.0, 0.2, 3.0, 3.1, 1.0, 1.2])
    >>> knots = ss.paths.fused_knots(y)
    >>> knots.round(3)
    array([0.439, 0.217, 0.033, 0.011, 0.008])
    >>> penalty = ss.penalties.TotalVariation()
    >>> ss.path(None, y, penalty=penalty, lambdas=knots[:3]).coef(knots[1]).round(2)
    array([0.75, 0.75, 1.75, 1.75, 1.75, 1.75])
    """
    values = _read_values(y)
    if values.ndim != 1:
        raise ValueError(f"y has shape {values.shape}; a signal is (n,)")
    w = read_weights(weights, len(values))
    w = np.ones(len(values)) if w is None else w
    values, w = values[w > 0.0], w[w > 0.0]
    level = np.average(values, weights=w)  # sums of what is left of it lose no digits
    first = np.flatnonzero(np.append(True, np.diff(values) != 0.0))
    mass = np.add.reduceat(w / w.sum(), first)
    return _mergers((mass * (values[first] - level)).tolist(), mass.tolist())


def _mergers(sums, masses):
    """Return the lambdas of all mergers of neighbouring pieces, decreasing."""
    count = len(sums)
    before, after = list(range(-1, count - 1)), [*range(1, count), -1]
    version = [0] * count  # of a piece; what was said of an earlier one is void
    # The sign of the step to the next piece; the last, which is also before the first, has none.
    steps = [1.0 if sums[g + 1] / masses[g + 1] > sums[g] / masses[g] else -1.0
             for g in range(count - 1)] + [0.0]  # fmt: skip

    def merger(g):
        h = after[g]
        low, high = sums[g] / masses[g], sums[h] / masses[h]
        closing = ((steps[g] - steps[before[g]]) / masses[g]
                   - (steps[h] - steps[g]) / masses[h])  # fmt: skip
        lam = (high - low) / closing if steps[g] * closing > 0.0 else np.inf
        return lam, g, h, version[g], version[h]

    queue, knots = [merger(g) for g in range(count - 1)], [0.0]
    heapify(queue)
    while queue:
        lam, g, h, *said = heappop(queue)
        if said != [version[g], version[h]]:
            continue
        knots.append(max(lam, knots[-1]))  # rounding may tell equal ones apart
        sums[g], masses[g] = sums[g] + sums[h], masses[g] + masses[h]
        steps[g], after[g] = steps[h], after[h]
        version[g], version[h] = version[g] + 1, version[h] + 1
        if after[g] >= 0:
            before[after[g]] = g
            heappush(queue, merger(g))
        if before[g] >= 0:
            heappush(queue, merger(before[g]))
    return np.array(knots[:0:-1])


def entries(Y: Any) -> tuple[sparse.csc_array, np.ndarray]:
    r"""Return the observed entries of a matrix as X and y, to complete it under the trace norm.

    With the features of X being all cells of the matrix, row by row,
    ``path(X, y, penalty=penalties.TraceNorm(Y.shape))`` is soft-impute. With the set
    :math:`\Omega` of observed entries it solves

    .. math:: \min_{b_0, B}\; \frac{1}{2 |\Omega|} \sum_{(i, j) \in \Omega}
              (Y_{ij} - b_0 - B_{ij})^2 + \lambda \|B\|_* ,

    with solutions of low rank, from the first λ, where B = 0, down with warm starts, each with
    its gap. ``fit.intercept(s) + fit.coef(s).reshape(Y.shape)`` is the whole matrix. ``cv_path``
    chooses λ by entries held out.

    Parameters
    ----------
    Y : array-like or frame (m, k) with NaN for missing entries, or scipy sparse matrix (m, k)
        The stored entries of a sparse matrix are observed, zeros among them.

    Returns
    -------
    X : csc_array (n, m k)
        A 1 in each row, in the column of its cell.
    y : ndarray (n,)
        The n observed entries.

    Raises
    ------
    ValueError
        If no entry is observed, one is infinite, or Y is no matrix.

    Notes
    -----
    Every step takes a singular value decomposition of an (m, k) matrix, and a path keeps the
    matrix of each λ: good for some million cells.

    References
    ----------
    Mazumder, Hastie, Tibshirani (2010), "Spectral regularization algorithms for learning large
    incomplete matrices".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> whole = np.outer(rng.normal(size=30), rng.normal(size=20))
    >>> Y = np.where(rng.random((30, 20)) < 0.5, whole, np.nan)
    >>> X, y = ss.paths.entries(Y)
    >>> fit = ss.path(X, y, penalty=ss.penalties.TraceNorm(Y.shape), n_lambdas=20)
    >>> found = fit.intercept(fit.lambdas[-1]) + fit.coef(fit.lambdas[-1]).reshape(Y.shape)
    >>> print(np.abs(found - whole)[np.isnan(Y)].mean().round(2), np.abs(whole).mean().round(2))
    0.02 0.57
    """
    if sparse.issparse(Y):
        stored = sparse.coo_array(Y)
        shape, (i, j), y = stored.shape, stored.coords, np.asarray(stored.data, dtype=float)
    else:
        dense = np.asarray(Y, dtype=float)
        if dense.ndim != 2:
            raise ValueError(f"Y has shape {dense.shape}; a matrix is needed")
        shape, (i, j) = dense.shape, np.nonzero(~np.isnan(dense))
        y = dense[i, j]
    if not len(y):
        raise ValueError("Y has no observed entry")
    if not np.isfinite(y).all():
        k = int((~np.isfinite(y)).argmax())
        raise ValueError(f"Y holds {y[k]} at row {i[k]}, column {j[k]} (counted from 0); leave a "
                         "missing entry out, or NaN in an array")  # fmt: skip
    cells = i.astype(np.int64) * shape[1] + j
    X = sparse.csc_array((np.ones(len(y)), (np.arange(len(y)), cells)),
                         shape=(len(y), shape[0] * shape[1]))  # fmt: skip
    return X, y
