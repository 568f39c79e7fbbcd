"""Safe balls on short or sparse columns: those asleep are below their threshold."""

from types import SimpleNamespace

import numpy as np
import pytest
from random_sparse import random_csc
from sparsesolve.linalg.design.design import Design

from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers import SOLVERS

P, LAMBDAS = 3000, 25


@pytest.mark.parametrize(
    ("n", "density", "full", "share"),
    [
        (200, 0.003, False, 0.13),
        (200, 0.003, True, 0.8),
        (200, 0.03, False, 0.8),
        (200, 0.03, True, 0.8),
        (2000, 0.005, False, 0.6),  # few values of many rows: asleep by entries
    ],
)
def test_every_column_stays_below_lambda(n, density, full, share):
    """At every lambda, by products with all of X; on the way but a share of these was taken."""
    rng = np.random.default_rng(2)
    X = random_csc((n, P), density, rng)
    X.data -= 0.5
    X.indices = X.indices.astype(np.intc)
    dense = X.toarray()
    y = dense @ (rng.standard_normal(P) * (rng.random(P) < 0.02)) + 0.1 * rng.standard_normal(n)
    y -= y.mean()
    w = np.full(n, 1 / n)
    design = Design(np.asfortranarray(dense) if full else X)
    assert design.moments(w)
    design.standardise(True, np.ones(P))
    Z = dense - dense.mean(axis=0)
    problem = SimpleNamespace(design=design, penalty=ElasticNet(P), weights=w,
                              response=y, loss=None, null_value=1.0, centred=True)  # fmt: skip
    state = SOLVERS["working_set"].state(problem, 1)
    bounds = state.inactive.bounds
    top = np.abs(state.correlations()).max()
    assert top == pytest.approx(np.abs(Z.T @ (w * y)).max(), rel=1e-12)
    null, before = 0.5 * w @ y**2, bounds.products
    for lam in np.geomspace(top, 0.02 * top, LAMBDAS):
        outcome, gap = state.solve(lam, 1e-9 * null, 10_000)
        assert outcome == 0 and gap <= 1e-9 * null
        which, values = state.coefficients()
        r = y - Z[:, which] @ values
        most = np.abs(Z.T @ (w * r)).max()
        assert most <= lam * (1 + 1e-6)
        u = min(1.0, lam / most) * r
        dual = 0.5 * w @ y**2 - 0.5 * w @ (y - u) ** 2
        assert 0.5 * w @ r**2 + lam * np.abs(values).sum() - dual <= 1.1e-9 * null + 1e-13
    assert bounds.products - before < share * LAMBDAS * P
