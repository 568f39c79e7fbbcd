"""A loss written in Python: an object is asked for value, gradient and curvature, sample by sample."""
from libc.math cimport INFINITY, NAN
from libc.string cimport memcpy

import numpy as np

from sparsesolve.losses.base cimport Loss

DOUBLINGS, BISECTIONS = 60, 100     # of the interval in which the least value is looked for


cdef class PythonLoss(Loss):
    """F(eta) = sum_i w_i law.value(y_i, eta_i); the protocol is described in sparsesolve.families.

    No exception can leave a `noexcept` method.  The first one is kept until raise_pending raises it; till then F is
    NaN with u = 0, the curvature w, the gap infinite, and the object is not asked again.

    Parameters
    ----------
    y, w : (n,) responses, and weights that sum to 1; samples of weight 0 are not shown to the object
    law : object with value, gradient, curvature and perhaps conjugate
    """

    cdef object law, y, w, used, pending

    def __init__(self, y, w, law):
        w = np.array(w, dtype=float)
        self.n, self.n_responses = len(w), 1
        self.law, self.pending = law, None
        self.used = np.flatnonzero(w > 0.0)
        self.w, self.y = w[self.used], np.array(y, dtype=float)[self.used]
        self.y.flags.writeable = False
        self.has_conjugate = hasattr(law, "conjugate")
        self.saturated = self._infimum()

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        with gil:
            return self._evaluate(eta, u)

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        with gil:
            self._curvature(eta, h)

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t i
        self.curvature(eta, out)
        for i in range(self.n):
            out[i] *= v[i]

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        with gil:
            return self._fenchel_young(eta, u)

    cdef double _evaluate(self, const double* eta, double* u) noexcept:
        cdef double total = NAN
        self._give(0.0, u)
        if self.pending is None:
            try:
                e = self._taken(eta)
                value = self._asked("value", e)
                self._give(-self.w * self._asked("gradient", e), u)
                total = np.dot(self.w, value)
            except BaseException as error:
                self.pending = error
        return total

    cdef void _curvature(self, const double* eta, double* h) noexcept:
        self._give(self.w, h)
        if self.pending is None:
            try:
                self._give(self.w * self._asked("curvature", self._taken(eta)), h)
            except BaseException as error:
                self.pending = error

    cdef double _fenchel_young(self, const double* eta, const double* u) noexcept:
        if self.pending is not None or not self.has_conjugate:
            return INFINITY
        try:
            unused = np.ones(self.n, dtype=bool)
            unused[self.used] = False
            if self._all(u)[unused].any():
                return INFINITY
            e, v = self._taken(eta), self._taken(u) / -self.w
            return np.dot(self.w, self._asked("value", e) + self._asked("conjugate", v) - v * e)
        except BaseException as error:
            self.pending = error
            return INFINITY

    cdef object _all(self, const double* x):
        cdef double[::1] copy = np.empty(self.n)
        memcpy(&copy[0], x, self.n * sizeof(double))
        return np.asarray(copy)

    cdef object _taken(self, const double* x):
        """The entries of samples that take part, a copy: the object may keep it."""
        return self._all(x)[self.used]

    cdef void _give(self, values, double* out) noexcept:
        """out = values where samples take part, 0 elsewhere."""
        cdef double[::1] full = np.zeros(self.n)
        np.asarray(full)[self.used] = values
        memcpy(out, &full[0], self.n * sizeof(double))

    def _asked(self, what, x):
        return answer(self.law, what, self.y, x)

    def raise_pending(self):
        """Raise what went wrong in the object's code since it was last asked, if anything did."""
        error, self.pending = self.pending, None
        if error is not None:
            raise error

    def _infimum(self):
        """The infimum of F: by the conjugate at 0, else where the gradient changes sign."""
        y, place = np.unique(self.y, return_inverse=True)
        if self.has_conjugate:
            least = -answer(self.law, "conjugate", y, np.zeros(len(y)))
        else:
            least = answer(self.law, "value", y, lowest(self.law, y))
        return np.dot(self.w, least[place])


def answer(law, what, y, x):
    """law.what(y, x) as an array of floats like x, none of them NaN; what overflows is infinite."""
    with np.errstate(all="ignore"):
        found = np.asarray(getattr(law, what)(y, x), dtype=float)
    name = getattr(law, "name", type(law).__name__)
    if found.shape != x.shape:
        raise TypeError(
            f"{what} of the family {name} returned an array of shape {found.shape} for {len(x)} samples; return one "
            "value per sample")
    if np.isnan(found).any():
        i = int(np.isnan(found).argmax())
        argument = "v" if what == "conjugate" else "eta"
        raise ValueError(f"{what} of the family {name} is NaN at y = {y[i]:g}, {argument} = {x[i]:g}")
    return found


def lowest(law, y):
    """For each y the eta at which value is least, or far out where it falls for ever."""
    low, high = np.full(len(y), -1.0), np.ones(len(y))
    with np.errstate(all="ignore"):         # NaN, far out, is neither rising nor falling
        for _ in range(DOUBLINGS):
            left, right = np.asarray(law.gradient(y, low)) > 0.0, np.asarray(law.gradient(y, high)) < 0.0
            if not (left | right).any():
                break
            low, high = np.where(left, 2.0 * low, low), np.where(right, 2.0 * high, high)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            falling = np.asarray(law.gradient(y, middle)) < 0.0
            low, high = np.where(falling, middle, low), np.where(falling, high, middle)
    return 0.5 * (low + high)
