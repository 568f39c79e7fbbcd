"""The table of algorithms: each makes a state along a path, whose `solve` certifies its answer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

from sparsesolve.losses.kinked import Hinge
from sparsesolve.mkl.newton import Newton
from sparsesolve.mkl.proximal import BlockDescent, Proximal
from sparsesolve.mkl.single_kernel import Alternation, Reweighted, SimpleMKL

log = logging.getLogger(__name__)


class Algorithm(NamedTuple):
    """An algorithm's constructor and its requirements, in words and as a test of a problem."""

    state: Callable  # (problem)
    needs: str
    suits: Callable  # (problem) -> bool


def _smooth(problem):
    return not isinstance(problem.loss, Hinge)


def _in_parts(problem):
    return _smooth(problem) and not problem.norm.whole


def _has_prox(problem):
    return _smooth(problem) and problem.norm.name != "lp"


def _adds_up(problem):
    return _in_parts(problem) and not problem.norm.squared


def _on_a_simplex(problem):
    return problem.norm.name == "l1_squared"


def _squared(problem):
    return problem.norm.squared


SMOOTH = "a smooth loss"
PARTS = SMOOTH + ", norm other than nested groups"
ALGORITHMS = {
    "newton": Algorithm(Newton, PARTS, _in_parts),
    "reweighted": Algorithm(Reweighted, PARTS, _in_parts),
    "proximal": Algorithm(Proximal, SMOOTH + ", norm other than 'lp'", _has_prox),
    "block_descent": Algorithm(BlockDescent, SMOOTH + " and norm 'l1' or 'elastic'", _adds_up),
    "alternation": Algorithm(Alternation, "norm 'l1_squared' or 'lp'", _squared),
    "simple_mkl": Algorithm(SimpleMKL, "norm 'l1_squared'", _on_a_simplex),
}


def choose(name, problem):
    """Return the state of the algorithm of that name; "auto" chooses one that suits."""
    why = "chosen by name"
    if name == "auto":
        why = f"loss and norm {problem.norm.name!r} suit it"
        whole = "proximal" if problem.norm.whole else "newton"
        name = whole if _smooth(problem) else "alternation"
        if not ALGORITHMS[name].suits(problem):  # the hinge loss, which no other algorithm solves
            raise ValueError(
                f"family 'hinge' needs {ALGORITHMS[name].needs}, not {problem.norm.name!r}; "
                "pass norm='l1_squared'"
            )
    algorithm = ALGORITHMS[name]
    if not algorithm.suits(problem):
        raise ValueError(f"solver={name!r} needs {algorithm.needs}; choose solver='auto'")
    log.debug("algorithm %r of kernels: %s", name, why)
    return algorithm.state(problem)
