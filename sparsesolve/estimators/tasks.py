"""Several real responses whose features are selected together: MultiTaskLasso and its relatives.
"""

import numpy as np

from sparsesolve.data import real_array

from .chosen import Chosen
from .linear import Linear


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
    >>> from sparsesolve.estimators import MultiTaskElasticNet
    >>> Y = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    >>> MultiTaskElasticNet(alpha=0.1).fit([[0.0], [1.0], [2.0]], Y).coef_.round(3)
    array([[0.881],
           [0.881]])
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
    >>> np.flatnonzero(MultiTaskLasso(alpha=0.2).fit(X, Y).coef_.any(axis=0))
    array([0])
    """

    l1_ratio = 1.0

    def __init__(self, alpha=1.0, *, fit_intercept=True, copy_X=True, max_iter=None, tol=1e-10,
                 warm_start=False, random_state=None, selection="cyclic", penalty_factor=None,
                 exclude=None): ...


class MultiTaskElasticNetCV(Chosen, Tasks):
    """:class:`MultiTaskElasticNet` with alpha, and l1_ratio of a list, by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import MultiTaskElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> Y = np.column_stack([X[:, 0], -X[:, 0]]) + 0.1 * rng.normal(size=(80, 2))
    >>> model = MultiTaskElasticNetCV(l1_ratio=[0.5, 1.0], rule="1se").fit(X, Y)
    >>> model.l1_ratio_, np.flatnonzero(model.coef_.any(axis=0))
    (1.0, array([0]))
    """

    def __init__(self, *, l1_ratio=0.5, eps=1e-3, alphas=100, fit_intercept=True, max_iter=None,
                 tol=1e-10, cv=None, copy_X=True, verbose=0, n_jobs=None, random_state=None,
                 selection="cyclic", rule="min", penalty_factor=None, exclude=None): ...

    @property
    def mse_path_(self):
        """The squared errors on the folds, averaged over rows and responses."""
        return self.score_path_ / len(self.coef_)


class MultiTaskLassoCV(MultiTaskElasticNetCV):
    """:class:`MultiTaskLasso` with alpha by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import MultiTaskLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> Y = np.column_stack([X[:, 0], -X[:, 0]]) + 0.1 * rng.normal(size=(80, 2))
    >>> np.flatnonzero(MultiTaskLassoCV(rule="1se").fit(X, Y).coef_.any(axis=0))
    array([0])
    """

    l1_ratio = 1.0

    def __init__(self, *, eps=1e-3, alphas=100, fit_intercept=True, max_iter=None, tol=1e-10,
                 copy_X=True, cv=None, verbose=False, n_jobs=None, random_state=None,
                 selection="cyclic", rule="min", penalty_factor=None, exclude=None): ...
