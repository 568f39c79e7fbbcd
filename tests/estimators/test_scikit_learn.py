"""scikit-learn's own checks of estimators, of online learning one apart; pipelines, searches."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import config_context  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    GroupKFold,
    cross_validate,
)
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402
from sklearn.utils.validation import has_fit_parameter  # noqa: E402

from sparsesolve import estimators  # noqa: E402
from sparsesolve.mkl import gaussian, polynomial  # noqa: E402

SHORT = {  # checks make a hundred fits of each
    "alphas": 2, "eps": 0.1, "Cs": 2, "cv": 2, "fdr": 0.5,  # at .1 none of 10 features passes
    "kernels": [(gaussian(1.0), None), (polynomial(2), 0)],
}  # fmt: skip
ALL = [kind for kind in map(vars(estimators).get, estimators.__all__) if isinstance(kind, type)]
RNG = np.random.default_rng(2)
X = RNG.standard_normal((60, 6))
Y = X[:, 0] - 2 * X[:, 3] + 0.5 * RNG.standard_normal(60)
W = RNG.uniform(0.5, 2.0, 60)
GROUPS = np.resize(np.arange(7), 60)


def answer(model, X):
    """What a model says of rows: its predictions, or the columns that it selects."""
    return model.predict(X) if hasattr(model, "predict") else model.transform(X)


def short(kind):
    """An estimator with a short grid, few folds, few kernels and a high rate, if it has such."""
    known = kind().get_params()
    return kind(**{name: value for name, value in SHORT.items() if name in known})


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_checks_of_scikit_learn(kind):
    """All of its checks, some 55 an estimator; those that contradict its purpose may fail."""
    model = short(kind)
    reasons = estimators.expected_failed_checks(model)
    found = check_estimator(model, expected_failed_checks=reasons, on_skip=None, on_fail=None)
    failed = {each["check_name"]: repr(each["exception"]) for each in found
              if each["status"] == "failed"}  # fmt: skip
    assert failed == {} and sum(each["status"] == "passed" for each in found) > 30


def test_frames_and_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = estimators.Lasso(alpha=0.1).fit(frame, Y)
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert np.array_equal(model.coef_, estimators.Lasso(alpha=0.1).fit(X, Y).coef_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("fedcba")])


def test_polars_frames():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(X, schema=list("abcdef"))
    model = estimators.PoissonNet().fit(frame, polars.Series(np.exp(Y)))
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert model.predict(frame) == pytest.approx(np.exp(X @ model.coef_ + model.intercept_))


def test_metadata_is_routed():
    """Weights reach a fit inside a search, groups the splitter of a CV form."""
    with config_context(enable_metadata_routing=True):
        model = estimators.Lasso().set_fit_request(sample_weight=True)
        model = model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"alpha": [0.05, 5.0]}, cv=3).fit(X, Y, sample_weight=W)
        alone = estimators.Lasso(alpha=0.05).fit(X, Y, W)
        assert search.best_estimator_.coef_ == pytest.approx(alone.coef_, abs=1e-7)
        chosen = estimators.ElasticNetCV(cv=GroupKFold(3), alphas=5).fit(X, Y, groups=GROUPS)
    pairs = list(GroupKFold(3).split(X, Y, GROUPS))
    same = estimators.ElasticNetCV(cv=pairs, alphas=5).fit(X, Y)
    assert np.array_equal(chosen.mse_path_, same.mse_path_)
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        estimators.ElasticNetCV(cv=GroupKFold(3)).fit(X, Y, groups=GROUPS)


FRAMED = ("Lasso", "SparseLogisticRegressionCV", "KnockoffSelector")  # test_labels.py has all
WEIGHTED = [kind for kind in ALL if has_fit_parameter(kind, "sample_weight")]


@pytest.mark.parametrize("kind", WEIGHTED, ids=lambda kind: kind.__name__)
def test_weights_are_routed_to_every_estimator_that_takes_them(kind):
    """The fit inside a cross-validation is that of its rows and their weights."""
    y = np.column_stack([Y, -Y]) if "MultiTask" in kind.__name__ else np.exp(Y)
    y = Y > 0 if hasattr(kind, "predict_proba") else y
    tables = [X]
    for library in ("pandas", "polars") if kind.__name__ in FRAMED else ():
        frames = pytest.importorskip(library)
        tables.append(frames.DataFrame(dict(zip("abcdef", X.T, strict=True))))
    train, test = np.arange(0, 60, 2), np.arange(1, 60, 2)
    expected = answer(short(kind).fit(X[train], y[train], sample_weight=W[train]), X[test])
    with config_context(enable_metadata_routing=True):
        asked = short(kind).set_fit_request(sample_weight=True)
        for table in tables:
            done = cross_validate(
                asked, table, y, cv=[(train, test)], params={"sample_weight": W},
                return_estimator=True, scoring=lambda model, X, y: answer(model, X).sum(),
            )  # fmt: skip
            assert done["test_score"][0] == pytest.approx(expected.sum(), rel=1e-9)


def test_without_scikit_learn_one_sentence(fresh_python):
    script = """
import sys
sys.modules["sklearn"] = None
import sparsesolve
try:
    import sparsesolve.estimators
except ImportError as error:
    print(error)
"""
    words = "sparsesolve.estimators needs scikit-learn: pip install 'sparsesolve[sklearn]'"
    assert fresh_python(script) == words
