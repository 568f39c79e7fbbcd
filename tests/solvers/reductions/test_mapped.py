"""Penalties by way of other columns: the same solutions as first-order steps on X itself."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.solvers.reductions import mapped

RNG = np.random.default_rng(6)
X = RNG.standard_normal((60, 12)) + np.resize([0.0, 2.0], 12)
SIGNAL = X @ np.repeat([0.8, -0.5, 0.0], 4)
Y = {
    "gaussian": SIGNAL + RNG.standard_normal(60),
    "binomial": SIGNAL + 2 * RNG.standard_normal(60) > 0.5,
    "poisson": RNG.poisson(np.exp(0.2 * SIGNAL)),
    "multigaussian": np.column_stack([SIGNAL, -SIGNAL]) + RNG.standard_normal((60, 2)),
    "multinomial": np.digitize(SIGNAL + 3 * RNG.standard_normal(60), [0, 1.5]),
}


@pytest.mark.parametrize("intercept", [True, False])
def test_columns_formed_as_they_come(monkeypatch, intercept):
    """As for a large sparse X: no more columns than come to work, the same answers."""
    Z = sparse.random_array((200, 80), density=0.1, rng=np.random.default_rng(1), format="csc")
    y = Z @ np.repeat([1.0, 0, -2, 0.5], 20) + 0.1 * RNG.standard_normal(200)
    options = {"family": "binomial", "penalty": P.TotalVariation(), "intercept": intercept}
    whole = ss.path(Z, y > 0, n_lambdas=15, tol=1e-8, **options)
    monkeypatch.setattr(mapped, "SMALL_MAPPED", 0)
    made = []
    begin = mapped.Generated._state
    monkeypatch.setattr(
        mapped.Generated, "_state", lambda self: (begin(self), made.append(len(self.columns)))[0]
    )
    fit = ss.path(Z, y > 0, lambdas=whole.lambdas, tol=1e-8, **options)
    assert 0 < made[-1] < 70 and fit.gaps.max() <= 1e-8
    assert fit.coefs.toarray() == pytest.approx(whole.coefs.toarray(), abs=2e-2)
    assert fit.dev_ratio == pytest.approx(whole.dev_ratio, abs=1e-6)
    own = ss.path(Z, y > 0, n_lambdas=3, **options)
    assert own.lambdas[0] == pytest.approx(whole.lambdas[0], rel=1e-9)


def test_the_first_lambda_and_constants():
    fit = ss.path(X, Y["gaussian"], penalty=P.TotalVariation(), n_lambdas=2)
    top = ss.path(X, Y["gaussian"], penalty=P.TotalVariation(),
                  lambdas=fit.lambdas[0] * np.array([1 + 1e-9, 1 - 1e-6]), tol=1e-15)  # fmt: skip
    jumps = np.abs(np.diff(top.coefs.toarray(), axis=0)).max(axis=0)
    assert jumps[0] == 0.0 and jumps[1] > 0.0
    constant = ss.path(X, np.ones(60), penalty=P.TotalVariation())
    assert not constant.coefs.toarray().any()


def test_an_engine_by_name_and_a_ridge():
    options = {"penalty": P.TotalVariation(), "lambdas": [0.2], "tol": 1e-12}
    fit = ss.path(X, Y["gaussian"], **options)
    named = ss.path(X, Y["gaussian"], solver="proximal_newton", **options)
    assert named.coef(0.2) == pytest.approx(fit.coef(0.2), abs=1e-6)
    mixed = ss.path(X, Y["gaussian"], alpha=0.5, **options)
    assert mixed.gaps.max() <= 1e-12 and np.abs(np.diff(mixed.coef(0.2))).max() > 0.0
