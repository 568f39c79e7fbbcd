"""InactiveGroups: groups of columns outside the working set."""
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.screening.inactive cimport Inactive

cdef class InactiveGroups(Inactive):
    cdef BlockPenalty penalty
