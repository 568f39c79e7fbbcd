"""What is hardly meant is said before work starts."""

import importlib.util
import warnings

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X[:, 0] + RNG.normal(size=40)


def said(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in seen]


FACES = {
    "path": lambda X, y: ss.path(X, y, n_lambdas=3),
    "cv_path": lambda X, y: ss.cv_path(X, y, n_lambdas=3, n_folds=3, seed=0),
    "lars_path": ss.lars_path,
    "omp_path": lambda X, y: ss.omp_path(X, y, n_nonzero=2),
    "hard_threshold_path": lambda X, y: ss.hard_threshold_path(X, y, n_nonzero=2),
    "stability_path": lambda X, y: ss.stability_path(X, y, n_pairs=2, n_lambdas=3, seed=0),
    "adaptive_factors": lambda X, y: ss.adaptive_factors(X, y, n_folds=3, seed=0),
    "online": lambda X, y: ss.online(X, y, lam=0.1),
}
ESTIMATORS = ("Lasso", "ElasticNetCV", "LassoLars", "Lars", "OrthogonalMatchingPursuit",
              "GroupLasso", "AdaptiveLasso", "RelaxedLasso", "OnlineRegressor")  # fmt: skip


def face(name):
    """A function of X and y that fits them by squared error."""
    if name in FACES:
        return FACES[name]
    pytest.importorskip("sklearn")
    options = {"groups": [0, 0, 1]} if name == "GroupLasso" else {}
    return lambda X, y: getattr(ss.estimators, name)(**options).fit(X, y)


@pytest.mark.parametrize("name", [*FACES, *ESTIMATORS])
def test_a_boolean_response_of_squared_error_is_said_once(name):
    fit = face(name)
    found = [text for text in said(lambda: fit(X, Y > 0)) if "boolean" in text]
    assert len(found) == 1 and ("binomial" in found[0] or "LogisticRegression" in found[0])
    assert not [text for text in said(lambda: fit(X, Y)) if "boolean" in text]


def test_a_list_of_booleans_is_one_and_classes_are_none():
    assert len(said(lambda: ss.path(X, (Y > 0).tolist(), n_lambdas=3))) == 1
    assert not said(lambda: ss.path(X, Y > 0, family="binomial", n_lambdas=3))
    K = [np.outer(x, x) for x in (X - X.mean(axis=0)).T]
    found = said(lambda: ss.mkl_path(K, Y > 0, n_lambdas=3))
    assert len(found) == 1 and "y is boolean" in found[0]


@pytest.mark.parametrize("name", [*FACES, *ESTIMATORS])
def test_every_face_meets_rows_in_another_order(name):
    pandas = pytest.importorskip("pandas")
    frame, y, fit = pandas.DataFrame(X).add_prefix("x"), pandas.Series(Y), face(name)
    with pytest.raises(ValueError, match="reindex"):
        fit(frame, y[::-1])
    other = y.set_axis(np.arange(40) + 100)
    assert len([text for text in said(lambda: fit(frame, other)) if "by position" in text]) == 1
    assert not [text for text in said(lambda: fit(frame, y)) if "by position" in text]


def chain_faces():
    """Functions of X, y and lengths, or of lists of sequences, that fit or score label chains."""
    crf = {"lambdas": [0.1]}
    model = ss.crf_path(X, Y > 0, lengths=[10] * 4, **crf)
    faces = {
        "crf_path": lambda X, y, lengths: ss.crf_path(X, y, lengths=lengths, **crf),
        "max_margin": lambda X, y, lengths: ss.structured.max_margin(
            X, y, lengths=lengths, lam=0.1, epochs=1),
        "spom": lambda X, y, lengths: ss.spom(X, y, lengths=lengths, epochs=1, eta0=1.0),
        "score": lambda X, y, lengths: model.score(X, y, lengths),
        "log_likelihood": lambda X, y, lengths: model.log_likelihood(X, y, lengths),
    }  # fmt: skip
    if importlib.util.find_spec("sklearn"):
        faces["ChainClassifier"] = lambda X, y, lengths: (
            ss.estimators.ChainClassifier().fit(X, y, lengths=lengths))
        faces["ChainSVM"] = lambda X, y, lengths: (
            ss.estimators.ChainSVM(epochs=1).fit(X, y, lengths=lengths))
        faces["partial_fit"] = lambda X, y, lengths: ss.estimators.ChainClassifier().partial_fit(
            X, y, classes=[False, True], lengths=lengths)
    return faces


CHAINS = chain_faces()


@pytest.mark.parametrize("name", CHAINS)
def test_chains_meet_rows_in_another_order(name):
    pandas = pytest.importorskip("pandas")
    frame, y, fit = pandas.DataFrame(X).add_prefix("x"), pandas.Series(Y > 0), CHAINS[name]
    with pytest.raises(ValueError, match="the index of y .* that of X in another order"):
        fit(frame, y[::-1], [10] * 4)
    parts = [frame[i : i + 10] for i in range(0, 40, 10)]
    tags = [y[i : i + 10] for i in range(0, 40, 10)]
    tags[2] = tags[2][::-1]
    with pytest.raises(ValueError, match="sequence 2 of y .* sequence 2 of X in another order"):
        fit(parts, tags, None)
    other = y.set_axis(np.arange(40) + 100)
    found = said(lambda: fit(frame, other, [10] * 4))
    assert len([text for text in found if "by position" in text]) == 1
    assert not [text for text in said(lambda: fit(frame, y, [10] * 4)) if "index" in text]


