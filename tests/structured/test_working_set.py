"""Working sets of chains: answers are those of all features at once, from far fewer."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.solvers.reductions import few_features
from sparsesolve.structured import state

LENGTHS = [8] * 15


def drawn(p=80):
    rng = np.random.default_rng(5)
    X = sparse.random_array((120, p), density=0.2, rng=rng, format="csr")
    dense = X.toarray()
    y = np.argmax(dense[:, :3] + np.roll(dense[:, :3], 1, axis=0), axis=1)
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture
def without_metric(monkeypatch):
    monkeypatch.setattr(few_features, "FEWEST_FEATURES", 0)
    monkeypatch.setattr(state, "metric_pays", lambda problem: problem.p < 20)


@pytest.mark.parametrize("options", [
    {}, {"alpha": 0.5, "transitions": "l1"}, {"transitions": "free"},
    {"groups": np.arange(80) % 16}, {"groups": np.arange(80) // 2, "transitions": "group"},
    {"penalty": ss.penalties.SparseGroup(np.arange(80) % 9, 0.5)},
])  # fmt: skip
def test_answers_are_those_of_all_features(options, without_metric, monkeypatch):
    X, y = drawn()
    fits = []
    for working in (True, False):
        if not working:
            monkeypatch.setattr(state, "metric_pays", lambda problem: True)
        fits.append(ss.crf_path(X, y, lengths=LENGTHS, tol=1e-7,
                                lambdas=[0.03, 0.02, 0.004], **options))  # fmt: skip
    for fit in fits:
        assert fit.gaps.max() <= 1e-7
    np.testing.assert_allclose(fits[0].dev_ratio, fits[1].dev_ratio, atol=1e-5)
    np.testing.assert_array_equal(fits[0].df, fits[1].df)
    for lam in fits[0].lambdas:
        np.testing.assert_allclose(fits[0].coef(lam), fits[1].coef(lam), atol=5e-3)


def test_parts_are_small_and_their_predictor_is_that_of_the_whole(without_metric, monkeypatch):
    X, y = drawn(400)
    sizes, solve_part = [], state.ChainWorkingSet._solve_part

    def watched(self, which, lam, target, budget):
        outcome = solve_part(self, which, lam, target, budget)
        sizes.append(len(which))
        point = self.whole.point
        np.testing.assert_allclose(point.eta, self.problem.scores(point.b), atol=1e-12)
        return outcome

    monkeypatch.setattr(state.ChainWorkingSet, "_solve_part", watched)
    fit = ss.crf_path(X, y, lengths=LENGTHS, n_lambdas=6, lambda_min_ratio=0.3)
    assert fit.gaps.max() <= 1e-4
    assert 0 < fit.df[-1] <= max(sizes) < 200  # of 400


def test_where_nothing_is_sparse_all_features_are_taken():
    X, y = drawn()
    fit = ss.crf_path(X, y, lengths=LENGTHS, alpha=0.0, lambdas=[0.1])
    assert fit.gaps[0] <= 1e-4 and fit.df[0] == 80
