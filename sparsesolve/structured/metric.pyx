"""A metric for proximal steps of chains: the curvature of each label separately.

    |b|_M^2 = sum_k b_k' H_k b_k,    H_k = X' diag(w mu_k (1 - mu_k)) X

The Hessian of the log loss of a chain is X' C X with C the covariance of the labels. M keeps the
diagonal of C and drops what labels and positions share. The Hessian is then at most a small
multiple of M. It may be thousands of times a multiple of the identity when features are
correlated.

Given: X as compressed rows (n, p), weights h (n, K). One pass over the pairs of nonzeros of each
row computes M. If the penalty acts on single coordinates, M is stored label by label, and makes K
problems of p features, each of which fits in the cache. If groups tie the labels, M has K
contiguous, in single precision. `step` returns argmin_b  -z'(b - c) + L |b - c|_M^2 / 2 + lam
Omega(b)  by block coordinate descent.
Invariant: r = z - L M (b - c) is minus the gradient of the quadratic part.
Reference: Lee, Sun, Saunders (2014), "Proximal Newton-type methods for minimizing composite
functions"; Sokolovska, Lavergne, Cappe, Yvon (2010), "Efficient learning of sparse conditional
random fields", for the diagonal of C.
"""
import numpy as np

from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.penalties.elastic_net cimport ElasticNet, prox

# A step takes at most this many sweeps.
DEF SWEEPS = 100
# Sweeps end once one moves b by no more than this fraction of the squared length of the step, in
# M. A step that is exact to 3 % saves sweeps; PANOC's line search corrects the rest.
DEF ACCURATE = 3e-2


cdef class LabelMetric:
    """The metric M for p features and K labels; all 0 before `refresh`."""

    cdef readonly Py_ssize_t p, K
    cdef readonly bint tied             # True if groups tie the labels
    cdef double[:, :, ::1] H            # (K, p, p)
    cdef float[:, :, ::1] M             # (p, p, K), if labels are tied
    cdef double[:, :, ::1] lower        # (p, p, K) workspace of `refresh`
    cdef double[:, ::1] r               # (p, K), or (K, p) if labels are not tied
    cdef double[::1] moved              # workspace of one block

    def __init__(self, Py_ssize_t p, Py_ssize_t K, bint tied):
        self.p, self.K, self.tied = p, K, tied
        self.H, self.lower = np.zeros((K, p, p)), np.zeros((p, p, K))
        self.M = np.zeros((p * tied, p * tied, K), dtype=np.float32)
        self.r, self.moved = np.empty((p, K)) if tied else np.empty((K, p)), np.empty(p * K)

    def refresh(self, const long long[::1] start, const int[::1] at, const double[::1] x,
                const double[:, ::1] h, double floor):
        """Set the curvatures h (n, K); `floor` is the least entry of M's diagonal, relative to
        the largest.
        """
        cdef Py_ssize_t n = start.shape[0] - 1, i, a, b, k
        cdef double* row
        cdef const double* w
        cdef double product
        self.lower[:] = 0.0
        with nogil:
            for i in range(n):
                w = &h[i, 0]
                for a in range(start[i], start[i + 1]):
                    for b in range(start[i], a + 1):
                        product = x[a] * x[b]
                        row = &self.lower[max(at[a], at[b]), min(at[a], at[b]), 0]
                        for k in range(self.K):
                            row[k] += product * w[k]
        H, lower = np.asarray(self.H), np.asarray(self.lower).transpose(2, 0, 1)
        diagonal = np.einsum("kjj->kj", lower).copy()
        H[:] = lower + lower.transpose(0, 2, 1)
        np.einsum("kjj->kj", H)[:] = diagonal + (floor * diagonal.max(initial=0.0) or 1.0)
        if self.tied:
            np.asarray(self.M)[:] = H.transpose(1, 2, 0)

    def times(self, v):
        """Return M v, (p, K)."""
        return np.matmul(np.asarray(self.H), v.T[:, :, None])[:, :, 0].T

    def step(self, penalty, z, c, double lam, double L):
        """Return argmin_b -z'(b - c) + L |b - c|_M^2 / 2 + lam Omega(b), nearly, (p, K) like z
        and c.
        """
        found = np.array(c if self.tied else c.T, order="C")
        cdef double[:, ::1] b = found
        cdef double total, moved
        cdef Py_ssize_t k
        cdef ElasticNet net
        np.asarray(self.r)[:] = z if self.tied else z.T
        if not self.tied:
            net = penalty
            with nogil:
                for k in range(self.K):
                    self._label(net, k, b, lam, L)
            return np.ascontiguousarray(found.T)
        for _ in range(SWEEPS):
            moved = self._sweep_blocks(penalty, b, lam, L)
            d = found - c
            total = float(np.vdot(d, z - np.asarray(self.r)))     # L |d|_M^2
            if moved <= ACCURATE * total:
                break
        return found

    cdef void _label(self, ElasticNet penalty, Py_ssize_t k, double[:, ::1] b, double lam,
                     double L) noexcept nogil:
        """Sweep over the coefficients of a label until they no longer change."""
        cdef Py_ssize_t j, g, l, p = self.p
        cdef double h, new, d, moved, first = 0.0
        cdef double* r = &self.r[k, 0]
        cdef const double* row
        cdef int sweep
        for sweep in range(SWEEPS):
            moved = 0.0
            for j in range(p):
                g, row = j * self.K + k, &self.H[k, j, 0]
                h = L * row[j]
                new = prox(r[j] + h * b[k, j], h, lam * penalty.l1[g], lam * penalty.l2[g],
                           penalty.lower[g], penalty.upper[g])
                d = new - b[k, j]
                if d == 0.0:
                    continue
                moved += h * d * d
                b[k, j] = new
                d *= L
                for l in range(p):
                    r[l] -= d * row[l]
            first = max(first, moved)
            if moved <= ACCURATE * first:
                break

    cdef void _subtract(self, Py_ssize_t j, const double* d, double L) noexcept nogil:
        """Subtract L M d from r, for d (K,) at feature j."""
        cdef Py_ssize_t l, k, K = self.K
        cdef double* r = &self.r[0, 0]
        cdef const float* m = &self.M[j, 0, 0]
        for l in range(self.p):
            for k in range(K):
                r[l * K + k] -= L * d[k] * m[l * K + k]

    cdef double _sweep_blocks(self, BlockPenalty penalty, double[:, ::1] b, double lam,
                              double L) noexcept nogil:
        """Update each group once, with a step for its largest curvature; groups have whole
        features.
        """
        cdef Py_ssize_t g, i, f, j, k, first, size, K = self.K
        cdef double h, part, moved = 0.0
        cdef double* x = &penalty.work[0]
        cdef double* new = &self.moved[0]
        cdef bint any
        for g in range(penalty.n_groups):
            first, size, h = penalty.start[g], penalty.size(g), 0.0
            for k in range(K):
                part = 0.0
                for f in range(size // K):
                    i = f * K
                    j = penalty.member[first + i] // K
                    part += self.H[k, j, j]
                h = max(h, L * part)
            for i in range(size):
                j, k = penalty.member[first + i] // K, penalty.member[first + i] % K
                x[i] = self.r[j, k] + h * b[j, k]
            penalty.block_prox(g, h, x, lam, new)
            for f in range(size // K):
                i = f * K
                j, any = penalty.member[first + i] // K, False
                for k in range(K):
                    part = new[i + k] - b[j, k]
                    b[j, k] = new[i + k]
                    new[i + k] = part
                    moved += h * part * part
                    any = any or part != 0.0
                if any:
                    self._subtract(j, new + i, L)
        return moved