def test_kernels_of_sequences_meet_labels_in_another_order():
    pandas = pytest.importorskip("pandas")
    y, K = pandas.Series(Y > 0), pandas.DataFrame(X @ X.T)
    with pytest.raises(ValueError, match="block 'linear' in another order"):
        ss.spom({"linear": K}, y[::-1], lengths=[10] * 4, epochs=1, eta0=1.0)


def test_an_encoded_table_keeps_its_row_names_but_a_fit_does_not():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "up", "down")})
    y, design = pandas.Series(Y), ss.make_design(table)
    for rows in (design, design.encode(table)):
        with pytest.raises(ValueError, match="reindex"):
            ss.path(rows, y[::-1], n_lambdas=3)
    fit = ss.path(design, y, n_lambdas=3)
    assert fit.encoder.index is None
    assert np.array_equal(fit.predict(table), fit.predict(table[::-1])[::-1])
    assert ss.make_design({"a": X[:, 0]}).index is None
    pytest.importorskip("sklearn")
    with pytest.raises(ValueError, match="reindex"):
        ss.estimators.Lasso().fit(design, y[::-1])


def test_rows_given_again_are_met_too():
    pandas = pytest.importorskip("pandas")
    frame, y = pandas.DataFrame(X).add_prefix("x"), pandas.Series(Y)
    fit = ss.path(frame, y, n_lambdas=5)
    asked = [ss.criteria, ss.relax, ss.assess, lambda fit, *data: ss.refit(fit, *data, 0.1),
             lambda fit, *data: fit.extend(*data, n_lambdas=2)]  # fmt: skip
    for ask in asked:
        with pytest.raises(ValueError, match="reindex"):
            ask(fit, frame, y[::-1])
    estimators = pytest.importorskip("sparsesolve.estimators")
    with pytest.raises(ValueError, match="reindex"):
        estimators.SparseLogisticRegression().fit(frame, (y > 0)[::-1])
    with pytest.raises(ValueError, match="reindex"):
        times = pandas.DataFrame({"time": np.exp(Y), "event": True})[::-1]
        estimators.CoxNet().fit(frame, times)


def test_rows_that_are_named_otherwise():
    pandas = pytest.importorskip("pandas")
    frame, y = pandas.DataFrame(X), pandas.Series(Y)
    assert not said(lambda: ss.path(frame, y, n_lambdas=3))
    assert not said(lambda: ss.path(frame, Y, n_lambdas=3))
    assert not said(lambda: ss.path(X, y[::-1], n_lambdas=3))
    with pytest.raises(ValueError, match="reindex"):
        ss.path(frame, y[::-1])
    found = said(lambda: ss.path(frame, y.set_axis(np.arange(40) + 100), n_lambdas=3))
    assert len(found) == 1 and "taken by position" in found[0]


def test_the_end_of_a_grid_is_said():
    cv = ss.cv_path(X, 10 * Y, n_folds=4, seed=0, lambdas=[5.0, 4.0])
    assert cv.index_min == 1 and "smaller ones may predict better" in str(cv)
    further = ss.cv_path(X, 10 * Y, n_folds=4, seed=0, lambdas=[20.0, 4.0, 1e-9])
    assert bool(further.end_of_grid) == (further.index_min == 2)


def test_kernels_of_other_orders_of_size():
    K = [np.outer(x, x) for x in (X - X.mean(axis=0)).T]
    assert not said(lambda: ss.mkl_path(K, Y, n_lambdas=3))
    found = said(lambda: ss.mkl_path([K[0], 1e-24 * K[1]], Y, n_lambdas=3))
    assert len(found) == 1 and "scale='trace'" in found[0]


@pytest.mark.parametrize("n_atoms", [4, 20])
def test_signals_as_rows(n_atoms):
    signals = RNG.normal(size=(100, 12))
    learner = ss.DictionaryLearning(n_atoms, lam=0.1, seed=0, n_epochs=1)
    found = said(lambda: learner.fit(signals))
    assert len(found) == 1 and "give Y.T" in found[0]
    assert not said(lambda: learner.fit(signals.T))


def test_no_overflow_of_numpy_is_heard():
    wide = np.array([[604298762.8442276, -1115225873.055916, -710015866.282013],
                     [1096062852.3606818, 77081382.91531879, -771463853.754821]])  # fmt: skip
    y = np.array([1797717758.5725923, 230003989.31700206])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        for solver in ("auto", "pass_newton"):
            ss.path(wide, y, penalty_factor=[2, 0, 1], lower=[0, -5, -0.1], intercept=False,
                    n_lambdas=5, weights=[1, 1e-12], alpha=1e-6, solver=solver)  # fmt: skip
