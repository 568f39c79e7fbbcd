"""Penalties of multiple kernel learning: convex functions phi of the vector of kernel norms.

    n_m = ||f_m||        d_m the weight of kernel m

    l1          phi = sum_m d_m n_m                         sparse: the group lasso over kernels
    l1_squared  phi = (sum_m d_m n_m)^2 / 2                 the classical form, as sparse
    lp(p)       phi = (sum_m (d_m n_m)^r)^(2/r) / 2,        r = 2p / (p + 1): kernel weights in the
                                                            lp ball; few kernels count as p -> 1
    elastic(a)  phi = sum_m d_m (a n_m + (1 - a) n_m^2 / 2)
    nested      phi = sum_g w_g |n_g|_2                     groups of kernels, one inside another

The contract is in base. A new norm is a file here, a line in NORMS (except nested, which has no
default groups) and a test.
"""

from sparsesolve.data import read_choice
from sparsesolve.mkl.norms.base import Norm
from sparsesolve.mkl.norms.elastic import Elastic
from sparsesolve.mkl.norms.l1 import L1
from sparsesolve.mkl.norms.l1_squared import L1Squared
from sparsesolve.mkl.norms.lp import Lp

NORMS = {"l1": L1(), "l1_squared": L1Squared(), "lp": Lp(), "elastic": Elastic()}


def read_norm(norm):
    """Return the Norm for a name or a Norm."""
    if isinstance(norm, Norm):
        return norm
    if callable(norm):
        raise TypeError(f"norm is the function {norm.__name__}; call it: mkl.{norm.__name__}(...)")
    return NORMS[read_choice("norm", norm, list(NORMS))]
