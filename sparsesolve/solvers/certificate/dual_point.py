"""A dual point that is orthogonal to what nothing penalises, and a basis Q of the latter.

    dual = u - H Q c,    Q'dual = 0,    H = F''(eta)
    b0 + Zb  is written  Qc + Zb    with b = 0 at the columns in the span of Q
    b0 + Zb  is written  Qc + Zb    with N'b = 0, Q spanning ZN, if a penalty has a kernel N

Given: a residual u = -F'(eta); a Problem and its penalty. Returned: the dual point, and what a
step along Q may still gain; Q, and the columns it spans at a point. Invariant: the dual point is
in the domain of F*, and Q is orthonormal under the weights.

A penalty does not see c, and the scale of these columns does not slow steps down. A column with
limits and without a penalty is restrained when it ends at a limit. A vanishing lam restrains no
column. A penalty on whole vectors may ignore directions that are no single columns, as total
variation ignores constants: N has them as orthonormal columns, and for columns it is a selection.

Reference: Bach et al. 2012, section 1.4; the step is Newton's method on the dual.
"""

import numpy as np
from scipy import sparse

from sparsesolve.linalg.factors.span import Spans
from sparsesolve.solvers.tolerances import CENTRED

# Relative rounding of one operation.
EPSILON = np.finfo(np.float64).eps
# A lambda below this may hold nothing back, so that each point is asked which columns are free.
SMALL = 1e-8
# A coefficient beyond every finite limit, and a lambda beyond every other.
FAR = 1e300


def clear(loss, eta, u, columns, free=None):
    """Return u less H times a combination of the columns, orthogonal to them.

    H is the curvature of the loss at eta. This is a dual Newton step; it usually stays in the
    domain of the conjugate. Samples that leave the domain are put to its end: if unpenalised
    columns predict some responses with certainty, these samples end there.

    Parameters
    ----------
    loss : Loss
    eta, u : (n,) or (K, n)
    columns : (n, f)
        Unpenalised columns, a constant for the intercept among them.
    free : (K, f) bool, or None for all
        In which responses they are unpenalised.

    Returns
    -------
    dual : (n,) or (K, n)
    missing : float
        The possible gain of a step along these columns, which the gap at `dual` does not see.
        It is inf if `dual` is not orthogonal up to rounding: then there is no certificate.
    """
    if columns.shape[1] == 0:
        return u.copy(), 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # Beyond floats there is no certificate.
        if eta.ndim == 1:
            dual, missing = _clear_within(loss, eta, u, columns)
        else:
            dual, missing = _clear_responses(loss, eta, u, columns, free)
        # rounding
        terms = 1e-11 * np.abs(u) + CENTRED * loss.curvature_at(eta)
        left, size = np.abs(dual @ columns), terms @ np.abs(columns)
        failed = ~(left <= size)  # NaN counts too.
        failed = (failed if free is None else failed & free).any() or missing == np.inf
        if eta.ndim == 1 and loss.ends is not None and np.isfinite(u).all():
            low, high = loss.ends
            if failed or ((dual < low) | (dual > high)).any():
                return projected(u, low, high, columns, 1.0 + float(np.abs(eta).max()))
    return dual, np.inf if failed else missing


