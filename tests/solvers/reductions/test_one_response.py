"""One real response of several is solved for as one."""

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(12)
X = RNG.standard_normal((70, 120))
Y = 3.0 + X[:, :5] @ [2.0, -1.0, 1.0, 0.5, -0.5] + RNG.standard_normal(70)
OFFSET = RNG.standard_normal(70)
OPTIONS = {
    "plain": {},
    "elastic net": {"alpha": 0.3},
    "no intercept": {"intercept": False},
    "weights, one of them 0": {"weights": np.r_[0.0, RNG.uniform(0.5, 2.0, 69)]},
    "a column without penalty": {"penalty_factor": np.r_[np.ones(119), 0.0]},
    "ridge": {"alpha": 0.0, "lambdas": [1.0, 0.1]},
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("offset", [None, OFFSET], ids=["", "offset"])
@pytest.mark.parametrize("design", [X, X[:, :6], np.repeat(X[:35], 2, axis=0)], ids=str)
def test_coefficients_are_those_of_one_response(name, offset, design):
    if design.shape[1] < 120 and name == "a column without penalty":
        pytest.skip("it has the factors of 120 columns")
    shared = {"tol": 1e-11, "stop": None, "lambda_min_ratio": 0.02, "n_lambdas": 15}
    shared |= OPTIONS[name]
    one = ss.path(design, Y, offset=offset, **shared)
    row = None if offset is None else offset[:, None]
    rows = ss.path(design, Y[:, None], family="multigaussian", offset=row, **shared)
    assert rows.lambdas == pytest.approx(one.lambdas, rel=1e-9) and rows.gaps.max() <= 1e-11
    assert np.abs((rows.coefs[0] - one.coefs).toarray()).max() < 1e-4
    assert rows.intercepts[0] == pytest.approx(one.intercepts, abs=1e-4)
    assert rows.dev_ratio == pytest.approx(one.dev_ratio, abs=1e-6)
