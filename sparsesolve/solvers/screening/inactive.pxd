"""SafeBalls: safe screening by earlier residuals; Inactive: the blocks outside the working set."""
from libc.math cimport INFINITY, fabs

from sparsesolve.linalg.design.design cimport Design, RoundedVector
from sparsesolve.penalties.blocks cimport MOVING, BlockPenalty
from sparsesolve.penalties.elastic_net cimport ElasticNet

cdef class SafeBalls:
    cdef Py_ssize_t n
    cdef int parts
    cdef bint together
    cdef double[::1] rate, threshold    # (p,)
    cdef double[::1] kept               # (p,) of each bound; -INFINITY: dropped
    cdef double[::1] last               # (parts * n,) the current residual
    cdef double scale                   # product of the factors s
    # Accumulated lengths of e, each over `scale`, and largest entries.
    cdef double moved, most

    cdef void move(self, const double* r) noexcept nogil
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

cdef class Inactive:
    cdef Design design
    cdef ElasticNet net                 # blocks of one column, whose level is |z_j'r|, or
    cdef BlockPenalty penalty           # groups; the other is None
    cdef SafeBalls safe_balls
    cdef RoundedVector rounded          # None: exact products cost no more
    cdef readonly long multiplied       # exact products, so far
    cdef Py_ssize_t n_blocks
    cdef int n_threads, n_undecided, n_over
    cdef const int[::1] start, member, of   # columns of the blocks, and the block of each column
    cdef double[::1] rate               # (G,) how fast the level of a block grows with |dr|
    cdef double[::1] threshold          # (G,) the level is held against lam * threshold
    cdef double close                   # fraction of the threshold from which products are taken
    cdef double lam
    cdef int latest                     # number of the current lam
    # Two numbers and (2, size) products of each block, see `record`.
    cdef double[::1] records
    cdef int[::1] undecided             # blocks multiplied last
    cdef int[::1] unclear               # those that near products leave
    cdef int[::1] over                  # those above their threshold when last examined
    cdef double[::1] level              # of `undecided`, then of `over`
    # (G,) room for blocks that are to enter, and for their levels over their thresholds
    cdef int[::1] chosen
    cdef double[::1] ratio
    cdef int[::1] columns               # of some blocks
    cdef double[::1] root_w, u, exact
    cdef double[::1] scaled             # room for the products of one block
    # what violators and predict_violators return, until they are asked again
    cdef int[::1] found

    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef void _arrive(self, const double* r, double lam) noexcept nogil
    cdef void _multiply(self, const double* r, bint exactly) noexcept nogil
    cdef int _near(self) noexcept nogil
    cdef int _list_columns(self, int count) noexcept nogil
    cdef void _remember(self, int k, const double* z, double distance) noexcept nogil
    cdef double scale(self, double lam, bint strict) noexcept nogil
    cdef double gap(self, double lam, double scale) noexcept nogil
    cdef int[::1] violators(self, double lam, int most)
    cdef int[::1] predict_violators(self, double lam, double forward)
    cdef int[::1] columns_of(self, const int[::1] blocks)
    cdef int[::1] unpenalised(self)
    cdef int[::1] together(self, which)
    cdef void leave(self, const int[::1] which) noexcept
    cdef products(self, const double* r)

    cdef inline int size(self, Py_ssize_t g) noexcept nogil:
        return self.start[g + 1] - self.start[g]

    cdef inline double* record(self, Py_ssize_t g) noexcept nogil:
        """The numbers of the lams of block g's products, the last one first, and these products.

        They stand in one piece of memory: a block is met with all of it or not at all.
        """
        return &self.records[2 * (g + <Py_ssize_t> self.start[g])]

    cdef inline double block_level(self, Py_ssize_t g, const double* z) noexcept nogil:
        """The least lam * threshold that keeps block g at zero against the products z."""
        return fabs(z[0]) if self.penalty is None else self.penalty.block_polar(g, z, MOVING)
