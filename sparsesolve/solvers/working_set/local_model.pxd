"""LocalModel: the loss at the current point of a path, and its quadratic model there."""
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.losses.base cimport Loss

cdef enum Slope:                            # where a step's gradient is wanted
    NOWHERE = 0
    HERE = 1                                # at the step's end
    AHEAD = 2                               # at the next start, if the step's end is a solution

ctypedef struct LossPoint:
    double* eta                             # (n,)
    double* u                               # (n,) -F'(eta)
    double value                            # F(eta)
    double pull                             # sum of u,
    double square                           # of u^2 / h,
    double* g                               # and Z'u of the working columns:
    int met                                 # known of so many of them; -1: all three are not

cdef class LocalModel:
    cdef readonly Loss loss
    cdef bint centred                       # whether columns are, the level of eta being free
    cdef bint dense                         # whether working columns are
    cdef bint costly                        # whether that factor may take O(n^3)
    # whether the model is F'' by its factor, in place of a diagonal
    cdef bint rooted
    cdef Py_ssize_t n
    cdef LossPoint[3] points
    cdef LossPoint* here                    # the current point,
    cdef LossPoint* trial                   # where a step leads that has been tried,
    # and the next start, here.eta + forward (here.eta - last), if met >= 0
    cdef LossPoint* next
    cdef double forward
    cdef const double* last
    cdef double multiplier                  # s
    cdef double whole                       # s as it was when H was taken
    # of the step tried: image'H image, and what u lost along the image
    cdef double modelled, along
    cdef double[:, :, ::1] samples          # eta and u of the points,
    cdef double[:, ::1] gradients           # and their g
    cdef double[::1] w, offset, image, work     # (n,)
    cdef double[::1] h, root_h, inverse     # (n,) diagonal of H, its root, 1 over that or 0

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
    cdef void accept(self) noexcept nogil
