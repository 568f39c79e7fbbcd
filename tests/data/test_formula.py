"""Formulas: terms against products made by hand, splines against scipy, new rows, files."""

import json
import pickle
import sys

import numpy as np
import pytest
from scipy.interpolate import BSpline

import sparsesolve as ss
from sparsesolve.results.files.fit_arrays import encoder_of, encoder_values
from sparsesolve.results.files.model_arrays import Damaged

pytest.importorskip("formulaic")
RNG = np.random.default_rng(0)
N = 80
TABLE = {
    "age": RNG.normal(50.0, 10.0, N),
    "dose": RNG.uniform(1.0, 2.0, N),
    "ward": RNG.choice(["east", "north", "south"], N),
    "sex": RNG.choice(["f", "m"], N),
    "site": RNG.choice([1, 2, 7], N),
    "two words": RNG.normal(size=N),
}
AGE, DOSE = TABLE["age"], TABLE["dose"]
Y = AGE / 10.0 + 2.0 * (TABLE["ward"] == "north") * DOSE + RNG.normal(size=N)
DATA = {**TABLE, "y": Y, "time": RNG.exponential(size=N), "died": RNG.integers(0, 2, N)}
WARD = np.column_stack([TABLE["ward"] == level for level in ("east", "north", "south")]) * 1.0
MALE = (TABLE["sex"] == "m") * 1.0


def frames():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    return {"dict": DATA, "pandas": pandas.DataFrame(DATA), "polars": polars.DataFrame(DATA),
            "pyarrow": pyarrow.table(DATA)}  # fmt: skip


def spline(x, df):
    """Cubic B-splines with knots at quantiles, without the first, by scipy."""
    inner = np.quantile(x, np.linspace(0.0, 1.0, df - 3 + 2))
    knots = np.r_[[x.min()] * 3, inner, [x.max()] * 3]
    return BSpline.design_matrix(x, knots, 3).toarray()[:, 1:]


def poly(x, degree):
    """Orthogonal polynomials by QR, each growing at its end."""
    powers = np.vander((x - x.mean()) / x.std(), degree + 1, increasing=True)
    q = np.linalg.qr(powers)[0]
    return (q * np.sign((q * powers).sum(axis=0)))[:, 1:]


TERMS = {
    "age + ward": [AGE[:, None], WARD],
    "sex * dose": [MALE[:, None], DOSE[:, None], (MALE * DOSE)[:, None]],
    "ward:sex": [WARD * MALE[:, None]],
    "ward:dose + log(dose)": [np.log(DOSE)[:, None], WARD * DOSE[:, None]],
    "(age + dose + sex)**2 - sex": [AGE[:, None], DOSE[:, None], (AGE * DOSE)[:, None],
                                    (AGE * MALE)[:, None], (DOSE * MALE)[:, None]],
    "bs(age, 5)": [spline(AGE, 5)],
    "bs(age, 4):sex": [spline(AGE, 4) * MALE[:, None]],
    "poly(age, 3)": [poly(AGE, 3)],
    "C(site)": [np.column_stack([TABLE["site"] == k for k in (1, 2, 7)]) * 1.0],
    "`two words` + I(age * dose - 3)": [TABLE["two words"][:, None], (AGE * DOSE - 3.0)[:, None]],
    "center(dose) + scale(age)": [(DOSE - DOSE.mean())[:, None],
                                  ((AGE - AGE.mean()) / AGE.std(ddof=1))[:, None]],
}  # fmt: skip


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("text", TERMS)
def test_terms_are_the_products_made_by_hand(text, as_sparse):
    expected = TERMS[text]
    design = ss.make_design(f"y ~ {text}", DATA, sparse=as_sparse)
    matrix = design.matrix.toarray() if as_sparse else design.matrix
    blocks, groups = [], np.array(design.groups)
    for group in dict.fromkeys(design.groups):
        blocks.append(matrix[:, groups == group])
    assert len(blocks) == len(expected)
    for found, made in zip(blocks, expected, strict=True):
        np.testing.assert_allclose(found, made, rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(design.response, Y)


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "pyarrow"])
def test_a_path_of_a_formula_is_that_of_its_matrix(kind):
    table = frames()[kind]
    fit = ss.path("y ~ ward * dose + bs(age, 5)", data=table, n_lambdas=12)
    X = np.hstack([WARD, DOSE[:, None], spline(AGE, 5), WARD * DOSE[:, None]])
    other = ss.path(X, Y, n_lambdas=12)
    np.testing.assert_allclose(fit.coefs.toarray(), other.coefs.toarray(), atol=1e-6)
    assert fit.feature_names[:5].tolist() == ["ward=east", "ward=north", "ward=south", "dose",
                                              "bs(age, 5)[1]"]  # fmt: skip
    assert fit.feature_names[-1] == "ward=south:dose"
    np.testing.assert_allclose(fit.predict(table, 0.1), other.predict(X, 0.1), atol=1e-5)


