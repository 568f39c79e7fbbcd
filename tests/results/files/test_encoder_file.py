"""A model knows its encoder: raw tables are predicted here, after load, in another process."""

import copy
import pickle
from decimal import Decimal

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.results.files.fit_arrays import encoder_of, encoder_values

RNG = np.random.default_rng(0)
N = 90
TABLE = {
    "age": np.r_[np.nan, RNG.normal(size=N - 1)],
    "ward": RNG.choice(["east", "north", "south"], N),
    "size": RNG.choice([1, 2, 4], N).astype(object),
    "smoker": RNG.random(N) > 0.5,
}
Y = 2.0 * (TABLE["ward"] == "east") + TABLE["smoker"] + RNG.normal(size=N)
NEW = {"ward": ["north", None], "smoker": [True, False], "age": [1.0, None], "size": [4, 1],
       "when": np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")}  # fmt: skip
FITS = {
    "path": lambda X: ss.path(X, Y, n_lambdas=5),
    "cv": lambda X: ss.cv_path(X, Y, n_lambdas=5, n_folds=3, seed=0, alphas=[0.5, 1.0]),
    "lars": lambda X: ss.lars_path(X, Y, lambda_min=0.1),
    "omp": lambda X: ss.omp_path(X, Y),
    "hard thresholding": lambda X: ss.paths.hard_threshold_path(X, Y),
    "relaxed": lambda X: ss.relax(ss.path(X, Y, n_lambdas=5), X, Y),
}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", FITS)
def test_raw_tables_are_predicted_before_and_after_load(name, sparse, tmp_path):
    """In any order of columns, beside others that hold anything, with gaps."""
    pandas = pytest.importorskip("pandas")
    design = ss.make_design(TABLE, sparse=sparse)
    fit = FITS[name](design)
    expected = fit.predict(design.encode(NEW))
    for table in (NEW, pandas.DataFrame(NEW)):
        np.testing.assert_array_equal(fit.predict(table), expected)
    ss.save(fit, tmp_path / "model.npz")
    for back in (ss.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(fit))):
        np.testing.assert_array_equal(back.predict(NEW), expected)


def test_what_takes_the_rows_of_a_fit_takes_its_table():
    design = ss.make_design(TABLE)
    fit = FITS["path"](design)
    assert ss.assess(fit, TABLE, Y, 0.1) == ss.assess(fit, design, Y, 0.1)
    s = 0.9 * fit.lambdas[2]
    exact = fit.coef(s, exact=True, X=TABLE, y=Y)
    np.testing.assert_array_equal(exact, fit.coef(s, exact=True, X=design, y=Y))
    longer = fit.extend(TABLE, Y, n_lambdas=1)
    np.testing.assert_array_equal(longer.predict(NEW), longer.predict(design.encode(NEW)))


def test_no_row_travels_with_a_model(tmp_path):
    fit = FITS["path"](ss.make_design(TABLE))
    assert fit.encoder.shape == (0, fit.n_features)
    big = {**TABLE, "age": np.full(N, 123456.789)}
    big["age"][5] = 987654.321
    ss.save(FITS["path"](ss.make_design(big)), tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as file:
        assert all("987654.321" not in str(file[name].tolist()) for name in file.files)
        assert len(str(file["encoder"])) < 1000


def test_an_encoder_is_saved_by_itself(tmp_path):
    design = ss.make_design(TABLE, sparse=True, unknown="zero")
    ss.save(design, tmp_path / "design.npz")
    back = ss.load(tmp_path / "design.npz")
    assert back.shape == (0, design.shape[1]) and back.unknown == "zero"
    assert back.names.tolist() == design.names.tolist() and back.groups == design.groups
    assert (back.encode(TABLE).matrix != design.matrix).nnz == 0


def test_encoded_columns_by_name():
    """A frame that was encoded by hand is taken by the names of its columns."""
    pandas = pytest.importorskip("pandas")
    design = ss.make_design({"age": TABLE["age"][1:], "ward": TABLE["ward"][1:]})
    fit = ss.path(design, Y[1:], n_lambdas=5)
    by_hand = pandas.DataFrame(design.matrix, columns=design.names)
    turned = by_hand[by_hand.columns[::-1]]
    np.testing.assert_array_equal(fit.predict(turned), fit.predict(design))
    with pytest.raises(ValueError, match="the table has no column 'age'"):
        fit.predict({"ward": ["east"]})


def test_a_model_of_plain_numbers_has_no_encoder(tmp_path):
    fit = ss.path(np.eye(4), [1.0, 2.0, 3.0, 5.0])
    ss.save(fit, tmp_path / "model.npz")
    assert fit.encoder is None and ss.load(tmp_path / "model.npz").encoder is None


pandas = pytest.importorskip("pandas")


@pytest.mark.parametrize("column, levels", [
    (pandas.cut([30, 50, 90, 50], [0, 40, 60, 120]), ["(0, 40]", "(40, 60]", "(60, 120]"]),
    (np.array(pandas.cut([30, 50, 90, 50], [0, 40, 60, 120]), dtype=object),
     ["(0, 40]", "(40, 60]", "(60, 120]"]),
    (pandas.PeriodIndex(["2020Q4", "2020Q1", None, "2021Q1"], freq="Q").astype("category"),
     ["2020Q1", "2020Q4", "2021Q1"]),
    ([b"x", b"z", b"y", b"x"], ["b'x'", "b'y'", "b'z'"]),
    ([Decimal("2.5"), "a", "b", "a"], ["2.5", "a", "b"]),
])  # fmt: skip
def test_levels_of_every_type_are_saved(tmp_path, column, levels):
    design = ss.make_design({"a": column})
    assert design.names.tolist() == [f"a={level}" for level in levels]
    ss.save(design, tmp_path / "design.npz")
    back = ss.load(tmp_path / "design.npz")
    np.testing.assert_array_equal(back.encode({"a": column}).matrix, design.matrix)


VALUES = encoder_values(ss.make_design(TABLE))


@pytest.mark.parametrize("damage", [
    lambda found: found.pop("names"),
    lambda found: found.update(unknown="guess"),
    lambda found: found["names"].pop(),
    lambda found: found["groups"].__setitem__(0, "other"),
    lambda found: found["sources"][1].update(fill=[0.5]),
    lambda found: found["sources"][0].update(fill=[None]),
    lambda found: found["sources"][1].update(levels=[["east"], "north", "south"]),
    lambda found: found["sources"][0].update(more=1),
    lambda found: found.update(sources=3),
])  # fmt: skip
def test_a_damaged_encoder_is_refused(damage):
    found = copy.deepcopy(VALUES)
    damage(found)
    with pytest.raises(ValueError, match="encoder|source"):
        encoder_of(found)
    assert encoder_of(VALUES).names.tolist() == ss.make_design(TABLE).names.tolist()
