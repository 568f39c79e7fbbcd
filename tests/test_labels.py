"""What speaks of rows or columns of X is put into their order by its labels, or refused.

Every public argument of that kind has a line in ROWS or COLUMNS, or stands in POSITIONS with the
reason why it has no labels to go by; `test_no_argument_is_forgotten` finds those that have none.
"""

import importlib
import inspect

import numpy as np
import pytest
from cases import estimators, every, response_of

import sparsesolve as ss
from sparsesolve.paths import bundle, cooperative_path, hard_threshold_path
from sparsesolve.selection import adaptive_factors

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
CV_KERNELS = ss.cv_mkl_path(GRAMS, Y, n_lambdas=4, folds=FOLD)
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


def known(ask):
    """Of a fit with weights and offsets, which are given again."""
    return lambda y=Y, **given: ask(fit_of(weights=WEIGHTS, offset=OFFSET), y,
                                    **{"weights": WEIGHTS, "offset": OFFSET, **given})  # fmt: skip


def sequences(function, **options):
    return lambda y: function(X, y, lengths=[10] * 4, **options)


# (owner, name): (its arguments of rows, a function of these that returns what depends on them)
ROWS = {
    (ss, "path"): ("y weights offset", path),
    (ss, "path family"): (
        "strata", lambda strata: path(TIMES, family=ss.families.cox(strata=strata))),
    (ss, "cv_path"): ("y weights offset folds", lambda **g: scores(**{"folds": FOLD, **g})),
    (ss, "cv_path groups"): ("groups", lambda groups: scores(groups=groups, n_folds=3, seed=0)),
    (ss, "cv_mkl_path"): ("y weights offset folds", lambda y=Y, **g: ss.cv_mkl_path(
        GRAMS, y, n_lambdas=4, **{"folds": FOLD, **g}).fold_scores),
    (ss, "cv_mkl_path groups"): ("groups", lambda groups: ss.cv_mkl_path(
        GRAMS, Y, n_lambdas=4, n_folds=3, seed=0, groups=groups).fold_scores),
    (ss, "stability_path"): ("y weights offset", lambda y=Y, **g: ss.stability_path(
        X, y, n_pairs=3, lambdas=[1.0, S], seed=0, **g).frequencies.toarray()),
    (ss.selection, "adaptive_factors"): ("y weights offset folds",
                                         lambda y=Y, **g: adaptive_factors(
        X, y, n_lambdas=5, **{"folds": FOLD, **g})),
    (ss, "lars_path"): ("y weights offset",
                        lambda y=Y, **g: ss.lars_path(X, y, **g).coef(S)),
    (ss, "omp_path"): ("y weights offset",
                       lambda y=Y, **g: ss.omp_path(X, y, n_nonzero=2, **g).coefs.toarray()),
    (ss.paths, "hard_threshold_path"): ("y weights offset",
                                       lambda y=Y, **g: hard_threshold_path(
        X, y, n_nonzero=2, **g).coefs.toarray()),
    (ss.paths, "uni_lasso_path"): ("y weights offset", lambda y=Y, **g: ss.paths.uni_lasso_path(
        X, y, n_lambdas=5, **g).coefs.toarray()),
    (ss.paths, "pretrained_path"): ("y weights offset", lambda y=Y, **g: ss.paths.pretrained_path(
        X, y, ss.cv_path(X, Y, folds=FOLD, n_lambdas=5), n_lambdas=5, **g).coefs.toarray()),
    (ss.paths, "cooperative_path"): ("y weights offset", lambda y=Y, **g: cooperative_path(
        X, y, list("aabb")[: X.shape[1]], n_lambdas=5, **g).coefs.toarray()),
    (ss.paths, "interaction_path"): ("y weights offset",
                                     lambda y=Y, **g: ss.paths.interaction_path(
        X, y, lambdas=[0.05], **g).coefs.toarray()),
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
    (ss.KnotPath, "spacing"): ("y", lambda y: np.asarray(ss.lars_path(X, Y, method="lar").spacing(
        X, y, sigma=1.0)["spacing"])),
    (ss, "refit"): ("y weights offset", known(
        lambda fit, y, **g: ss.refit(fit, X, y, S, **g).estimates)),
    (ss.inference, "carve"): ("y weights offset", lambda y=Y, **g: ss.inference.carve(
        X, y, S, share=0.6, **g).p_values),
    (ss.inference, "split"): ("y weights offset", lambda y=Y, **g: ss.inference.split(
        X, y, lambda X, y, w: [0, 1], n_splits=1, **g).p_values),
    (ss.inference, "knockoffs"): ("y weights offset", lambda y=Y, **g: ss.inference.knockoffs(
        X, y, n_folds=3, n_lambdas=5, **g).W),
    (ss.inference, "debiased"): ("y weights offset", lambda y=Y, **g: ss.inference.debiased(
        X, y, [0], **g).p_values),
    (ss.inference, "selective"): ("y weights offset", known(
        lambda fit, y, **g: ss.inference.selective(fit, X, y, S, **g).p_values)),
    (ss, "relax"): ("y weights offset", known(
        lambda fit, y, **g: ss.relax(fit, X, y, **g).coef(S))),
    (ss, "criteria"): ("y weights offset", known(
        lambda fit, y, **g: ss.criteria(fit, X, y, **g)["bic"])),
    (ss.selection, "at_radius"): ("y", lambda y: ss.selection.at_radius(UNSCALED, 0.5, X, y).coef),
    (ss.mkl, "build_grams"): ("weights", lambda weights: ss.mkl.build_grams(
        X, [(ss.mkl.gaussian(1.0), None)], centre=True, weights=weights).items[0]),
    (ss.mkl, "precomputed"): ("weights", lambda weights: ss.mkl.precomputed(
        GRAMS, centre=True, weights=weights).items[0]),
    (ss.structured, "cv_spom"): ("y", lambda y: sequences(
        ss.structured.cv_spom, n_folds=2, Cs=[1.0], epochs=1, eta0=1.0)(y).fold_scores),
    (ss.structured, "cv_crf_path"): ("y", lambda y: sequences(
        ss.structured.cv_crf_path, n_folds=2, lambdas=[0.1])(y).fold_scores),
    (ss.structured, "max_margin"): (
        "y", lambda y: sequences(ss.structured.max_margin, lam=0.1, epochs=1)(y).coef()),
    (ss.structured, "pegasos"): ("y", lambda y: sequences(
        ss.structured.pegasos, lam=0.1, epochs=1)(y).coef()),
    (ss.structured, "wrapped_mkl"): ("y", lambda y: sequences(
        ss.structured.wrapped_mkl, lam=0.1, epochs=1, rounds=1, first_epochs=1)(y).coef()),
    (bundle, "hinge_risk"): ("y weights", lambda y=CLASS, **g: bundle.bmrm(
        bundle.hinge_risk(X, y, **g), 0.1, n_iter=9).coef),
    (bundle, "pegasos"): ("y", lambda y: bundle.pegasos(
        X, (y > 0).astype(int), 0.1, n_iter=9).coef),
    (bundle, "pragam"): ("y weights", lambda y=CLASS, **g: bundle.pragam(
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
    (ss.Path, "dual"): ("y", lambda y: FIT.dual(S, X, y)),
    (ss.CVPath, "dual"): ("y", lambda y: CV.dual(S, X, y)),
    (ss.KnotPath, "dual"): ("y", lambda y: KNOTS.dual(S, X, y)),
    (ss.KnotPath, "extend"): ("y", lambda y: ss.lars_path(X, Y, max_steps=1).extend(
        X, y, n_lambdas=1).coefs.toarray()),
    (ss.CVPath, "predict"): ("offset", lambda offset: CV.predict(X, offset=offset)),
    (ss.CVPath, "coef"): ("y", lambda y: CV.coef(S, exact=True, X=X, y=y)),
    (ss.results.MKLCrossValidation, "predict"): ("offset", lambda offset: CV_KERNELS.predict(
        GRAMS, 1.0, offset=offset)),
    (ss.MKLPath, "predict"): ("offset", lambda offset: KERNELS.predict(GRAMS, 1.0, offset=offset)),
    (ss.CRFPath, "score"): ("y", lambda y: CHAIN.score(X, (y > 0).astype(int), [10] * 4)),
    (ss.CRFPath, "report"): ("y", lambda y: CHAIN.report(
        X, (y > 0).astype(int), [10] * 4).right),
    (ss.CRFPath, "log_likelihood"): (
        "y", lambda y: CHAIN.log_likelihood(X, (y > 0).astype(int), [10] * 4)),
    (ss.structured.SPOM, "more"): (
        "y", lambda y: SPOM.more(X, (y > 0).astype(int), [10] * 4).coef()),
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
    labels = name in ("crf_path", "spom", "cv_crf_path", "cv_spom", "max_margin", "wrapped_mkl",
                      "roc", "confusion", "calibration", "hinge_risk", "pragam")  # fmt: skip
    labels = labels or (owner, name) == (ss.structured, "pegasos")
    value = CLASS if labels and argument == "y" else ARGUMENTS[argument]
    return np.asarray(call(**{argument: change(value)}))


def turned(value):
    """The same values under the same labels, from the last row to the first."""
    return value.iloc[::-1]


@every("owner, name, argument", CASES)
def test_rows_are_found_by_their_labels(owner, name, argument):
    known = of_rows(owner, name, argument, lambda value: value)
    assert np.array_equal(known, of_rows(owner, name, argument, turned))
    default = of_rows(owner, name, argument, lambda value: value.reset_index(drop=True))
    assert np.array_equal(known, default)


@every("owner, name, argument", CASES)
def test_rows_of_other_labels_are_refused(owner, name, argument):
    with pytest.raises(ValueError, match="'p0'.*(reindex|to_numpy)"):
        of_rows(owner, name, argument, lambda v: v.set_axis(["q0", *ROWS_OF_X[1:]]))


# every estimator with a response
WITH_Y = [(name, kind) for name, kind in estimators("DesignEncoder", "DictionaryLearning")
          if "y" in inspect.signature(kind.fit).parameters]  # fmt: skip
GIVEN_TO = {"real": Y, "classes": CLASS, "counts": COUNT, "times": TIMES, "tasks": PAIR}


@every("name, kind", WITH_Y)
def test_estimators_find_rows_by_their_labels(name, kind):
    y, model = response_of(kind, **GIVEN_TO), kind()
    if "cv" in model.get_params():
        model.set_params(cv=2)
    if "SVC" in name or "SVR" in name:
        model.set_params(max_iter=100_000)
    given = {}
    if "sample_weight" in inspect.signature(kind.fit).parameters:
        given["sample_weight"] = WEIGHTS
    if "strata" in inspect.signature(kind.fit).parameters:
        given["strata"] = STRATA
    answer = kind.predict if hasattr(kind, "predict") else kind.transform  # a selector's
    known = answer(model.fit(X, y, **given), X)
    back = {key: turned(value) for key, value in given.items()}
    assert np.array_equal(known, answer(model.fit(X, turned(y), **back), X))
    if hasattr(kind, "score") and "sample_weight" in inspect.signature(kind.score).parameters:
        back = {"sample_weight": turned(WEIGHTS)}
        assert model.score(X, y, sample_weight=WEIGHTS) == model.score(X, turned(y), **back)
    for key in given:
        with pytest.raises(ValueError, match=f"the rows of {key} are not those of X: .*'p0'"):
            model.fit(X, y, **{**given, key: given[key].set_axis(["q0", *ROWS_OF_X[1:]])})
    with pytest.raises(ValueError, match="the rows of y are not those of X: .*'p0'"):
        model.fit(X, y.set_axis(["q0", *ROWS_OF_X[1:]]))


# Columns

PF = pd.Series([0.5, 2.0, 1.0, 0.1], index=list("abcd"))
UPPER = pd.Series([0.3, np.inf, np.inf, np.inf], index=list("abcd"))
LABELS = pd.Series(["u", "v", "v", "u"], index=list("abcd"))
KNOWN = pd.Series([1.0, -0.5, 0.0, 0.2], index=list("abcd"))
penalties = ss.penalties


def under(penalty, **options):
    return ss.path(X, Y, penalty=penalty, lambdas=[S], **options).coef(S)


def estimator(name, **parameters):
    kind = getattr(importlib.import_module("sparsesolve.estimators"), name)
    return kind(0.05, **parameters).fit(X, CLASS if "Classifier" in name else Y).coef_


# (owner, name): (argument, values by column, the default of the others or None, the answer)
COLUMNS = {
    (ss, "path"): ("penalty_factor", PF, 1.0, lambda v: path(penalty_factor=v)),
    (ss, "path lower"): ("lower", -UPPER, -np.inf, lambda v: path(lower=v)),
    (ss, "path upper"): ("upper", UPPER, np.inf, lambda v: path(upper=v)),
    (ss, "path start"): ("start", KNOWN, 0.0, lambda v: ss.path(
        X, Y, lambdas=[S], start=(v, 0.0), tol=1.0).coef(S)),
    (ss, "cv_path"): ("penalty_factor", PF, 1.0, lambda v: scores(folds=FOLD, penalty_factor=v)),
    (ss, "stability_path"): ("penalty_factor", PF, 1.0, lambda v: ss.stability_path(
        X, Y, n_pairs=3, lambdas=[S], seed=0, penalty_factor=v).frequencies.toarray()),
    (ss.selection, "adaptive_factors"): (
        "coefs", KNOWN, 0.0, lambda v: adaptive_factors(X, Y, coefs=v)),
    (ss.selection, "adaptive_factors groups"): (
        "groups", LABELS, None, lambda v: adaptive_factors(X, Y, coefs=KNOWN, groups=v)),
    (ss, "lars_path"): (
        "penalty_factor", PF, 1.0, lambda v: ss.lars_path(X, Y, penalty_factor=v).coef(S)),
    (ss.paths, "lars_path_gram"): ("penalty_factor", PF, 1.0, lambda v: ss.paths.lars_path_gram(
        X.T @ X, X.T @ Y, N, penalty_factor=v).coef(S)),
    (ss.paths, "lars_path_gram xty"): ("xty", X.T @ Y, None, lambda v: ss.paths.lars_path_gram(
        X.T @ X, v, N).coef(S)),
    (ss, "online"): ("penalty_factor", PF, 1.0, lambda v: ss.online(
        X, Y, lam=0.1, penalty_factor=v).coef()),
    (ss, "crf_path"): ("groups", LABELS, None, lambda v: ss.crf_path(
        X, CLASS, lengths=[10] * 4, lambdas=[0.1], groups=v).coef()),
    (ss, "spom"): ("groups", LABELS, None, lambda v: ss.spom(
        X, CLASS, lengths=[10] * 4, epochs=2, eta0=1.0, groups=v).coef()),
    (ss.structured, "pegasos"): ("groups", LABELS, None, lambda v: ss.structured.pegasos(
        X, CLASS, lengths=[10] * 4, lam=0.1, epochs=2, groups=v).coef()),
    (ss.structured, "wrapped_mkl"): ("groups", LABELS, None, lambda v: ss.structured.wrapped_mkl(
        X, CLASS, lengths=[10] * 4, lam=0.1, epochs=2, rounds=1, first_epochs=1, groups=v
        ).coef()),
    (penalties, "GroupL2"): ("groups", LABELS, None, lambda v: under(penalties.GroupL2(v))),
    (penalties, "GroupLinf"): ("groups", LABELS, None, lambda v: under(penalties.GroupLinf(v))),
    (penalties, "GroupLq"): ("groups", LABELS, None, lambda v: under(penalties.GroupLq(v, 3.0))),
    (penalties, "SparseGroup"): (
        "groups", LABELS, None, lambda v: under(penalties.SparseGroup(v))),
    (penalties, "ExclusiveLasso"): (
        "groups", LABELS, None, lambda v: under(penalties.ExclusiveLasso(v))),
    (penalties, "GroupBall"): (
        "groups", LABELS, None, lambda v: under(penalties.GroupBall(v, 1.0))),
    (penalties, "MCP"): ("groups", LABELS, None, lambda v: under(penalties.MCP(groups=v))),
    (penalties, "MCP weights"): ("weights", PF, 1.0, lambda v: under(penalties.MCP(weights=v))),
    (penalties, "SCAD"): ("groups", LABELS, None, lambda v: under(penalties.SCAD(groups=v))),
    (penalties, "SCAD weights"): (
        "weights", PF, 1.0, lambda v: under(penalties.SCAD(weights=v))),
    (penalties, "Log"): ("groups", LABELS, None, lambda v: under(penalties.Log(0.5, groups=v))),
    (penalties, "Log weights"): (
        "weights", PF, 1.0, lambda v: under(penalties.Log(0.5, weights=v))),
    (penalties, "Bridge"): (
        "groups", LABELS, None, lambda v: under(penalties.Bridge(0.5, groups=v))),
    (penalties, "Bridge weights"): (
        "weights", PF, 1.0, lambda v: under(penalties.Bridge(0.5, weights=v))),
    (penalties, "Berhu"): ("weights", PF, 1.0, lambda v: under(penalties.Berhu(weights=v))),
    ("estimators", "GroupLasso"): (
        "groups", LABELS, None, lambda v: estimator("GroupLasso", groups=v)),
    ("estimators", "SparseGroupLasso"): (
        "groups", LABELS, None, lambda v: estimator("SparseGroupLasso", groups=v)),
    ("estimators", "MCPRegressor"): (
        "groups", LABELS, None, lambda v: estimator("MCPRegressor", groups=v)),
    ("estimators", "SCADRegressor"): (
        "weights", PF, 1.0, lambda v: estimator("SCADRegressor", weights=v)),
    ("estimators", "ChainClassifier"): (
        "groups", LABELS, None, lambda v: estimator("ChainClassifier", groups=v, l1_ratio=1.0)),
    ("estimators", "SPOMClassifier"): (
        "groups", LABELS, None, lambda v: estimator("SPOMClassifier", groups=v, epochs=2)),
    ("estimators", "PenalizedClassifier"): ("groups", LABELS, None, lambda v: estimator(
        "PenalizedClassifier", penalty=penalties.GroupL2(v))),
}  # fmt: skip
BY_COLUMN = [pytest.param(*case, id=f"{getattr(key[0], '__name__', key[0])}.{key[1]}")
             for key, case in COLUMNS.items()]  # fmt: skip


@every("argument, values, rest, answer", BY_COLUMN)
def test_columns_are_found_by_their_labels(argument, values, rest, answer):
    known = np.asarray(answer(values.to_list()))
    assert np.array_equal(known, np.asarray(answer(turned(values))))
    assert np.array_equal(known, np.asarray(answer(values.reset_index(drop=True))))
    with pytest.raises(ValueError, match=f"{argument} names 'q', which is no column of .*'a'"):
        answer(values.rename({"b": "q"}))
    if rest is not None:  # names, or numbers, serve as keys
        some = [values["a"], *[rest] * 3]
        known = np.asarray(answer(some))
        assert np.array_equal(known, np.asarray(answer({"a": values["a"]})))
        assert np.array_equal(known, np.asarray(answer({0: values["a"]})))
        with pytest.raises(ValueError, match="names 'q', which is no column of"):
            answer({"q": values["a"]})


def test_columns_that_stay_out():
    known = path(penalty_factor=[1, np.inf, 1, 1])
    for exclude in (["b"], "b", [1], np.array([1]), pd.Index(["b"])):
        assert np.array_equal(known, path(exclude=exclude))
    out = under(penalties.GroupL2(LABELS), exclude=["c", "d"])
    assert np.array_equal(np.flatnonzero(out), [0, 1])
    left = ss.path(X[["a", "b"]], Y, penalty=penalties.GroupL2([0, 1], [np.sqrt(2)] * 2),
                   lambdas=[S]).coef(S)  # fmt: skip
    np.testing.assert_allclose(out[:2], left, atol=1e-6)
    for call, sentence in (
        (lambda: path(exclude=["ba"]), "exclude names 'ba', which is no column of X"),
        (lambda: path(exclude=[4]), "exclude names 4; a column of X has a number from 0 to 3"),
        (lambda: path(exclude=["b", 1]), "exclude names 'b' twice"),
        (lambda: under(penalties.TotalVariation(), exclude=["b"]),
         "not for penalty=TotalVariation; drop"),
        (lambda: ss.path(X.to_numpy(), Y, exclude=["b"]), "the columns of X have no names"),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()
    fit = ss.path(X, Y, exclude=["b"], penalty_factor={"a": 0}, n_lambdas=5)
    assert fit.options["exclude"].tolist() == [1]
    assert not fit.extend(X, Y, n_lambdas=2).coefs.toarray()[1].any()


def test_groups_and_kernels_have_names_too():
    groups = penalties.GroupL2({"one": ["a", "b"], "two": ["c"]})
    known = under(groups, penalty_factor=[0.5, 1.0, 3.0])
    for factor in ({"d": 3.0, "one": 0.5}, pd.Series([3, 1, 0.5], ["d", "two", "one"])):
        assert np.array_equal(known, under(groups, penalty_factor=factor))
    with pytest.raises(ValueError, match="penalty_factor names 'on', .* no group; is it 'one'"):
        under(groups, penalty_factor={"on": 0.5})
    named = dict(zip("ab", GRAMS, strict=True))
    known = ss.mkl_path(named, Y, kernel_weights=[1.0, 3.0], lambdas=[1.0]).dual_coefs
    found = ss.mkl_path(named, Y, kernel_weights={"b": 3.0}, lambdas=[1.0])
    assert np.array_equal(known, found.dual_coefs) and found.options["kernel_weights"][1] == 3.0


def test_kernels_are_in_one_order_of_rows():
    known, mixed = kernels(), [GRAMS[0], turned(GRAMS[1]).T]
    assert np.array_equal(known, ss.mkl_path(mixed, Y, lambdas=[1.0]).dual_coefs)
    fit = ss.mkl_path(GRAMS, Y, lambdas=[1.0])
    new = [K.iloc[:3] for K in GRAMS]
    across = fit.predict([turned(K.T).T for K in new], 1.0)
    np.testing.assert_allclose(fit.predict(new, 1.0), across, rtol=1e-12)
    with pytest.raises(ValueError, match="rows of kernel 1 are not those of kernel 0: .*'p0'"):
        ss.mkl_path([GRAMS[0], GRAMS[1].rename({"p0": "q0"})], Y)
    made = ss.mkl.build_grams(X, [(ss.mkl.linear(), None)])
    known = ss.mkl_path(made, Y, lambdas=[1.0]).dual_coefs
    assert np.array_equal(known, ss.mkl_path(made, turned(Y), lambdas=[1.0]).dual_coefs)


def test_columns_of_new_rows_are_found_by_name():
    across = X[list("dbca")]
    parts = [X[:20], across[20:]]
    tags = [CLASS[:20], CLASS[20:]]
    known = ss.crf_path(X, CLASS, lengths=[20, 20], lambdas=[0.1])
    assert np.array_equal(known.coef(), ss.crf_path(parts, tags, lambdas=[0.1]).coef())
    assert np.array_equal(known.predict(X, [20, 20]), known.predict(across, [20, 20]))
    stream = [(X[:20], Y[:20]), (across[20:], Y[20:])]
    fit = ss.online(stream, lam=0.1, n_features=4)
    assert np.array_equal(fit.coef(), ss.online(X, Y, lam=0.1).coef())
    assert np.array_equal(fit.predict(X), fit.predict(across))


THREE = pd.Series(np.where(ETA > 1, "w", np.where(ETA > -1, "v", "u")), index=ROWS_OF_X)
OFFSETS = pd.DataFrame(RNG.normal(size=(N, 3)), index=ROWS_OF_X, columns=list("uvw"))
OF_CLASSES = ss.path(X, THREE, family="multinomial", offset=OFFSETS, lambdas=[0.05])
LEARNED = ss.online(X, THREE, family="multinomial", lam=0.1, offset=OFFSETS)
BY_CLASS = {
    "path": lambda o: np.stack(ss.path(
        X, THREE, family="multinomial", offset=o, lambdas=[S]).coef(S)),
    "path of responses": lambda o: ss.path(X, OFFSETS, family="multigaussian", offset=o**2,
                                           lambdas=[S]).coef(S),
    "cv_path": lambda o: ss.cv_path(X, THREE, family="multinomial", offset=o, folds=FOLD,
                                    n_lambdas=3).fold_scores,
    "predict": lambda o: OF_CLASSES.predict(X, 0.05, offset=o),
    "assess": lambda o: judged(ss.assess(OF_CLASSES, X, THREE, 0.05, offset=o)),
    "relax": lambda o: ss.relax(OF_CLASSES, X, THREE, offset=o).coef(0.05),
    "mkl_path": lambda o: np.stack(ss.mkl_path(
        GRAMS, THREE, family="multinomial", offset=o, lambdas=[0.01]).dual_coefs),
    "online": lambda o: ss.online(X, THREE, family="multinomial", lam=0.1, offset=o).coef(),
    "online predict": lambda o: LEARNED.predict(X, offset=o),
    "online certify": lambda o: LEARNED.certify(X, THREE, offset=o).objective,
}  # fmt: skip


@every("name, answer", BY_CLASS.items())
def test_columns_of_offsets_are_found_by_the_classes(name, answer):
    known = answer(OFFSETS)
    assert np.array_equal(known, answer(OFFSETS[list("wvu")]))
    assert np.array_equal(known, answer(OFFSETS.set_axis(range(3), axis=1)))
    if name != "relax":  # which says that these are not the offsets of the fit
        assert not np.array_equal(known, answer(OFFSETS.to_numpy()[:, ::-1]))
    with pytest.raises(ValueError, match="columns of offset names 'z', which is no class"):
        answer(OFFSETS.rename(columns={"u": "z"}))


@every("function, options", [
    (ss.crf_path, {"lambdas": [0.1]}), (ss.structured.max_margin, {"epochs": 1}),
    (ss.structured.cv_crf_path, {"lambdas": [0.1], "n_folds": 2}),
])
def test_allowed_transitions_are_found_by_their_labels(function, options):
    y, names = np.tile(np.repeat(["no", "yes"], 5), 4), ["no", "yes"]
    allowed = pd.DataFrame([[True, True], [False, True]], names, names)

    def answer(allowed):
        fit = function(X, y, lengths=[10] * 4, allowed=allowed, **options)
        return fit.parts()["transitions"] if hasattr(fit, "parts") else fit.fold_scores

    known = answer(allowed.to_numpy())
    assert np.array_equal(known, answer(np.asfortranarray(allowed)))
    for other in (allowed.loc[names[::-1], names[::-1]], allowed[names[::-1]], allowed[::-1]):
        assert np.array_equal(known, answer(other))
    with pytest.raises(ValueError, match="the index of allowed names 'maybe', which is no label"):
        answer(allowed.rename(index={"no": "maybe"}))


# Arguments that are called like one of rows or columns, and are neither.
OTHERS = {
    "plot_tree groups": "nested groups of features",
    "path exclude": "see test_columns_that_stay_out",
    "nested groups weights": "kernels",
    "crf_path weights": "sequences, which have no labels",
    "tree_path weights": "sentences, which have no labels",
    "cv_crf_path weights folds": "sequences",
    "cv_spom folds": "sequences",
    "tag_report y": "two lists of labels",
    "viterbi y start": "scores and labels are arrays",
    "thin y offset": "no X",
    "fused_knots y weights": "no X; weights follow y, see tests/paths/test_signal.py",
    "marginals start": "scores are arrays",
    "bmrm start": "columns of a risk, which has no names",
    "cox strata": "read with X: see path family",
    "from_object y": "no X",
    "box_hyperplane lower upper": "arrays",
    "power groups weights": "arrays",
    "squared_l1 groups weights": "arrays",
    "project_groups groups weights": "arrays",
    "group_l2 groups weights": "arrays",
    "tv1d weights": "differences",
    "tv2d weights": "rows and columns of an image",
    "tv_graph weights": "edges",
    "GraphTV weights": "edges",
    "TotalVariation weights": "differences",
    "TotalVariation2D weights": "rows and columns of an image",
    "TreeL2 groups weights": "lists of features, by name, and labels of groups",
    "TreeLinf groups weights": "lists of features, by name, and labels of groups",
    "OverlapL2 groups weights": "lists of features, by name, and labels of groups",
    "OverlapLinf groups weights": "lists of features, by name, and labels of groups",
    "LatentGroupL2 groups weights": "lists of features, by name, and labels of groups",
    "GroupL2 weights": "labels of groups",
    "GroupLinf weights": "labels of groups",
    "GroupLq weights": "labels of groups",
    "graph_cut weights": "edges have no names",
    "SparseGroup weights": "labels of groups",
    "GroupBall weights": "labels of groups",
    "part groups": "numbers of groups",
    "members_of groups": "inside of penalties",
    "under lower upper": "inside of a path",
}
WORDS = {*ARGUMENTS, "penalty_factor", "lower", "upper", "exclude", "start", "coefs", "xty"}


def public():
    """Yield every public function, class and method of a result, by its name."""
    for module in (ss, ss.inference, ss.mkl, ss.paths, bundle, ss.selection, ss.results,
                   ss.structured, ss.families, ss.penalties.prox, penalties):  # fmt: skip
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isfunction(found) or module is penalties and callable(found):
                yield name, found
            for method, body in inspect.getmembers(found, inspect.isfunction):
                if inspect.isclass(found) and not method.startswith("_"):
                    yield method, body
    for method, body in inspect.getmembers(type(ONLINE), inspect.isfunction):
        if not method.startswith("_"):
            yield method, body


def test_no_argument_is_forgotten():
    known = {}
    for (owner, name), (row, _) in ROWS.items():
        found = inspect.unwrap(getattr(owner, name.split()[0]))
        known.setdefault(found, set()).update(row.split())
    for (owner, name), (argument, *_) in COLUMNS.items():
        if owner != "estimators":
            found = inspect.unwrap(getattr(owner, name.split()[0]))
            known.setdefault(found, set()).add(argument)
    others = {}
    for words in OTHERS:
        others.setdefault(words.split()[0], set()).update(words.split()[1:])
    forgotten = []
    for name, body in public():
        words = set(inspect.signature(body).parameters) & WORDS
        words -= known.get(inspect.unwrap(body), set()) | others.get(name, set())
        forgotten += [(name, word) for word in words]
    assert not forgotten


def test_every_method_of_an_estimator_with_rows_has_the_door():
    for _, kind in estimators():
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and "X" in inspect.signature(method).parameters:
                assert hasattr(method, "rows"), (kind, name)
