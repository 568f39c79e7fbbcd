"""Least squares with groups of features that are selected together."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_choice
from sparsesolve.penalties import SparseGroup

from .encoder import source_groups
from .linear import Linear
from .signatures import AtAlpha, ByFolds


class Grouped(Linear):
    """Base class for one response and groups of features; without groups each feature is a group.
    """

    _as_precise_as_X = False

    def _read(self, X, y, sample_weight):
        given = X
        X, y, weights = super()._read(X, y, sample_weight)
        if isinstance(self.groups, str):
            read_choice("groups", self.groups, ["source"])
            names = getattr(self, "feature_names_in_", None)
            self.groups_ = np.array(source_groups(given, names), dtype=object)
        return X, column_or_1d(y, warn=True), weights

    def _options(self):
        if isinstance(self.groups, str):
            groups = self.groups_
        else:
            groups = range(self.n_features_in_) if self.groups is None else self.groups
        tau = getattr(self, "tau", 0.0)
        return self._under(SparseGroup(groups, tau, self.group_weights))


class SparseGroupLasso(AtAlpha, Grouped):
    r"""Least squares with the l1 norm and the l2 norms of groups.

    Minimises

    .. math:: \lVert y - Xb \rVert^2 / (2n) + \alpha \bigl( \tau \lVert b \rVert_1
              + (1 - \tau) \sum_g d_g \lVert b_g \rVert_2 \bigr).

    Parameters
    ----------
    groups : array-like (p,) of labels or list of lists of features, default None
        Groups as in :class:`sparsesolve.penalties.SparseGroup`, of features by number or, for a
        frame, by name. None makes every feature a group; "source" groups the columns that a
        :class:`DesignEncoder` made from one column of a table.
    tau : float in [0, 1], default 0.5
        Share of the l1 norm: 0 is the group lasso, 1 the lasso.
    group_weights : array-like, default None
        d of each group; None means the square root of its size.
    penalty_factor : array-like (G,) or mapping from names or numbers of groups, default None
        Factors of alpha for each group, scaled to mean 1: 0 is unpenalised, inf excluded.
    standardize : bool or "group", default False
        Penalise coefficients of columns divided by their standard deviation. With tau = 0,
        "group" standardises each group as a whole, see :func:`sparsesolve.path`.
    tol : float, default 1e-10
        Duality gap to reach, relative to the mean square of y about its mean.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import SparseGroupLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=80)
    >>> model = SparseGroupLasso(0.3, groups=["a", "a", "b", "b"]).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0, 1])
    """

    def __init__(self, alpha=1.0, *, groups=None, tau=0.5, group_weights=None, fit_intercept=True,
                 standardize=False, max_iter=None, tol=1e-10, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...


class GroupLasso(SparseGroupLasso):
    """:class:`SparseGroupLasso` with tau = 0: the features of a group are selected together.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import GroupLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=80)
    >>> model = GroupLasso(0.3, groups=["a", "a", "b", "b"]).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0, 1])
    """

    tau = 0.0

    def __init__(self, alpha=1.0, *, groups=None, group_weights=None, fit_intercept=True,
                 standardize=False, max_iter=None, tol=1e-10, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...


class SparseGroupLassoCV(ByFolds, Grouped):
    """:class:`SparseGroupLasso` with alpha by cross-validation."""

    def __init__(self, *, groups=None, tau=0.5, group_weights=None, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, max_iter=None, tol=1e-10, cv=None,
                 rule="min", verbose=False, n_jobs=None, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...


class GroupLassoCV(SparseGroupLassoCV):
    """:class:`GroupLasso` with alpha by cross-validation."""

    tau = 0.0

    def __init__(self, *, groups=None, group_weights=None, eps=1e-3, alphas=100,
                 fit_intercept=True, standardize=False, max_iter=None, tol=1e-10, cv=None,
                 rule="min", verbose=False, n_jobs=None, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...