def projected(u, low, high, columns, far):
    """Return the point nearest to u that is within its ends and orthogonal to the columns A.

    It minimises sum_i (x_i - u_i)^2 / (2 s_i) over low <= x <= high with A'x = 0, where s_i is
    the length of an interval: x(nu) = clip(u - s A nu, low, high). Newton steps find the
    multipliers nu, at which the concave dual function has the slope A'x = 0. A column whose
    samples are all at their ends would have no curvature, so each keeps a millionth of it.

    Parameters
    ----------
    u, low, high : (n,), low <= 0 <= high
    columns : (n, f)
    far : float
        A size of linear predictors, on which the rounding that is left in A'x counts.

    Returns
    -------
    dual, missing : as of `clear`
    """
    sizes = np.abs(columns)
    if not np.isfinite(np.square(sizes.sum(axis=0))).all():
        return u, np.inf
    length = high - low
    usual = np.mean(length[np.isfinite(length)]) if np.isfinite(length).any() else 1.0
    s = np.where(np.isfinite(length), length, usual)

    def at(nu):
        x = np.clip(u - s * (columns @ nu), low, high)
        moved = np.divide((x - u) ** 2, s, out=np.zeros_like(s), where=s > 0.0)
        left = x @ columns
        return x, left, 0.5 * float(moved.sum()) + float(left @ nu)

    nu = np.zeros(columns.shape[1])
    x, left, value = at(nu)
    # Newton steps of a projection: some ten suffice, as each settles which samples are at their
    # ends.
    for _ in range(60):
        terms = np.abs(x) @ sizes
        if (np.abs(left) <= EPSILON * terms).all():
            break
        weights = s * np.where((low < x) & (x < high), 1.0, 1e-6)
        step, t = Curvature(columns.T @ (weights[:, None] * columns)).solve(left), 1.0
        new = at(nu + step)
        half = 0.5 * np.abs(left)
        while t > 1e-9 and not (new[2] > value or (np.abs(new[1]) <= half).all()):
            t *= 0.5
            new = at(nu + t * step)
        if t <= 1e-9:
            break
        nu, (x, left, value) = nu + t * step, new
    # Only rounding may be left: no curvature of samples at their ends tells what it is worth.
    if not (np.abs(left) <= 1e-14 * (np.abs(x) @ sizes)).all():
        return x, np.inf
    return x, far * float(np.sum(np.abs(left) / np.maximum(sizes.max(axis=0), 1e-300)))


def along_columns(loss, eta, u, columns):
    """Return a Newton step (K, f) of coefficients of the columns, and its expected gain."""
    u = np.atleast_2d(u)
    if eta.ndim == 1:
        gram = columns.T @ times_curvature(loss, eta, columns)
    else:
        gram = _gram_of_responses(loss, eta, columns)
    slope = (u @ columns).ravel()
    if not np.isfinite(gram).all():
        return np.full((len(u), columns.shape[1]), np.inf), np.inf
    step = Curvature(gram).solve(slope)
    return step.reshape(len(u), -1), 0.5 * float(slope @ step)


def _gram_of_responses(loss, eta, columns):
    """Return inner products under H of the columns in each of K responses, (K f, K f)."""
    (K, n), f = eta.shape, columns.shape[1]
    H = [loss.curvature_product(eta, np.outer(row, np.ones(n))) for row in np.eye(K)]
    gram = np.empty((K, f, K, f))
    for k in range(K):
        for j in range(k + 1):
            gram[k, :, j] = columns.T @ (H[k][j][:, None] * columns)
            gram[j, :, k] = gram[k, :, j].T
    return gram.reshape(K * f, K * f)


def times_curvature(loss, eta, columns):
    """Return H times the columns, (n, f)."""
    if not loss.coupled:
        return loss.curvature_at(eta)[:, None] * columns
    return np.stack([loss.curvature_product(eta, column) for column in columns.T], axis=1)


def _clear_within(loss, eta, u, columns):
    """Clear one response; samples that leave the range of their slopes are put to its end."""
    weighted = times_curvature(loss, eta, columns)
    h = None if loss.coupled else loss.curvature_at(eta)
    for _ in range(20):  # Each round puts some samples to the ends of their slopes for good.
        dual, missing = _clear_one(weighted, u, columns, h)
        if loss.ends is None or missing == np.inf:
            break
        low, high = loss.ends
        out = (dual < low) | (dual > high)
        if not out.any():  # This is usual.
            break
        u = np.where(out, np.clip(dual, low, high), u)
        weighted = np.where(out[:, None], 0.0, weighted)
        h = None if h is None else np.where(out, 0.0, h)
    return dual, missing


def _clear_one(weighted, u, columns, h):
    """Clear one response, with curvatures h (n,), or None if the loss couples samples.

    Along nearly dependent columns a product that is rounding may stand for much, which is
    missing.
    """
    gram = columns.T @ weighted
    if not np.isfinite(gram).all():
        return u.copy(), np.inf
    curvature = Curvature(gram, None if h is None else np.sqrt(h)[:, None] * columns)
    dual = u - weighted @ curvature.solve(columns.T @ u)
    return dual, curvature.missing(columns.T @ dual)


