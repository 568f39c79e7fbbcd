"""One column of a design: the only place that knows dense from sparse, and how values are stored.

A Column stands for the vector  z = factor * (x - centre)  of length n, and x keeps the storage in
which the user passed it. `rows == NULL` means that all n values are stored in order; otherwise
`size` values are stored at the given rows, and all other values are 0. Values are float64,
float32, genotypes of 2 bits or dosages of 16; these are dense, and a missing one stands for
`missing`.

A sparse column is never filled in. Its centre enters through sums that the caller carries:
`total` is the sum of the vector that multiplies the column. A constant that belongs on every
entry of a result is returned instead of added.
"""
from libc.math cimport isfinite, sqrt
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint64_t

from sparsesolve.linalg.kernels.two_bits cimport (
    ss_axpy_2b,
    ss_axpy_16,
    ss_axpys_2b,
    ss_count_2b,
    ss_dosage,
    ss_dot_2b,
    ss_dot_16,
    ss_dots_2b,
    ss_genotype,
    ss_mean_16,
    ss_near_2b,
    ss_near_missing_2b,
    ss_square_16,
    ss_unpack_2b,
    ss_unpack_16,
    ss_weigh_2b,
)
from sparsesolve.linalg.kernels.vector cimport (
    ss_axpy_f32,
    ss_axpy_f64,
    ss_axpys_f32,
    ss_axpys_f64,
    ss_dot_f32,
    ss_dot_f64,
    ss_dots_f32,
    ss_dots_f64,
    ss_largest_f32,
    ss_largest_f64,
    ss_multiply,
    ss_prefetch,
    ss_sparse_axpy_f32,
    ss_sparse_axpy_f64,
    ss_sparse_dot_f32,
    ss_sparse_dot_f64,
    ss_square_f32,
    ss_square_f64,
    ss_survey_f32,
    ss_survey_f64,
    ss_unpack_f32,
    ss_unpack_f64,
    ss_unpack_times_f32,
    ss_unpack_times_f64,
)


cdef enum Kind:
    FLOAT64 = 0
    FLOAT32 = 1
    TWO_BITS = 2         # genotypes, four to a byte: see two_bits.h
    DOSAGES = 3          # 16 bits each: see dosages.h


cdef struct Column:
    const void* values   # of type `kind`
    const int* rows      # ascending; NULL when dense
    Py_ssize_t size      # stored values
    double centre        # subtracted from x
    double factor        # multiplies x - centre
    int kind
    double missing       # what a missing genotype stands for; 0 if there is none


cdef inline double stored(const Column* x, Py_ssize_t k) noexcept nogil:
    if x.kind == TWO_BITS:
        return ss_genotype(<const uint8_t*> x.values, k, x.missing)
    if x.kind == DOSAGES:
        return ss_dosage((<const uint16_t*> x.values)[k], x.missing)
    return (<const float*> x.values)[k] if x.kind == FLOAT32 else (<const double*> x.values)[k]


