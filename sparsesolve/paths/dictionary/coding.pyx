"""Codes of many signals over one dictionary, on several threads; pursuit; and atoms for codes.

Signals are taken in blocks of a fixed size. The correlations D'Y of a block are one matrix product.
From these each signal is coded by itself, into a place of its own. The number of threads therefore
does not change a bit of a code.

Orthogonal matching pursuit of one signal, from G = D'D, D'y and y'y:

    approximately  minimise over a   1/2 |y - D a|^2   with k nonzero coefficients

Given: the number of atoms or the squared residual at which to stop. Returned: the support, in order
of entry, and the least-squares coefficients on it. Invariant: c = D'(y - P y), where P projects on
the span of the support. A step changes c by one multiple of one basis vector. Each step takes the
atom with the largest |d_j'r|. An atom in the span of the support is skipped. A basis computed from
inner products does not distinguish an atom in the span from one very near it. If the correlation
says that the atom is not in the span, the outcome is UNRESOLVED, and `column_pursuit` codes the
signal from the atoms themselves. The certificate is that of least squares: the largest |d_j'r| on
the support, recomputed, over the largest |d_j'y|.

`update_atoms`: block coordinate descent on the dictionary,

    minimise over D   1/2 tr(D'D A) - tr(D'B)      |d_j| <= 1, and d_j >= 0 with `positive`

for A = sum a a' and B = sum y a' over codes a of signals y. Each atom moves to its minimiser
d_j + (b_j - D a_j) / A_jj while the others stay, projected on the ball. On the nonnegative part of
the ball the projection first sets negative entries to 0, and then divides by the norm. The
objective never rises.
Reference: Pati, Rezaiifar, Krishnaprasad (1993); Rubinstein, Zibulevsky, Elad (2008), "Efficient
implementation of the K-SVD algorithm using batch orthogonal matching pursuit"; Mairal, Bach, Ponce,
Sapiro (2010), "Online learning for matrix factorization and sparse coding", algorithm 2.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.math cimport fabs, sqrt
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from time import perf_counter

import numpy as np
from scipy.linalg.cython_blas cimport dgemm, dgemv

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.factors cimport gram_basis
from sparsesolve.linalg.kernels.vector cimport axpy, dot, ss_find, ss_largest_f64, ss_step_largest
from sparsesolve.paths.dictionary.homotopy cimport (
    CONVERGED, FULL, STALLED, UNRESOLVED, Signal, follow, rounded,
)


# Thresholds for the squared distance of an atom from the span, as shares of the atom's square. At
# most LOST_PIVOT, the atom counts as lying in the span. At most SHAKY_PIVOT, the distance has lost
# most of its digits. Rounding may give an atom in the span a correlation with r of up to
# LOST_PIVOT |d_j| |y|.
cdef double LOST_PIVOT = 1e-12
cdef double SHAKY_PIVOT = 1e-8

# A correlation of at most this share of the largest |d_j'y| is rounding.
cdef double ROUNDING = 1e-14


cdef int pursue(Signal* s) noexcept nogil:
    """Code the signal; return an outcome."""
    cdef double largest, rounding, square
    cdef Py_ssize_t j
    cdef const double* row
    cdef int k
    s.count = s.basis.size = 0
    s.steps = 0
    s.residual = s.square
    memcpy(s.c, s.cross, s.p * sizeof(double))
    largest = ss_step_largest(s.p, 0.0, s.cross, False, s.c)
    rounding = ROUNDING * largest
    while s.count < s.most and s.residual > s.error and largest > rounding:
        j = ss_find(s.p, s.c, largest, -largest)
        row = s.gram + j * s.p
        square = gram_basis.pivot(&s.basis, row, j)
        if square <= SHAKY_PIVOT * row[j] and largest > LOST_PIVOT * sqrt(row[j] * s.square):
            return UNRESOLVED
        if square <= LOST_PIVOT * row[j]:
            s.c[j] = 0.0
            largest = ss_step_largest(s.p, 0.0, s.cross, False, s.c)
        elif s.count == s.basis.capacity:
            return FULL
        else:
            gram_basis.extend(&s.basis, row, square)
            largest = _advance(s, j)
    for k in range(s.count):
        s.values[k] = -s.c[s.p + k]
    s.level = largest
    return _certify(s)


cdef double _advance(Signal* s, Py_ssize_t j) noexcept nogil:
    """Project on the span, which now has atom j; return the largest correlation left."""
    cdef int k = s.count
    cdef const double* e = gram_basis.vector(&s.basis, k)
    cdef double step = s.c[j] * e[s.p + k]
    s.support[k] = j
    s.c[s.p + k] = 0.0
    s.count = k + 1
    s.steps += 1
    s.residual -= step * step
    axpy(k + 1, -step, e + s.p, s.c + s.p)
    return ss_step_largest(s.p, step, e, False, s.c)


cdef int _certify(Signal* s) noexcept nogil:
    """Set gap = max_k |d_k'r| over the support / max_j |d_j'y|, from recomputed correlations."""
    cdef double left, worst = 0.0, largest = max(ss_largest_f64(s.p, s.cross), 1e-300)
    cdef double rounding = rounded(s)
    cdef const double* row
    cdef int k, i
    for k in range(s.count):
        row = s.gram + s.support[k] * s.p
        left = s.cross[s.support[k]]
        for i in range(s.count):
            left -= row[s.support[i]] * s.values[i]
        worst = max(worst, fabs(left) + rounding * sqrt(row[s.support[k]]))
    s.residual = max(s.residual, 0.0)
    s.gap = worst / largest
    return CONVERGED if s.gap <= s.tol else STALLED


# One matrix product D'Y has this many signals. The product of a block stays in the cache of a core.
DEF BLOCK = 64
# Most coefficients for which one stretch of signals has room; they take 32 MB.
DEF MOST_VALUES = 4000000
# A cache line holds this many doubles.
DEF ALIGNED = 8

# Threads wait for each other at the end of a stretch, where Ctrl-C is handled. The length of a
# stretch is chosen so that it lasts about this many seconds.
cdef double PAUSE = 0.3

# The squared residual, a difference of squares, keeps few digits once it is below this share of
# |y|^2. It is then computed from the residual itself.
cdef double CANCELLED = 1e-6

ctypedef int (*Method)(Signal*) noexcept nogil


cdef class Threads:
    """The working memory of all threads, with room for `capacity` atoms in a code."""

    cdef Signal* signals
    cdef double[:, ::1] crosses, columns    # of each thread's block
    cdef readonly int capacity
    cdef object keep

    def __cinit__(self, const double[:, ::1] gram, Py_ssize_t m, int capacity, int n_threads):
        cdef Py_ssize_t p = gram.shape[0], stride = _aligned(p + capacity), k
        cdef Py_ssize_t room = (capacity + 2) * stride + 2 * capacity + 2 * p + 3 * ALIGNED
        cdef double[:, ::1] numbers = np.empty((n_threads, room))
        cdef int[:, ::1] places = np.empty((n_threads, 2 * p), dtype=np.intc)
        cdef char[:, ::1] states = np.empty((n_threads, p), dtype=np.int8)
        cdef double* at
        cdef Signal* s
        self.keep = (gram, numbers, places, states)
        self.capacity = capacity
        self.crosses = np.empty((n_threads, BLOCK * p))
        self.columns = np.empty((n_threads, BLOCK * m))
        self.signals = <Signal*> calloc(n_threads, sizeof(Signal))
        if self.signals == NULL:
            raise MemoryError
        for k in range(n_threads):
            s = self.signals + k
            at = &numbers[k, 0]
            at += (64 - <uintptr_t> at % 64) % 64 // 8
            s.p, s.gram = p, &gram[0, 0]
            s.basis.p, s.basis.stride, s.basis.capacity = p, stride, capacity
            s.basis.vectors, at = at, at + capacity * stride
            s.c, at = at, at + stride
            s.a, at = at, at + stride
            s.rate, at = at, at + _aligned(p)
            s.values, at = at, at + p
            s.z, at = at, at + capacity
            s.basis.w = at
            s.support, s.blocked, s.state = &places[k, 0], &places[k, p], &states[k, 0]

    def __dealloc__(self):
        free(self.signals)


cdef Py_ssize_t _aligned(Py_ssize_t count):
    return (count + ALIGNED - 1) // ALIGNED * ALIGNED


cdef class Codes:
    """The codes of a stretch of signals, with room for `capacity` atoms in each."""

    cdef int[:, ::1] support
    cdef double[:, ::1] values
    cdef int[::1] count
    cdef double[::1] gap, residual, level
    cdef long[::1] steps
    cdef int[::1] outcome

    def __cinit__(self, Py_ssize_t n, int capacity):
        self.support = np.empty((n, capacity), dtype=np.intc)
        self.values = np.empty((n, capacity))
        self.count, self.outcome = np.zeros(n, dtype=np.intc), np.zeros(n, dtype=np.intc)
        self.gap, self.residual, self.level = np.zeros(n), np.zeros(n), np.zeros(n)
        self.steps = np.zeros(n, dtype=np.int_)

    cdef void take(self, Py_ssize_t i, const Signal* s, int outcome) noexcept nogil:
        """Keep the answer to signal i."""
        self.outcome[i] = outcome
        if outcome == FULL or outcome == UNRESOLVED:
            return
        self.count[i], self.steps[i] = s.count, s.steps
        self.gap[i], self.residual[i], self.level[i] = s.gap, s.residual, s.level
        memcpy(&self.support[i, 0], s.support, s.count * sizeof(int))
        memcpy(&self.values[i, 0], s.values, s.count * sizeof(double))

    def arrays(self):
        """Return counts, atoms, values, gaps, residuals, levels, steps and outcomes.

        Atoms and values of all signals stand one after the other; the counts separate them.
        """
        filled = np.arange(self.support.shape[1]) < np.asarray(self.count)[:, None]
        return tuple(np.asarray(part) for part in (
            self.count, np.asarray(self.support)[filled], np.asarray(self.values)[filled],
            self.gap, self.residual, self.level, self.steps, self.outcome))


cdef class Coder:
    """Codes signals over one dictionary; it can be called many times.

    Parameters
    ----------
    dictionary : (m, p) float64, column-major, finite
    ridge : float
        Added to the diagonal of the Gram matrix.
    n_threads : int
    """

    cdef readonly const double[::1, :] dictionary
    cdef object gram            # (p, p), the ridge included
    cdef Threads threads
    cdef int n_threads
    cdef double ridge

    def __init__(self, dictionary, double ridge=0.0, int n_threads=1):
        self.dictionary = dictionary
        self.gram = np.ascontiguousarray(dictionary.T @ dictionary)
        self.gram[np.diag_indices_from(self.gram)] += ridge
        self.n_threads, self.ridge = n_threads, ridge

    @property
    def n_atoms(self):
        """Return the number of atoms, p."""
        return self.dictionary.shape[1]

    def code(self, signals, method, lam, error, int most, *, double tol, long budget,
             bint positive, int capacity, advance):
        """Code all columns of a design (m, N); returns what `Codes.arrays` says.

        Parameters
        ----------
        signals : Design (m, N)
        method : {"lasso", "lars", "omp"}
        lam, error : (N,)
            The level of each signal, and the squared residual at which its pursuit stops.
        most : int
            The number of atoms after which a pursuit or least angles stop.
        tol, budget, positive : see Signal
        capacity : int
            Atoms in a code for which memory is allocated at first.
        advance : callable (done)
        """
        cdef Signal asked
        asked.tol, asked.budget, asked.positive, asked.most = tol, budget, positive, most
        asked.leaves = method == "lasso"
        cdef Method function = pursue if method == "omp" else follow
        cdef Py_ssize_t m = self.dictionary.shape[0], p = self.dictionary.shape[1], n = signals.p
        cdef Py_ssize_t first = 0, stop, blocks = self.n_threads
        cdef Codes codes
        stretches = []
        while first < n:
            stop = min(first + BLOCK * max(1, min(blocks, MOST_VALUES // (BLOCK * capacity))), n)
            while True:
                PyErr_CheckSignals()
                begun = perf_counter()
                if self.threads is None or self.threads.capacity < capacity:
                    self.threads = Threads(self.gram, m, capacity, self.n_threads)
                codes = Codes(stop - first, capacity)
                self._stretch(signals, first, stop, lam, error, asked, function, codes)
                if not (np.asarray(codes.outcome) == FULL).any():
                    break
                capacity = min(2 * capacity, p)
            stretches.append(codes.arrays())
            advance(stop)
            first = stop
            blocks = max(1, int(blocks * min(4.0, PAUSE / max(perf_counter() - begun, 1e-6))))
        return tuple(np.concatenate(parts) for parts in zip(*stretches))

    cdef _stretch(self, Design signals, Py_ssize_t first, Py_ssize_t stop, const double[::1] lam,
                  const double[::1] error, Signal asked, Method function, Codes codes):
        """Code the signals first..stop in blocks, which the threads share."""
        cdef int blocks = (stop - first + BLOCK - 1) // BLOCK, block
        cdef Py_ssize_t begin
        for block in prange(blocks, num_threads=self.n_threads, schedule="dynamic", nogil=True):
            begin = first + block * BLOCK
            self._block(signals, begin, min(begin + BLOCK, stop), first, &lam[0], &error[0],
                        &asked, function, codes, threadid())

    cdef void _block(self, Design signals, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t first,
                     const double* lam, const double* error, const Signal* asked, Method function,
                     Codes codes, int thread) noexcept nogil:
        """Code the signals begin..end of a stretch that begins at `first`."""
        cdef Signal* s = self.threads.signals + thread
        cdef int m = self.dictionary.shape[0], p = self.dictionary.shape[1], count = end - begin
        cdef double* y = &self.threads.columns[thread, 0]
        cdef double* cross = &self.threads.crosses[thread, 0]
        cdef double one = 1.0, zero = 0.0
        cdef Py_ssize_t i
        cdef int outcome
        s.tol, s.budget, s.positive, s.leaves, s.most = (
            asked.tol, asked.budget, asked.positive, asked.leaves, asked.most)
        for i in range(count):
            col.unpack(&signals.columns[begin + i], m, 0, m, y + i * m)
        dgemm("T", "N", &p, &count, &m, &one, <double*> &self.dictionary[0, 0], &m, y, &m, &zero,
              cross, &p)
        for i in range(count):
            s.cross, s.square = cross + i * p, dot(m, y + i * m, y + i * m)
            s.lam, s.error = lam[begin + i], error[begin + i]
            outcome = function(s)
            if s.residual <= CANCELLED * s.square or rounded(s) > 0.0:
                self._measure(s, y + i * m)
            codes.take(begin + i - first, s, outcome)

    cdef void _measure(self, Signal* s, double* y) noexcept nogil:
        """Compute the squared residual, ridge included, from y - D a, which is left in y."""
        cdef Py_ssize_t m = self.dictionary.shape[0]
        cdef int k
        for k in range(s.count):
            axpy(m, -s.values[k], &self.dictionary[0, s.support[k]], y)
        s.residual = dot(m, y, y) + self.ridge * dot(s.count, s.values, s.values)


# An atom whose A_jj is at most this share of the largest one is used by no code.
DEF UNUSED = 1e-12


def update_atoms(double[::1, :] D, const double[::1, :] A, const double[::1, :] B, bint positive,
                 int sweeps=1):
    """Move all atoms of D (m, p) in place, `sweeps` times.

    A is (p, p) and B (m, p), both column-major. Returns the atoms that no code uses; they stay as
    they are.
    """
    cdef int m = D.shape[0], p = D.shape[1], sweep, j
    cdef double[::1] u = np.empty(m)
    used = np.diagonal(A) > UNUSED * max(np.diagonal(A).max(), 1e-300)
    cdef const unsigned char[::1] used_ = np.ascontiguousarray(used).view(np.uint8)
    with nogil:
        for sweep in range(sweeps):
            for j in range(p):
                if used_[j]:
                    _move(m, p, &D[0, 0], &A[0, j], A[j, j], &B[0, j], j, positive, &u[0])
    return np.flatnonzero(~used)


cdef void _move(int m, int p, double* D, const double* a, double square, const double* b, int j,
                bint positive, double* u) noexcept nogil:
    """Move atom j to its minimiser."""
    cdef double scale = -1.0 / square, one = 1.0, norm
    cdef double* atom = D + <Py_ssize_t> j * m
    cdef int unit = 1, i
    for i in range(m):
        u[i] = atom[i] + b[i] / square
    dgemv("N", &m, &p, &scale, D, &m, <double*> a, &unit, &one, u, &unit)
    if positive:
        for i in range(m):
            u[i] = max(u[i], 0.0)
    norm = sqrt(dot(m, u, u))
    if norm > 1.0:
        for i in range(m):
            u[i] /= norm
    memcpy(atom, u, m * sizeof(double))
