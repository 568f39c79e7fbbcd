"""LocalModel: the loss at the current point of a path, and its quadratic model there."""
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.losses.base cimport Loss

# where a step's gradient is wanted
cdef enum Slope:
    NOWHERE = 0
    # at the end of the step
    HERE = 1
    # at the next start, if the step ends at a solution
    AHEAD = 2

ctypedef struct LossPoint:
    double* eta                             # (n,)
    double* u                               # (n,) -F'(eta)
    double value                            # F(eta)
    double pull                         # sum of u
    double square                       # sum of u^2 / h
    double* g                           # Z'u of the working columns
    int n_known                         # of so many of them; -1: pull, square and g are not known

cdef class LocalModel:
    cdef readonly Loss loss
    cdef bint centred                   # whether columns are centred, the level of eta being free
    cdef bint dense                     # whether working columns are dense
    cdef bint costly                    # whether that factor may take O(n^3)
    cdef bint rooted                    # whether the model is F'' itself, by its factor
    cdef Py_ssize_t n
    cdef LossPoint[3] points
    cdef LossPoint* here                # the current point
    cdef LossPoint* trial               # the end of the step that was tried
    cdef LossPoint* next  # the next start, here.eta + forward (here.eta - last), if n_known >= 0
    cdef double forward
    cdef const double* last
    cdef double multiplier              # s
    cdef double whole                   # s when H was taken
    # rounding errors of single steps in eta, now and at the last lam, and what moved it since
    cdef double errors, last_errors, drift
    # image'H image of the step tried, and the fall of u along the image
    cdef double modelled, along
    cdef double[:, :, ::1] samples      # eta and u of the three points
    cdef double[:, ::1] gradients       # and their g
    cdef double[::1] w, offset, image, work     # (n,)
    cdef double[::1] h, root_h, inverse  # (n,) diagonal of H, its root, and 1 over that or 0

    cdef int reserve(self, int capacity) except -1
    cdef double level(self) noexcept nogil
    cdef void place(self, double constant, const double[::1] image)
    cdef bint densify(self) noexcept nogil
    cdef void refresh_hessian(self) noexcept nogil
    cdef void measure(self, PackedColumns columns) noexcept nogil
    cdef double move(self, PackedColumns columns, const double* change, double constant,
                     Slope slope) noexcept nogil
    cdef bint in_one_pass(self, PackedColumns columns) noexcept nogil
    cdef double extrapolate(self, PackedColumns columns, const double* correction, bint any,
                            double forward, const double* earlier) noexcept nogil
    cdef double _try(self, PackedColumns columns, const double* change, double constant, bint fresh,
                     Slope slope) noexcept nogil
    cdef double _start_as_seen(self, PackedColumns columns) noexcept nogil
    cdef double shorten(self, double t) noexcept nogil
    cdef void accept(self, double errors) noexcept nogil
    cdef void learn(self, double t) noexcept nogil
    cdef bint is_worn(self) noexcept nogil
