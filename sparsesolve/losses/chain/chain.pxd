"""C functions on one chain: see chain.h."""

cdef extern from "chain.h" nogil:
    const int SS_LANES
    const int SS_BATCH
    int ss_chain_exponentials(Py_ssize_t L, Py_ssize_t K, Py_ssize_t width,
                              const double* S, double* e, double* top) noexcept
    double ss_chain_forward(Py_ssize_t L, Py_ssize_t K, Py_ssize_t width, const double* e,
                            const double* top, const double* E, double top_pair,
                            double* mu, double* q) noexcept
    int ss_chain_backward(Py_ssize_t L, Py_ssize_t K, Py_ssize_t width, const double* e,
                          const double* E, const double* Et, double w, double* mu,
                          double* M, double* pairs, double* work) noexcept
    double ss_chain_logarithmic(Py_ssize_t L, Py_ssize_t K, Py_ssize_t width, const double* S,
                                const double* T, double w, double* mu, double* P,
                                double* pairs, double* work) noexcept
    double ss_chain_viterbi(Py_ssize_t L, Py_ssize_t K, Py_ssize_t width, const double* S,
                            const double* T, double* delta, int* path) noexcept
    void ss_row_products(Py_ssize_t first, Py_ssize_t last, Py_ssize_t K, const long long* start,
                         const int* at, const double* x, const double* w, double* out) noexcept
