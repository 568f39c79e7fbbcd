"""The log loss of chains."""

from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.chain.sequences cimport Chains

cdef class ChainLog(Loss):
    cdef readonly Chains chains
    cdef readonly int n_threads
    cdef readonly Py_ssize_t K, n_positions
    cdef const double[::1] w            # (n_sequences,) sum 1
    cdef const int[::1] y               # (n_positions,)
    cdef double[:, ::1] closed          # (K, K) 0, or -inf where a transition is forbidden
    cdef double[::1] scores, pairs_at   # (n_positions K,) with start and stop; (K K,)
    cdef double[::1] total              # (n_sequences,) log Z
    cdef double[:, :, ::1] sums         # (n_blocks, K, K)
    cdef double[::1] last_eta, last_u   # what was evaluated last
    cdef double[::1] spare              # (n,) work
    cdef double last_value

    cdef double _less_marginals(self, Py_ssize_t s, double* u) noexcept nogil
