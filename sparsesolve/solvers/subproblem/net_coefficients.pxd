"""NetCoefficients: working columns under the elastic net, one by one."""
from sparsesolve.penalties.elastic_net cimport ElasticNet
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class NetCoefficients(WorkingCoefficients):
    cdef int take_penalty(self, ElasticNet penalty, int first) noexcept
