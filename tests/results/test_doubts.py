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
    "hard_threshold_path": lambda X, y: ss.paths.hard_threshold_path(X, y, n_nonzero=2),
    "stability_path": lambda X, y: ss.stability_path(X, y, n_pairs=2, n_lambdas=3, seed=0),
    "adaptive_factors": lambda X, y: ss.selection.adaptive_factors(X, y, n_folds=3, seed=0),
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
def test_chains_find_labels_of_each_sequence(name):
    pandas = pytest.importorskip("pandas")
    frame, y, fit = pandas.DataFrame(X).add_prefix("x"), pandas.Series(Y > 0), CHAINS[name]
    with pytest.raises(ValueError, match="the index of X is 0 to 39, and that of y .*reindex"):
        fit(frame, y[::-1], [10] * 4)
    parts = [frame[i : i + 10] for i in range(0, 40, 10)]
    tags = [y[i : i + 10] for i in range(0, 40, 10)]
    known = told(fit(parts, tags, None))
    tags[2] = tags[2][::-1]
    assert np.array_equal(known, told(fit(parts, tags, None)))
    tags[2] = tags[2].rename({25: 99})
    with pytest.raises(ValueError, match="sequence 2 of X has the label 25, which sequence 2 of"):
        fit(parts, tags, None)


def told(answer):
    """What depends on the labels: a score, or coefficients."""
    coef = getattr(answer, "coef_", None) if hasattr(answer, "coef_") else answer
    coef = coef.coef() if hasattr(coef, "coef") else coef
    return np.asarray(coef)


def test_labels_of_rows_that_say_nothing():
    pandas = pytest.importorskip("pandas")
    frame, y = pandas.DataFrame(X), pandas.Series(Y)
    known = ss.path(X, Y, n_lambdas=3).coefs.toarray()
    for rows, response in ((frame, y), (frame, Y), (X, y), (X, y[::-1].to_numpy()[::-1]),
                           (frame.add_prefix("r", axis=0), y)):  # fmt: skip
        assert np.array_equal(ss.path(rows, response, n_lambdas=3).coefs.toarray(), known)
    for rows, response in ((frame, y[::-1]), (frame[::-1], y)):  # either may be meant
        with pytest.raises(ValueError, match="is 0 to 39, .*reindex"):
            ss.path(rows, response)
    with pytest.raises(ValueError, match="X has the label 0, which y lacks; .*to_numpy"):
        ss.path(frame, y.set_axis(np.arange(40) + 100))
    with pytest.raises(ValueError, match="the index of y holds 1 twice"):
        ss.path(frame, y.set_axis([0, 1, 1, *range(3, 40)]))


def test_an_encoded_table_keeps_its_row_names_but_a_fit_does_not():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "up", "down")})
    table, y = table.add_prefix("r", axis=0), pandas.Series(Y).add_prefix("r")
    design = ss.make_design(table)
    fit = ss.path(design, y, n_lambdas=3)
    for rows in (design, design.encode(table)):
        again = ss.path(rows, y[::-1], n_lambdas=3)
        assert np.array_equal(fit.coefs.toarray(), again.coefs.toarray())
    assert fit.encoder.index is None
    assert np.array_equal(fit.predict(table), fit.predict(table[::-1])[::-1])
    assert ss.make_design({"a": X[:, 0]}).index is None


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
