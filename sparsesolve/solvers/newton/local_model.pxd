"""LocalModel, the loss and its quadratic model at a point of a path; LossDual, a dual point."""
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.losses.base cimport Loss
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.quadratic.coefficients cimport WorkingCoefficients

ctypedef struct LossPoint:
    double* eta                             # (n,)
    double* u                               # (n,) -F'(eta)
    double value                            # F(eta)
    double slope                        # along the intercept, the sum of u
    double square                       # sum of u^2 / h
    double* g                           # Z'u of the working columns
    int n_known                         # of so many of them; -1: slope, square and g are not known

cdef class LocalModel:
    cdef readonly Loss loss
    cdef bint centred                   # whether columns are centred, the mean of eta being free
    cdef bint dense                     # whether working columns are dense
    cdef bint costly                    # whether that factor may take O(n^3)
    cdef bint rooted                    # whether the model is F'' itself, by its factor
    cdef Py_ssize_t n
    cdef LossPoint[2] points
    cdef LossPoint* here                # the current point
    cdef LossPoint* trial               # the end of the step that was tried
    cdef double multiplier              # s
    cdef double whole                   # s when H was taken
    # rounding errors of single steps in eta, now and at the last two lams
    cdef double errors
    cdef double[2] kept_errors
    # image'H image of the step tried, and the fall of u along the image
    cdef double modelled, along
    cdef double[:, :, ::1] samples      # eta and u of both points
    cdef double[:, ::1] gradients       # and their g
    cdef double[::1] w, offset, image, work     # (n,)
    cdef double[::1] h, root_h, inverse  # (n,) diagonal of H, its root, and 1 over that or 0

    cdef int reserve(self, int capacity) except -1
    cdef double mean_predictor(self) noexcept nogil
    cdef void place(self, double constant, const double[::1] image)
    cdef bint takes_root(self) noexcept nogil
    cdef void refresh_hessian(self) noexcept nogil
    cdef void measure(self, PackedColumns columns) noexcept nogil
    cdef double move(self, PackedColumns columns, const double* change,
                     double constant) noexcept nogil
    cdef double extrapolate(self, PackedColumns columns, const double* correction, bint any,
                            double forward, const double* earlier) noexcept nogil
    cdef double shorten(self, double t) noexcept nogil
    cdef void accept(self, double errors) noexcept nogil
    cdef void learn(self, double t) noexcept nogil

cdef class LossDual(ScaledDual):
    cdef LocalModel model               # whose point is certified
    cdef WorkingCoefficients columns    # the working columns
    cdef double[::1] point, work        # (n,) the dual point, not scaled; a multiple of it
    cdef bint orthogonalised            # whether it is more than u less a multiple of H
    cdef readonly double missing        # what steps along unpenalised directions may gain
    # A scale of the dual point, NaN at first, and the gap of the samples there.
    cdef double scaled, excess
    # Predicted by a step: products with the working columns, what their rounding may add to the
    # gap, whether steps are to be remembered, and whether one has been.
    cdef double[::1] g
    cdef double rounding
    cdef bint wanted, known

    cdef int reserve(self, int capacity) except -1
    cdef int make(self, WorkingCoefficients columns, spans, double lam, double inverse_s) except -1
    cdef bint _orthogonal_to_constant(self, double slope) noexcept nogil
    cdef double samples_gap(self, double scale) noexcept nogil
    cdef void predict(self, LocalModel model, WorkingCoefficients columns) noexcept nogil
    cdef double certify(self, WorkingCoefficients columns, double lam, double goal) noexcept
    cdef void _swap(self) noexcept nogil
