"""What speaks of rows or columns of X is put into their order by its labels, or refused.

Every public argument of that kind has a line in ROWS or COLUMNS, or stands in POSITIONS with the
reason why it has no labels to go by; `test_no_argument_is_forgotten` finds those that have none.
"""

import importlib
import inspect

import numpy as np
import pytest

import sparsesolve as ss

pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
N = 40
ROWS_OF_X = [f"p{i}" for i in range(N)]
X = pd.DataFrame(RNG.normal(size=(N, 4)), index=ROWS_OF_X, columns=list("abcd"))
ETA = 2.0 * X["a"] - X["b"]
Y = ETA + pd.Series(RNG.normal(size=N), index=ROWS_OF_X)
CLASS, COUNT = (Y > 0).astype(int), np.exp(0.3 * Y).round() + 1.0
WEIGHTS = pd.Series(RNG.uniform(0.5, 2.0, N), index=ROWS_OF_X)
OFFSET = pd.Series(RNG.normal(size=N), index=ROWS_OF_X)
FOLD = pd.Series(RNG.permutation(np.arange(N) % 4), index=ROWS_OF_X)
GROUP = pd.Series(RNG.permutation(np.arange(N) % 8), index=ROWS_OF_X)
STRATA = pd.Series(np.where(RNG.random(N) < 0.5, "u", "v"), index=ROWS_OF_X)
TIMES = pd.DataFrame({"time": np.exp(-ETA / 3) * RNG.exponential(size=N),
                      "status": RNG.random(N) < 0.8}, index=ROWS_OF_X)  # fmt: skip
PAIR = pd.DataFrame({"u": Y, "v": Y**2})
GRAMS = [pd.DataFrame(np.outer(X[c], X[c]), ROWS_OF_X, ROWS_OF_X) for c in "ab"]
ARGUMENTS = {"y": Y, "weights": WEIGHTS, "offset": OFFSET, "folds": FOLD, "groups": GROUP,
             "strata": STRATA, "sample_weight": WEIGHTS}  # fmt: skip


def fit_of(y=None, **options):
    return ss.path(X, Y if y is None else y, n_lambdas=8, **options)


UNSCALED = fit_of(standardize=False)
FIT, COX = fit_of(), fit_of(TIMES, family="cox")
STRATIFIED = fit_of(TIMES, family=ss.families.cox(strata=STRATA))
TWO = fit_of(CLASS, family="binomial")
CV = ss.cv_path(X, Y, folds=FOLD, n_lambdas=5)
KNOTS = ss.lars_path(X, Y)
KERNELS = ss.mkl_path(GRAMS, Y, n_lambdas=4)
ONLINE = ss.online(X, Y, lam=0.1)
CHAIN = ss.crf_path(X, CLASS, lengths=[10] * 4, lambdas=[0.1])
SPOM = ss.spom(X, CLASS, lengths=[10] * 4, epochs=1, eta0=1.0)
S = 0.2


def path(y=Y, **given):
    return ss.path(X, y, lambdas=[S], **given).coef(S)


def kernels(y=Y, **given):
    return ss.mkl_path(GRAMS, y, lambdas=[1.0], **given).dual_coefs


def scores(**given):
    return ss.cv_path(X, given.pop("y", Y), n_lambdas=5, **given).fold_scores


def judged(result):
    return np.array([np.ravel(part)[-1] for part in result.values()], dtype=float)


def sequences(function, **options):
    return lambda y: function(X, y, lengths=[10] * 4, **options)


