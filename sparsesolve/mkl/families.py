"""The family of support vector machines, whose loss is not smooth: for wrapper methods alone."""

from sparsesolve import checks
from sparsesolve.families import Family
from sparsesolve.links import above_zero, identity
from sparsesolve.mkl.hinge import Hinge


def hinge():
    """max(0, 1 - y eta) for two classes y = -1 and 1.

    Solved by solver="alternation", which "auto" takes, or "simple_mkl"; use it to compare with
    what others publish. `sparsesolve.families.squared_hinge` is smooth, and solved much faster.
    """
    return Family("hinge", Hinge, checks.read_sides, identity, classify=above_zero)
