"""Group lasso: groups of features are chosen together.

    N_g(b) = d_g |b|_2

Reference: Yuan and Lin (2006), "Model selection and estimation in regression with grouped
variables".
"""
from inspect import signature

from sparsesolve.penalties.sparse_group cimport SparseGroup


cdef class GroupL2(SparseGroup):
    r"""The group lasso.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_2`.

    With path's alpha < 1 it is the group elastic net.

    Parameters
    ----------
    groups : sequence or mapping
        One label per feature, (p,), of any type (None: a group of its own); or sequences of feature
        numbers, or a mapping from labels to them. Groups need not be contiguous; features in none
        are groups of one; none may be in two.
    weights : array-like (G,) or mapping from labels, default None
        d_g of the groups named, in the order in which they first appear; None means the square
        roots of their sizes. 0 leaves a group unpenalised, inf excludes it.

    Raises
    ------
    ValueError, TypeError
        When a path is fitted: if groups overlap or do not fit its features, or a weight is
        negative.

    References
    ----------
    Yuan and Lin (2006), "Model selection and estimation in regression with grouped variables".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> y = X[:, 0] + X[:, 1]
    >>> fit = ss.path(X, y, penalty=ss.penalties.GroupL2(["a", "a", "b", "b", "c", "c"]))
    >>> fit.nonzero(0.5 * fit.lambdas[0])
    array([0, 1])
    """

    __signature__ = signature(lambda groups, weights=None: None)
    lazy_kind = "norm"

    def __init__(self, groups, weights=None):
        super().__init__(groups, 0.0, weights)

    def arguments(self):
        return self.groups, self.given
