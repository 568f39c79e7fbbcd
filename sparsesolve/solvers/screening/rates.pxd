"""How fast the levels of groups grow with the residual."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.screening.quantised cimport Quantised

cpdef group_rates(Design design, double[::1] root_w, BlockPenalty penalty, Quantised sketch,
                  int n_threads)
