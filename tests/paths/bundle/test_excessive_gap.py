"""Pragam against its theorem at every iteration, and against path."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.paths import bundle


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 60)), int(rng.integers(1, 15))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-2, 2)
    y = np.where(X[:, 0] + X.std() * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    return X, y, 10.0 ** rng.uniform(-4, 0) * (X**2).sum(axis=1).mean()


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_gap_keeps_the_bounds_of_theory(seed, bias):
    X, y, lam = drawn(seed)
    n = len(y)
    options = {"family": ss.families.hinge(), "alpha": 0, "standardize": False, "tol": 1e-9}
    fit = ss.path(X, y, intercept=bias, lambdas=[lam], **options)

    def J(w, b):
        return 0.5 * lam * w @ w + np.maximum(1 - y * (X @ w + b), 0).mean()

    optimum = J(fit.coef(lam), fit.intercept(lam))
    exact = np.linalg.norm(X - X.mean(axis=0) if bias else X, 2) ** 2 / lam
    k = np.arange(151)
    for L in ("true", "backtracking"):
        trace = bundle.pragam(X, y, lam, 150, bias=bias, L=L)
        assert trace.radius == pytest.approx(1 / (2 * n))
        gaps, rounding = trace.objectives - trace.bounds, 1e-12 * trace.objectives.max()
        if L == "true":
            assert exact * (1 - 1e-9) <= trace.lipschitz <= exact * (1 + 1e-4)
            bound = 4 * trace.lipschitz * trace.radius / ((k + 1) * (k + 2))
            assert (gaps <= bound + rounding).all()
        assert (gaps <= trace.smoothing * trace.radius + rounding).all()
        assert trace.bounds.max() <= optimum + 1e-12 and trace.objectives.min() >= optimum - 1e-9
        assert J(trace.coef, trace.intercept) == pytest.approx(trace.objectives.min(), rel=1e-9)


def test_weights_are_repeated_rows():
    X, y, lam = drawn(3)
    counts = 1 + np.arange(len(y)) % 3
    given = bundle.pragam(X, y, lam, 20, weights=counts)
    again = bundle.pragam(np.repeat(X, counts, axis=0), np.repeat(y, counts), lam, 20)
    assert given.objectives[0] == pytest.approx(again.objectives[0])
    assert given.bounds.max() <= again.objectives.min() + 1e-12


@pytest.mark.parametrize(("options", "message"), [
    ({"L": "fixed"}, "L must be a number, 'true' or 'backtracking'"), ({"L": 0.0}, "L must be"),
    ({"lam": 0.0}, "lam must be"), ({"bias": 1.5}, "bias must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused(options, message):
    X, y, lam = drawn(0)
    with pytest.raises((ValueError, TypeError), match=message):
        bundle.pragam(X, y, **{"lam": lam, **options})
