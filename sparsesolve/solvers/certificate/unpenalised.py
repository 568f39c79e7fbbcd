"""UnpenalisedBasis: the intercept and unpenalised columns, by an orthonormal basis Q.

    b0 + Zb  is written  Qc + Zb    with b = 0 at the columns in the span of Q
    b0 + Zb  is written  Qc + Zb    with N'b = 0, Q spanning ZN, if a penalty has a kernel N

Given: a Problem and its penalty. Returned: Q, and the columns it spans at a point. Invariant: Q
is orthonormal under the weights.

A penalty does not see c, and the scale of these columns does not slow steps down. A dual point
must be orthogonal to them. A column with limits and without a penalty is restrained when it ends
at a limit. A vanishing lam restrains no column. A penalty on whole vectors may ignore directions
that are no single columns, as total variation ignores constants: N has them as orthonormal
columns, and for columns it is a selection.

Reference: Bach et al. 2012, section 1.4.
"""

import numpy as np
from scipy import sparse

from sparsesolve.linalg.factors.span import Spans

# A lambda below this may hold nothing back, so that each point is asked which columns are free.
SMALL = 1e-8
# A coefficient beyond every finite limit, and a lambda beyond every other.
FAR = 1e300
# Features of no size count as this size, so that directions of such features alone have a share.
TINY = 1e-300
# An error of shares that sum to 1 along each direction of the kernel.
EXACT = 1e-12
# What is left of a product without its part along the kernel is rounding below this fraction of
# what is taken away: some ten units in the last place.
LEFT = 2e-15


class UnpenalisedBasis:
    """The basis of a Problem; coefficients have the shape of `nowhere`, zeros.

    Attributes
    ----------
    which : (p,) bool
        Columns that neither the penalty nor limits restrain, whatever lam.
    alive : (p,) bool
        Columns that are not constant.
    basis : (n, f)
        Q, after a constant if there is an intercept.
    span : Span
        Span of the columns under the weights.
    """

    def __init__(self, problem, penalty, nowhere, with_intercept):
        self.design, self.penalty = problem.design, penalty
        self.with_intercept = with_intercept
        norms = np.asarray(problem.norms, dtype=float)
        self.spans = Spans(self.design, np.sqrt(problem.weights), problem.centred, norms)
        self.alive = np.asarray(self.design.spread) > 0.0
        one, unpenalised = nowhere + 1.0, penalty.unpenalised
        self.which = unpenalised(FAR * one, one) & unpenalised(-FAR * one, -one) & self.alive
        without_penalty = (unpenalised(nowhere, one) | unpenalised(nowhere, -one)) & self.alive
        self._boxed = bool((without_penalty & ~self.which).any())  # Some of them have limits.
        everywhere = unpenalised(FAR * one, one, 0.0) & unpenalised(-FAR * one, -one, 0.0)
        self._of_each = nowhere.ndim == 2 and (self._boxed or not everywhere[self.alive].all())
        self.kernel = None if problem.has_blocks else penalty.kernel()
        if self.kernel is not None:
            self.share = self._share_of(norms)
            # Computed once: a second time rounding may give Q another sign.
            self._along_kernel = self.spans.along(self.kernel)
        self.span = self._span_of(self.which)
        self.basis = self._basis_of(self.which)
        self._last = self.which, self.basis

    def _basis_of(self, mask):
        """Return the basis of these columns, unweighted, after a constant if there is an
        intercept, (n, f).
        """
        basis = self.spans.plain(self._span_of(mask).Q)
        return np.column_stack([np.ones(len(basis)), basis]) if self.with_intercept else basis

    def _span_of(self, mask):
        if self.kernel is None or mask.any():
            return self.spans.of(np.flatnonzero(mask))
        return self._along_kernel

    def back(self, c):
        """Return coefficients of the columns or directions of the span, from c (f,) or (K, f)."""
        return c[..., int(self.with_intercept) :] @ self.span.back.T

    def parts(self, eta):
        """Return coefficients c, without the constant's, of predictors eta in the span of Q."""
        return (eta * self.spans.root_w) @ self.span.Q

    def with_span(self, b, c):
        """Return all coefficients: b (p,) or (K, p), plus those that belong to c (f,) or (K, f).
        """
        b, back = b.copy(), self.back(c)
        if self.kernel is None:
            b[..., self.span.which] = back
            return b
        return b + (self.kernel @ back.T).T

    def held_part(self, z, free):
        """Set z (p,) or (K, p) to 0 along `free` features or the kernel, and return it."""
        z[..., free] = 0.0
        if self.kernel is not None and not free.any():
            z -= (self.kernel @ (self.kernel.T @ z.T)).T
        return z

    def orthogonal_part(self, z, free):
        """Return products z, changed, of a dual point that is orthogonal up to rounding.

        The rounding error of z_j grows with the norm of column j. So what is left along the
        kernel is taken away in proportion to squared norms. Taken evenly, as `held_part` does, the
        error of a large column could exceed the whole product of a small one. A feature that
        alone makes a direction, or all of whose z is along it, is left with 0 and not with the
        rounding of a difference, which would be no rounding compared with itself.
        """
        z[..., free] = 0.0
        if self.kernel is None or free.any():
            return z
        size = (abs(self.share) @ (abs(self.kernel).T @ np.abs(z).T)).T
        for _ in range(2):
            z -= (self.share @ (self.kernel.T @ z.T)).T
        z[np.abs(z) <= LEFT * size] = 0.0
        return z

    def _share_of(self, norms):
        """Return S (p, k) with N'S = I, columns in proportion to the squared norms of features.

        N is the answer if columns of N overlap and the sizes of features differ so much that S
        cannot be had to rounding.
        """
        N = self.kernel
        square = np.square(norms / (norms.max(initial=0.0) or 1.0))
        heavy = sparse.diags_array(np.maximum(square, TINY)) @ N
        gram = sparse.csc_array(N.T @ heavy)
        if gram.nnz == gram.shape[0]:  # columns of N have no feature in common
            return sparse.csc_array(heavy @ sparse.diags_array(1.0 / gram.diagonal()))
        S = heavy.toarray() @ np.linalg.pinv(gram.toarray(), hermitian=True)
        exact = np.allclose(N.T @ S, np.eye(N.shape[1]), rtol=0.0, atol=EXACT)
        return S if exact else N

    def error(self, c):
        """Return the error of Qc for the coefficients that belong to c, (n,) or (K, n)."""
        return c[..., int(self.with_intercept) :] @ self.spans.plain(self.span.error).T

    def same_at(self, lam):
        """Return True if `which` are all unpenalised columns at lam, wherever a point is."""
        return not (self._boxed or lam < SMALL)

    def at(self, coefficients, z, lam):
        """Return what is unpenalised at a point of these coefficients, with products z = Z'u.

        Returns the columns (p,), their basis and the constant (n, f), and None. If each of K
        responses has its own, returns columns (K, p), the basis of any (n, f), and a mask (K, f)
        of the responses.
        """
        if self._of_each:
            return self._at_each(coefficients, z, lam)
        free = self.penalty.unpenalised(coefficients, z, lam) & self.alive
        if (free != self._last[0]).any():
            self._last = free, self._basis_of(free)
        return *self._last, None

    def _at_each(self, coefficients, z, lam):
        free = self.penalty.unpenalised_each(coefficients, z, lam) & self.alive
        which = np.flatnonzero(free.any(axis=0))
        own = free[:, which]
        if self.with_intercept:
            which, own = np.append(-1, which), np.insert(own, 0, True, axis=1)
        return free, *self.spans.apart_in_each(which, own)
