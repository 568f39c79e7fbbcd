"""The risk of a Problem and its planes, against numpy: planes lie below and touch."""

import numpy as np
import pytest
from kinked_oracle import pieces
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers.baselines.bundle import MarginRisk
from sparsesolve.solvers.margin.ridge_dual import RidgeDual

FAMILIES = {
    "hinge": ss.families.hinge(), "quantile": ss.families.quantile(0.3),
    "epsilon_insensitive": ss.families.epsilon_insensitive(0.2),
}  # fmt: skip
RNG = np.random.default_rng(0)
X, OFFSET = RNG.normal(size=(30, 4)).round(1), RNG.normal(size=30).round(1)


def risk_of(kind, intercept):
    y = np.where(np.arange(30) < 12, 1.0, -1.0) if kind == "hinge" else X[:, 0].round(1)
    problem = problem_of(X, y, FAMILIES[kind], offset=OFFSET, penalty_factor=[1.0, 2.0, 1.0, 0.5],
                         alpha=0.0, intercept=intercept)  # fmt: skip
    return MarginRisk(RidgeDual(problem, 1)), problem


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kind", FAMILIES)
def test_planes_touch_the_risk_and_lie_below_it(kind, intercept):
    risk, problem = risk_of(kind, intercept)
    slopes, constants = pieces(kind, problem.loss.responses)
    places = [np.zeros(4), *RNG.normal(size=(12, 4))]

    def least(w):
        """The mean loss at w, over a fine choice of intercepts: kinks are among them."""
        eta = risk.dual.offset + risk.forward(w)
        kinks = [0.0]
        if intercept:
            rise = np.diff(constants, axis=0) / np.where(np.diff(slopes, axis=0) == 0, np.nan,
                                                         -np.diff(slopes, axis=0))  # fmt: skip
            kinks = (rise - eta).ravel()
        values = [(slopes * (eta + k) + constants).max(axis=0).mean() for k in kinks
                  if np.isfinite(k)]  # fmt: skip
        return min(values)

    planes = [risk(w) for w in places]
    for w in places:
        value = risk(w)[0]
        if kind != "epsilon_insensitive":  # whose kinks are between other pairs of lines, too
            assert value == pytest.approx(least(w), abs=1e-12)
        for touched, (there, a, b, u) in zip(places, planes, strict=True):
            assert a @ w + b <= value + 1e-12
            assert a @ touched + b == pytest.approx(there, abs=1e-11)
            assert (u >= risk.low - 1e-15).all() and (u <= risk.high + 1e-15).all()
            assert not intercept or abs(u.sum()) < 1e-14


def test_products_are_adjoint_and_counted():
    risk, _ = risk_of("hinge", True)
    w, u = RNG.normal(size=4), RNG.normal(size=30)
    before = risk.products
    u -= u.mean()
    assert risk.forward(w) @ u == pytest.approx(w @ risk.back(u))
    assert risk.products == before + 2
