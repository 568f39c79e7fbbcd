"""Correlations: products Z_g'r of the blocks that may pass their threshold."""
from libc.math cimport fabs

from sparsesolve.linalg.design.design cimport Design
from sparsesolve.penalties.blocks cimport MOVING, BlockPenalty
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls

# The record of a block: this, and (copies, size) products behind it in one piece of memory.
cdef struct Record:
    int[2] exact_at         # names of the residuals of the exact products, the last one first
    int[2] approx_at        # from here on with bounds alone: the same for approximate products
    double[2] error         # and how far the level of each may be off

cdef class Correlations:
    cdef Design design
    cdef BlockPenalty penalty           # None: blocks are single columns, whose level is |z_j'r|
    cdef readonly long products         # exact products, so far
    cdef readonly Py_ssize_t n_blocks
    cdef Py_ssize_t n, p
    cdef int n_threads, n_undecided, n_close
    cdef SafeBalls safe_balls
    cdef double[::1] rate               # (G,) how fast the level of a block grows with |dr|
    cdef double[::1] threshold          # (G,) the level is held against lam * threshold
    cdef const int[::1] start, member, of   # columns of the blocks, and the block of each column
    cdef int[::1] undecided, columns    # blocks multiplied last, and their columns
    cdef double[::1] level_of           # (G,) of the undecided blocks, one after the other
    cdef double[::1] root_w, u, exact
    cdef char* records                  # (G,) Records
    cdef Py_ssize_t head, copies        # bytes of a Record, and products of a column behind it
    cdef double lam
    cdef int latest                     # name of the current residual: without bounds, of its lam
    cdef double close                   # share of the threshold from which products are taken,
    cdef double soon                    # and from which columns come along with others

    cdef void leave(self, Py_ssize_t j) noexcept nogil
    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef void multiply_all(self, const double* r) noexcept nogil
    cdef int predict_violators(self, const double* r, double lam, double forward,
                               int* which) noexcept nogil
    cdef void _multiply(self, const double* r) noexcept nogil
    cdef int _expected(self, double share, double forward, int* which) noexcept nogil
    # what bounds do otherwise
    cdef void arrive(self, const double* r, double lam) noexcept nogil
    cdef void exclude(self, double lam) noexcept nogil
    cdef void correlate(self, const int* columns, int count, double* out) noexcept nogil
    cdef void remember(self) noexcept nogil

    # Where a block is. The hot loops of bounds are written for blocks and compiled twice: `single`
    # is a constant in each, and for single columns all of this is folded away.

    cdef inline int place(self, Py_ssize_t g, bint single) noexcept nogil:
        return <int> g if single else self.start[g]

    cdef inline int size(self, Py_ssize_t g, bint single=False) noexcept nogil:
        return 1 if single else self.start[g + 1] - self.start[g]

    cdef inline Record* record(self, Py_ssize_t g, bint single=False) noexcept nogil:
        return <Record*> (self.records + self.head * g
                          + self.copies * <Py_ssize_t> sizeof(double) * self.place(g, single))

    cdef inline double* product(self, Py_ssize_t g, bint single=False) noexcept nogil:
        """The last exact products of block g (size,), followed by those before and, with bounds,
        the last two approximate ones."""
        return <double*> (<char*> self.record(g, single) + self.head)

    cdef inline double level(self, Py_ssize_t g, const double* z, bint single=False) noexcept nogil:
        """The least lam * threshold that keeps block g at zero against the products z."""
        if single or self.penalty is None:
            return fabs(z[0])
        return self.penalty.block_polar(g, z, MOVING)
