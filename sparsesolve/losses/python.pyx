"""A loss written in Python: an object computes value, gradient and curvature sample by sample."""
from libc.math cimport INFINITY, NAN
from libc.string cimport memcpy

import numpy as np

from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.separable cimport Contact, contact_from, newton_step

# Maximum number of doublings of a step until there is a bracket.
DOUBLINGS = 100
# A step of at most this multiple of 1 + |t| is rounding error.
SMALLEST_STEP = 4e-15
# A value is unbounded below if, FAR times max(|y|, 1) out, its slope still exceeds STEEP times
# the slope at 0.
FAR, STEEP = 1e6, 1e-3
CONTACT = np.dtype([(name, float) for name in ("t", "low", "high", "reach", "step", "tries")])


cdef class PythonLoss(Loss):
    """F(eta) = sum_i w_i law.value(y_i, eta_i); sparsesolve.families describes the protocol.

    No exception can leave a `noexcept` method. The first one is kept until raise_pending raises
    it. Until then F is NaN with u = 0, the curvature is w, the gap is infinite, and the object is
    not called again.

    Parameters
    ----------
    y, w : (n,) responses and weights that sum to 1; samples of weight 0 are not passed to the
    object law : object with value, gradient, curvature and perhaps conjugate
    """

    cdef object law, y, w, used
    cdef object least               # infimum of each sample's value

    def __init__(self, y, w, law):
        w = np.array(w, dtype=float)
        self.n, self.n_responses = len(w), 1
        self.law = law
        self.used = np.flatnonzero(w > 0.0)
        self.w, self.y = w[self.used], np.array(y, dtype=float)[self.used]
        self.y.flags.writeable = False
        self.least = self._least()
        self.saturated = np.dot(self.w, self.least)

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

    by_sample = True

    def samples(self):
        y, w = np.zeros((2, self.n))
        y[self.used], w[self.used] = self.y, self.w
        return y, w

    def parameters(self):
        return (self.law,)

    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil:
        with gil:
            return self._sample(y[0], eta[0], slope)

    cdef double _sample(self, double y, double eta, double* slope) noexcept:
        cdef double value = NAN
        slope[0] = 0.0
        if self.pending is None:
            try:
                label, e = np.array([y]), np.array([eta])
                slope[0] = answer(self.law, "gradient", label, e)[0]
                value = answer(self.law, "value", label, e)[0]
            except BaseException as error:
                self.pending = error
        return value

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
        if self.pending is not None:
            return INFINITY
        try:
            unused = np.ones(self.n, dtype=bool)
            unused[self.used] = False
            if self._all(u)[unused].any():
                return INFINITY
            e, v = self._taken(eta), self._taken(u) / -self.w
            if hasattr(self.law, "conjugate"):
                return np.dot(self.w, self._asked("value", e) + self._asked("conjugate", v) - v * e)
            t, step = touch(self.law, self.y, v, e)
            value = self._asked("value", e)
            there = np.where(v == 0.0, self.least, self._asked("value", t))
            missing = np.abs(self._asked("gradient", t) - v) * step
            above = np.maximum(value - there + v * (t - e), 0.0)
            return np.dot(self.w, above + np.where(v == 0.0, 0.0, missing))
        except BaseException as error:
            self.pending = error
            return INFINITY

    cdef object _all(self, const double* x):
        cdef double[::1] copy = np.empty(self.n)
        memcpy(&copy[0], x, self.n * sizeof(double))
        return np.asarray(copy)

    cdef object _taken(self, const double* x):
        """Return a copy of the entries of samples with a weight; the object may keep it."""
        return self._all(x)[self.used]

    cdef void _give(self, values, double* out) noexcept:
        """Set out = values for samples with a weight, 0 elsewhere."""
        cdef double[::1] full = np.zeros(self.n)
        np.asarray(full)[self.used] = values
        memcpy(out, &full[0], self.n * sizeof(double))

    def _asked(self, what, x):
        return answer(self.law, what, self.y, x)

    def _least(self):
        """Return the infimum of each sample's value.

        It is minus the conjugate at 0, or the value where the gradient changes sign.
        """
        if not len(self.y):
            return np.zeros(0)
        y, place = np.unique(self.y, return_inverse=True)
        zero = np.zeros(len(y))
        if hasattr(self.law, "conjugate"):
            return -answer(self.law, "conjugate", y, zero)[place]
        t, step = touch(self.law, y, zero, zero)
        pull = answer(self.law, "gradient", y, t)
        slope = np.abs(pull)
        falls = np.isinf(step) & (np.abs(t) > FAR * np.maximum(1.0, np.abs(y)))
        falls &= slope > STEEP * np.abs(answer(self.law, "gradient", y, zero))
        if falls.any():
            name = getattr(self.law, "name", type(self.law).__name__)
            raise ValueError(
                f"value of the family {name} falls without an end at y = {y[falls][0]:g}; "
                "it has to be bounded below, so check y, and that value is convex")
        bracketed = (step > SMALLEST_STEP * (1.0 + np.abs(t))) & (step < np.inf)
        missing = slope * np.where(bracketed, step, 0.0)  # an upper bound, because value is convex
        last = t - np.sign(pull) * np.where(bracketed | np.isinf(step), 0.0, step)
        return (np.minimum(*(answer(self.law, "value", y, at) for at in (t, last)))
                - missing)[place]


def answer(law, what, y, x):
    """Return law.what(y, x) as an array of floats like x without NaN; overflow gives infinity."""
    with np.errstate(all="ignore"):
        # a copy, because the object may reuse its array
        found = np.array(getattr(law, what)(y, x), dtype=float)
    name = getattr(law, "name", type(law).__name__)
    if found.shape != x.shape:
        raise TypeError(
            f"{what} of the family {name} returned an array of shape {found.shape} "
            f"for {len(x)} samples; return one value per sample")
    if np.isnan(found).any():
        i = int(np.isnan(found).argmax())
        argument = "v" if what == "conjugate" else "eta"
        raise ValueError(
            f"{what} of the family {name} is NaN at y = {y[i]:g}, {argument} = {x[i]:g}")
    return found


def touch(law, y, v, start):
    """Find for each sample the point t where the gradient is v; return t and its error `step`.

    If there is no such point, t is far out and the step is infinite.
    """
    found, solved, todo = np.empty(len(y), CONTACT), np.zeros(len(y), dtype=bool), np.arange(len(y))
    cdef Contact[::1] contacts = found
    cdef unsigned char[::1] done = solved.view(np.uint8)
    cdef const double[::1] off, second_derivative, first = start
    cdef Py_ssize_t[::1] asked
    cdef Py_ssize_t i
    for i in range(len(y)):
        contacts[i] = contact_from(first[i])
    for k in range(250):  # Newton steps or halvings of a bracket, which end far sooner
        t = found["t"][todo]
        with np.errstate(all="ignore"):
            rise = law.gradient(y[todo], t.copy()) - v[todo]
            # the gradient has overflowed on the way
            off = np.where(np.isnan(rise), np.copysign(np.inf, t - start[todo]), rise)
            second_derivative = np.zeros(len(todo)) + law.curvature(y[todo], t)
        asked = todo
        for i in range(len(todo)):
            done[asked[i]] = newton_step(&contacts[asked[i]], off[i], second_derivative[i])
        lost = np.isinf(found["high"] - found["low"])[todo] if k >= DOUBLINGS else False
        todo = todo[~(solved[todo] | lost)]
        if not len(todo):
            break
    width = found["high"] - found["low"]
    return found["t"].copy(), np.where(solved, np.minimum(found["step"], width), width)