cdef inline void prefetch(const Column* x) noexcept nogil:
    """Prefetch the beginning of a column that will be read soon."""
    cdef Py_ssize_t bytes = x.size * 8 if x.kind == FLOAT64 else x.size * 4
    ss_prefetch(x.values, min(x.size // 4 if x.kind == TWO_BITS else bytes, 256))
    if x.rows != NULL:
        ss_prefetch(x.rows, min(x.size * 4, 256))


cdef inline double dot(const Column* x, const double* v, double total) noexcept nogil:
    """Return z'v, where total = sum(v) is read only for sparse columns with a centre."""
    cdef double s
    cdef const double* x64 = <const double*> x.values
    cdef const float* x32 = <const float*> x.values
    if x.rows == NULL:
        if x.kind == TWO_BITS:
            return x.factor * ss_dot_2b(x.size, <const uint8_t*> x.values, x.missing, x.centre, v)
        if x.kind == DOSAGES:
            return x.factor * ss_dot_16(x.size, <const uint16_t*> x.values, x.missing, x.centre,
                                        v)
        if x.kind == FLOAT32:
            return x.factor * ss_dot_f32(x.size, x32, x.centre, v)
        return x.factor * ss_dot_f64(x.size, x64, x.centre, v)
    s = (ss_sparse_dot_f32(x.size, x32, x.rows, v) if x.kind == FLOAT32
         else ss_sparse_dot_f64(x.size, x64, x.rows, v))
    return x.factor * (s - x.centre * total)


cdef inline double near_dot(const Column* x, const int16_t* q, const double* sums) noexcept nogil:
    """Return z'v for genotypes, where v and its `sums` are what ss_round_2b makes of a vector."""
    cdef int64_t[2] codes
    cdef double known
    if x.missing == 0.0:
        ss_near_2b(x.size, <const uint8_t*> x.values, q, codes)
    else:
        ss_near_missing_2b(x.size, <const uint8_t*> x.values, q, codes)
    known = 2.0 * sums[0] - <double> (codes[0] - codes[1])
    return x.factor * sums[1] * (known + (x.missing * <double> codes[1] - x.centre * sums[0]))


cdef inline double axpy(const Column* x, double a, double* v) noexcept nogil:
    """Add a z to v up to a constant on every entry; return that constant for the caller to carry.
    """
    cdef const double* x64 = <const double*> x.values
    cdef const float* x32 = <const float*> x.values
    a *= x.factor
    if x.rows == NULL:
        if x.kind == TWO_BITS:
            ss_axpy_2b(x.size, a, <const uint8_t*> x.values, x.missing, x.centre, v)
        elif x.kind == DOSAGES:
            ss_axpy_16(x.size, a, <const uint16_t*> x.values, x.missing, x.centre, v)
        elif x.kind == FLOAT32:
            ss_axpy_f32(x.size, a, x32, x.centre, v)
        else:
            ss_axpy_f64(x.size, a, x64, x.centre, v)
        return 0.0
    if x.kind == FLOAT32:
        ss_sparse_axpy_f32(x.size, a, x32, x.rows, v)
    else:
        ss_sparse_axpy_f64(x.size, a, x64, x.rows, v)
    return -a * x.centre


cdef inline bint together(const Column* columns, const int* four, const void** values,
                          double* centre, double* missing) noexcept nogil:
    """Return True if one kernel can multiply four columns: all dense, of one type, no dosages.

    It then fills in where their values start, their centres, and their missing values.
    """
    cdef const Column* x
    cdef int k
    for k in range(4):
        x = &columns[four[k]]
        if x.rows != NULL or x.kind != columns[four[0]].kind or x.kind == DOSAGES:
            return False
        values[k], centre[k], missing[k] = x.values, x.centre, x.missing
    return True


cdef inline void dots(const Column* columns, const int* four, const double* v, double total,
                      double* out) noexcept nogil:
    """Set out[k] = z'v for four columns; see `dot`."""
    cdef int k
    cdef const void* values[4]
    cdef double[4] centre, missing
    cdef const Column* x = &columns[four[0]]
    if together(columns, four, values, centre, missing):
        if x.kind == TWO_BITS:
            ss_dots_2b(x.size, <const uint8_t**> values, missing, centre, v, out)
        elif x.kind == FLOAT32:
            ss_dots_f32(x.size, <const float**> values, centre, v, out)
        else:
            ss_dots_f64(x.size, <const double**> values, centre, v, out)
        for k in range(4):
            out[k] *= columns[four[k]].factor
        return
    for k in range(4):
        out[k] = dot(&columns[four[k]], v, total)


cdef inline double axpys(const Column* columns, const int* four, const double* a,
                         double* v) noexcept nogil:
    """Add sum_k a_k z_k to v for four columns; return the constant as `axpy` does."""
    cdef int k
    cdef const void* values[4]
    cdef double[4] centre, missing, factor
    cdef double constant = 0.0
    cdef const Column* x = &columns[four[0]]
    if together(columns, four, values, centre, missing):
        for k in range(4):
            factor[k] = a[k] * columns[four[k]].factor
        if x.kind == TWO_BITS:
            ss_axpys_2b(x.size, factor, <const uint8_t**> values, missing, centre, v)
        elif x.kind == FLOAT32:
            ss_axpys_f32(x.size, factor, <const float**> values, centre, v)
        else:
            ss_axpys_f64(x.size, factor, <const double**> values, centre, v)
        return 0.0
    for k in range(4):
        constant += axpy(&columns[four[k]], a[k], v)
    return constant


cdef inline double unseen(const Column* x, Py_ssize_t n, const double* w, double seen,
                          double total) noexcept nogil:
    """Return the weight of the rows that a sparse column does not store.

    `seen` of the `total` weight lies on the rows that it stores.
    """
    cdef double rest = 0.0
    cdef Py_ssize_t k, i, begin = 0
    # Below this share the difference of the two sums has lost digits, so add up the rows instead.
    if total - seen > 1e-3 * total:
        return total - seen
    for k in range(x.size):
        for i in range(begin, x.rows[k]):
            rest += w[i]
        begin = x.rows[k] + 1
    for i in range(begin, n):
        rest += w[i]
    return rest


cdef inline double square_of_codes(const Column* x, const double* weight,
                                   double centre) noexcept nogil:
    """Return sum_i w_i (x_i - centre)^2 of genotypes, given the weight of each code."""
    return (weight[0] * (2.0 - centre) ** 2 + weight[2] * (1.0 - centre) ** 2
            + weight[3] * centre * centre + weight[1] * (x.missing - centre) ** 2)


cdef inline double weighted_square(const Column* x, Py_ssize_t n, const double* w,
                                   double total) noexcept nogil:
    """Return sum_i w_i z_i^2, where total = sum(w)."""
    cdef double s = 0.0, seen = 0.0, value
    cdef double[4] weight
    cdef Py_ssize_t k
    if x.rows == NULL:
        if x.kind == TWO_BITS:
            ss_weigh_2b(x.size, <const uint8_t*> x.values, w, weight)
            s = square_of_codes(x, weight, x.centre)
        elif x.kind == DOSAGES:
            s = ss_square_16(x.size, <const uint16_t*> x.values, x.missing, x.centre, w)
        elif x.kind == FLOAT32:
            s = ss_square_f32(x.size, <const float*> x.values, x.centre, w)
        else:
            s = ss_square_f64(x.size, <const double*> x.values, x.centre, w)
        return x.factor * x.factor * s
    for k in range(x.size):
        value = stored(x, k) - x.centre
        s += w[x.rows[k]] * value * value
        seen += w[x.rows[k]]
    if x.centre != 0.0:
        s += unseen(x, n, w, seen, total) * x.centre * x.centre
    return x.factor * x.factor * s


cdef inline double survey(const Column* x, Py_ssize_t n, const double* w, double total,
                          double shift,
                          double* sums) noexcept nogil:
    """Compute the first two weighted moments of a column as stored, before centring and scaling.

        sums[0] = sum_i w_i (x_i - shift),   sums[1] = sum_i w_i (x_i - shift)^2

    Returns the largest |x_i|, or infinity if one is NaN. Genotypes go by `survey_codes`.
    """
    cdef double seen = 0.0, rest, value
    cdef Py_ssize_t k
    if x.rows == NULL:
        if x.kind == FLOAT32:
            return ss_survey_f32(x.size, <const float*> x.values, shift, w, sums)
        return ss_survey_f64(x.size, <const double*> x.values, shift, w, sums)
    sums[0] = sums[1] = 0.0
    for k in range(x.size):
        value = stored(x, k) - shift
        sums[0] += w[x.rows[k]] * value
        sums[1] += w[x.rows[k]] * value * value
        seen += w[x.rows[k]]
    if shift != 0.0:
        rest = unseen(x, n, w, seen, total)
        sums[0] -= rest * shift
        sums[1] += rest * shift * shift
    if x.kind == FLOAT32:
        return ss_largest_f32(x.size, <const float*> x.values)
    return ss_largest_f64(x.size, <const double*> x.values)


cdef inline double survey_codes(Column* x, const double* w, const uint64_t* rows, double each,
                                double* variance) noexcept nogil:
    """Compute mean and variance of genotypes, whose missing values stand for the mean of others.

    Rows weigh `each` where `rows` (see ss_count_2b) has them and 0 elsewhere, which takes counts
    alone; or w if `rows` is NULL. The weights sum to 1. Sets `missing` and returns the mean.
    """
    cdef const uint8_t* values = <const uint8_t*> x.values
    cdef int64_t[4] count
    cdef double[4] weight
    cdef double seen, mean
    cdef int k
    ss_count_2b(x.size, values, rows, count)
    if rows != NULL:
        for k in range(4):
            weight[k] = each * <double> count[k]
        if count[0] + count[1] + count[2] + count[3] < x.size:
            ss_count_2b(x.size, values, NULL, count)
    else:
        ss_weigh_2b(x.size, values, w, weight)
    seen = weight[0] + weight[2] + weight[3]
    mean = (2.0 * weight[0] + weight[2]) / seen if seen > 0.0 else 0.0
    x.missing = mean if count[1] > 0 else 0.0
    variance[0] = square_of_codes(x, weight, mean)
    return mean


cdef inline double survey_dosages(Column* x, const double* w, double* variance) noexcept nogil:
    """Compute mean and variance of dosages as `survey_codes` does of genotypes."""
    cdef const uint16_t* values = <const uint16_t*> x.values
    x.missing = ss_mean_16(x.size, values, w)
    variance[0] = ss_square_16(x.size, values, x.missing, x.missing, w)
    # A smaller variance is the rounding error of a constant column.
    if variance[0] <= 1e-30 * x.missing * x.missing:
        variance[0] = 0.0
    return x.missing


cdef inline void unpack(const Column* x, Py_ssize_t n, Py_ssize_t start, Py_ssize_t stop,
                        double* out) noexcept nogil:
    """Set out = z[start:stop] for a dense column, z[:] for a sparse one (start = 0, stop = n)."""
    cdef Py_ssize_t k
    cdef double zero
    if x.rows == NULL:
        if x.kind == TWO_BITS:
            ss_unpack_2b(start, stop, x.factor, <const uint8_t*> x.values, x.missing, x.centre, out)
        elif x.kind == DOSAGES:
            ss_unpack_16(stop - start, x.factor, <const uint16_t*> x.values + start, x.missing,
                         x.centre, out)
        elif x.kind == FLOAT32:
            ss_unpack_f32(stop - start, x.factor, <const float*> x.values + start, x.centre, out)
        else:
            ss_unpack_f64(stop - start, x.factor, <const double*> x.values + start, x.centre, out)
        return
    zero = -x.factor * x.centre
    for k in range(n):
        out[k] = zero
    for k in range(x.size):
        out[x.rows[k]] = x.factor * (stored(x, k) - x.centre)


cdef inline Py_ssize_t place_of(const Column* x, Py_ssize_t row, Py_ssize_t near,
                                Py_ssize_t reach) noexcept nogil:
    """Return the index of the first stored value at or after `row`.

    The search starts at index `near` and covers at most `reach` values.
    """
    cdef Py_ssize_t begin = near, end = min(near + reach, x.size), middle
    if x.rows == NULL:
        return row
    while begin < end:
        middle = (begin + end) // 2
        if x.rows[middle] < row:
            begin = middle + 1
        else:
            end = middle
    return begin


cdef inline void unpack_times(const Column* x, Py_ssize_t start, Py_ssize_t stop, const double* v,
                              double* out) noexcept nogil:
    """Set out = v * z on the rows start..stop; v is indexed from start."""
    cdef Py_ssize_t k
    if x.rows == NULL:
        if x.kind == TWO_BITS or x.kind == DOSAGES:
            unpack(x, x.size, start, stop, out)
            ss_multiply(stop - start, v, out, out)
        elif x.kind == FLOAT32:
            ss_unpack_times_f32(stop - start, x.factor, <const float*> x.values + start, x.centre,
                                v, out)
        else:
            ss_unpack_times_f64(stop - start, x.factor, <const double*> x.values + start, x.centre,
                                v, out)
        return
    for k in range(stop - start):
        out[k] = -x.factor * x.centre * v[k]
    for k in range(place_of(x, start, 0, x.size), place_of(x, stop, 0, x.size)):
        out[x.rows[k] - start] = x.factor * (stored(x, k) - x.centre) * v[x.rows[k] - start]


cdef inline double moments(Column* x, Py_ssize_t n, const double* w, const uint64_t* counted,
                           double each, double* mean, double* spread) noexcept nogil:
    """Compute the weighted mean and standard deviation of a column as stored; w sums to 1.

    If `counted` is not NULL, it marks the rows that weigh `each`; others weigh 0. Returns the
    largest |x_i|.
    """
    cdef double[2] sums
    cdef double largest, variance, shift = 0.0
    cdef int tries
    cdef Py_ssize_t seen = 0
    if x.kind == TWO_BITS:
        mean[0] = survey_codes(x, w, counted, each, &variance)
        spread[0] = sqrt(variance)
        return 2.0
    if x.kind == DOSAGES:
        mean[0] = survey_dosages(x, w, &variance)
        spread[0] = sqrt(variance)
        return 2.0
    if x.rows == NULL:
        while seen < n - 1 and w[seen] == 0.0:
            seen += 1
        shift = stored(x, seen)
    for tries in range(3):
        largest = survey(x, n, w, 1.0, shift, sums)
        variance = sums[1] - sums[0] * sums[0]
        # Where the shift is too far from the mean, the difference above has lost digits.
        if sums[0] * sums[0] <= 64.0 * variance or not isfinite(variance):
            break
        shift += sums[0]
    mean[0] = shift + sums[0]
    # A smaller spread is the rounding error of a constant column.
    spread[0] = sqrt(variance) if variance > 1e-30 * mean[0] * mean[0] else 0.0
    return largest


cdef inline void ask_for(const Column* columns, const int* which, Py_ssize_t k,
                         Py_ssize_t count) noexcept nogil:
    """Prefetch the columns that follow which[k]: soon their structs, to know where values are."""
    if k + 24 < count:
        ss_prefetch(&columns[which[k + 24]], sizeof(Column))
    if k + 8 < count:
        prefetch(&columns[which[k + 8]])
