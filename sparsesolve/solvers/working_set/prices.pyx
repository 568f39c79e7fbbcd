"""Prices of Newton steps over the working columns, and the cheapest way to take them.

Given: the working columns, m of them, k active, with n rows; how many enter between two steps.
Returned: whether a Newton step is cheapest by a factor of the Gram matrix, by conjugate gradients
or by a system of n x n, and what a refresh of H costs. The unit is a multiply-add of a dense
operation. A way that is left must cost more than the new one with what it takes to set that up,
shared by STEPS_TO_PAY steps.
Reference: benchmarks/paths/crossovers.py measures where the ways change places.
"""
from libc.math cimport INFINITY

from sparsesolve.solvers import costs
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients
from sparsesolve.solvers.subproblem.data_active_set cimport DataActiveSet
from sparsesolve.solvers.subproblem.gram_active_set cimport GramActiveSet

cdef double BLOCK_COST = costs.working_set.BLOCK_COST
cdef double FAR_COST = costs.working_set.FAR_COST
cdef double FAR_VALUES = costs.working_set.FAR_VALUES
cdef double SPARSE_COST = costs.working_set.SPARSE_COST
cdef double STEPS_TO_PAY = costs.working_set.STEPS_TO_PAY
cdef double SWITCH_GAIN = costs.working_set.SWITCH_GAIN
cdef double SAMPLE_COST = costs.working_set.SAMPLE_COST
cdef double WEIGHED_COST = costs.working_set.WEIGHED_COST
cdef double MOST_FILLED = costs.working_set.MOST_FILLED_VALUES
cdef double LASTING = costs.working_set.LAMBDAS_TO_FILL
cdef double FEWEST_TO_A_ROW = costs.subproblem.FEWEST_ACTIVE_TO_A_ROW
cdef double MOST_ROWS_SQUARE = costs.subproblem.MOST_ROWS_SQUARE
cdef double ROWS_STEPS = costs.subproblem.STEPS_ON_ROWS
cdef double FACTOR_LASTS = costs.subproblem.DIRECTIONS_TO_A_FACTOR
cdef int FEW_WITHOUT_RIDGE = costs.subproblem.MOST_ACTIVE_WITHOUT_RIDGE


cdef bint solves_by_rows(WorkingCoefficients quadratic):
    """Return True if Newton directions come from the n x n system."""
    return (isinstance(quadratic, DataActiveSet)
            and (<DataActiveSet> quadratic).rows is not None)


cdef class Prices:

    def __cinit__(self, double n, double renewed):
        self.n, self.renewed, self.steps = n, renewed, 6.0

    cdef void enter(self, int count) noexcept nogil:
        """Columns enter: so many since as many models were solved."""
        self.growth += 0.2 * (count / <double> max(self.models, 1) - self.growth)
        self.models = 0

    cdef Way cheapest(self, WorkingCoefficients quadratic):
        """The way that Newton steps should go on by."""
        cdef double n = self.n, m = quadratic.size, k = 0.0, gram, steps, entries, far = 1.0
        cdef double product, iterative, by_rows = INFINITY, now, entering
        cdef bint by_products = isinstance(quadratic, GramActiveSet)
        cdef bint dense = quadratic.columns.dense
        cdef int j, without_ridge = 0
        for j in range(quadratic.size):
            k += quadratic.b[j] != 0.0
            without_ridge += quadratic.b[j] != 0.0 and quadratic.l2[j] <= 0.0
        entries = m * n if dense else SPARSE_COST * self.values
        if dense and entries > FAR_VALUES:
            far = FAR_COST
        product = BLOCK_COST if dense else 0.5
        gram = (2.0 + BLOCK_COST * self.growth) * k * k + m * k
        gram *= FAR_COST if m * m > FAR_VALUES else 1.0
        gram += (2.0 * far + product * (self.growth + self.renewed * m)) * entries
        steps = quadratic.effort()
        if steps > 0.0:
            self.steps = steps
        iterative = self.steps * (2.0 * far * entries + 3.0 * m + 2.0 * n)
        if (dense and k > FEWEST_TO_A_ROW * n and n <= MOST_ROWS_SQUARE
            and without_ridge <= FEW_WITHOUT_RIDGE):
            by_rows = ((ROWS_STEPS + BLOCK_COST * (self.growth + 0.5 * self.renewed * k)) * n * n
                       + 2.0 * far * entries)
            by_rows += BLOCK_COST * n * n * n / (6.0 * FACTOR_LASTS)
        entering = gram if by_products else gram + 0.5 * m * product * entries / STEPS_TO_PAY
        if solves_by_rows(quadratic):
            now = by_rows
        else:
            now = gram if by_products else iterative
            by_rows += BLOCK_COST * k * n * n / STEPS_TO_PAY
        if SWITCH_GAIN * min(min(entering, iterative), by_rows) >= now:
            return UNCHANGED
        if by_rows <= min(entering, iterative):
            return BY_ROWS
        return BY_PRODUCTS if entering <= iterative else BY_COLUMNS

    cdef double refresh(self, WorkingCoefficients quadratic):
        """The cost of refreshing H, in steps."""
        cdef double n = self.n, m = quadratic.size, entries = m * n
        cdef double products = WEIGHED_COST * m * entries / 2.0
        if solves_by_rows(quadratic):
            products = WEIGHED_COST * n * n * (0.5 * m + n / 6.0)
            return (entries + products) / (3.0 * entries + SAMPLE_COST * n + ROWS_STEPS * n * n)
        if isinstance(quadratic, DataActiveSet):
            return 1.0
        if not quadratic.columns.dense:
            entries = SPARSE_COST * self.values
            products = m * (0.1 * n + entries / 2.0)
        return (entries + products + WEIGHED_COST * m * m * m / 3.0) / (2.0 * entries
                + SAMPLE_COST * n + 4.0 * m * m)

    cdef bint filling_pays(self, WorkingCoefficients quadratic, long before, bint stuck):
        """Return True if a dense model of F'' itself costs less than the passes over sparse
        columns since `before`, or they stall.
        """
        cdef double n = self.n, m = quadratic.size
        cdef double spent = 2.0 * SPARSE_COST * self.values * (quadratic.passes - before)
        cdef double price = m * n + WEIGHED_COST * m * m * (n / 2.0 + m / 3.0)
        return m * n <= MOST_FILLED and (stuck or LASTING * spent > price)
