"""Dual points of losses with kinks: within the slopes, orthogonal to unpenalised columns."""

import numpy as np
import pytest
from sparsesolve.losses.envelope import Envelope

import sparsesolve as ss
from sparsesolve.paths.assembly import read_problem
from sparsesolve.solvers.margin.certificate import KinkedCertificate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Y = np.sign(X[:, 0] + RNG.normal(size=40))


def certificate(factor, intercept):
    problem, *_ = read_problem(
        X, Y, ss.families.hinge(), weights=None, offset=None, penalty_factor=factor, lower=None,
        upper=None, alpha=1.0, intercept=intercept, standardize=False, n_threads=1,
    )  # fmt: skip
    made = KinkedCertificate(problem, Envelope(problem.loss, 3.0), 1)
    made.place(np.arange(5, dtype=np.intc), RNG.normal(size=5), 0.1)
    return made


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("free", [[], [1], [1, 3]])
def test_a_dual_point_is_feasible_or_there_is_no_certificate(free, intercept):
    factor = np.ones(5)
    factor[free] = 0.0
    made = certificate(factor, intercept)
    low, high = made.loss.ends
    for _ in range(50):
        made.certify(0.1, low + RNG.random(40) * (high - low) * RNG.choice([0.5, 1.0, 2.0]))
        u, _, missing = made.dual_point(0.1)
        if missing == np.inf:
            continue
        assert (u >= low).all() and (u <= high).all()
        assert np.abs(u @ made.basis).max(initial=0.0) <= 1e-10 * np.abs(u).sum()


def test_a_point_that_clipping_moves_off_the_columns_is_refused(monkeypatch):
    """As if the rounds of `clear` had ended with a row outside."""
    made = certificate(np.array([0.0, 0.0, 1.0, 1.0, 1.0]), True)
    low, high = made.loss.ends
    outside = 2.0 * high + low
    outside -= made.basis @ np.linalg.lstsq(made.basis, outside, rcond=None)[0]
    monkeypatch.setattr(
        "sparsesolve.solvers.margin.certificate.clear", lambda *given: (outside, 0.0)
    )
    made.certify(0.1, 0.5 * (low + high))
    assert made.dual_point(0.1)[2] == np.inf
