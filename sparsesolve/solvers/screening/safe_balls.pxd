"""SafeBalls: safe screening by earlier residuals; Correlations: products of what they let pass."""
from libc.math cimport INFINITY, fabs

from sparsesolve.linalg.design.design cimport Design, RoundedVector
from sparsesolve.penalties.blocks cimport MOVING, BlockPenalty

cdef class SafeBalls:
    cdef Py_ssize_t n
    cdef int parts
    cdef bint together
    cdef double[::1] rate, threshold    # (p,)
    # (p,) of each bound; -INFINITY: dropped
    cdef double[::1] kept
    # (parts * n,) the current residual
    cdef double[::1] last
    # product of the factors s
    cdef double scale
    # Accumulated lengths of e, each over `scale`, and largest entries.
    cdef double moved, most

    cdef void move(self, const double* r) noexcept nogil
    cdef void _wake(self) noexcept nogil
    cdef Py_ssize_t candidates(self, double lam, int* out) noexcept nogil

    cdef inline void certify(self, Py_ssize_t j, double bound) noexcept nogil:
        """Set the bound of j at the current residual."""
        if self.kept[j] > -INFINITY:
            self.kept[j] = bound / self.scale - max(self.rate[j] * self.moved,
                                                    -self.rate[j] * self.most)

    cdef inline void drop(self, Py_ssize_t j) noexcept nogil:
        """Stop screening j."""
        self.kept[j] = -INFINITY

    cdef inline bint dropped(self, Py_ssize_t j) noexcept nogil:
        return self.kept[j] == -INFINITY

# The record of a block: this, and (2, size) products behind it in one piece of memory.
cdef struct Record:
    int[2] at               # numbers of the lams of the products, the last one first

cdef class Correlations:
    cdef Design design
    cdef BlockPenalty penalty           # None: blocks are single columns, whose level is |z_j'r|
    cdef readonly long products         # exact products, so far
    cdef readonly Py_ssize_t n_blocks
    cdef Py_ssize_t n, p
    cdef int n_threads, n_undecided
    cdef RoundedVector rounded          # None: exact products cost no more
    cdef SafeBalls safe_balls
    cdef double[::1] rate               # (G,) how fast the level of a block grows with |dr|
    cdef double[::1] threshold          # (G,) the level is held against lam * threshold
    cdef const int[::1] start, member, of   # columns of the blocks, and the block of each column
    cdef int[::1] undecided             # blocks multiplied last
    cdef int[::1] unclear, columns      # those that near products leave, and their columns
    cdef double[::1] level_of           # (G,) of the undecided blocks, one after the other
    cdef double[::1] root_w, u, exact, ahead
    cdef char* records                  # (G,) Records
    cdef double lam
    cdef int latest                     # number of the current lam
    cdef double close                   # fraction of the threshold from which products are taken

    cdef void leave(self, Py_ssize_t j) noexcept nogil
    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef void multiply_all(self, const double* r) noexcept nogil
    cdef int predict_violators(self, double lam, double forward, int* which) noexcept nogil
    cdef void _arrive(self, const double* r, double lam) noexcept nogil
    cdef void _multiply(self, const double* r, bint exactly) noexcept nogil
    cdef int _near(self) noexcept nogil
    cdef int _list_columns(self, int count) noexcept nogil
    cdef void _remember(self, int k, const double* z, double distance) noexcept nogil

    cdef inline int size(self, Py_ssize_t g) noexcept nogil:
        return self.start[g + 1] - self.start[g]

    cdef inline Record* record(self, Py_ssize_t g) noexcept nogil:
        return <Record*> (self.records + <Py_ssize_t> sizeof(Record) * g
                          + 2 * <Py_ssize_t> sizeof(double) * self.start[g])

    cdef inline double* product(self, Py_ssize_t g) noexcept nogil:
        """The last products of block g (size,), followed by those of the lam before."""
        return <double*> (<char*> self.record(g) + sizeof(Record))

    cdef inline double level(self, Py_ssize_t g, const double* z) noexcept nogil:
        """The least lam * threshold that keeps block g at zero against the products z."""
        if self.penalty is None:
            return fabs(z[0])
        return self.penalty.block_polar(g, z, MOVING)
