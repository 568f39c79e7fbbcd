"""Design: a dense or sparse matrix as an array of Columns, read in place and never changed."""
from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY, fabs, frexp, hypot, isfinite, ldexp, sqrt
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport calloc, free

import numpy as np
import scipy.sparse

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.column cimport DOSAGES, FLOAT32, FLOAT64, TWO_BITS, Column
from sparsesolve.linalg.design.genotypes import SAME_WEIGHT, Dosages, MixedColumns
from sparsesolve.linalg.design.genotypes import TwoBits, equal_weights
from sparsesolve.linalg.gram.products cimport add_products
from sparsesolve.linalg.kernels.pass_threads cimport clock, end_pass, begin_pass
from sparsesolve.linalg.kernels.two_bits cimport SS_BLOCK, SS_MOST_ROWS, ss_round_2b

# A product with several vectors is computed in blocks of CHUNK rows by COLUMNS columns, which
# stay in cache while each vector multiplies them.
DEF CHUNK = 1024
DEF COLUMNS = 64
# Threads are timed by the number of values that a pass reads. A stored value of a sparse column
# counts as this many values read in order, because it can wait for memory.
cdef double SCATTERED = 16.0
# A product is shared by threads if it reads at least this many values; below that, waiting for
# the threads costs more than they save.
cdef double WORTH_THREADS = 2e6
# Squares of values above HUGE_VALUE overflow and squares of values below its reciprocal
# underflow. Such columns are rescaled by a power of two.
cdef double HUGE_VALUE = ldexp(1.0, 400)
# A column whose mean exceeds this many standard deviations is copied and centred, because
# centring after a product would cost five digits.
cdef double LOST_DIGITS = ldexp(1.0, 16)


