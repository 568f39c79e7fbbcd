"""KnockoffSelector selects what knockoffs selects, and hands it on in pipelines."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import sparsesolve as ss
from sparsesolve.estimators import DesignEncoder, KnockoffSelector, LassoCV

RNG = np.random.default_rng(3)
X = RNG.normal(size=(150, 20))
Y = X[:, :8] @ np.full(8, 0.9) + RNG.normal(size=150)
TIMES = {"time": RNG.exponential(np.exp(-Y)), "status": RNG.random(150) < 0.9}
FRAME = pd.DataFrame(X, columns=[f"gene {j}" for j in range(20)])


@pytest.mark.parametrize("options, named", [
    ({}, {}),
    ({"random_state": 5, "n_jobs": 2}, {"seed": 5}),
    ({"l1_ratio": 0.5, "construct": "equi"}, {"alpha": 0.5, "construct": "equi"}),
    ({"covariance": np.eye(20)}, {"covariance": np.eye(20)}),
    ({"covariance": "fixed"}, {"covariance": "fixed"}),
    ({"statistic": "entry"}, {"statistic": "entry"}),
    ({"draws": 3}, {"draws": 3}),
    ({"penalty_factor": np.arange(20) > 0}, {"penalty_factor": np.arange(20) > 0}),
])  # fmt: skip
def test_it_selects_what_the_function_selects(options, named):
    expected = ss.inference.knockoffs(X, Y, 0.3, **named)
    model = KnockoffSelector(0.3, **options).fit(X, Y)
    assert len(expected.selected) > 3
    assert np.array_equal(model.get_support(indices=True), expected.selected)
    assert np.array_equal(model.result_.W, expected.W, equal_nan=True)
    assert np.array_equal(model.threshold_, expected.threshold, equal_nan=True)
    assert np.array_equal(model.transform(X), X[:, expected.selected])
    assert np.array_equal(clone(model).fit(sparse.csr_array(X), Y).selected_, model.selected_)


@pytest.mark.parametrize("family, y", [
    ("binomial", np.where(Y > 0, "ill", "well")), ("cox", TIMES), (ss.families.huber(1.0), Y),
])  # fmt: skip
def test_families_and_weights(family, y):
    weights = RNG.uniform(0.5, 2.0, 150)
    expected = ss.inference.knockoffs(X, y, 0.3, family=family, weights=weights)
    model = KnockoffSelector(0.3, family=family).fit(X, y, weights)
    assert np.array_equal(model.selected_, expected.selected) and len(model.selected_) > 3
    unweighted = KnockoffSelector(0.3, family=family).fit(X, y)
    assert not np.array_equal(unweighted.result_.W, model.result_.W)


def test_names_of_features_and_frames():
    model = KnockoffSelector(0.3).set_output(transform="pandas").fit(FRAME, Y)
    names = FRAME.columns[model.get_support()].tolist()
    assert model.get_feature_names_out().tolist() == names and len(names) > 3
    assert model.result_.names == FRAME.columns.tolist()
    pd.testing.assert_frame_equal(model.transform(FRAME), FRAME[names])
    given = KnockoffSelector(0.3, penalty_factor={"gene 0": 0.0}).fit(FRAME, Y)
    assert np.isnan(given.result_.W).tolist() == [True, *[False] * 19]
    back = model.set_output(transform="default").inverse_transform(X[:, model.selected_])
    assert np.array_equal(back, np.where(model.get_support(), X, 0.0))
    with pytest.raises(ValueError, match="feature names"):
        model.transform(FRAME.iloc[:, ::-1])


def test_tables_are_encoded_as_those_of_the_fit():
    pipe = make_pipeline(DesignEncoder(), KnockoffSelector(0.3)).fit(FRAME, Y)
    alone = KnockoffSelector(0.3).fit(X, Y)
    assert pipe.get_feature_names_out().tolist() == FRAME.columns[alone.selected_].tolist()
    assert pipe[1].result_.names == FRAME.columns.tolist()
    assert np.array_equal(pipe.transform(FRAME), X[:, alone.selected_])


def test_a_pipeline_and_a_search_over_the_rate():
    pipe = make_pipeline(KnockoffSelector(0.3), LassoCV(alphas=10))
    model = clone(pipe).fit(X, Y)
    chosen = model[0].selected_
    alone = LassoCV(alphas=10).fit(X[:, chosen], Y)
    assert np.array_equal(model.predict(X), alone.predict(X[:, chosen]))
    search = GridSearchCV(pipe, {"knockoffselector__fdr": [0.3, 0.5]}, cv=2).fit(X, Y)
    assert search.best_score_ > 0.5


def test_where_none_is_selected():
    model = KnockoffSelector(0.05).fit(X, Y)  # fewer than 20 features are true
    assert np.isinf(model.threshold_) and not model.get_support().any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert model.transform(X).shape == (150, 0)


@pytest.mark.parametrize("options, words", [
    ({"fdr": 0.0}, r"fdr must be in \(0, 1\)"),
    ({"construct": "sdp"}, "construct must be one of"),
    ({"statistic": "size"}, "statistic must be one of"),
    ({"draws": 0}, "draws must be at least 1"),
    ({"l1_ratio": 2.0}, r"l1_ratio must be in \[0, 1\]"),
    ({"l1_ratio": 0.5, "statistic": "entry"}, "l1_ratio=0.5 is of statistic='difference'"),
    ({"l1_ratio": 0.5, "covariance": "fixed"}, "l1_ratio=0.5 is of statistic='difference'"),
    ({"covariance": "fixed", "statistic": "difference"}, "use statistic='entry'"),
    ({"covariance": np.ones((20, 20))}, "covariance is not positive definite"),
    ({"covariance": np.eye(3)}, r"covariance has shape \(3, 3\)"),
    ({"statistic": "entry", "family": "poisson"}, "statistic='entry' is of family='gaussian'"),
    ({"family": "gausian"}, "did you mean 'gaussian'"),
    ({"random_state": "a"}, "seed must be a whole number"),
])  # fmt: skip
def test_refusals(options, words):
    with pytest.raises(ValueError, match=words):
        KnockoffSelector(**options).fit(X, Y)


def test_refusals_of_data():
    with pytest.raises(ValueError, match="column 'gene 4' is constant"):
        KnockoffSelector().fit(FRAME.assign(**{"gene 4": 1.0}), Y)
    with pytest.raises(ValueError, match="needs 41 rows, or 26"):
        KnockoffSelector(covariance="fixed").fit(X[:25], Y[:25])
    with pytest.warns(UserWarning, match="columns 'x2' have few different values"):
        KnockoffSelector().fit(np.where(np.arange(20) == 2, X > 0, X), Y)
