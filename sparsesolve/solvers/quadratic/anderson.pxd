"""Anderson: an extrapolation of the last sweeps."""

cdef enum:
    MEMORY = 4      # steps that are combined: the small system of that order is solved by hand

cdef class Anderson:
    cdef int count                              # points that are remembered
    cdef double[:, ::1] coefficients, images    # of each; and what is linear in them
    cdef double[::1] step

    cdef int reserve(self, Py_ssize_t coefficients, Py_ssize_t images) except -1
    cdef void remember(self, Py_ssize_t size, const double* b, Py_ssize_t extent,
                       const double* image) noexcept nogil
    cdef double combine(self, Py_ssize_t size, double* b, Py_ssize_t extent,
                        double* image) noexcept nogil
    cdef void recall(self, Py_ssize_t size, double* b, Py_ssize_t extent,
                     double* image) noexcept nogil