# (owner, name): (its arguments of rows, a function of these that returns what depends on them)
ROWS = {
    (ss, "path"): ("y weights offset", path),
    (ss, "path family"): (
        "strata", lambda strata: path(TIMES, family=ss.families.cox(strata=strata))),
    (ss, "cv_path"): ("y weights offset folds", lambda **g: scores(**{"folds": FOLD, **g})),
    (ss, "cv_path groups"): ("groups", lambda groups: scores(groups=groups, n_folds=3, seed=0)),
    (ss, "stability_path"): ("y weights offset", lambda y=Y, **g: ss.stability_path(
        X, y, n_pairs=3, lambdas=[1.0, S], seed=0, **g).frequencies.toarray()),
    (ss, "adaptive_factors"): ("y weights offset folds", lambda y=Y, **g: ss.adaptive_factors(
        X, y, n_lambdas=5, **{"folds": FOLD, **g})),
    (ss, "lars_path"): ("y weights offset",
                        lambda y=Y, **g: ss.lars_path(X, y, **g).coef(S)),
    (ss, "omp_path"): ("y weights offset",
                       lambda y=Y, **g: ss.omp_path(X, y, n_nonzero=2, **g).coefs.toarray()),
    (ss, "hard_threshold_path"): ("y weights offset", lambda y=Y, **g: ss.hard_threshold_path(
        X, y, n_nonzero=2, **g).coefs.toarray()),
    (ss, "online"): ("y weights offset",
                     lambda y=Y, **g: ss.online(X, y, lam=0.1, **g).coef()),
    (ss, "mkl_path"): ("y weights offset", kernels),
    (ss, "crf_path"): ("y", lambda y: sequences(ss.crf_path, lambdas=[0.1])(y).coef()),
    (ss, "spom"): ("y", lambda y: sequences(ss.spom, epochs=1, eta0=1.0, seed=0)(y).coef()),
    (ss, "assess"): ("y weights offset", lambda y=Y, **g: judged(ss.assess(FIT, X, y, S, **g))),
    (ss, "assess strata"): ("strata", lambda strata: judged(ss.assess(
        STRATIFIED, X, TIMES, s=0.1, strata=strata))),
    (ss, "roc"): ("y weights offset",
                  lambda y=CLASS, **g: ss.roc(TWO, X, y, 0.05, **g).tpr),
    (ss, "confusion"): ("y weights offset",
                        lambda y=CLASS, **g: ss.confusion(TWO, X, y, 0.05, **g).counts),
    (ss, "calibration"): ("y weights offset", lambda y=CLASS, **g: ss.calibration(
        TWO, X, y, 0.05, n_bins=3, **g).observed),
    (ss, "refit"): ("y", lambda y: ss.refit(FIT, X, y, S).estimates),
    (ss, "relax"): ("y", lambda y: ss.relax(FIT, X, y).coef(S)),
    (ss, "criteria"): ("y", lambda y: ss.criteria(FIT, X, y)["bic"]),
    (ss, "at_radius"): ("y", lambda y: ss.at_radius(UNSCALED, 0.5, X, y).coef),
    (ss.mkl, "build_grams"): ("weights", lambda weights: ss.mkl.build_grams(
        X, [(ss.mkl.gaussian(1.0), None)], centre=True, weights=weights).items[0]),
    (ss.mkl, "precomputed"): ("weights", lambda weights: ss.mkl.precomputed(
        GRAMS, centre=True, weights=weights).items[0]),
    (ss.structured, "cv_crf_path"): ("y", lambda y: sequences(
        ss.structured.cv_crf_path, n_folds=2, lambdas=[0.1])(y).fold_scores),
    (ss.structured, "max_margin"): (
        "y", lambda y: sequences(ss.structured.max_margin, lam=0.1, epochs=1)(y).coef()),
    (ss.structured, "pegasos"): ("y", lambda y: sequences(
        ss.structured.pegasos, lam=0.1, epochs=1)(y).coef()),
    (ss.structured, "wrapped_mkl"): ("y", lambda y: sequences(
        ss.structured.wrapped_mkl, lam=0.1, epochs=1, rounds=1, first_epochs=1)(y).coef()),
    (ss.bundle, "hinge_risk"): ("y weights", lambda y=CLASS, **g: ss.bundle.bmrm(
        ss.bundle.hinge_risk(X, y, **g), 0.1, n_iter=9).coef),
    (ss.bundle, "pegasos"): ("y", lambda y: ss.bundle.pegasos(
        X, (y > 0).astype(int), 0.1, n_iter=9).coef),
    (ss.bundle, "pragam"): ("y weights", lambda y=CLASS, **g: ss.bundle.pragam(
        X, y, 0.1, n_iter=9, **g).coef),
    (ss.Path, "predict"): ("offset", lambda offset: FIT.predict(X, S, offset=offset)),
    (ss.Path, "predict strata"): ("strata", lambda strata: STRATIFIED.predict(
        X, 0.1, "survival", strata=strata, data=(X, TIMES))),
    (ss.Path, "concordance"): ("weights offset strata", lambda **g: COX.concordance(
        X, TIMES.assign(status=True), 0.1, **g)),
    (ss.Path, "concordance y"): ("y", lambda y: COX.concordance(
        X, pd.DataFrame({"time": np.exp(y), "status": True}), 0.1)),
    (ss.Path, "coef"): ("y", lambda y: FIT.coef(S, exact=True, X=X, y=y)),
    (ss.Path, "intercept"): ("y", lambda y: FIT.intercept(S, exact=True, X=X, y=y)),
    (ss.Path, "extend"): ("y", lambda y: FIT.extend(X, y, n_lambdas=2).coefs.toarray()),
    (ss.KnotPath, "coef"): ("y", lambda y: KNOTS.coef(S, exact=True, X=X, y=y)),
    (ss.KnotPath, "intercept"): ("y", lambda y: KNOTS.intercept(S, exact=True, X=X, y=y)),
    (ss.KnotPath, "extend"): ("y", lambda y: ss.lars_path(X, Y, max_steps=1).extend(
        X, y, n_lambdas=1).coefs.toarray()),
    (ss.CVPath, "predict"): ("offset", lambda offset: CV.predict(X, offset=offset)),
    (ss.CVPath, "coef"): ("y", lambda y: CV.coef(S, exact=True, X=X, y=y)),
    (ss.MKLPath, "predict"): ("offset", lambda offset: KERNELS.predict(GRAMS, 1.0, offset=offset)),
    (ss.CRFPath, "score"): ("y", lambda y: CHAIN.score(X, (y > 0).astype(int), [10] * 4)),
    (ss.CRFPath, "log_likelihood"): (
        "y", lambda y: CHAIN.log_likelihood(X, (y > 0).astype(int), [10] * 4)),
    (ss.structured.SPOM, "score"): (
        "y", lambda y: SPOM.score(X, (y > 0).astype(int), [10] * 4)),
    (type(ONLINE), "predict"): ("offset", lambda offset: ONLINE.predict(X, offset=offset)),
    (type(ONLINE), "more"): ("y weights offset", lambda y=Y, **g: ss.online(
        iter([]), lam=0.1, n_features=4).more(X, y, **g).coef()),
    (type(ONLINE), "certify"): ("y weights offset",
                                lambda y=Y, **g: ONLINE.certify(X, y, **g).objective),
    (ss, "online stream"): ("y weights offset", lambda y=Y, weights=WEIGHTS, offset=OFFSET: (
        ss.online([(X, y, weights, offset)], lam=0.1, n_features=4).coef())),
    (ss, "online holdout"): ("y weights", lambda y=Y, weights=WEIGHTS: np.array(ss.online(
        X, Y, lam=0.1, holdout=(X, y, weights)).holdout_losses)),
}  # fmt: skip
CASES = [(owner, name, argument) for (owner, name), (row, _) in ROWS.items()
         for argument in row.split()]  # fmt: skip
