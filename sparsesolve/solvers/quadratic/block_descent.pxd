"""GroupBlockDescent: penalised least squares over a growing set of working groups."""
from sparsesolve.solvers.quadratic.block_step cimport BlockStep
from sparsesolve.solvers.quadratic.coefficients cimport GroupCoefficients

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

cdef class GroupBlockDescent(GroupCoefficients):
    cdef BlockStep step
    cdef Anderson trail                 # the last sweeps: b, and what goes with it
    cdef double[::1] matrix, right      # the Hessian along all directions, and what it solves for
    cdef int n_rays                     # groups that are not zero in a radial step
    # whether lengths can be brought to their best, and are
    cdef bint has_radial_step, takes_radial_steps

    cdef int sweep(self, double lam) noexcept nogil
    cdef bint below(self, int k, double lam) noexcept nogil
    cdef bint block_step(self, int k, double lam) noexcept nogil
    cdef void count_step(self, int first, int last) noexcept nogil
    cdef bint extrapolate_sweeps(self, double lam) noexcept nogil
    cdef bint newton(self, double lam) noexcept nogil
    cdef int reserve_matrix(self, int order) except -1
    cdef bint factored_direction(self) noexcept nogil
    cdef void radial_step(self, double lam) noexcept nogil
    cdef bint radial_step_pays(self) noexcept nogil
    cdef void cap_step(self) noexcept nogil
    cdef void truncate_to_limits(self) noexcept nogil
    cdef bint descend(self, double lam, double square, int halvings=*) noexcept nogil
    # what a subclass says
    cdef void block_products(self, int k, double* out) noexcept nogil
    cdef void meet(self, int k) noexcept nogil
    cdef void move(self, int k) noexcept nogil
    cdef int assemble(self) noexcept nogil
    cdef void add_ray(self, int k, int rays) noexcept nogil
    cdef double image_of_rays(self) noexcept nogil
    cdef double* carried(self) noexcept nogil
    cdef Py_ssize_t extent(self, int size) noexcept nogil
    cdef double square(self, const double* b, const double* carried) noexcept nogil
    cdef void renew(self) noexcept nogil
    cdef bint direction(self, double lam) noexcept nogil
    cdef double image(self) noexcept nogil
    cdef void advance(self, double t) noexcept nogil