cdef class RoundedVector:

    def __cinit__(self, Py_ssize_t n):
        self.q = np.empty((n + SS_BLOCK - 1) // SS_BLOCK * SS_BLOCK, dtype=np.int16)


cdef class Design:
    """Columns of a matrix (n, p), standardised implicitly.

    Column j stands for (x_j - centre_j) * factor_j.

    Parameters
    ----------
    matrix : ndarray (n, p), float32 or float64, unit row stride; csc_array with int32 indices;
        TwoBits; or MixedColumns, which are such parts side by side
        As `data.read_design` returns it. It is referenced, not copied.
    """

    def __cinit__(self, matrix):
        self.n, self.p = matrix.shape
        self.columns = <Column*> calloc(max(self.p, 1), sizeof(Column))
        if self.columns == NULL:
            raise MemoryError
        self.keep = []
        self.mean = np.zeros(self.p)
        self.spread = np.ones(self.p)
        self.exponent = np.zeros(self.p, dtype=np.intc)
        self.taken_out = np.zeros(self.p)
        if isinstance(matrix, MixedColumns):
            self._point_at_parts(matrix.parts)
        elif isinstance(matrix, TwoBits):
            self._point_at_genotypes(matrix)
        elif scipy.sparse.issparse(matrix):
            self._point_at_sparse(matrix)
        else:
            self._point_at_dense(matrix)

    def __dealloc__(self):
        free(self.columns)

    def _point_at_parts(self, parts):
        cdef Py_ssize_t j, first = 0
        cdef Design part
        for matrix in parts:
            part = Design(matrix)
            for j in range(part.p):
                self.columns[first + j] = part.columns[j]
            first += part.p
            self.stored += part.stored
            self.imputes = self.imputes or part.imputes
            self.nears = self.nears or part.nears
            # The columns of an empty sparse part point at the part.
            self.keep.append(part)

    def _point_at_genotypes(self, matrix):
        cdef uintptr_t base = matrix.data.__array_interface__["data"][0]
        cdef const long long[::1] start = matrix.starts
        cdef int kind = DOSAGES if isinstance(matrix, Dosages) else TWO_BITS
        cdef Py_ssize_t j, width = 2 if kind == DOSAGES else 1
        for j in range(self.p):
            self.columns[j] = Column(<void*> (base + start[j] * width), NULL, self.n, 0.0, 1.0,
                                     kind, 0.0)
        self.stored, self.imputes = self.n * self.p, True
        self.nears = kind == TWO_BITS and SS_BLOCK <= self.n <= SS_MOST_ROWS
        self.keep.append(matrix)

    def _point_at_dense(self, matrix):
        cdef uintptr_t base = matrix.__array_interface__["data"][0]
        cdef Py_ssize_t stride = matrix.strides[1], j
        cdef int kind = FLOAT32 if matrix.dtype == np.float32 else FLOAT64
        for j in range(self.p):
            self.columns[j] = Column(<void*> (base + j * stride), NULL, self.n, 0.0, 1.0, kind, 0.0)
        self.stored = self.n * self.p
        self.keep.append(matrix)

    def _point_at_sparse(self, matrix):
        cdef uintptr_t values = matrix.data.__array_interface__["data"][0]
        cdef uintptr_t rows = matrix.indices.__array_interface__["data"][0]
        cdef long long[::1] start = matrix.indptr.astype(np.longlong)
        cdef int kind = FLOAT32 if matrix.data.dtype == np.float32 else FLOAT64
        cdef Py_ssize_t width = 4 if kind == FLOAT32 else 8, j
        for j in range(self.p):
            self.columns[j] = Column(<void*> (values + start[j] * width),
                                     <const int*> (rows + start[j] * 4),
                                     start[j + 1] - start[j], 0.0, 1.0, kind, 0.0)
            # A sparse column that stores every row is a dense column.
            if self.columns[j].size == self.n:
                self.columns[j].rows = NULL
            # An empty matrix has no storage to point at.
            elif self.columns[j].rows == NULL:
                self.columns[j].rows = <const int*> self.columns
        self.stored = start[self.p]
        self.keep.append((matrix.data, matrix.indices))

    def moments(self, const double[::1] w, int n_threads=1):
        """Fill `mean` and `spread` under weights w (n,) that sum to 1; return False at NaN or
        infinity.

        Missing genotypes stand for the mean of the others, whose variance is that of all rows.

        A column whose squares would overflow or underflow is copied and divided by a power of
        two, its `exponent`. A column whose mean hides its spread is copied with the mean
        subtracted. Such a sparse column stores nearly all rows, or the weights of the others are
        negligible.
        """
        cdef double[::1] largest = np.empty(self.p)
        cdef Py_ssize_t j
        cdef int power
        self.counted = None
        if self.imputes:
            self.each, self.counted = equal_weights(np.asarray(w))
        with nogil:
            for j in prange(self.p, num_threads=n_threads, schedule="static"):
                largest[j] = self._measure(j, &w[0])
        for j in range(self.p):
            if not isfinite(largest[j]):
                return False
            if largest[j] > HUGE_VALUE or 0 < largest[j] < 1 / HUGE_VALUE:
                frexp(largest[j], &power)
                self._own_scaled(j, power)
                self._measure(j, &w[0])
            if fabs(self.mean[j]) > LOST_DIGITS * self.spread[j] > 0:
                self._own_centred(j)
                self._measure(j, &w[0])
        self.weights, self.centred = np.array(w), True
        return True

    cdef double _measure(self, Py_ssize_t j, const double* w) noexcept nogil:
        """Set the mean, spread and centre of column j.

        Returns the largest stored |x_i|, or infinity if one is NaN.
        """
        cdef const uint64_t* counted = NULL if self.counted is None else &self.counted[0]
        cdef double largest = col.moments(&self.columns[j], self.n, w, counted, self.each,
                                       &self.mean[j], &self.spread[j])
        self.columns[j].centre = self.mean[j]
        self.mean[j] += self.taken_out[j]
        return largest

    @property
    def imputed(self):
        """What missing values stand for (p,), after `moments`; None if X stores none."""
        return np.array(self.mean) if self.imputes else None

    def _own_scaled(self, Py_ssize_t j, int power):
        """Replace column j by a copy of x_j / 2**power that the Design owns."""
        cdef Column* x = &self.columns[j]
        cdef double[::1] values = np.empty(x.size)
        cdef Py_ssize_t k
        for k in range(x.size):
            values[k] = ldexp(col.stored(x, k), -power)
        self.exponent[j] = power
        self._point_at_own(j, values)

    def _own_centred(self, Py_ssize_t j):
        """Replace column j by a dense copy of x_j minus its mean that the Design owns."""
        cdef Column* x = &self.columns[j]
        cdef double mean = self.mean[j]
        cdef double[::1] values = np.full(self.n, -mean)
        cdef Py_ssize_t k
        for k in range(x.size):
            values[k if x.rows == NULL else x.rows[k]] = col.stored(x, k) - mean
        self.stored += self.n - x.size
        x.rows, x.size = NULL, self.n
        self.taken_out[j] = mean
        self._point_at_own(j, values)

    def _point_at_own(self, Py_ssize_t j, double[::1] values):
        self.columns[j].values = &values[0] if values.shape[0] else NULL
        self.columns[j].kind = FLOAT64
        self.keep.append(values)

    def standardise(self, bint centred, const double[::1] factor):
        """Let column j stand for (x_j - mean_j) * factor_j, or x_j * factor_j, without a copy."""
        cdef Py_ssize_t j
        self.centred = self.centred and centred
        for j in range(self.p):
            if not centred:
                self.columns[j].centre = -self.taken_out[j]
            self.columns[j].factor = factor[j]

    def standardise_as(self, const double[::1] centre, const double[::1] factor,
                       const long long[::1] exponent):
        """Let column j stand for (x_j / 2**exponent_j - centre_j) * factor_j.

        This is the standardisation of a larger design, whose rows this design holds in part.
        """
        cdef Py_ssize_t j
        self.weights = None
        for j in range(self.p):
            if exponent[j] != 0:
                self._own_scaled(j, exponent[j])
            self.columns[j].centre, self.columns[j].factor = centre[j], factor[j]

    def rest_of_mean(self, const int[::1] which):
        """Return what is subtracted from each centred column beyond the float `mean`, (k,)."""
        cdef Py_ssize_t k
        centre = np.array([self.columns[which[k]].centre for k in range(which.shape[0])])
        # The order of these terms keeps the low digits.
        return (np.take(self.taken_out, which) - np.take(self.mean, which)) + centre

    def norms(self, const double[::1] w, int n_threads=1):
        """Return sqrt(sum_i w_i z_ij^2) of every standardised column, (p,).

        Under the weights of `moments` the norms are known without a pass.
        """
        cdef double[::1] out = np.empty(self.p)
        cdef double total = np.sum(w)
        cdef Py_ssize_t j
        if self.weights is not None and np.allclose(w, self.weights, rtol=SAME_WEIGHT, atol=0.0):
            for j in range(self.p):
                out[j] = self.spread[j] if self.centred else hypot(self.spread[j], self.mean[j])
                out[j] *= self.columns[j].factor
            return np.asarray(out)
        with nogil:
            for j in prange(self.p, num_threads=n_threads, schedule="static"):
                out[j] = sqrt(col.weighted_square(&self.columns[j], self.n, &w[0], total))
        return np.asarray(out)

    cdef double correlate(self, Py_ssize_t j, const double* u, double total) noexcept nogil:
        return col.dot(&self.columns[j], u, total)

    cdef void correlate_all(self, const double* u, double total, double* out,
                            int n_threads) noexcept nogil:
        """Set out = Z'u with total = sum(u)."""
        self.correlate_some(NULL, self.p, u, total, out, n_threads)

    cdef void correlate_some(self, const int* which, Py_ssize_t count, const double* u,
                             double total, double* out, int n_threads) noexcept nogil:
        """Set out[k] = z_j'u for j = which[k], or for j = k if `which` is NULL."""
        cdef Py_ssize_t k
        cdef double values = <double> count * self.stored / max(self.p, 1), begun
        cdef int threads = begin_pass(n_threads) if values > WORTH_THREADS else 1
        if threads > 1:
            begun = clock()
            for k in prange((count + 3) // 4, num_threads=threads, schedule="static"):
                self._meet_four(which, 4 * k, count, u, total, out)
            end_pass(threads, begun, self._met(values))
        else:
            for k in range((count + 3) // 4):
                self._meet_four(which, 4 * k, count, u, total, out)

    cdef double near_some(self, const int* which, Py_ssize_t count, const double* u,
                          const double* root_w, RoundedVector rounded, double* out,
                          int n_threads) noexcept nogil:
        """Set out[k] = z_j'v for j = which[k] and a vector v near u; see `correlate_some`.

        Returns the distance e = |(u - v) / root_w|, so that |z_j'u - out[k]| <= e |root_w z_j|
        with the rounding of out; infinity, and nothing in out, if u is not of usual size. Columns
        of numbers are multiplied by u. Call it if `nears`: it takes a third of the time.
        """
        cdef Py_ssize_t k
        cdef double values = <double> count * self.n, begun
        cdef double distance = ss_round_2b(self.n, u, root_w, &rounded.q[0], rounded.sums)
        cdef int threads = begin_pass(n_threads) if values > WORTH_THREADS else 1
        if not distance < INFINITY:
            return INFINITY
        begun = clock()
        for k in prange(count, num_threads=threads, schedule="static"):
            col.ask_for(self.columns, which, k, count)
            out[k] = (col.near_dot(&self.columns[which[k]], &rounded.q[0], rounded.sums)
                      if self.columns[which[k]].kind == TWO_BITS
                      else col.dot(&self.columns[which[k]], u, 0.0))
        end_pass(threads, begun, values)
        return distance

    def near_products(self, const double[::1] u, const double[::1] root_w):
        """Return what `near_some` does of all columns, (p,), and its distance, for tests."""
        cdef double[::1] out = np.empty(self.p)
        cdef int[::1] which = np.arange(self.p, dtype=np.intc)
        cdef double distance = self.near_some(&which[0], self.p, &u[0], &root_w[0],
                                              RoundedVector(self.n), &out[0], 1)
        return np.asarray(out), distance

    cdef double _met(self, double values) noexcept nogil:
        """Return the cost of a pass over so many stored values, in values read in order.

        Each stored value of a sparse column can wait for memory.
        """
        return values if self.stored == self.n * self.p else SCATTERED * values

    cdef void _meet_four(self, const int* which, Py_ssize_t first, Py_ssize_t count,
                         const double* u, double total, double* out) noexcept nogil:
        """Set out[k] = z_j'u for the columns k = first..first + 4 of the list below `count`.

        The columns that follow in the list are prefetched. The grouping into fours depends only
        on the positions in the list, so the number of threads does not change a bit of the
        result.
        """
        cdef int[4] four
        cdef int k, held = <int> min(4, count - first)
        for k in range(held):
            four[k] = <int> first + k if which == NULL else which[first + k]
            if which != NULL:
                col.ask_for(self.columns, which, first + k, count)
        if held == 4:
            col.dots(self.columns, four, u, total, out + first)
            return
        for k in range(held):
            out[first + k] = col.dot(&self.columns[four[k]], u, total)

    cdef void combine(self, const int* which, Py_ssize_t count, const double* b,
                      double* out) noexcept nogil:
        """Add sum_k b[k] z_j with j = which[k] to out."""
        cdef double constant = 0.0
        cdef Py_ssize_t i, k
        cdef int held = 0
        cdef int[4] four
        cdef double[4] a
        for k in range(count):
            if b[k] == 0.0:
                continue
            four[held], a[held] = which[k], b[k]
            held += 1
            if held == 4:
                constant += col.axpys(self.columns, four, a, out)
                held = 0
        for k in range(held):
            constant += col.axpy(&self.columns[four[k]], a[k], out)
        if constant != 0.0:
            for i in range(self.n):
                out[i] += constant

    def products(self, const double[::1] u, int n_threads=1):
        """Return Z'u (p,) for u (n,)."""
        cdef double[::1] out = np.empty(self.p)
        cdef double total = np.sum(u)
        with nogil:
            self.correlate_all(&u[0], total, &out[0], n_threads)
        return np.asarray(out)

    def response_products(self, const double[:, ::1] u, which=None, int n_threads=1):
        """Return u_k'z_j (K, count) for u (K, n) and the columns `which`, or all columns.

        Each column is read once for all K vectors.
        """
        cdef const int[::1] some = np.arange(self.p, dtype=np.intc) if which is None else which
        if some.shape[0] == 0:
            return np.zeros((u.shape[0], 0))
        return np.asarray(self.meet(u, &some[0], some.shape[0], n_threads))

    cdef double[:, ::1] meet(self, const double[:, ::1] u, const int* which, Py_ssize_t count,
                             int n_threads):
        """Return u_k'z_j (K, count) for u (K, n) and the columns `which`; all columns if NULL."""
        cdef Py_ssize_t K = u.shape[0], n_blocks = (count + COLUMNS - 1) // COLUMNS, k, j
        cdef double[:, ::1] o = np.zeros((K, count))
        cdef const double[::1] total
        cdef double values = <double> count * K * self.stored / max(self.p, 1), begun
        cdef int threads = begin_pass(n_threads) if values > WORTH_THREADS else 1
        cdef double[:, ::1] room
        if K == 0 or count == 0:
            return o
        # Some columns of a sparse X can be full.
        if self.stored == self.n * self.p:
            room = np.empty((threads, min(CHUNK, self.n) * min(COLUMNS, count)))
            begun = clock()
            with nogil:
                for k in prange(n_blocks, num_threads=threads, schedule="static"):
                    self.meet_all(which + k * COLUMNS, <int> min(COLUMNS, count - k * COLUMNS), u,
                                  &room[threadid(), 0], &o[0, k * COLUMNS], <int> count)
        else:
            total = np.sum(u, axis=1)
            begun = clock()
            with nogil:
                for k in prange(count, num_threads=threads, schedule="static"):
                    col.ask_for(self.columns, which, k, count)
                    for j in range(K):
                        o[j, k] = col.dot(&self.columns[which[k]], &u[j, 0], total[j])
        end_pass(threads, begun, self._met(values))
        return o

    cdef void meet_all(self, const int* which, int count, const double[:, ::1] u, double* room,
                       double* out, int stride) noexcept nogil:
        """Add z_j'u_k to out[k * stride + j] for dense columns j = which[..], by blocks of rows."""
        cdef Py_ssize_t begin
        cdef int size, j
        for begin in range(0, self.n, CHUNK):
            size = <int> min(CHUNK, self.n - begin)
            for j in range(count):
                col.unpack(&self.columns[which[j]], self.n, begin, begin + size,
                           room + <Py_ssize_t> j * size)
            add_products(size, count, room, size, <int> u.shape[0], &u[0, begin], <int> self.n, out,
                         stride)

    def combination(self, const int[::1] which, const double[::1] b):
        """Return sum_k b[k] z_j (n,) for j = which[k]."""
        out = np.zeros(self.n)
        cdef double[::1] v = out
        if which.shape[0] > 0:
            with nogil:
                self.combine(&which[0], which.shape[0], &b[0], &v[0])
        return out

    def combinations(self, B):
        """Return Z b_k (K, n) for B (K, p)."""
        which = np.flatnonzero(np.any(B, axis=0)).astype(np.intc)
        return np.stack([self.combination(which, b[which]) for b in B])

    def with_columns(self, const int[::1] which, columns):
        """Return a Design with its own standardised columns (n, r) in place of which[0..r).

        The columns which[r..) are treated as constant; all others are read in place.
        """
        cdef Design out = Design(np.broadcast_to(np.float32(0.0), (self.n, self.p)))
        cdef Py_ssize_t k, j
        cdef double[:, ::1] own = np.ascontiguousarray(np.transpose(columns))
        out.keep, out.stored, out.nears = [self, own], self.stored, self.nears
        out.weights, out.centred = self.weights, self.centred
        out.mean, out.spread = np.array(self.mean), np.array(self.spread)
        for j in range(self.p):
            out.columns[j] = self.columns[j]
        for k in range(which.shape[0]):
            j = which[k]
            out.mean[j], out.spread[j], out.columns[j].factor = 0.0, 0.0, 0.0
            if k < own.shape[0]:
                out.stored += self.n - out.columns[j].size
                out.columns[j] = Column(<void*> &own[k, 0], NULL, self.n, 0.0, 1.0, FLOAT64, 0.0)
                out.spread[j] = 1.0
        return out

    def part(self, const int[::1] which):
        """Return the columns which[0..k) as a Design that reads them in place."""
        cdef Design out = Design(np.broadcast_to(np.float32(0.0), (self.n, which.shape[0])))
        cdef Py_ssize_t k
        out.keep, out.stored, out.nears = [self], 0, self.nears
        for k in range(which.shape[0]):
            out.columns[k] = self.columns[which[k]]
            out.stored += out.columns[k].size
            out.mean[k], out.spread[k] = self.mean[which[k]], self.spread[which[k]]
        return out

    def unpacked(self, const int[::1] which):
        """Return the standardised columns which[0..k) as an array (n, k), column-major."""
        out = np.empty((which.shape[0], self.n))
        cdef double[:, ::1] rows = out
        cdef Py_ssize_t k
        for k in range(which.shape[0]):
            col.unpack(&self.columns[which[k]], self.n, 0, self.n, &rows[k, 0])
        return out.T

    def stored_columns(self, const int[::1] which):
        """Return the columns which[0..k) as a csc array (n, k) and an offset (k,).

        Each column stands for its stored values minus its offset.
        """
        cdef Py_ssize_t k, i, at = 0, count = which.shape[0]
        cdef const Column* x
        start = np.cumsum([0] + [self.columns[which[k]].size for k in range(count)])
        total = start[count]
        # scipy takes longer over pointers of 64 bits, and makes indices of them
        start = start if total > np.iinfo(np.intc).max else start.astype(np.intc)
        cdef double[::1] values = np.empty(total)
        cdef int[::1] rows = np.empty(total, dtype=np.intc)
        cdef double[::1] offset = np.zeros(count)
        for k in range(count):
            x = &self.columns[which[k]]
            offset[k] = 0.0 if x.rows == NULL else x.factor * x.centre
            # The values of a dense column are centred here.
            for i in range(x.size):
                rows[at] = i if x.rows == NULL else x.rows[i]
                values[at] = x.factor * (col.stored(x, i) - (x.centre if x.rows == NULL else 0.0))
                at += 1
        shape = (self.n, count)
        matrix = scipy.sparse.csc_array((np.asarray(values), np.asarray(rows), start), shape=shape)
        return matrix, np.asarray(offset)