@pytest.mark.parametrize("word, make", [
    ("group", ss.penalties.GroupL2),
    ("sparse-group(0.3)", lambda g: ss.penalties.SparseGroup(g, 0.3)),
    ("overlap-l2", lambda g: ss.penalties.OverlapL2(
        [[j for j in range(len(g)) if g[j] == label] for label in dict.fromkeys(g)])),
])  # fmt: skip
def test_words_of_group_penalties_take_the_terms(word, make):
    design = ss.make_design("y ~ ward * dose + bs(age, 5)", DATA)
    assert list(dict.fromkeys(design.groups)) == ["ward", "dose", "bs(age, 5)", "ward:dose"]
    fit = ss.path("y ~ ward * dose + bs(age, 5)", data=DATA, penalty=word, n_lambdas=8)
    other = ss.path(design, Y, penalty=make(design.groups), n_lambdas=8)
    np.testing.assert_array_equal(fit.coefs.toarray(), other.coefs.toarray())
    table = ss.make_design(TABLE)
    folds = np.arange(N) % 4
    cv = ss.cv_path(table, Y, penalty=word, folds=folds, n_lambdas=5)
    by_hand = ss.cv_path(table, Y, penalty=make(table.groups), folds=folds, n_lambdas=5)
    np.testing.assert_array_equal(cv.mean, by_hand.mean)
    with pytest.raises(ValueError, match="needs groups"):
        ss.path(table.matrix, Y, penalty=word)


def test_cross_validation_and_responses():
    data = {**DATA, "label": np.where(np.median(Y) < Y, "high", "low"), "z": Y**2}
    folds = np.arange(N) % 5
    cv = ss.cv_path("label ~ . - y - z - time - died", data=data, family="binomial", folds=folds)
    others = {name: column for name, column in TABLE.items()}
    twin = ss.cv_path(ss.make_design(others), data["label"], family="binomial", folds=folds)
    np.testing.assert_array_equal(cv.mean, twin.mean)
    assert list(cv.path.class_names) == ["high", "low"]
    surv = ss.path("Surv(time, died) ~ age + dose", data=data, family="cox")
    X = np.column_stack([AGE, DOSE])
    cox = ss.path(X, (data["time"], data["died"]), family="cox")
    np.testing.assert_array_equal(surv.coefs.toarray(), cox.coefs.toarray())
    several = ss.path("y + z ~ age + dose", data=data, family="multigaussian", n_lambdas=5)
    both = ss.path(X, np.column_stack([Y, Y**2]), family="multigaussian", n_lambdas=5)
    np.testing.assert_array_equal(several.coefs[1].toarray(), both.coefs[1].toarray())
    logged = ss.path("log(z) ~ age", data=data, n_lambdas=5)
    np.testing.assert_allclose(logged.coefs.toarray(), ss.path(
        X[:, :1], np.log(Y**2), n_lambdas=5).coefs.toarray())  # fmt: skip


def test_rows_are_found_by_their_index():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(DATA, index=[f"r{i}" for i in range(N)])
    weights = pandas.Series(RNG.uniform(0.5, 2.0, N), index=frame.index)
    fit = ss.path("y ~ age * ward", data=frame, weights=weights, n_lambdas=5)
    turned = ss.path("y ~ age * ward", data=frame, weights=weights[::-1], n_lambdas=5)
    np.testing.assert_array_equal(fit.coefs.toarray(), turned.coefs.toarray())


LEARNING = ["bs(age, 5)", "bs(age, 4, extrapolation='clip')", "cr(age, df=4)", "cc(age, df=4)",
            "cr(age, df=4, constraints='center')", "poly(age, 3)", "scale(age)",
            "center(log(dose)):ward", "C(site):poly(dose, 2)"]  # fmt: skip


