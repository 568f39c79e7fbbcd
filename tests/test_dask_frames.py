"""Dask DataFrames: encoded in two passes, fitted by blocks, as the same table in memory."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss

pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")

RNG = np.random.default_rng(3)
N = 300
TABLE = pd.DataFrame({
    "age": RNG.normal(50.0, 9.0, N),
    "colour": RNG.choice(["red", "blue", "green"], N),
    "size": pd.Categorical(RNG.choice(["small", "large"], N), ["small", "large", "huge"]),
    "smoker": RNG.random(N) > 0.5,
    "early": np.where(np.arange(N) < 80, np.nan, 1.0 * np.arange(N)),  # gaps in a partition
    "place": np.where(np.arange(N) < 200, None, RNG.choice(["a", "b", "c"], N)),
})  # fmt: skip
Y = pd.Series(0.1 * TABLE.age + (TABLE.colour == "red") + RNG.normal(size=N), name="y")
TABLE.loc[::7, "age"] = np.nan
TABLE.loc[3::11, "colour"] = None
FRAME = dd.from_pandas(TABLE.assign(y=Y), npartitions=4)
FEATURES = list(TABLE)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_a_frame_is_encoded_as_in_memory(as_sparse):
    found = ss.make_design(FRAME[FEATURES], sparse=as_sparse)
    whole = ss.make_design(TABLE, sparse=as_sparse)
    assert found.names.tolist() == whole.names.tolist() and found.groups == whole.groups
    for one, other in zip(found.sources, whole.sources, strict=True):
        assert (one.name, one.levels) == (other.name, other.levels)
        np.testing.assert_allclose(one.fill, other.fill, rtol=1e-13)
    np.testing.assert_allclose(np.asarray(found), np.asarray(whole), rtol=1e-13)
    assert sparse.issparse(found.matrix.blocks[1, 0].compute()) == as_sparse
    assert found.shape == whole.shape and len(found.matrix.chunks[0]) == 4
    np.testing.assert_allclose(np.asarray(found.persist()), np.asarray(whole), rtol=1e-13)
    assert whole.persist() is whole


def test_levels_that_one_partition_lacks_have_their_columns():
    table = pd.DataFrame({"k": ["b"] * 5 + ["a"] * 5 + ["c"] * 5, "x": np.arange(15.0)})
    design = ss.make_design(dd.from_pandas(table, npartitions=3))
    assert design.names.tolist() == ["k=a", "k=b", "k=c", "x"]
    np.testing.assert_array_equal(np.asarray(design), np.asarray(ss.make_design(table)))
    part = dd.from_pandas(table[table.k == "a"], npartitions=1)
    np.testing.assert_array_equal(np.asarray(design.encode(part))[:, :3], [[1, 0, 0]] * 5)
    few = dd.from_pandas(table, npartitions=3)
    few = few[few.x < 7]  # an empty partition
    np.testing.assert_array_equal(np.asarray(ss.make_design(few)),
                                  np.asarray(ss.make_design(table[:7])))  # fmt: skip
    fit = ss.path(ss.make_design(few), few.x, lambdas=[0.1])
    np.testing.assert_allclose(fit.predict(few).compute(), fit.predict(table[:7]))


@pytest.mark.parametrize("options", [
    {}, {"family": "binomial"}, {"penalty": "group"}, {"family": "binomial", "penalty": "group"},
])  # fmt: skip
def test_paths_of_a_frame_are_those_in_memory(options):
    binomial = "family" in options
    kind = np.where(Y > Y.median(), "high", "low")
    frame = dd.from_pandas(TABLE.assign(y=kind if binomial else Y), npartitions=4)
    y, options = frame.y, {"n_lambdas": 12, "lambda_min_ratio": 0.02, **options}
    design, whole = ss.make_design(frame[FEATURES]), ss.make_design(TABLE)
    fit = ss.path(design, y, **options)
    same = ss.path(whole, kind if binomial else Y, **options)
    assert fit.gaps.max() <= 1e-7 and fit.feature_names.tolist() == whole.names.tolist()
    np.testing.assert_allclose(fit.predict(design).compute(), same.predict(whole), atol=2e-3)
    later = fit.predict(frame, 0.05)  # by names, gaps and categories as they are
    np.testing.assert_allclose(later.compute(), same.predict(TABLE, 0.05), atol=2e-3)
    offset = np.arange(float(N))
    moved = ss.path(design, y, offset=offset / N, **options)
    moved = moved.predict(frame, 0.05, offset=offset)
    assert moved.shape == (N,)
    cv, held = (ss.cv_path(*data, n_folds=3, seed=0, **options)
                for data in ((design, y), (whole, kind if binomial else Y)))  # fmt: skip
    np.testing.assert_allclose(cv.mean, held.mean, rtol=2e-3)
    np.testing.assert_allclose(cv.predict(frame).compute(), held.predict(TABLE), atol=2e-3)


def test_what_comes_after_a_path_takes_raw_frames():
    fit = ss.path(ss.make_design(FRAME[FEATURES]), FRAME.y, n_lambdas=8, lambda_min_ratio=0.05)
    whole = ss.path(ss.make_design(TABLE), Y, n_lambdas=8, lambda_min_ratio=0.05)
    more = fit.extend(FRAME, FRAME.y, n_lambdas=1)
    assert len(more.lambdas) == 9 and more.gaps.max() <= 1e-7
    found = ss.relax(fit, FRAME, FRAME.y).coef(0.1)
    np.testing.assert_allclose(found, ss.relax(whole, TABLE, Y).coef(0.1), atol=1e-7)
    found = ss.assess(fit, FRAME, FRAME.y)["mse"]
    np.testing.assert_allclose(found, ss.assess(whole, TABLE, Y)["mse"], rtol=1e-6)


def test_a_model_of_a_frame_is_saved_with_its_encoding(tmp_path):
    fit = ss.path(ss.make_design(FRAME[FEATURES]), FRAME.y, n_lambdas=5)
    ss.save(fit, tmp_path / "model.npz")
    again = ss.load(tmp_path / "model.npz")
    assert (again.predict(TABLE, 0.1) == fit.predict(TABLE, 0.1)).all()


def test_a_frame_of_numbers_needs_no_encoding():
    numbers, columns = FRAME.assign(age=FRAME.age.fillna(0.0)), ["smoker", "age"]
    fit = ss.path(numbers[columns], FRAME.y, weights=numbers.age.abs() + 1.0, n_lambdas=5)
    table = TABLE.fillna({"age": 0.0})
    whole = ss.path(table[columns], Y, weights=table.age.abs() + 1.0, n_lambdas=5)
    np.testing.assert_allclose(fit.coefs.toarray(), whole.coefs.toarray(), atol=1e-9)
    assert fit.feature_names.tolist() == columns
    found = fit.predict(numbers, 0.1)  # the columns by their names
    np.testing.assert_allclose(found.compute(), whole.predict(table, 0.1), atol=1e-8)
    with pytest.raises(ValueError, match=r"partition . .*missing value at row .* 'colour'"):
        ss.path(numbers[["age", "colour"]], FRAME.y)


def test_rows_on_workers_stay_there(cluster):
    design = ss.make_design(FRAME[FEATURES]).persist()
    fit = ss.path(design, FRAME.y > 5, family="binomial", n_lambdas=5)
    whole = ss.path(ss.make_design(TABLE), Y > 5, family="binomial", n_lambdas=5)
    np.testing.assert_allclose(fit.predict(TABLE), whole.predict(TABLE), atol=2e-3)


def test_what_is_not_clear_is_refused():
    late = TABLE[["smoker"]].assign(age=np.where(np.arange(N) == 98, np.nan, 1.0))
    with pytest.raises(ValueError, match="'age' is missing in row 98 "):
        ss.make_design(dd.from_pandas(late, npartitions=4), missing="error")
    with pytest.raises(TypeError, match="a formula needs its table in memory, not a dask"):
        ss.path("y ~ age", data=FRAME)
    mixed = FRAME.map_partitions(
        lambda part: part[["age"]] if part.index[0] else part[["age"]].map(str),
        meta=FRAME[["age"]]._meta,
    )
    with pytest.raises(ValueError, match="'age' holds numbers in some partitions and categories"):
        ss.make_design(mixed)
    with pytest.raises(ValueError, match="'place' is missing in every row"):
        ss.make_design(FRAME.partitions[:2])
    with pytest.raises(TypeError, match="dask Array, not a DataFrame"):
        ss.make_design(FRAME[["age"]].to_dask_array(lengths=True))
    with pytest.raises(ValueError, match="no column 'age'"):
        ss.make_design(FRAME[FEATURES]).encode(FRAME[["colour"]])
    design = ss.make_design(FRAME[FEATURES])
    other = design.encode(FRAME.assign(colour="pink"))
    with pytest.raises(ValueError, match="partition . .*'colour' holds 'pink'"):
        other.matrix.compute()
    for X in (design, FRAME):
        with pytest.raises(TypeError, match="only path, cv_path and what they return take"):
            ss.lars_path(X, FRAME.y)
