"""Pegasos: weak duality at every iterate, one row and all, and a twin in plain Python."""

import numpy as np
import pytest

from sparsesolve.paths import bundle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4)) * (RNG.random((30, 4)) < 0.7)
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1.0, -1.0)


def J(w, lam):
    return 0.5 * lam * w @ w + np.maximum(1 - Y * (X @ w), 0).mean()


@pytest.mark.parametrize("ball", [True, False])
@pytest.mark.parametrize("batch", ["all", 1])
def test_it_is_the_recursion_of_the_paper(batch, ball):
    lam, w, t, rng = 0.05, np.zeros(4), 0, np.random.default_rng(7)
    trace = bundle.pegasos(X, Y, lam, 12, batch=batch, ball=ball, seed=7)
    for k in range(1, 13):
        for i in [slice(None)] if batch == "all" else rng.integers(30, size=30):
            t += 1
            rows, y = np.atleast_2d(X[i]), np.atleast_1d(Y[i])
            wrong = y * (rows @ w) < 1
            w = (1 - 1 / t) * w + (rows * (y * wrong)[:, None]).mean(axis=0) / (lam * t)
            if ball:
                w = w * min(1.0, 1 / np.sqrt(lam) / max(np.linalg.norm(w), 1e-300))
        assert trace.objectives[k] == pytest.approx(J(w, lam), rel=1e-9)


@pytest.mark.parametrize("batch", ["all", 1])
def test_bounds_are_bounds(batch):
    lam = 0.02
    trace = bundle.pegasos(X, Y, lam, 300, batch=batch)
    best = bundle.bmrm(bundle.hinge_risk(X, Y), lam, 200)
    assert best.gap < 1e-10
    assert trace.bounds.max() <= best.objectives.min() + 1e-12
    assert trace.objectives.min() >= best.bounds.max() - 1e-12
    assert J(trace.coef, lam) == pytest.approx(trace.objectives.min(), rel=1e-9)
    assert trace.gap < 0.2 * (trace.objectives[0] - trace.bounds[0])


def test_what_cannot_be_is_refused():
    for options in ({"batch": 2}, {"batch": "some"}, {"ball": "no"}, {"seed": -1}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            bundle.pegasos(X, Y, 0.1, **options)


@pytest.mark.parametrize("batch", ["all", 1])
def test_the_iterate_returned_has_the_least_objective_also_if_it_is_the_first(batch):
    trace = bundle.pegasos(1e3 * X, Y, 1e-3, 5, batch=batch, ball=False)
    w, lam = trace.coef, 1e-3
    found = 0.5 * lam * w @ w + np.maximum(1 - Y * (1e3 * X @ w), 0).mean()
    assert found == pytest.approx(trace.objectives.min(), rel=1e-9)