@pytest.mark.parametrize("text", LEARNING)
def test_what_functions_have_learned_holds_for_new_rows_and_is_saved(text, tmp_path):
    """The rows of the first table alone, and after saving, are what they were among all rows."""
    design = ss.make_design(f"~ {text}", DATA)
    some = {name: column[:7] for name, column in DATA.items() if name != "y"}
    np.testing.assert_allclose(design.encode(some).matrix, design.matrix[:7], atol=1e-12)
    fit = ss.path(design, Y, n_lambdas=5)
    ss.save(fit, tmp_path / "fit.npz")
    back = ss.load(tmp_path / "fit.npz")
    np.testing.assert_array_equal(back.predict(some), fit.predict(design.matrix[:7]))
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.predict(some), back.predict(some))


def test_levels_and_gaps_are_those_of_make_design():
    data = {"a": [1.0, np.nan, 3.0, 5.0], "w": ["x", "y", None, "z"], "y": [1.0, 2.0, 3.0, 1.0]}
    plain = ss.make_design({"a": data["a"], "w": data["w"]})
    design = ss.make_design("~ a * w", data)
    np.testing.assert_array_equal(design.matrix[:, :4], plain.matrix)
    np.testing.assert_array_equal(design.matrix[:, 4:], plain.matrix[:, :1] * plain.matrix[:, 1:])
    with pytest.raises(ValueError, match="'w' holds 'q' at row 0 .* none of the 3 levels"):
        design.encode({"a": [1.0], "w": ["q"]})
    zero = design.encode({"a": [2.0], "w": ["q"]}, unknown="zero")
    assert zero.matrix.tolist() == [[2.0, 0, 0, 0, 0, 0, 0]]
    with pytest.raises(ValueError, match="'a' is missing in row 1"):
        ss.make_design("~ a * w", data, missing="error")
    with pytest.raises(ValueError, match="the table has no column 'w'"):
        design.encode({"a": [2.0]})


REFUSED = {
    "y ~ agee": "'agee', which is no column of the table; did you mean 'age'",
    "y ~ f(age)": "f is none of the functions of formulas",
    "y ~ age - 1": "give intercept=False",
    "y ~ 1": "no term",
    "y ~ (age": "Could not find matching",
    "y ~ age | dose": "several parts",
    "y ~ C(site) + site": "'site' as numbers and within C",
    "y ~ C(site):log(site)": "'site' as numbers and within C",
    "y ~ C(site, 3)": r"C\(\) takes a column",
    "y ~ log(sex)": "takes numbers, and column 'sex' holds labels",
    "y ~ log(age - 1000)": "is nan at row 0",
    "y ~ bs(age, 2)": "df",
    "y ~ scale(age, _state=age)": "functions of columns and arithmetic",
    "y ~ {age.__class__}": "functions of columns and arithmetic",
    "y ~ np.exp(age)": r"write exp\(age\)",
    "y ~ age + f('x').run(1)": r"no expression, '\.run\(1\)'",
    "y ~ {[q for q in age]}": "functions of columns and arithmetic",
    "y ~ {age * 9**9**9}": "functions of columns and arithmetic",
    "y ~ {age + [0] * 9}": "functions of columns and arithmetic",
    "y ~ {age * (1 << 9)}": "functions of columns and arithmetic",
    "y ~ {age + 'a' * 9}": "functions of columns and arithmetic",
    "y ~ {age +}": "expression|parse",
    "y ~ {(lambda: 1)()}": "functions of columns and arithmetic",
    "y ~ I(__import__)": "'__import__', which is no column",
    "y ~ I(3)": "holds no column",
    "y:age ~ dose": "to the left of ~",
    "Surv(time, died) + y ~ age": "stands alone",
    "~ age": "nothing to the left of ~",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals(text):
    with pytest.raises(ValueError, match=REFUSED[text]):
        ss.path(text, data=DATA)


def test_a_formula_and_its_table_belong_together():
    X = np.ones((3, 1))
    for call, said in [
        (lambda: ss.path("y ~ age"), "needs the table of its columns"),
        (lambda: ss.path("y ~ age", data=X), "needs the table of its columns"),
        (lambda: ss.path("y ~ age", Y, data=DATA), "y and a formula are both given"),
        (lambda: ss.path(X, Y, data=DATA), "data is the table of a formula"),
        (lambda: ss.make_design(TABLE, DATA), "data is the table of a formula"),
        (lambda: ss.path(X), r"path\(\) needs y, or a formula"),
        (lambda: ss.cv_path(X), r"cv_path\(\) needs y, or a formula"),
    ]:
        with pytest.raises(TypeError, match=said):
            call()


def test_without_formulaic_the_package_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "formulaic"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install 'sparsesolve\[formula\]'"):
        ss.path("y ~ age", data=DATA)


def test_a_model_file_runs_no_code():
    """A changed file is refused before anything in it is evaluated."""
    values = encoder_values(ss.make_design("~ bs(age, 4) + log(dose):ward", DATA))
    values = json.loads(json.dumps(values))
    assert encoder_of(values).groups == values["groups"]

    def changed(change):
        other = json.loads(json.dumps(values))
        change(other["formula"])
        with pytest.raises(Damaged):
            encoder_of(other)

    evil = "__import__('os').system('true')"
    changed(lambda f: f["terms"][0][1].__setitem__(0, [evil, False]))
    changed(lambda f: f["terms"][0][1].__setitem__(0, ["log(dosis)", False]))
    changed(lambda f: f["terms"][0][1].__setitem__(0, ["log(", False]))
    changed(lambda f: f["terms"].pop())
    changed(lambda f: f["state"].clear())
    changed(lambda f: f["state"]["bs(age, 4)"].pop("knots"))
    changed(lambda f: f["state"]["bs(age, 4)"]["knots"].__setitem__(0, "x"))
    changed(lambda f: f.pop("terms"))


def test_the_encoder_of_estimators():
    pytest.importorskip("sklearn")
    from sklearn.pipeline import make_pipeline

    from sparsesolve.estimators import DesignEncoder, GroupLasso

    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE)
    encoder = DesignEncoder("ward * dose + bs(age, 5)")
    model = make_pipeline(encoder, GroupLasso(0.1, groups="source")).fit(frame, Y)
    design = ss.make_design("~ ward * dose + bs(age, 5)", frame)
    twin = GroupLasso(0.1, groups=design.groups).fit(design.matrix, Y)
    np.testing.assert_allclose(model[-1].coef_, twin.coef_, atol=1e-12)
    np.testing.assert_allclose(model.predict(frame[:9]), twin.predict(design.matrix[:9]))
    assert model[0].get_feature_names_out()[0] == "ward=east"
    assert model[0].n_features_in_ == frame.shape[1]
    out = encoder.set_output(transform="pandas").fit_transform(frame)
    assert out.columns[-1] == "ward=south:dose"


