"""Block step: minimisation over one working group, the others fixed.

    minimise over b_g   |r|^2 / 2 + lam Omega_g(b_g),   r = y - Z b,   lower <= b_g <= upper

Given: g_g = Z_g'r, and the group's own inner products Z_g'Z_g, in `blocks`.
Returned: b_g near the minimum, never above its start. A penalty of the length of b_g alone is
minimised exactly, along the axes of Z_g'Z_g. For any other a step with h I in place of Z_g'Z_g, h
at least its largest eigenvalue, decides whether the group is zero; then Newton steps follow along
the directions in which Omega_g is smooth.
Invariant: z = Z_g'r during a step. b, d and g are vectors of the group's numbers.
Reference: Tseng and Yun (2009), "A coordinate gradient descent method for nonsmooth separable
minimization".
"""
from libc.math cimport fabs, sqrt
from libc.string cimport memcpy, memset
from scipy.linalg.cython_lapack cimport dsyev

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.working.columns import roomier
from sparsesolve.linalg.kernels.small cimport small_factor, small_solve
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.blocks cimport BlockPenalty

cdef double ROUNDING = tolerances.ROUNDING


cdef class BlockStep:
    """Each working group by itself: its inner products, their axes, the step over it, and the
    directions along which its penalty is smooth.

        b_j += sign_j t_i for the columns j of group k with i = tangent_of_j,   i < count_k

    With each direction comes the slope of the objective along it (what a step gains at first); the
    penalty's second derivative along them is a block of count_k x count_k at `place_k`. A block
    step solves for one group along its directions, a Newton step for all groups, and a radial step
    has the ray of each group as its only direction. Groups are vectors from their first entry on.
    """

    def __cinit__(self, BlockPenalty penalty, int[::1] first, int[::1] group,
                  Py_ssize_t[::1] place):
        cdef Py_ssize_t largest = penalty.work.shape[0]
        self.penalty, self.first, self.group, self.place = penalty, first, group, place
        self.count = np.zeros(penalty.n_groups, dtype=np.intc)
        self.curvature = np.zeros(penalty.n_groups)
        self.eigenvalues, self.blocks, self.axes = np.zeros((3, 0))
        # of which eight are LAPACK's
        self.scratch = np.empty(12 * largest)
        self.z, self.x = &self.scratch[8 * largest], &self.scratch[9 * largest]
        self.old, self.along = &self.scratch[10 * largest], &self.scratch[11 * largest]

    cdef int reserve(self, int capacity) except -1:
        """Make room for so many columns; eigenvalues stay, directions are forgotten."""
        wider = np.zeros(capacity)
        wider[:self.eigenvalues.shape[0]] = self.eigenvalues
        self.eigenvalues, (self.sign, self.slope) = wider, np.zeros((2, capacity))
        self.tangent_of = np.zeros(capacity, dtype=np.intc)
        return 0

    cdef int reserve_blocks(self, int first, Py_ssize_t entries) except -1:
        """Make room for so many entries of blocks; those of the groups before `first` stay."""
        if entries > self.blocks.shape[0]:
            self.blocks = roomier(self.blocks, 2 * entries, self.place[first])
            self.axes = roomier(self.axes, 2 * entries, self.place[first])
            self.factors, self.hessians = np.zeros((2, 2 * entries))
        return 0

    cdef int linearise(self, int k, const double* b, const double* z, double lam) noexcept nogil:
        """Set group k's directions at b, with products z; returns how many there are."""
        cdef int first = self.first[k]
        self.count[k] = self.penalty.tangent(self.group[k], b, z, lam, &self.tangent_of[first],
                                             &self.sign[first], &self.slope[first])
        self.second_derivative(k, b, lam)
        return self.count[k]

    cdef void second_derivative(self, int k, const double* b, double lam) noexcept nogil:
        """Set the penalty's second derivative along group k's directions."""
        cdef int n = self.count[k]
        memset(&self.hessians[self.place[k]], 0, <Py_ssize_t> n * n * sizeof(double))
        self.penalty.second_derivative(self.group[k], b, lam, &self.tangent_of[self.first[k]],
                                       &self.hessians[self.place[k]], n)

    cdef double take_ray(self, int k, const double* b, double lam) noexcept nogil:
        """Make the ray of b group k's only direction, if b is not 0; returns the length of b.

        `slope` is that of the penalty alone, a function of the length.
        """
        cdef int j, first = self.first[k], s = self.first[k + 1] - first, g = self.group[k]
        cdef double ridge = lam * self.penalty.ridge[g], length = sqrt(dot(s, b, b))
        self.count[k] = length > 0.0
        for j in range(s):
            self.tangent_of[first + j] = self.count[k] - 1
            self.sign[first + j] = b[j] / length if length > 0.0 else 1.0
        if length > 0.0:
            self.hessians[self.place[k]] = ridge
            self.slope[first] = -ridge * length - lam * self.penalty.weight[g]
        return length

    cdef int merge(self, int k, const double* b, const double* d, double lam) noexcept nogil:
        """Merge directions that reach a kink at once along d; returns how many were merged."""
        cdef int first = self.first[k], merged = 0
        if self.count[k] > 0:
            # a kink within this part of the step, near the largest coefficient of the group
            merged = self.penalty.merge(self.group[k], b, d, 1e-2, 1e-4,
                                      &self.tangent_of[first], &self.sign[first],
                                      &self.slope[first])
        if merged > 0:
            self.count[k] -= merged
            self.second_derivative(k, b, lam)
        return merged

    cdef void truncate(self, int k, const double* b, double* d, double lam) noexcept nogil:
        """Stop coefficients at a 0 or limit that they would cross; groups that turn round, at 0."""
        cdef int j, s = self.first[k + 1] - self.first[k], g = self.group[k]
        cdef const double* lower = &self.penalty.lower[self.penalty.start[g]]
        cdef const double* upper = &self.penalty.upper[self.penalty.start[g]]
        cdef bint kinked = lam * self.penalty.l1[g] > 0.0
        cdef double product = 0.0
        for j in range(s):
            product += b[j] * (b[j] + d[j])
            if kinked and b[j] * (b[j] + d[j]) < 0.0:
                d[j] = -b[j]
            elif b[j] + d[j] > upper[j]:
                d[j] = upper[j] - b[j]
            elif b[j] + d[j] < lower[j]:
                d[j] = lower[j] - b[j]
        if product < 0.0 and lam * self.penalty.weight[g] > 0.0:
            for j in range(s):
                d[j] = -b[j]

    cdef void spread(self, int k, const double* along, double* out) noexcept nogil:
        """Set the step of group k's columns from those along its directions."""
        cdef int j, first = self.first[k]
        for j in range(self.first[k + 1] - first):
            out[j] = (self.sign[first + j] * along[self.tangent_of[first + j]]
                      if self.count[k] > 0 and self.tangent_of[first + j] >= 0 else 0.0)

    cdef void add_products(self, int k, const double* x, double* out) noexcept nogil:
        """Add the products of x, by group k's columns, with each of its directions."""
        cdef int j, first = self.first[k]
        if self.count[k] > 0:
            for j in range(self.first[k + 1] - first):
                if self.tangent_of[first + j] >= 0:
                    out[self.tangent_of[first + j]] += self.sign[first + j] * x[j]

    # The step over one group.

    cdef int decompose(self, int k) except -1:
        """Eigenvalues and axes of the inner products of group k, which stand in `blocks`."""
        cdef int i, first = self.first[k], s = self.first[k + 1] - first, lwork = 8 * s, info = 0
        memcpy(&self.axes[self.place[k]], &self.blocks[self.place[k]],
               <Py_ssize_t> s * s * sizeof(double))
        dsyev("V", "L", &s, &self.axes[self.place[k]], &s, &self.eigenvalues[first],
              &self.scratch[0], &lwork, &info)
        if info != 0:
            raise ArithmeticError("the eigenvalues of a group's inner products did not converge")
        self.curvature[k] = self.eigenvalues[first + s - 1] * (1.0 + 1e-12)
        for i in range(s):
            # rounding
            if self.eigenvalues[first + i] <= 1e-15 * s * self.eigenvalues[first + s - 1]:
                self.eigenvalues[first + i] = 0.0
        return 0

    cdef double minimise(self, int k, const double* g, double lam, double* b,
                         double* d) noexcept nogil:
        """Minimise over group k, approximately, by the step d; return the decrease of |r|^2."""
        cdef int j, s = self.first[k + 1] - self.first[k], tries
        cdef double size, begun, decrease = 0.0
        memcpy(self.old, b, s * sizeof(double))
        if self.penalty.is_round(self.group[k]):
            decrease = self._along_axes(k, g, lam, b, d)
        else:
            memcpy(self.z, g, s * sizeof(double))
            begun = self._shrink(k, lam, b, d)
            # two reach rounding where the model of the block is exact
            for tries in range(3):
                size = self._newton_step(k, lam, b, d)
                begun = max(begun, size)
                # shorter steps wait for the next sweep
                if size <= 1e-2 * begun:
                    break
            for j in range(s):
                decrease += (b[j] - self.old[j]) * (g[j] + self.z[j])
        for j in range(s):
            d[j] = b[j] - self.old[j]
        return decrease

    cdef double _along_axes(self, int k, const double* g, double lam, double* b,
                      double* d) noexcept nogil:
        """The same along the axes of Z_g'Z_g, where the penalty is a function of the length."""
        cdef int i, j, s = self.first[k + 1] - self.first[k]
        cdef const double* axis = &self.axes[self.place[k]]
        cdef const double* eigenvalue = &self.eigenvalues[self.first[k]]
        cdef double* products = self.z
        cdef double* along = self.along
        cdef double* x = self.x
        cdef double product, old, square = 0.0, decrease = 0.0
        cdef bint stays = False
        for i in range(s):
            product = old = 0.0
            for j in range(s):
                product += axis[j] * g[j]
                old += axis[j] * b[j]
            along[i], products[i] = old, product
            square += old * old
            d[i] = product + eigenvalue[i] * old
            axis += s
        self.penalty.diagonal_prox(self.group[k], eigenvalue, d, lam, sqrt(square), x)
        memset(d, 0, s * sizeof(double))
        axis = &self.axes[self.place[k]]
        for i in range(s):
            stays = stays or x[i] != 0.0
            old = x[i] - along[i]
            decrease += old * (2.0 * products[i] - eigenvalue[i] * old)
            for j in range(s):
                d[j] += old * axis[j]
            axis += s
        for i in range(s):
            b[i] = b[i] + d[i] if stays else 0.0
        return decrease

    cdef double _shrink(self, int k, double lam, double* b, double* d) noexcept nogil:
        """A proximal step with a multiple of the identity as Hessian; returns its length."""
        cdef int j, s = self.first[k + 1] - self.first[k], g = self.group[k]
        cdef double h = self.curvature[k]
        if h + lam * self.penalty.ridge[g] <= 0.0:
            return 0.0
        for j in range(s):
            self.x[j] = h * b[j] + self.z[j]
        self.penalty.block_prox(g, h, self.x, lam, d)
        for j in range(s):
            d[j] -= b[j]
        return self._take(k, d, b)

    cdef double _take(self, int k, const double* d, double* b) noexcept nogil:
        """b += d, and z to match; returns |d|."""
        cdef int j, s = self.first[k + 1] - self.first[k]
        cdef double size = 0.0
        for j in range(s):
            if d[j] != 0.0:
                axpy(s, -d[j], &self.blocks[self.place[k] + <Py_ssize_t> j * s], self.z)
                size += d[j] * d[j]
                b[j] += d[j]
        return sqrt(size)

    cdef double _newton_step(self, int k, double lam, double* b, double* d) noexcept nogil:
        """A Newton step of the block along its directions, if that pays; return its length."""
        cdef int j, first = self.first[k], s = self.first[k + 1] - first, g = self.group[k]
        cdef double change, size
        cdef double* slope
        # Newton steps for one block pay up to this many directions: a factor takes their cube, a
        # product with the data their square.
        if self.linearise(k, b, self.z, lam) > 64:
            return 0.0
        self.factorise(k)
        slope = &self.slope[first]
        small_solve(self.count[k], &self.factors[self.place[k]], slope)
        self.spread(k, slope, d)
        for j in range(s):
            # of a singular factor, or NaN: coefficients are of size 1 in inner units
            if not fabs(d[j]) < 1e30:
                return 0.0
        self.truncate(k, b, d, lam)
        change = -self.penalty.block_value(g, b, lam)
        for j in range(s):
            change -= 0.5 * d[j] * self.z[j]
        size = self._take(k, d, b)
        # the quadratic's part: -d'(z before + z after) / 2
        for j in range(s):
            change -= 0.5 * d[j] * self.z[j]
        change += self.penalty.block_value(g, b, lam)
        if change < 0.0:
            return size
        for j in range(s):
            d[j] = -d[j]
        self._take(k, d, b)
        return 0.0

    cdef void factorise(self, int k) noexcept nogil:
        """Factorise the block's second derivative along its directions, with Z_g'Z_g."""
        cdef int first = self.first[k], s = self.first[k + 1] - first, n = self.count[k]
        cdef int i, j
        cdef const int* of = &self.tangent_of[first]
        cdef const double* sign = &self.sign[first]
        cdef double* out = &self.factors[self.place[k]]
        cdef const double* column
        memcpy(out, &self.hessians[self.place[k]], <Py_ssize_t> n * n * sizeof(double))
        for j in range(s):
            if n == 0 or of[j] < 0:
                continue
            column = &self.blocks[self.place[k] + <Py_ssize_t> j * s]
            for i in range(s):
                if of[i] >= 0:
                    out[of[i] + <Py_ssize_t> of[j] * n] += sign[i] * sign[j] * column[i]
        small_factor(n, out, ROUNDING)
