"""Inactive groups of columns, as blocks of a penalty on groups."""
import numpy as np

from sparsesolve.linalg.design.design cimport Design
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.screening.correlations cimport Correlations
from sparsesolve.solvers.screening.rates import group_rates
from sparsesolve.solvers.screening.inactive cimport Inactive


cdef class InactiveGroups(Inactive):
    """Groups of the columns of `design` under a penalty; the limits are the penalty's."""

    def __init__(self, Design design, double[::1] root_w, BlockPenalty penalty, int n_threads):
        self.penalty = penalty
        rate = group_rates(design, root_w, penalty, n_threads)
        self._begin(Correlations(design, root_w, rate, np.ones(penalty.n_groups), penalty,
                                 n_threads))

    cdef double feasible_scale(self, int g, const double* z, double lam,
                               bint strict) noexcept nogil:
        return self.penalty.block_scale(g, z, lam, strict)

    cdef double conjugate(self, int g, const double* z, double lam) noexcept nogil:
        return self.penalty.block_conjugate(g, z, lam)

    cdef int[::1] unpenalised(self):
        """Groups without a norm; those whose columns are all zero or cannot move are dropped."""
        cdef int g
        first = []
        starts = np.asarray(self.penalty.start)[:self.penalty.n_groups]
        moving = (np.asarray(self.penalty.lower) < 0) | (np.asarray(self.penalty.upper) > 0)
        moving &= np.asarray(self.bounds.design.spread)[np.asarray(self.penalty.member)] > 0
        alive = np.add.reduceat(moving, starts) > 0 if len(starts) else np.zeros(0)
        for g in range(self.penalty.n_groups):
            if not alive[g]:
                self.bounds.safe_balls.drop(g)
            elif self.penalty.block_unpenalised(g):
                first.append(g)
        return self.columns_of(np.array(first, dtype=np.intc))
