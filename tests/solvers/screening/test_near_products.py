"""Genotypes are screened by near products: no column that should enter is left out."""

import numpy as np
import pytest
from packed_genotypes import drawn, imputed, packed
from screened import products_along_a_path
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.genotypes import MixedColumns

import sparsesolve as ss
from sparsesolve.penalties import GroupL2

N, P = 301, 2500


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
    # some 80 times as many without
    assert products_along_a_path(design, Z, y, w, 0.1, 20) < P


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
