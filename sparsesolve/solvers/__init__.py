"""Solvers: states along a path that answer `solve(lam, target, budget)` with a certified gap."""

from collections.abc import Callable
from typing import NamedTuple

from sparsesolve.solvers import ridge
from sparsesolve.solvers.sufficient import Sufficient
from sparsesolve.solvers.working_set import WorkingSet


class Solver(NamedTuple):
    """How to make a solver's state along a path, and what it needs, in words and as a test."""

    state: Callable  # (design, penalty, weights, response, n_threads)
    needs: str
    suits: Callable = lambda penalty, design: True


SOLVERS = {
    "working_set": Solver(WorkingSet, "any design"),
    "sufficient": Solver(Sufficient, "a design of few columns: it holds their Gram matrix"),
    "ridge": Solver(ridge.Ridge, "alpha = 0, every lambda above 0, no limits", ridge.suits),
}
