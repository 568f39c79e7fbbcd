"""Algorithms: states along a path that answer `solve(lam, target, budget)` by a certified gap."""

from collections.abc import Callable
from typing import NamedTuple

from sparsesolve.mkl.newton import Newton
from sparsesolve.mkl.proximal import BlockDescent, Proximal
from sparsesolve.mkl.weighted import Reweighted


class Algorithm(NamedTuple):
    """How to make an algorithm's state, and what it needs, in words and as a test."""

    state: Callable  # (problem)
    needs: str
    suits: Callable  # (problem) -> bool


def _any(problem):
    return True


def _has_prox(problem):
    return problem.norm.name != "lp"


def _adds_up(problem):
    return not problem.norm.squared


ALGORITHMS = {
    "newton": Algorithm(Newton, "any norm", _any),
    "reweighted": Algorithm(Reweighted, "any norm", _any),
    "proximal": Algorithm(Proximal, "norm 'l1', 'l1_squared' or 'elastic'", _has_prox),
    "block_descent": Algorithm(BlockDescent, "norm 'l1' or 'elastic'", _adds_up),
}


def choose(name, problem):
    """The state of the algorithm of that name, or with "auto" of the one that suits."""
    algorithm = ALGORITHMS["newton" if name == "auto" else name]
    if not algorithm.suits(problem):
        raise ValueError(f"solver={name!r} needs {algorithm.needs}; choose solver='auto'")
    return algorithm.state(problem)
