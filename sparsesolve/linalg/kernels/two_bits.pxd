"""Kernels on genotypes of 2 bits (two_bits.h), and on dosages of 16 bits (dosages.h)."""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint64_t

cdef extern from "two_bits.h" nogil:
    double ss_genotype(const uint8_t* x, Py_ssize_t i, double missing) noexcept
    double ss_dot_2b(Py_ssize_t n, const uint8_t* x, double missing, double centre,
                     const double* v) noexcept
    void ss_dots_2b(Py_ssize_t n, const uint8_t* const* x, const double* missing,
                    const double* centre, const double* v, double* out) noexcept
    void ss_axpy_2b(Py_ssize_t n, double a, const uint8_t* x, double missing, double centre,
                    double* v) noexcept
    void ss_axpys_2b(Py_ssize_t n, const double* a, const uint8_t* const* x,
                     const double* missing, const double* centre, double* v) noexcept
    void ss_unpack_2b(Py_ssize_t begin, Py_ssize_t end, double a, const uint8_t* x,
                      double missing, double centre, double* out) noexcept
    void ss_weigh_2b(Py_ssize_t n, const uint8_t* x, const double* w, double* out) noexcept
    void ss_count_2b(Py_ssize_t n, const uint8_t* x, const uint64_t* rows, int64_t* out) noexcept
    enum: SS_BLOCK
    enum: SS_MOST_ROWS
    double ss_round_2b(Py_ssize_t n, const double* u, const double* root_w, int16_t* q,
                       double* sums) noexcept
    void ss_near_2b(Py_ssize_t n, const uint8_t* x, const int16_t* q, int64_t* sums) noexcept
    void ss_near_missing_2b(Py_ssize_t n, const uint8_t* x, const int16_t* q,
                            int64_t* sums) noexcept
    void ss_take_2b(Py_ssize_t m, const int64_t* which, const uint8_t* x, uint8_t* out) noexcept

cdef extern from "dosages.h" nogil:
    double ss_dosage(uint16_t x, double missing) noexcept
    double ss_dot_16(Py_ssize_t n, const uint16_t* x, double missing, double centre,
                     const double* v) noexcept
    void ss_axpy_16(Py_ssize_t n, double a, const uint16_t* x, double missing, double centre,
                    double* v) noexcept
    void ss_unpack_16(Py_ssize_t n, double a, const uint16_t* x, double missing, double centre,
                      double* out) noexcept
    double ss_square_16(Py_ssize_t n, const uint16_t* x, double missing, double centre,
                        const double* w) noexcept
    double ss_mean_16(Py_ssize_t n, const uint16_t* x, const double* w) noexcept