NAMES = [f"{getattr(owner, '__name__', owner)}.{name}-{arg}" for owner, name, arg in CASES]


def of_rows(owner, name, argument, change):
    call = ROWS[owner, name][1]
    labels = name in ("crf_path", "spom", "cv_crf_path", "max_margin", "wrapped_mkl", "roc",
                      "confusion", "calibration", "hinge_risk", "pragam")  # fmt: skip
    labels = labels or (owner, name) == (ss.structured, "pegasos")
    value = CLASS if labels and argument == "y" else ARGUMENTS[argument]
    return np.asarray(call(**{argument: change(value)}))


def turned(value):
    """The same values under the same labels, from the last row to the first."""
    return value.iloc[::-1]


@pytest.mark.parametrize("owner, name, argument", CASES, ids=NAMES)
def test_rows_are_found_by_their_labels(owner, name, argument):
    known = of_rows(owner, name, argument, lambda value: value)
    assert np.array_equal(known, of_rows(owner, name, argument, turned))
    default = of_rows(owner, name, argument, lambda value: value.reset_index(drop=True))
    assert np.array_equal(known, default)


@pytest.mark.parametrize("owner, name, argument", CASES, ids=NAMES)
def test_rows_of_other_labels_are_refused(owner, name, argument):
    with pytest.raises(ValueError, match="'p0'.*(reindex|to_numpy)"):
        of_rows(owner, name, argument, lambda v: v.set_axis(["q0", *ROWS_OF_X[1:]]))


