"""RadialSubspace: a joint step along a few directions, each of which moves many columns."""

cdef class RadialSubspace:
    cdef Py_ssize_t n
    cdef int n_threads
    cdef int count, capacity
    cdef int factored                   # rows of the factor
    cdef double spent                   # multiply-adds of conjugate gradients since it was made
    cdef double* factor                 # (factored, factored), lower triangle, column by column
    cdef Py_ssize_t factor_room
    cdef double[::1] images             # (n, capacity + 1) column by column, and one to work in
    cdef int[::1] name                  # of each ray
    cdef int[::1] ray                   # of each name; -1 none
    cdef int[::1] row                   # of the factor, by name; -1 none
    cdef double[:, ::1] table           # which holds, by ray:
    cdef double* step                   # how far to go,
    cdef double* rest                   # what is left to be gained along it,
    cdef double* pull                   # the penalty's slope,
    cdef double* hessian                   # and second derivative,
    cdef double* level                  # what a rest is measured by,
    cdef double* limit                  # how far back it may go,
    cdef double* square                 # its image's,
    cdef double* direction                    # and what conjugate gradients work on
    cdef double* product
    cdef double* z

    cdef int reserve(self, int rays) except -1
    cdef void restart(self) noexcept nogil
    cdef double* draw(self, int name) noexcept nogil
    cdef void measure(self, int name) noexcept nogil
    cdef void drop(self, int name) noexcept nogil
    cdef void aim(self, int name, double pull, double hessian, double level,
                  double limit) noexcept nogil
    cdef void solve(self, const double* r, double least, double* out) noexcept nogil
    cdef void apply(self, const double* step, double* out) noexcept nogil
    cdef void _apply_transposed(self, const double* x, double* out) noexcept nogil
    cdef double* _room(self) noexcept nogil
    cdef bint _left(self, double least) noexcept nogil
    cdef double _precondition(self) noexcept nogil
    cdef void _factorise(self) noexcept nogil
