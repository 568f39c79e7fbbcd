"""Lasso, ElasticNet, their multi-task relatives and CV forms: scikit-learn's names and numbers."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import real_array
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.results.status import warn

from .chosen import RIDGE, Chosen
from .linear import ByColumn, Linear

# Differences up to this fraction of |x_i| |x_j| are rounding, by precision.
PRODUCT_ROUNDING = {np.dtype(np.float64): 1e-7, np.dtype(np.float32): 1e-4}
# A column's mean below this fraction of its root mean square counts as 0.
FAR = 1e-7


def compare_gram(gram, X, fit_intercept, weighted):
    """Raise ValueError if an array is not X'X; warn if it is, but X has to be centred.

    Values that are no arrays, such as "auto", say nothing about X. Weights change the matrix.
    """
    if not hasattr(gram, "__array__") or weighted:
        return
    if isinstance(X, DistributedDesign):
        raise TypeError("precompute is an array, and X is in blocks of dask, whose inner products "
                        "the fit makes itself; leave precompute out")  # fmt: skip
    gram, p = np.asarray(gram), X.shape[1]
    if gram.shape != (p, p):
        raise ValueError(
            f"precompute has shape {gram.shape}, and X has {p} columns; give its Gram matrix X'X, "
            "or 'auto'"
        )
    squares = np.asarray((X * X).sum(axis=0), dtype=float).ravel()
    means = np.asarray(X.mean(axis=0), dtype=float).ravel()
    far = np.abs(means) > FAR * np.sqrt(squares / X.shape[0])
    if fit_intercept and far.any():
        warn(
            f"precompute is not used: an intercept is fitted, and column {int(far.argmax())} of X "
            "is not centred; leave precompute at 'auto'",
            UserWarning,
        )
        return
    first = np.asarray(X.T @ X[:, [0]].toarray() if hasattr(X, "tocsc") else X.T @ X[:, [0]])
    size, tolerance = np.sqrt(squares), PRODUCT_ROUNDING[np.dtype(X.dtype)]
    off = np.abs(gram[:, 0] - first.ravel()) > tolerance * size * size[0]
    off |= np.abs(np.diagonal(gram) - squares) > tolerance * squares
    if off.any():
        raise ValueError(
            f"precompute is not the Gram matrix X'X: it differs in row {int(off.argmax())}; give "
            "that of this X, or 'auto'"
        )


class ElasticNet(ByColumn):
    r"""Least squares with the elastic-net penalty.

    Minimises, with :math:`\rho` = l1_ratio,

    .. math:: \lVert y - Xb \rVert^2 / (2n) + \alpha \bigl( \rho \lVert b \rVert_1
              + (1 - \rho) \lVert b \rVert^2 / 2 \bigr).

    Parameters
    ----------
    alpha : float, default 1.0
        Strength of the penalty; 0 is least squares.
    precompute, copy_X, random_state, selection
        Parameters of scikit-learn, accepted and ignored: the shape of X decides the algorithm, X
        is never changed, and the solution does not depend on chance. An array given as
        `precompute` that is not X'X is refused.

    Examples
    --------
    >>> from sparsesolve.estimators import ElasticNet
    >>> ElasticNet(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(3)
    array([0.86])
    """

    def __init__(self, alpha=1.0, *, l1_ratio=0.5, fit_intercept=True, precompute=False,
                 max_iter=None, copy_X=True, tol=1e-10, warm_start=False, positive=False,
                 random_state=None, selection="cyclic", penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...

    def fit(self, X, y, sample_weight=None, check_input=True):
        """Fit to X (n, p), dense, sparse or a frame, and y (n,) or (n, K).

        Only ratios of sample_weight (n,) matter; check_input is ignored.
        """
        X, y, weights = self._read(X, y, sample_weight)
        compare_gram(self.precompute, X, self.fit_intercept, weights is not None)
        return self._solve_columns(X, y, weights)


class Lasso(ElasticNet):
    """Least squares with the l1 penalty: :class:`ElasticNet` with l1_ratio = 1.

    Examples
    --------
    >>> from sparsesolve.estimators import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(3), round(float(model.intercept_), 3)
    (array([0.85]), 0.15)
    """

    l1_ratio = 1.0

    def __init__(self, alpha=1.0, *, fit_intercept=True, precompute=False, copy_X=True,
                 max_iter=None, tol=1e-10, warm_start=False, positive=False, random_state=None,
                 selection="cyclic", penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...


class ElasticNetCV(Chosen, Linear):
    """:class:`ElasticNet` with alpha, and l1_ratio where it is a list, by cross-validation.

    Attributes
    ----------
    mse_path_ : (L, K) or (R, L, K)
        Mean squared error on each of K folds.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import ElasticNetCV
    >>> X, y = make_regression(n_features=2, random_state=0)
    >>> round(ElasticNetCV(cv=5).fit(X, y).alpha_, 3)
    0.199
    """

    def __init__(self, *, l1_ratio=0.5, eps=1e-3, alphas=100, fit_intercept=True,
                 precompute="auto", max_iter=None, tol=1e-10, cv=None, copy_X=True, verbose=0,
                 n_jobs=None, positive=False, random_state=None, selection="cyclic", rule="min",
                 penalty_factor=None, lower=None, upper=None, exclude=None): ...

    def _read(self, X, y, sample_weight):
        X, y, weights = super()._read(X, y, sample_weight)
        if y.ndim > 1 and y.shape[1] > 1:
            raise ValueError(
                f"y has {y.shape[1]} columns; for several responses use MultiTask"
                f"{type(self).__name__}"
            )
        return X, column_or_1d(y, warn=True), weights

    def _first_alpha(self, X, y, weights, options):
        """Return the least alpha that selects nothing; with `positive`, no positive coefficient.
        """
        in_blocks = isinstance(X, DistributedDesign)
        if in_blocks or not self.positive or self._restrictions() != {"lower": 0.0}:
            return super()._first_alpha(X, y, weights, options)
        w = np.ones(len(y)) if weights is None else weights
        residual = (y - np.average(y, weights=w) * options["intercept"]) * (w / w.sum())
        return max((X.T @ residual).max(), 0.0) / max(options["alpha"], RIDGE)

    @property
    def mse_path_(self):
        """The mean squared errors on the folds."""
        return self.score_path_


class LassoCV(ElasticNetCV):
    """:class:`Lasso` with alpha by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sparsesolve.estimators import LassoCV
    >>> X, y = make_regression(noise=4, random_state=0)
    >>> round(LassoCV(cv=5).fit(X, y).score(X, y), 4)
    0.9994
    """

    l1_ratio = 1.0

    def __init__(self, *, eps=1e-3, alphas=100, fit_intercept=True, precompute="auto",
                 max_iter=None, tol=1e-10, copy_X=True, cv=None, verbose=False, n_jobs=None,
                 positive=False, random_state=None, selection="cyclic", rule="min",
                 penalty_factor=None, lower=None, upper=None, exclude=None): ...


class Tasks(Linear):
    """Base class for rows of K real numbers.

    Attributes
    ----------
    coef_ : (K, p)
        The transpose of W.
    intercept_ : (K,)
    """

    _family = "multigaussian"

    def _read(self, X, y, sample_weight):
        X, y, weights = super()._read(X, y, sample_weight)
        if y.ndim == 1:
            single = type(self).__name__.removeprefix("MultiTask")
            raise ValueError(f"y is one column; for a single response use {single}")
        return X, np.asarray(real_array("y", y), dtype=np.float64), weights

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        return tags


class MultiTaskElasticNet(Tasks):
    r"""Least squares for several responses, with features selected for all of them together.

    Minimises, with :math:`\rho` = l1_ratio,

    .. math:: \lVert Y - XW \rVert_F^2 / (2n) + \alpha (\rho \lVert W \rVert_{21}
              + (1 - \rho) \lVert W \rVert_F^2 / 2),

    where ``||W||_21`` sums the l2 norms of the rows of W.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import MultiTaskElasticNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> Y = np.column_stack([X[:, 0], -X[:, 0]]) + 0.1 * rng.normal(size=(80, 2))
    >>> model = MultiTaskElasticNet(alpha=0.2, l1_ratio=0.9).fit(X, Y)
    >>> np.flatnonzero(model.coef_.any(axis=0))
    array([0])
    """

    def __init__(self, alpha=1.0, *, l1_ratio=0.5, fit_intercept=True, copy_X=True, max_iter=None,
                 tol=1e-10, warm_start=False, random_state=None, selection="cyclic",
                 penalty_factor=None, exclude=None): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n, K); only ratios of sample_weight (n,) matter."""
        X, y, weights = self._read(X, y, sample_weight)
        pairs = self._starts(y.shape[1], X.shape[1])
        start = tuple(map(np.stack, zip(*pairs, strict=True))) if pairs else None
        self._solve(X, y, weights, start)
        return self


class MultiTaskLasso(MultiTaskElasticNet):
    """:class:`MultiTaskElasticNet` with l1_ratio = 1, without that parameter.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import MultiTaskLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> Y = np.column_stack([X[:, 0], -X[:, 0]]) + 0.1 * rng.normal(size=(80, 2))
    >>> model = MultiTaskLasso(alpha=0.2).fit(X, Y)
    >>> np.flatnonzero(model.coef_.any(axis=0))
    array([0])
    """

    l1_ratio = 1.0

    def __init__(self, alpha=1.0, *, fit_intercept=True, copy_X=True, max_iter=None, tol=1e-10,
                 warm_start=False, random_state=None, selection="cyclic", penalty_factor=None,
                 exclude=None): ...


class MultiTaskElasticNetCV(Chosen, Tasks):
    """:class:`MultiTaskElasticNet` with alpha, and l1_ratio of a list, by cross-validation."""

    def __init__(self, *, l1_ratio=0.5, eps=1e-3, alphas=100, fit_intercept=True, max_iter=None,
                 tol=1e-10, cv=None, copy_X=True, verbose=0, n_jobs=None, random_state=None,
                 selection="cyclic", rule="min", penalty_factor=None, exclude=None): ...

    @property
    def mse_path_(self):
        """The squared errors on the folds, averaged over rows and responses."""
        return self.score_path_ / len(self.coef_)


class MultiTaskLassoCV(MultiTaskElasticNetCV):
    """:class:`MultiTaskLasso` with alpha by cross-validation."""

    l1_ratio = 1.0

    def __init__(self, *, eps=1e-3, alphas=100, fit_intercept=True, max_iter=None, tol=1e-10,
                 copy_X=True, cv=None, verbose=False, n_jobs=None, random_state=None,
                 selection="cyclic", rule="min", penalty_factor=None, exclude=None): ...