def _clear_responses(loss, eta, u, columns, free):
    """Clear K responses, whose curvature couples them: a combination (K, f)."""
    K, f = len(eta), columns.shape[1]
    mask = np.ones(K * f, dtype=bool) if free is None else free.ravel()
    gram = _gram_of_responses(loss, eta, columns)[np.ix_(mask, mask)]
    if not np.isfinite(gram).all():
        return u, np.inf
    curvature = Curvature(gram)
    size = (np.abs(u) @ np.abs(columns)).ravel()[mask]
    for _ in range(2):  # The second time removes what rounding left.
        step = np.zeros(K * f)
        step[mask] = curvature.solve((u @ columns).ravel()[mask])
        u = u - loss.curvature_product(eta, step.reshape(K, f) @ columns.T)
    left = (u @ columns).ravel()[mask]
    return u, 0.0 if (np.abs(left) <= 1e-11 * size).all() else curvature.missing(left)


class Curvature:
    """Curvature along some directions, scaled to a unit diagonal; flat ones are left alone.

    Inner products tell eigenvalues apart down to 1e-16 of the largest, singular values of their
    rows R (gram = R'R) down to 1e-28. The best point may lie 1e12 away along such a direction, so
    that a slope that looks like rounding counts.
    """

    def __init__(self, gram, rows=None):
        size = np.sqrt(np.maximum(np.diag(gram), 0.0))
        self.size, self.rounding = np.where(size == 0.0, 1.0, size), 1e-13
        self.eigenvalues, self.axes = np.linalg.eigh(gram / np.outer(self.size, self.size))
        self.most = self.eigenvalues.max(initial=0.0)
        if rows is not None and self.eigenvalues.min(initial=np.inf) < 1e-10 * self.most:
            _, singular, turn = np.linalg.svd(np.linalg.qr(rows / self.size, mode="r"))
            self.eigenvalues = np.pad(singular**2, (0, len(gram) - len(singular)))
            self.axes, self.rounding = turn.T, 1e-28

    def solve(self, slope):
        """Return the step that removes the slope."""
        kept = self.eigenvalues > self.rounding * self.most
        along = self.axes[:, kept].T @ (slope / self.size) / self.eigenvalues[kept]
        return self.axes[:, kept] @ along / self.size

    def missing(self, left):
        """Return the gain that a step on the rest of the slope could have."""
        floor = np.maximum(self.eigenvalues, EPSILON * self.most)
        told = self.eigenvalues > self.rounding * self.most
        floor[told] = self.eigenvalues[told]
        along = self.axes.T @ (left / self.size)
        return 0.5 * float(np.sum(along[floor > 0.0] ** 2 / floor[floor > 0.0]))


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
            self.dual_kernel = self._dual_kernel_of(norms)
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
        size = (abs(self.dual_kernel) @ (abs(self.kernel).T @ np.abs(z).T)).T
        for _ in range(2):
            z -= (self.dual_kernel @ (self.kernel.T @ z.T)).T
        # What is left of a product without its part along the kernel is rounding below this
        # fraction of what is taken away: some ten units in the last place.
        z[np.abs(z) <= 2e-15 * size] = 0.0
        return z

    def _dual_kernel_of(self, norms):
        """Return S (p, k) with N'S = I, columns in proportion to the squared norms of features.

        N is the answer if columns of N overlap and the sizes of features differ so much that S
        cannot be had to rounding.
        """
        N = self.kernel
        square = np.square(norms / (norms.max(initial=0.0) or 1.0))
        # With a size of 0, directions of such features alone would have no share.
        weighted = sparse.diags_array(np.maximum(square, 1e-300)) @ N
        gram = sparse.csc_array(N.T @ weighted)
        if gram.nnz == gram.shape[0]:  # columns of N have no feature in common
            return sparse.csc_array(weighted @ sparse.diags_array(1.0 / gram.diagonal()))
        S = weighted.toarray() @ np.linalg.pinv(gram.toarray(), hermitian=True)
        # An error of shares that sum to 1 along each direction of the kernel.
        exact = np.allclose(N.T @ S, np.eye(N.shape[1]), rtol=0.0, atol=1e-12)
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
