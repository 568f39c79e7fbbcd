"""Algorithms: states along a path that answer `solve(lam, target, budget)` with a certified gap."""

from collections.abc import Callable
from typing import NamedTuple

from sparsesolve.mkl.newton import Newton


class Algorithm(NamedTuple):
    """How to make an algorithm's state, and what it needs, in words and as a test."""

    state: Callable  # (problem)
    needs: str
    suits: Callable  # (problem) -> bool


def _any(problem):
    return True


ALGORITHMS = {
    "newton": Algorithm(Newton, "any norm", _any),
}


def choose(name, problem):
    """The state of the algorithm of that name, or with "auto" of the one that suits."""
    algorithm = ALGORITHMS["newton" if name == "auto" else name]
    if not algorithm.suits(problem):
        raise ValueError(f"solver={name!r} needs {algorithm.needs}; choose solver='auto'")
    return algorithm.state(problem)
