"""Block descent with all inner products known: nothing depends on the number of samples.

The Newton step is solved by a Cholesky factor of the Gram matrix along the directions in which
the penalty is smooth.
"""
from libc.string cimport memcpy, memset

from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.gram.products cimport subtract_all
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.quadratic.block_descent cimport GroupBlockDescent


cdef class GramBlockDescent(GroupBlockDescent):
    """The quadratic over working groups whose inner products are all known.

    `columns` extend `gram` as they come; without columns it holds all from the start.
    """

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.gram = Gram()
        self.has_radial_step = penalty.all_round()

    cdef int describe(self, penalty, int first) except -1:
        GroupBlockDescent.describe(self, penalty, first)
        return self.reserve_matrix(self.size)

    cdef void block_products(self, int k, double* out) noexcept nogil:
        cdef int j, first = self.first[k], s = self.first[k + 1] - first
        for j in range(s):
            memcpy(out + j * <Py_ssize_t> s, self.gram.G + first
                   + (first + j) * <Py_ssize_t> self.gram.capacity, s * sizeof(double))

    cdef void move(self, int k) noexcept nogil:
        self._subtract_products(self.first[k], self.first[k + 1], 1.0, self.g)

    cdef void _subtract_products(self, int first, int last, double t, double* out) noexcept nogil:
        """Subtract t times Z'Z d of the columns first..last from out."""
        cdef int j, count = 0
        for j in range(first, last):
            if self.d[j] != 0.0:
                self.support[count], self.rhs[count] = j, t * self.d[j]
                count += 1
        subtract_all(self.size, count, self.rhs, self.gram.G, self.support, self.gram.capacity,
                        out)

    cdef double square(self, const double* b, const double* carried) noexcept nogil:
        """|r - Z d|^2 = |r|^2 - d'(g before + g after)."""
        cdef double total = self.residual_square
        cdef int j
        for j in range(self.size):
            total -= (self.b[j] - b[j]) * (self.g[j] + carried[j])
        return total

    cdef double image(self) noexcept nogil:
        cdef int j
        cdef double square = 0.0
        memset(self.q, 0, self.size * sizeof(double))
        self._subtract_products(0, self.size, -1.0, self.q)
        for j in range(self.size):
            square += self.d[j] * self.q[j]
        return square

    cdef void advance(self, double t) noexcept nogil:
        axpy(self.size, -t, self.q, self.g)

    cdef bint direction(self, double lam) noexcept nogil:
        return self.factored_direction()

    cdef void radial_step(self, double lam) noexcept nogil:
        cdef int k, first, rays = 0
        for k in range(self.n_groups):
            first = self.first[k]
            if self.tangents.take_ray(k, &self.b[first], lam) > 0.0:
                self.tangents.add_products(k, self.g + first, &self.tangents.slope[first])
                rays += 1
        if rays > 0 and self.direction(lam):
            for k in range(self.n_groups):
                first = self.first[k]
                self.tangents.truncate(k, &self.b[first], &self.d[first], lam)
            self.descend(lam, self.image())

    cdef int assemble(self) noexcept nogil:
        """Fill the Gram matrix along the directions, with the penalty's Hessians on its diagonal
        blocks; return its order.
        """
        cdef int n = 0, base = 0, moving = 0, k, i, j, s
        cdef const int* of = &self.tangents.tangent_of[0]
        cdef const double* sign = &self.tangents.sign[0]
        cdef const double* hessian
        cdef double* out
        for k in range(self.n_groups):
            for j in range(self.first[k], self.first[k + 1]):
                if self.tangents.count[k] > 0 and of[j] >= 0:
                    self.support[moving], self.position[moving] = j, n + of[j]
                    moving += 1
            n += self.tangents.count[k]
        memset(&self.matrix[0], 0, <Py_ssize_t> n * n * sizeof(double))
        for k in range(self.n_groups):
            hessian = &self.tangents.hessians[self.place[k]]
            for s in range(self.tangents.count[k]):
                # the products of all working columns with the direction
                memset(self.q, 0, self.size * sizeof(double))
                for j in range(self.first[k], self.first[k + 1]):
                    if of[j] == s:
                        axpy(self.size, sign[j],
                             self.gram.G + j * <Py_ssize_t> self.gram.capacity, self.q)
                out = &self.matrix[(base + s) * <Py_ssize_t> n]
                for i in range(moving):
                    out[self.position[i]] += sign[self.support[i]] * self.q[self.support[i]]
                for i in range(self.tangents.count[k]):
                    out[base + i] += hessian[i + s * <Py_ssize_t> self.tangents.count[k]]
            base += self.tangents.count[k]
        return n
