"""Sum: the sum of several penalties of the same features.

    Omega(b) = sum_k Omega_k(b)

For few sums the prox is the composition of the proxes of the terms; such terms are arguments of
the penalty concerned (``l1`` of total variation). For other sums, such as l1 plus trace norm, the
prox is found by going round the terms, and the dual norm is bounded by a decomposition of z
(`prox.sums`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.forms import Splitting, splitting_of, splitting_over, stacked
from sparsesolve.penalties.norm import Norm, refuse_no_norm
from sparsesolve.penalties.penalty import is_scale_free
from sparsesolve.penalties.prox.sums import ByTheSum, SumOfTerms
from sparsesolve.penalties.rows import degrees, over_responses
from sparsesolve.penalties.whole import orthonormal


class Sum(ByTheSum, Norm):
    r"""A sum of penalties on the same features, :math:`\Omega(b) = \sum_k \Omega_k(b)`.

    For disjoint sets of features there is `Separate`. The prox goes round the terms until its
    duality gap is rounding. Dual norms are upper bounds, proved by a decomposition, so that
    certificates are valid and as tight as the bound. ``solver="admm"`` and ``"linearized_admm"``
    need only the terms' proxes.

    Parameters
    ----------
    terms : sequence of penalties
        Two or more penalties that are norms, such as ``[L1(0.5), TraceNorm((28, 28))]``. The
        weights of a term are its multiple.

    Raises
    ------
    TypeError, ValueError
        If terms is no sequence of penalties, or one is no norm; when a path is fitted, if one
        does not fit the features.

    References
    ----------
    Bach, Jenatton, Mairal, Obozinski (2012), section 3.3. Chambolle, Pock (2015), "A remark on
    accelerated block coordinate descent".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> both = penalties.Sum([penalties.L1(0.5), penalties.TraceNorm((2, 2))])
    >>> both.value([3.0, 0.0, 0.0, -4.0])
    10.5
    >>> both.prox([3.0, 0.1, 0.0, -4.0], 1.0).round(6) + 0.0
    array([ 1.5,  0. ,  0. , -2.5])
    """

    iterative = True  # The prox takes as many steps as ADMM on the whole problem.

    def __init__(self, terms: Sequence[Any]):
        if not isinstance(terms, list | tuple) or not terms:
            raise TypeError(f"terms must be a list of penalties, not {terms!r}")
        for k, term in enumerate(terms):
            missing = [m for m in ("value", "prox", "polar") if not hasattr(term, m)]
            if missing:
                raise TypeError(f"terms[{k}] is {term!r}, which has no method {missing[0]}")
            refuse_no_norm(term)
        self.terms = list(terms)

    @property
    def scale_free(self) -> bool:  # type: ignore[override]
        """Return True if no term compares coefficients with one another."""
        return all(map(is_scale_free, self.terms))

    def _arguments(self):
        return repr(self.terms)

    @property
    def groups(self) -> Any:
        """The groups of the first term that has some, or None."""
        return getattr(self._of_groups(), "groups", None)

    def group_members(self, n_features: int, names: Any = None) -> dict:
        """Return the features of each of these groups by its label."""
        return self._of_groups().group_members(n_features, names)

    def _of_groups(self):
        found = (t for t in self.terms if getattr(t, "groups", None) is not None)
        return next((t for t in found if hasattr(t, "group_members")), None)

    def _bind(self, names):
        p = self.n_features
        self._bound = [t.over(p, names) if hasattr(t, "over") else t for t in self.terms]
        for own in self._bound:  # which a Separate knows now
            refuse_no_norm(own)
        self._kernels = [_kernel_of(term) for term in self._bound]
        self._sum = SumOfTerms(self._bound, self._kernels)

    def kernel(self) -> Any:
        """Return the directions that change no term."""
        found = None
        for own in self._kernels if self.n_features else []:
            if own is None:
                return None
            if found is not None:  # the intersection of both spans
                left, cosine, _ = np.linalg.svd((found.T @ own).toarray())
                own = sparse.csc_array(found @ left[:, : len(cosine)][:, cosine > 1.0 - 1e-10])
            found = own
        return found if found is not None and found.shape[1] else None

    def over_responses(self, n_responses: int) -> Any:
        """Return the sum of the terms on arrays (K, p)."""
        terms = [over_responses(term, n_responses) for term in self._bound]
        return _Rows(terms, self._kernels)

    def splitting(self) -> Splitting:
        """Return the terms' own splittings, stacked."""
        found = [splitting_of(term, self.n_features) for term in self._bound]
        return stacked(found, (self.n_features,))

    def summands(self) -> list[Any]:
        """Return the terms for these features."""
        return self._bound

    def degrees(self, b: np.ndarray) -> int:
        """Return the smallest number of degrees of freedom of the terms, at b (p,) or (K, p)."""
        b = np.asarray(b)
        own = self._at(b)
        return min(degrees(term, b) for term in own._bound)


def _kernel_of(term):
    """Return orthonormal directions (p, k) that do not change a term, or None."""
    own = getattr(term, "kernel", lambda: None)()
    return None if own is None or not own.shape[1] else orthonormal(own)


class _Rows(ByTheSum):
    """The sum on arrays (K, p)."""

    def __init__(self, terms, kernels):
        self._sum = SumOfTerms(terms, kernels)
        self.value, self.prox, self.polar = self.norm, self.norm_prox, self.dual_norm

    def splitting_over(self, shape):
        return stacked([splitting_over(term, shape) for term in self._sum.terms], shape)
