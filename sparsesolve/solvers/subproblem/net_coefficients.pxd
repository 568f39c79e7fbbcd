"""NetColumns: working columns under the elastic net, one by one."""
from sparsesolve.penalties.elastic_net cimport ElasticNet
from sparsesolve.solvers.subproblem.coefficients cimport WorkingColumns

cdef class NetColumns(WorkingColumns):
    cdef int take_penalty(self, ElasticNet penalty, int first) noexcept
