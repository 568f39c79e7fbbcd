"""Decoding and summing over many chains that share their transitions."""

cdef class Chains:
    cdef readonly Py_ssize_t K, n, n_sequences, longest, n_blocks
    cdef readonly double top_pair
    cdef Py_ssize_t width
    # Sequence s has the positions ptr[s]..ptr[s + 1]; ptr is (n_sequences + 1,).
    cdef const long long[::1] ptr
    # Block k has the sequences block[k]..block[k + 1], whose pair marginals are summed separately.
    cdef long long[::1] block
    cdef double[:, ::1] T, E, Et            # (K, width): scores, exp(T - top_pair), transpose

    cdef void load(self, const double* T) noexcept nogil
    cdef Py_ssize_t room(self) noexcept nogil
    cdef bint sum_one(self, Py_ssize_t s, const double* S, double w, bint in_logs, double* mu,
                      double* M, double* P,
                      double* pairs, double* total, double* work) noexcept nogil
    cdef void sum_block(self, Py_ssize_t block, const double* S, const double* w, double* mu,
                        double* total, double* sums, double* pairs) noexcept nogil
    cdef void sum_all(self, const double* S, const double* w, double* mu, double* total,
                      double* sums, double* pairs, int n_threads) noexcept nogil
    cdef void _decode(self, Py_ssize_t block, const double* S, int* path,
                      double* best) noexcept nogil
