"""Genotypes are screened by near products: no column that should enter is left out."""

from types import SimpleNamespace

import numpy as np
import pytest
from packed_genotypes import drawn, imputed, packed
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.genotypes import MixedColumns

import sparsesolve as ss
from sparsesolve.penalties import ElasticNet, GroupL2
from sparsesolve.solvers import SOLVERS

N, P, LAMBDAS = 301, 2500, 20


@pytest.fixture(scope="module")
def study():
    """Genotypes with neighbours alike, and a response of 30 of them with heavy tails."""
    rng = np.random.default_rng(5)
    G = drawn(N, P, seed=5, missing=0.01)
    alike = rng.random((N, P // 2)) < 0.9
    G[:, 1::2] = np.where(alike, G[:, ::2], G[:, 1::2])
    y = imputed(G, np.ones(N))[0][:, ::83][:, :30] @ rng.standard_normal(30)
    return G, y + 2 * rng.standard_t(2, N)


@pytest.mark.parametrize("kind", ["equal", "uneven", "some"])
def test_every_column_stays_below_lambda(study, kind):
    """By products of numpy with all columns; few exact ones were taken on the way."""
    G, y = study
    w = {"equal": np.ones(N), "uneven": 0.5 + np.arange(N) / N, "some": np.arange(N) % 5 > 0}[kind]
    w = w / w.sum()
    design = Design(packed(G))
    design.moments(w)
    spread = np.asarray(design.spread)
    design.standardise(True, 1 / spread)
    X, mean = imputed(G, w)
    Z, y = (X - mean) / spread, y - w @ y
    problem = SimpleNamespace(design=design, penalty=ElasticNet(P), weights=w, response=y,
                              null_value=1.0, centred=True, loss=None,
                              intercept=False, offset=None, null_intercept=0.0)  # fmt: skip
    state = SOLVERS["working_set"].state(problem, 1)
    top = np.abs(state.correlations()).max()
    null, exact = 0.5 * w @ y**2, state.inactive.bounds.products
    for lam in np.geomspace(top, 0.1 * top, LAMBDAS):
        outcome, gap = state.solve(lam, 1e-9 * null, 10_000)
        assert outcome == 0 and gap <= 1e-9 * null
        which, values = state.coefficients()
        r = y - Z[:, which] @ values
        most = np.abs(Z.T @ (w * r)).max()
        assert most <= lam * (1 + 1e-6)
        u = min(1.0, lam / most) * r
        dual = 0.5 * w @ y**2 - 0.5 * w @ (y - u) ** 2
        assert 0.5 * w @ r**2 + lam * np.abs(values).sum() - dual <= 1.1e-9 * null + 1e-13
    assert state.inactive.bounds.products - exact < P  # some 80 times as many without


@pytest.mark.parametrize("family", ["gaussian", "binomial", "cox"])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_paths_are_those_of_the_imputed_matrix(study, family, alpha):
    G, y = study
    rng = np.random.default_rng(1)
    y = {"gaussian": y, "binomial": (y > np.median(y)) + 0.0,
         "cox": np.column_stack([rng.exponential(np.exp(-y / 9)), rng.random(N) < 0.8])}[family]
    bits = MixedColumns([packed(G)])
    options = {"family": family, "alpha": alpha, "n_lambdas": 12, "lambda_min_ratio": 0.2,
               "tol": 1e-13}  # fmt: skip
    fit = ss.path(bits, y, **options)
    other = ss.path(imputed(G, np.ones(N))[0], y, lambdas=fit.lambdas, **{
        name: value for name, value in options.items() if "lambda" not in name})
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=1e-5)


def test_groups_are_screened_by_their_norms(study):
    G, y = study
    bits = MixedColumns([packed(G)])
    options = {"penalty": GroupL2(np.arange(P) // 5), "tol": 1e-12}
    fit = ss.path(bits, y, n_lambdas=10, lambda_min_ratio=0.3, **options)
    other = ss.path(imputed(G, np.ones(N))[0], y, lambdas=fit.lambdas, **options)
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=1e-4)
