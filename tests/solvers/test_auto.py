"""What "auto" takes makes at most 1.5 times the products with X that the best solver makes.

Products are what solvers by passes have in common; benchmarks/paths/auto.py counts instructions
of all the others.
"""

from dataclasses import replace

import numpy as np
import pytest
from states import problem_of

from sparsesolve.penalties import L1, OverlapL2, Slope, TotalVariation, TraceNorm
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.choice import _suitable
from sparsesolve.solvers.state import NULL_LAMBDA

PASSES = ("products", "response_products", "combination")
PENALTIES = {
    "total variation": TotalVariation(), "slope": Slope(np.linspace(2.0, 1.0, 40)), "l1": L1(),
    "overlapping groups": OverlapL2([list(range(j, j + 6)) for j in range(0, 36, 3)]),
    "trace norm": TraceNorm((8, 5)),
}  # fmt: skip
RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 40)) + 0.3 * RNG.standard_normal((60, 1))
ETA = X[:, 5:9].sum(axis=1)


class Counted:
    """A design that counts the products with it."""

    def __init__(self, design):
        self.design, self.passes = design, 0

    def __getattr__(self, name):
        self.passes += name in PASSES
        return getattr(self.design, name)


def passes(name, family, penalty):
    """Return the products of a path of four lambdas; None if the solver does not take it."""
    y = ETA > 0.0 if family == "binomial" else ETA + 0.5 * np.cos(np.arange(60.0))
    problem = problem_of(X, y, family, penalty=penalty)
    problem = replace(problem, design=Counted(problem.design))
    solver = SOLVERS[_suitable(problem, None) if name == "auto" else name]
    if not (solver.by_passes and solver.suits(problem, None)):
        return None
    state = solver.state(problem, 1)
    state.solve(NULL_LAMBDA, 1e-6 * problem.null_value, 1000)
    first = problem.penalty.entry_lambdas(state.correlations()).max()
    for lam in first * np.array([0.7, 0.4, 0.2, 0.1]):
        outcome, gap = state.solve(lam, 1e-6 * problem.null_value, 20_000)
        assert gap <= 1e-6 * problem.null_value
    return problem.design.passes


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_auto_makes_few_products(penalty, family):
    made = {name: passes(name, family, PENALTIES[penalty]) for name in ("auto", "fista", "sparsa",
            "panoc", "tangent_newton")}  # fmt: skip
    assert made["auto"] <= 1.5 * min(count for count in made.values() if count is not None)
