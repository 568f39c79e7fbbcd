"""make_design: categories, gaps, new tables, and what paths make of the result."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss

TABLE = {
    "age": [31.0, np.nan, 59.0, 30.0],
    "colour": ["red", "blue", None, "red"],
    "smokes": [True, False, False, True],
    "level": ["low", "high", "low", "high"],
}
NAMES = ["age", "colour=red", "smokes", "level=low"]
MATRIX = [
    [31, 1, 1, 1],
    [40, 0, 0, 0],
    [59, 2 / 3, 0, 1],
    [30, 1, 1, 0],
]


def pandas_frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(TABLE)


def pandas_nullable():
    return pandas_frame().convert_dtypes()


def polars_frame():
    polars = pytest.importorskip("polars")
    return polars.DataFrame({**TABLE, "age": [31.0, None, 59.0, 30.0]}).with_columns(
        polars.col("level").cast(polars.Categorical))  # fmt: skip


def arrow_table():
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table({**TABLE, "age": [31.0, None, 59.0, 30.0]})


@pytest.mark.parametrize("make", [lambda: TABLE, pandas_frame, pandas_nullable, polars_frame,
                                  arrow_table])  # fmt: skip
@pytest.mark.parametrize("as_sparse", [False, True])
def test_every_kind_of_table(make, as_sparse):
    design = ss.make_design(make(), sparse=as_sparse)
    assert sparse.issparse(design.matrix) == as_sparse
    matrix = design.matrix.toarray() if as_sparse else design.matrix
    assert design.names.tolist() == NAMES and matrix == pytest.approx(np.array(MATRIX))
    assert design.groups == ["age", "colour", "smokes", "level"]
    assert design.shape == (4, 4)


def test_a_sparse_design_is_never_dense():
    """A column of many levels took rows times levels."""
    labels = [f"l{k}" for k in np.random.default_rng(0).integers(0, 3000, 6000)]
    tracemalloc.start()
    design = ss.make_design({"a": labels}, sparse=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert design.matrix.nnz == 6000 and peak < 2e7


def test_arrays_of_objects_and_of_numbers():
    design = ss.make_design(np.array([[1, "a"], [2, "b"], [None, "a"]], dtype=object))
    assert design.names.tolist() == ["x0", "x1=b"]
    assert design.matrix[:, 0].tolist() == [1.0, 2.0, 1.5]
    assert ss.make_design(np.eye(3)).matrix.tolist() == np.eye(3).tolist()


def test_categories_keep_their_order_and_lose_what_does_not_occur():
    pandas = pytest.importorskip("pandas")
    sizes = pandas.Categorical(["L", "S", "L"], categories=["S", "M", "L"], ordered=True)
    numbers = pandas.Categorical([10, 2, 10])
    design = ss.make_design(pandas.DataFrame({"size": sizes, "code": numbers}))
    assert design.names.tolist() == ["size=L", "code=10"]
    polars = pytest.importorskip("polars")
    sizes = polars.Series(["L", "S", "L"], dtype=polars.Enum(["S", "M", "L"]))
    assert ss.make_design({"size": sizes}).names.tolist() == ["size=L"]
    assert design.matrix.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_new_tables_are_encoded_like_the_first():
    design = ss.make_design(TABLE)
    new = {"extra": [0, 0], "level": ["high", None], "colour": ["blue", "blue"],
           "smokes": [False, None], "age": [None, 20]}  # fmt: skip
    other = design.encode(new)
    assert other.names is design.names and other.groups is design.groups
    expected = [[40, 0, 0, 0], [20, 0, 0.5, 0.5]]
    assert other.matrix == pytest.approx(np.array(expected))
    assert sparse.issparse(ss.make_design(TABLE, sparse=True).encode(new).matrix)
    with pytest.raises(ValueError, match="column 'level' holds 'middle' at row 1"):
        design.encode({**new, "level": ["high", "middle"]})
    lenient = ss.make_design(TABLE, unknown="zero").encode({**new, "level": ["high", "middle"]})
    assert lenient.matrix[1, 3] == 0.5  # no nearer to one than to the other
    three = {"level": ["low", "high", "none"]}
    assert not ss.make_design(three, unknown="zero").encode({"level": ["x"]}).matrix.any()
    with pytest.raises(ValueError, match="no column 'colour'"):
        design.encode({name: new[name] for name in ("age", "level", "smokes")})
    with pytest.raises(ValueError, match="'age' holds .* numbers; .*astype.'float'"):
        design.encode({**new, "age": ["old", "young"]})


@pytest.mark.parametrize("gaps", [[None], [np.nan], [None, np.nan]])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_columns_of_gaps_alone_are_of_the_kind_of_the_first_table(gaps, as_sparse):
    design = ss.make_design({"age": [31, None, 59], "ward": ["n", "s", "n"]}, sparse=as_sparse)
    matrix = design.encode({"age": gaps, "ward": gaps}).matrix
    matrix = matrix.toarray() if as_sparse else matrix
    assert matrix == pytest.approx(np.array([[45, 1 / 3]] * len(gaps)))
    with pytest.raises(ValueError, match="'ward' holds .* categories; .*astype.'category'"):
        design.encode({"age": gaps, "ward": [1.0, *gaps][: len(gaps)]})


def test_paths_take_it_with_names_and_groups():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 90)
    table = {"noise": rng.standard_normal(90), "colour": colour, "dose": rng.uniform(size=90)}
    y = (colour == "red") * 2.0 + table["dose"] + 0.3 * rng.standard_normal(90)
    for as_sparse in (False, True):
        design = ss.make_design(table, sparse=as_sparse)
        fit = ss.path(design, y, penalty=ss.penalties.GroupL2(design.groups))
        assert fit.feature_names.tolist() == design.names.tolist()
        together = fit.coefs.toarray()[1:4] != 0.0
        assert (together.all(axis=0) | ~together.any(axis=0)).all() and together.any()
        few = design.encode({name: column[:5] for name, column in table.items()})
        assert fit.predict(few, s=0.1) == pytest.approx(fit.predict(design, s=0.1)[:5])
        cv = ss.cv_path(design, y, n_folds=3, seed=0)
        assert cv.path.feature_names[0] == "noise"


@pytest.mark.parametrize("table, options, words", [
    (TABLE, {"missing": "error"}, "column 'age' is missing in row 1"),
    ({"a": [None, None]}, {}, "column 'a' is missing in every row"),
])  # fmt: skip
def test_bad_tables_are_refused(table, options, words):
    with pytest.raises(ValueError, match=words):
        ss.make_design(table, **options)


@pytest.mark.parametrize("labels, word", [
    ([f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(84)], "dates"),
    ([f"id{k}" for k in range(84)], "an identifier"),
    (["a", "b"] * 42, None), (list("abcdefgh") * 8, None), ([f"id{k}" for k in range(9)], None),
])  # fmt: skip
def test_labels_as_many_as_rows_are_no_category(labels, word):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ss.make_design({"a": labels})
    assert [word in str(one.message) for one in seen] == [True] * (word is not None)
    assert all(one.filename == __file__ for one in seen)
