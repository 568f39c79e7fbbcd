"""Data files: every format read as written, and one sentence for everything that is wrong."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from random_sparse import random_csc
from scipy import sparse

from sparsesolve.tables import read_table


@pytest.fixture
def written(tmp_path):
    """Write a text file and return its path."""

    def write(text, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


def refused(path, words, *args, **options):
    """Check that reading fails with one line that begins with the file and matches `words`."""
    with pytest.raises(ValueError, match=words) as caught:
        read_table(path, *args, **options)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


# CSV

PLAIN = "age,y,bmi\n50,1.5,20\n60,-2,2.5e1\n70,3,30\n"


def test_csv(written):
    table = read_table(written(PLAIN), "y")
    assert_array_equal(table.X, [[50, 20], [60, 25], [70, 30]])
    assert table.X.flags.f_contiguous and table.X.dtype == np.float64
    assert_array_equal(table.y, [1.5, -2, 3])
    assert table.feature_names.tolist() == ["age", "bmi"]
    assert table.weights is None and table.offset is None


def test_csv_weights_offset_and_dropped_text(written):
    text = "id,w,o,u,y\nfirst one,1,10,3,5\n,2,20,4,6\n"
    table = read_table(written(text), "y", "w", "o", ["id"])
    assert_array_equal(table.weights, [1, 2])
    assert_array_equal(table.offset, [10, 20])
    assert_array_equal(table.X, [[3], [4]])


@pytest.mark.parametrize(
    "text, name",
    [
        (PLAIN.replace(",", ";"), "data.csv"),
        (PLAIN.replace(",", "\t"), "data.tsv"),
        (PLAIN.replace("\n", "\r\n"), "data.csv"),
        ("\ufeff" + PLAIN, "data.csv"),
        ('"age","y","bmi"\n"50","1.5","20"\n60,"-2",25\n70, 3 , 30\n', "data.txt"),
        (PLAIN + "\n\n", "data.csv"),
        (PLAIN.rstrip("\n"), "DATA.CSV"),
        ('"","age","y","bmi"\n"a b",50,1.5,20\n"c",60,-2,25\n"d",70,3,30\n', "from_R.csv"),
    ],
    ids=[
        "semicolons",
        "tabs",
        "crlf",
        "bom",
        "quotes",
        "blank lines",
        "no last newline",
        "labels",
    ],
)
def test_csv_as_other_programs_write_it(written, text, name):
    table = read_table(written(text, name), "y")
    assert_array_equal(table.X, [[50, 20], [60, 25], [70, 30]])
    assert_array_equal(table.y, [1.5, -2, 3])
    assert table.feature_names.tolist() == ["age", "bmi"]


def test_csv_names_with_commas_and_accents(written):
    table = read_table(written('"a, b",é#2,y\n1,2,3\n'), "y")
    assert table.feature_names.tolist() == ["a, b", "é#2"]


def test_wide_csv(written):
    p = 20_000
    header = ",".join(f"x{j}" for j in range(p))
    row = ",".join(map(str, range(p)))
    table = read_table(written(f"{header},y\n{row},1\n{row},2\n"), "y")
    assert table.X.shape == (2, p) and table.X[1, -1] == p - 1


@pytest.mark.parametrize(
    "text, words",
    [
        ("a,y\n1,2\nx,3\n", r"line 3 \(row 2\), column 'a': 'x' is not a number.*--drop"),
        ("a,y\n\n1,2\n1,\n", r"line 4 \(row 2\), column 'y': the cell is empty"),
        ("a,y\n1,NA\n", "line 2 .*'NA' is not a number"),
        ("a,y\n1,2\nnan,2\n", r"line 3 .*column 'a': 'nan' is not finite"),
        ("a,y\n1,2\n1e999,2\n", "line 3 .*not finite"),
        ("a,y\n1_000,2\n", "'1_000' is not a number"),
        ("a,y\n1,2\n1\n", r"line 3 \(row 2\) has 1 cells, the header has 2"),
        ("a,y\n1,2,3\n1,2,3\n", r"line 2 \(row 1\) has 3 cells, the header has 2"),
        ("a,y\n", "no rows"),
        ("", "empty"),
        ("1,2\n3,4\n", "first line holds numbers"),
        ("a,a,y\n1,2,3\n", "two columns are named 'a'"),
        ("a,,y\n1,2,3\n", "column 2 has no name"),
        ("a,yy\n1,2\n", "no column is named 'y'; did you mean 'yy'"),
        ("abc,def\n1,2\n", "no column is named 'y'; there are 'abc', 'def'"),
        ("y\n1\n", "no column is left for X"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_csv_that_is_wrong(written, text, words):
    refused(written(text), words, "y")


def test_csv_parts_that_are_wrong(written):
    path = written(PLAIN)
    refused(path, "say which column to fit")
    refused(path, "'age' is given two parts", "y", "age", "age")
    refused(path, "'y' is given two parts", "y", None, None, ["y"])
    refused(path, "no column is named 'weight'", "y", "weight")
    refused(written(PLAIN.replace("age", "\xe5ge"), encoding="latin-1"), "UTF-8", "y")


# SVMlight


def test_svmlight(written):
    text = "# made by hand\n1 1:0.5 3:2 # first\n-1\n\n+2.5 qid:7 2:1e-3\n"
    table = read_table(written(text, "data.svm"))
    assert sparse.issparse(table.X)
    assert_array_equal(table.X.toarray(), [[0.5, 0, 2], [0, 0, 0], [0, 1e-3, 0]])
    assert_array_equal(table.y, [1, -1, 2.5])
    assert table.feature_names.tolist() == ["1", "2", "3"]


def test_svmlight_from_zero_and_dropped(written):
    path = written("1 0:5 2:6\n2 1:7\n", "data.libsvm")
    table = read_table(path)
    assert_array_equal(table.X.toarray(), [[5, 0, 6], [0, 7, 0]])
    assert table.feature_names.tolist() == ["0", "1", "2"]
    assert_array_equal(read_table(path, drop=["1"]).X.toarray(), [[5, 6], [0, 0]])
    refused(path, "no feature has the number '9'", drop=["9"])


def test_svmlight_agrees_with_scikit_learn(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets")
    rng = np.random.default_rng(0)
    X = random_csc((50, 30), 0.2, rng).tocsr()
    datasets.dump_svmlight_file(X, rng.normal(size=50), str(tmp_path / "d.svm"), zero_based=False)
    theirs, y = datasets.load_svmlight_file(str(tmp_path / "d.svm"))
    table = read_table(tmp_path / "d.svm")
    assert_array_equal(table.X.toarray(), theirs.toarray())
    assert_array_equal(table.y, y)


@pytest.mark.parametrize(
    "text, words",
    [
        ("1 1:2\nx 1:2\n", "line 2: 'x' is not a number"),
        ("1 1:2 3\n", "line 1: '3' is not index:value"),
        ("1 1:2\n1 a:2\n", "line 2: 'a:2' is not index:value"),
        ("1 1:2:3\n", "'1:2:3' is not index:value"),
        ("1 1:\n", "'1:' is not index:value"),
        ("1 99999999999999999999999:1\n", "is not index:value"),
        ("1 1:1\n1 99999999999:1\n", "row 2: entry 99999999999:1.0 has no place"),
        ("1 -1:1\n", "row 1: entry -1:1.0"),
        ("1 1:1\n\n1 2:nan\n", "row 2: entry 2:nan"),
        ("inf 1:1\n", "row 1: the response is inf"),
        ("1\n2\n", "no columns"),
        ("# nothing\n", "no rows"),
    ],
)
def test_svmlight_that_is_wrong(written, text, words):
    refused(written(text, "data.svmlight"), words)


def test_svmlight_has_no_columns_by_name(written):
    refused(written("1 1:1\n", "data.svm"), "leave out --weights", weights="w")


# npz


def test_npz_dense(tmp_path):
    path, X = tmp_path / "d.npz", np.arange(6, dtype=np.float32).reshape(3, 2)
    np.savez(path, X=X, y=[1, 2, 3], z=[4, 5, 6], w=[1, 1, 2], feature_names=["a", "b"])
    table = read_table(path)
    assert_array_equal(table.X, X)
    assert table.X.dtype == np.float32 and table.feature_names.tolist() == ["a", "b"]
    assert_array_equal(table.y, [1, 2, 3])
    table = read_table(path, "z", weights="w", offset="y", drop=["a"])
    assert_array_equal(table.y, [4, 5, 6])
    assert_array_equal(table.weights, [1, 1, 2])
    assert_array_equal(table.offset, [1, 2, 3])
    assert_array_equal(table.X, X[:, 1:])


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("named", [True, False])
def test_npz_sparse(tmp_path, kind, named):
    X = kind(np.array([[1.0, 0, 2], [0, 0, 3]]))
    parts = dict(data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=[1, 2])
    if named:
        parts["format"] = X.format.encode()
    np.savez(tmp_path / "d.npz", feature_names=["a", "b", "c"], **parts)
    table = read_table(tmp_path / "d.npz")
    assert table.X.format == X.format
    assert_array_equal(table.X.toarray(), X.toarray())
    assert_array_equal(
        read_table(tmp_path / "d.npz", drop=["b"]).X.toarray(), X.toarray()[:, [0, 2]]
    )


def test_npz_as_scipy_saves_it_with_y_in_it(tmp_path):
    X = sparse.csr_matrix(np.eye(3))
    sparse.save_npz(tmp_path / "x.npz", X)
    with np.load(tmp_path / "x.npz") as parts:
        np.savez(tmp_path / "xy.npz", y=np.arange(3), **parts)
    assert_array_equal(read_table(tmp_path / "xy.npz").X.toarray(), np.eye(3))
    refused(tmp_path / "x.npz", "no array is named 'y'")


def test_npz_that_is_wrong(tmp_path, written):
    np.savez(tmp_path / "a.npz", A=np.eye(2))
    refused(tmp_path / "a.npz", "neither X nor the parts")
    np.savez(tmp_path / "b.npz", X=np.eye(2), y=[1, 2], feature_names=["a"])
    refused(tmp_path / "b.npz", "feature_names has shape")
    np.savez(tmp_path / "c.npz", X=np.eye(2), y=[1, 2])
    refused(tmp_path / "c.npz", "no column is named 'a'", drop=["a"])
    refused(tmp_path / "c.npz", "no array is named 'z'; there are 'X', 'y'", "z")
    np.savez(tmp_path / "d.npz", X=np.array([{}]), y=[1])
    refused(tmp_path / "d.npz", "[Oo]bject arrays")
    refused(written("no zip", "e.npz"), "npz")
    refused(written("", "f.npz"), "npz")
    whole = (tmp_path / "c.npz").read_bytes()
    (tmp_path / "c.npz").write_bytes(whole.replace(np.eye(2).tobytes(), b"\x01" * 32))
    refused(tmp_path / "c.npz", "damaged")
    np.save(tmp_path / "g", np.eye(2))
    (tmp_path / "g.npy").rename(tmp_path / "g.npz")
    refused(tmp_path / "g.npz", "npz")


def test_npz_corrupt_indices_do_not_crash(tmp_path):
    np.savez(
        tmp_path / "d.npz",
        data=[1.0],
        indices=[10**6],
        indptr=[0, 1, 1],
        shape=[2, 2],
        y=[1, 2],
        feature_names=["a", "b"],
    )
    with pytest.raises(ValueError):
        read_table(tmp_path / "d.npz", drop=["a"])


# Parquet


def parquet_file(path, **columns):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table(columns), path)
    return path


def test_parquet(tmp_path):
    small = {name: np.array([1, 2], dtype=np.float32) for name in "ab"}
    path = parquet_file(tmp_path / "d.parquet", **small, y=[3, 4], text=["u", None], w=[1.0, 2.0])
    table = read_table(path, "y", weights="w", drop=["text"])
    assert_array_equal(table.X, [[1, 1], [2, 2]])
    assert table.X.dtype == np.float32 and table.X.flags.f_contiguous
    assert_array_equal(table.y, [3, 4])
    assert_array_equal(table.weights, [1, 2])
    assert table.feature_names.tolist() == ["a", "b"]
    mixed = read_table(path, "w", drop=["text"])
    assert mixed.X.dtype == np.float64 and mixed.feature_names.tolist() == ["a", "b", "y"]


def test_parquet_that_is_wrong(tmp_path, written):
    path = parquet_file(tmp_path / "d.pq", a=["u", "v"], b=[1.0, None], c=[0.0, np.nan], y=[1, 2])
    refused(path, "column 'a' holds .*string", "y", drop=["b", "c"])
    refused(path, "row 2, column 'b': the cell is empty", "y", drop=["a", "c"])
    refused(path, "row 2, column 'c': nan is not finite", "y", drop=["a", "b"])
    refused(path, "no column is named 'd'", "y", drop=["d"])
    refused(written("no parquet", "e.parquet"), "not a Parquet file", "y")


def test_parquet_without_pyarrow(written, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    refused(written("", "d.parquet"), "needs pyarrow", "y")


# Files


def test_layout_by_ending_or_by_name(written):
    refused(written(PLAIN, "data.dat"), "none of .csv, .*say --format", "y")
    assert read_table(written(PLAIN, "data"), "y", layout="csv").X.shape == (3, 2)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "missing.csv", "y")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OSError):
        read_table(tmp_path / "folder.csv", "y")
