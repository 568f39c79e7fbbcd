"""Decoding and summing over many chains that share their transitions."""

cdef class Chains:
    cdef readonly Py_ssize_t K, n, n_sequences, longest, n_blocks
    cdef readonly double top_pair
    cdef Py_ssize_t width
    cdef const long long[::1] ptr           # (n_sequences + 1,) sequence s is positions ptr[s]..ptr[s + 1]
    cdef long long[::1] block               # (n_blocks + 1,) sequences whose pair sums are added up by themselves
    cdef double[:, ::1] T, E, Et            # (K, width) padded: scores, exp(T - top_pair), its transpose

    cdef void load(self, const double* T) noexcept nogil
    cdef Py_ssize_t room(self) noexcept nogil
    cdef bint sum_one(self, Py_ssize_t s, const double* S, double w, bint in_logs, double* mu, double* M, double* P,
                      double* pairs, double* total, double* work) noexcept nogil
    cdef void sum_block(self, Py_ssize_t block, const double* S, const double* w, double* mu, double* total,
                        double* sums, double* pairs) noexcept nogil
    cdef void sum_all(self, const double* S, const double* w, double* mu, double* total, double* sums, double* pairs,
                      int n_threads) noexcept nogil
    cdef void _decode(self, Py_ssize_t block, const double* S, int* path, double* best) noexcept nogil