def estimators():
    """Yield every estimator with a response, by name."""
    found = importlib.import_module("sparsesolve.estimators")
    for name in found.__all__:
        kind = getattr(found, name)
        if not inspect.isclass(kind) or "y" not in inspect.signature(kind.fit).parameters:
            continue
        if name not in ("DesignEncoder", "DictionaryLearning"):  # they take y and do not read it
            yield name, kind


def response(kind):
    name = kind.__name__
    if name.startswith("MultiTask"):
        return PAIR
    if name.startswith("Cox"):
        return TIMES
    if any(word in name for word in ("Poisson", "Gamma", "Tweedie", "NegativeBinomial")):
        return COUNT
    classes = hasattr(kind, "decision_function") or "Chain" in name or "SPOM" in name
    return CLASS if classes else Y


@pytest.mark.parametrize("name, kind", estimators())
def test_estimators_find_rows_by_their_labels(name, kind):
    y, model = response(kind), kind()
    if "cv" in model.get_params():
        model.set_params(cv=2)
    if "SVC" in name or "SVR" in name:
        model.set_params(max_iter=100_000)
    given = {}
    if "sample_weight" in inspect.signature(kind.fit).parameters:
        given["sample_weight"] = WEIGHTS
    if "strata" in inspect.signature(kind.fit).parameters:
        given["strata"] = STRATA
    known = model.fit(X, y, **given).predict(X)
    back = {key: turned(value) for key, value in given.items()}
    assert np.array_equal(known, model.fit(X, turned(y), **back).predict(X))
    if "sample_weight" in inspect.signature(kind.score).parameters:
        back = {"sample_weight": turned(WEIGHTS)}
        assert model.score(X, y, sample_weight=WEIGHTS) == model.score(X, turned(y), **back)
    for key in given:
        with pytest.raises(ValueError, match=f"the rows of {key} are not those of X: .*'p0'"):
            model.fit(X, y, **{**given, key: given[key].set_axis(["q0", *ROWS_OF_X[1:]])})
    with pytest.raises(ValueError, match="the rows of y are not those of X: .*'p0'"):
        model.fit(X, y.set_axis(["q0", *ROWS_OF_X[1:]]))


# Arguments with the name of one of rows that are none.
OTHERS = {
    "adaptive_factors groups": "columns",
    "crf_path groups": "columns",
    "spom groups": "columns",
    "pegasos groups": "columns",
    "wrapped_mkl groups": "columns",
    "nested groups weights": "kernels",
    "crf_path weights": "sequences, which have no labels",
    "cv_crf_path weights folds": "sequences",
    "viterbi y": "scores and labels are arrays",
    "cox strata": "read with X: see path family",
    "from_object y": "no X",
}


def public():
    """Yield every public function, and method of a result, by its name and signature."""
    for module in (ss, ss.mkl, ss.structured, ss.bundle, ss.families):
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isfunction(found):
                yield name, found
            for method, body in inspect.getmembers(found, inspect.isfunction):
                if inspect.isclass(found) and not method.startswith("_"):
                    yield method, body
    yield from inspect.getmembers(type(ONLINE), inspect.isfunction)


def test_no_argument_of_rows_is_forgotten():
    listed = {}
    for (owner, name), (row, _) in ROWS.items():
        found = inspect.unwrap(getattr(owner, name.split()[0]))
        listed.setdefault(found, set()).update(row.split())
    others = {}
    for words in OTHERS:
        others.setdefault(words.split()[0], set()).update(words.split()[1:])
    forgotten = []
    for name, body in public():
        words = set(inspect.signature(body).parameters) & {*ARGUMENTS}
        words -= listed.get(inspect.unwrap(body), set()) | others.get(name, set())
        forgotten += [(name, word) for word in words]
    assert not forgotten
