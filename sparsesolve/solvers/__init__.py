"""Solvers: states along a path that answer `solve(lam, target, budget)` with a certified gap."""

from sparsesolve.solvers.sufficient import Sufficient
from sparsesolve.solvers.working_set import WorkingSet

# name -> (state along a path, what it needs)
SOLVERS = {
    "working_set": (WorkingSet, "any design"),
    "sufficient": (Sufficient, "no more than a few thousand columns: it holds their Gram matrix"),
}