def test_the_command_line(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    from sparsesolve.__main__ import main

    data, model = str(tmp_path / "d.csv"), str(tmp_path / "m.npz")
    frame = pandas.DataFrame({**DATA, "row weight": RNG.uniform(0.5, 2.0, N)})
    frame.loc[4, "age"] = np.nan
    frame.to_csv(data, index=False)
    text = "y ~ ward * dose + bs(age, 5) + C(site)"
    assert not main(["path", data, "--formula", text, "--groups", "columns", "--save", model,
                     "--weights", "row weight", "--n-lambdas", "5", "--quiet"])  # fmt: skip
    fit = ss.path(text, data=frame, penalty="group", weights=frame["row weight"], n_lambdas=5)
    back = ss.load(model)
    np.testing.assert_allclose(back.coefs.toarray(), fit.coefs.toarray(), atol=1e-12)
    out = str(tmp_path / "p.csv")
    frame.drop(columns="y").to_csv(data, index=False)
    assert not main(["predict", model, data, "--s", "0.1", "--out", out])
    predicted = pandas.read_csv(out).iloc[:, 0]
    np.testing.assert_allclose(predicted, fit.predict(frame, 0.1), rtol=1e-12)
    capsys.readouterr()
    survival = ["--formula", "Surv(time, died) ~ . - two", "--family", "cox", "--lambdas", "0.1"]
    frame = frame.rename(columns={"two words": "two"}).drop(columns=["y", "row weight"])
    frame.to_csv(data, index=False)
    assert not main(["path", data, *survival, "--save", model, "--quiet"])
    X = frame.drop(columns=["time", "died", "two"])
    cox = ss.path(ss.make_design(X), (frame["time"], frame["died"]), family="cox", lambdas=[0.1])
    np.testing.assert_allclose(ss.load(model).coefs.toarray(), cox.coefs.toarray(), atol=1e-12)
    for options, said in [
        (["--formula", "time ~ agee"], "did you mean 'age'"),
        (["--formula", "~ age"], "has no response"),
        (["--formula", "time ~ age", "--response", "died"], "leave out --response"),
        (["--formula", "time ~ age", "--format", "svmlight"], "--formula belongs to CSV"),
    ]:
        assert main(["path", data, *options]) == 2
        assert said in capsys.readouterr().err
