"""Continuation: solve a path again with its own options, between its lambdas or further down."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from sparsesolve.data import is_dask, read_count, read_number
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.results.prediction import is_signal


def solve_at(path, s, X, y):
    """Return a path solved at every s that is not among ``path.lambdas``, with those that are."""
    if X is None and not is_signal(path) or y is None:
        raise ValueError("exact=True fits again: give the data of the fit as X=X, y=y")
    new = np.setdiff1d(s, path.lambdas)[::-1]
    return join(path, _fit_again(path, X, y, new)) if new.size else path


def extend(path, X, y, n_lambdas=None, lambda_min_ratio=None):
    """Extend a path as :meth:`sparsesolve.Path.extend` describes."""
    _refuse_steps(path)
    new = lambdas_below(path, n_lambdas, lambda_min_ratio)
    longer = join(path, _fit_again(path, X, y, new))
    return replace(longer, options={**(path.options or {}), "lambdas": longer.lambdas})


def lambdas_below(path, n_lambdas, lambda_min_ratio):
    """Return the lambdas that continue a path, as `Path.extend` describes them."""
    lambdas = path.lambdas
    if n_lambdas is not None:
        n_lambdas = read_count("n_lambdas", n_lambdas, 1)
    if not len(lambdas) or lambdas[-1] <= 0.0:
        raise ValueError("The path cannot be extended: it has no positive last lambda")
    if n_lambdas is None and lambda_min_ratio is None:
        return _rest_of_grid(path)
    last, end = lambdas[-1], end_of(path, lambda_min_ratio)
    if n_lambdas is not None and end is not None:
        return np.geomspace(last, end, n_lambdas + 1)[1:]
    ratio = _spacing(lambdas)
    if n_lambdas is None:
        # Rounding must not add a lambda if the end lies on the grid.
        n_lambdas = int(np.ceil(np.log(end / last) / np.log(ratio) - 1e-9))
    new = last * ratio ** np.arange(1, n_lambdas + 1)
    return new[new > 0.0]  # a wide spacing may underflow


def end_of(path, ratio):
    """Return the last lambda of a path extended to this lambda_min_ratio; None without one."""
    if ratio is None:
        return None
    ratio = read_number("lambda_min_ratio", ratio, 0, 1, open_low=True, open_high=True)
    if ratio * path.lambdas[0] >= path.lambdas[-1]:
        raise ValueError(
            f"The path already reaches {path.lambdas[-1] / path.lambdas[0]:.3g} of its first "
            "lambda; lambda_min_ratio must be below that"
        )
    return ratio * path.lambdas[0]


def _spacing(lambdas):
    """Return the ratio of the last two lambdas, below 1."""
    if len(lambdas) < 2:
        raise ValueError(
            "The path has one lambda and so no spacing to continue; give both n_lambdas and "
            "lambda_min_ratio"
        )
    return lambdas[-1] / lambdas[-2]


def _rest_of_grid(path):
    """Return the lambdas of the fit's grid that it did not reach."""
    options = path.options or {}
    if options.get("lambdas") is not None:
        asked = np.unique(np.asarray(options["lambdas"], dtype=np.float64))[::-1]
        new = asked[asked < path.lambdas[-1]]
    else:
        missing = (options.get("n_lambdas") or 0) - len(path.lambdas)
        steps = np.arange(1, missing + 1)
        new = path.lambdas[-1] * _spacing(path.lambdas) ** steps if missing > 0 else steps
    if not len(new):
        raise ValueError(
            "The path is complete; say how far to extend it by n_lambdas or lambda_min_ratio"
        )
    return new


class DualPoints:
    """A `stop` of a path that never stops it, and keeps the dual point of each lambda."""

    def __init__(self):
        self.found = []

    def __call__(self, point):
        self.found.append(point.dual)
        return False


def dual_at(path, s, X, y):
    """Return the dual point at lambda s, as :meth:`sparsesolve.Path.dual` describes it."""
    s = read_number("s", s, 0, np.inf)
    if getattr((path.options or {}).get("penalty"), "concave", False):
        raise ValueError(
            f"{type(path.options['penalty']).__name__} is not convex and has no dual; the gaps "
            "of its path say that points are stationary"
        )
    if is_dask(X):
        raise ValueError("X is a dask array, whose rows a dual point needs in memory; pass "
                         "X.compute() if it fits")  # fmt: skip
    kept = DualPoints()
    _fit_again(path, X, y, np.array([s]), stop=kept)
    return kept.found[0]


def _fit_again(path, X, y, lambdas, stop=None):
    """Fit at all given lambdas with the options of the path."""
    _refuse_steps(path)
    data = FittedData(path, X, y, in_blocks=True)
    data.refuse_others()  # the two parts must belong together
    options = {"family": path.family, **(path.options or {})}
    options.update(lambdas=lambdas, stop=stop, dfmax=None, pmax=None)
    for name in ("n_lambdas", "lambda_min_ratio"):
        options.pop(name, None)
    return path.fitter(data.matrix, y, **options)  # the columns of the fit


def _refuse_steps(path):
    """Raise for a path of steps, which no lambda determines."""
    if path.fitter is None:
        raise ValueError("A greedy path has its steps alone; fit it again, with more of them")


def join(path, other):
    """Return `path` with the solutions of both, by decreasing lambda."""
    lambdas = np.r_[path.lambdas, other.lambdas]
    order = np.argsort(-lambdas, kind="stable")
    names = ("df", "dev_ratio", "gaps", "n_iters", "status")
    columns = {name: np.r_[getattr(path, name), getattr(other, name)][order] for name in names}
    if isinstance(path.coefs, list):
        pairs = zip(path.coefs, other.coefs, strict=True)
        coefs = [_side_by_side(a, b)[:, order] for a, b in pairs]
    else:
        coefs = _side_by_side(path.coefs, other.coefs)[:, order]
    intercepts = np.concatenate([path.intercepts, other.intercepts], axis=-1)[..., order]
    return replace(
        path,
        lambdas=lambdas[order],
        coefs=coefs,
        intercepts=intercepts,
        stop_reason=other.stop_reason,
        **columns,
    )


def _side_by_side(left, right):
    """Return two column-compressed matrices side by side as one."""
    return sparse.csc_array(sparse.hstack([left, right], format="csc"))
