"""Codes of many signals over one dictionary, on several threads.

Signals are taken in blocks of a fixed size. The correlations D'Y of a block are one matrix product.
From these each signal is coded by itself, into a place of its own. The number of threads therefore
does not change a bit of a code.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemm

from time import perf_counter

import numpy as np

from sparsesolve.paths.dictionary.certificate cimport rounded
from sparsesolve.paths.dictionary.homotopy cimport follow
from sparsesolve.paths.dictionary.pursuit cimport pursue
from sparsesolve.paths.dictionary.signal cimport FULL, UNRESOLVED, Signal
from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.kernels.vector cimport axpy, dot

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
