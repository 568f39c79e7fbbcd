"""The path over all columns: windows that miss a column are noticed and mended."""

import numpy as np
import pytest
from states import problem_of

from sparsesolve.solvers.homotopy import path as homotopy_path
from sparsesolve.solvers.homotopy.knot_certificate import Rules
from sparsesolve.solvers.homotopy.path import DenseData, FollowedPath

RNG = np.random.default_rng(0)
X = np.asfortranarray(RNG.standard_normal((40, 150)))
Y = X[:, :20].sum(axis=1) + RNG.standard_normal(40)


def followed(lasso=True, **change):
    problem = problem_of(X, Y, "gaussian")
    rules = {"v": np.ones(150), "ridge": 0.0, "open": np.ones(150, dtype=bool),
             "free": np.empty(0, dtype=np.intc), "lasso": lasso, "positive": False, "last": 0.0,
             "max_features": np.inf, "max_steps": np.inf}
    path = FollowedPath(DenseData(problem, 1), Rules(**{**rules, **change}))
    batches = [path.start, *path.batches()]
    dense = np.zeros((sum(len(batch.lams) for batch in batches), 150))
    start = 0
    for batch in batches:
        np.add.at(dense[start : start + len(batch.lams)], (slice(None), batch.features), batch.B)
        start += len(batch.lams)
    return path, batches, np.concatenate([batch.lams for batch in batches]), dense


@pytest.mark.parametrize("lasso", [True, False])
def test_windows_of_any_size_lead_along_the_same_path(lasso, monkeypatch):
    _, one, lams, B = followed(lasso)
    monkeypatch.setattr(homotopy_path, "FEW_COLUMNS", 0)
    for per_knot, spare, knots in ((0.0, 1, 8), (0.1, 1, 64), (2.0, 32, 16), (1.0, 4, 1)):
        monkeypatch.setattr(homotopy_path, "COLUMNS_PER_KNOT", per_knot)
        monkeypatch.setattr(homotopy_path, "SPARE_COLUMNS", spare)
        monkeypatch.setattr(homotopy_path, "FIRST_KNOTS", knots)
        _, batches, narrow, C = followed(lasso)
        assert narrow == pytest.approx(lams, abs=1e-13)
        assert C == pytest.approx(B, abs=1e-11)
        assert max(batch.gaps.max() for batch in batches) <= 1e-13
        assert sum(batch.n_events.sum() for batch in batches) == sum(
            batch.n_events.sum() for batch in one
        )


def test_reasons():
    assert followed(max_steps=3)[0].why == "max_steps = 3 knots were found"
    assert followed(max_features=2)[0].why.startswith("more than max_features = 2")
    assert followed(last=0.1)[0].why == "lambda_min was reached"
    path, _, lams, _ = followed()
    assert path.why == "lambda = 0 was reached" and lams[-1] == 0.0
    path, *_ = followed(open=np.zeros(150, dtype=bool))
    assert path.why == "every feature is excluded or without a penalty"
