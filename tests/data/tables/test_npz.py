"""Arrays in .npz files: dense, or the parts of a sparse matrix, and all else refused."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from sparsesolve.data.tables import read_table


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


def test_npz_as_scipy_saves_it_with_y_in_it(tmp_path, refused):
    X = sparse.csr_matrix(np.eye(3))
    sparse.save_npz(tmp_path / "x.npz", X)
    with np.load(tmp_path / "x.npz") as parts:
        np.savez(tmp_path / "xy.npz", y=np.arange(3), **parts)
    assert_array_equal(read_table(tmp_path / "xy.npz").X.toarray(), np.eye(3))
    refused(tmp_path / "x.npz", "no array is named 'y'")


def test_npz_that_is_wrong(tmp_path, written, refused):
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
    parts = dict(data=[1.0], indices=[10**6], indptr=[0, 1, 1], shape=[2, 2], y=[1, 2])
    np.savez(tmp_path / "h.npz", feature_names=["a", "b"], **parts)
    refused(tmp_path / "h.npz", r"indices\[0\] is 1000000", drop=["a"])
    np.save(tmp_path / "g", np.eye(2))
    (tmp_path / "g.npy").rename(tmp_path / "g.npz")
    refused(tmp_path / "g.npz", "npz")


@pytest.mark.parametrize("named", [True, False])
def test_npz_of_these_features_and_marks(tmp_path, refused, named):
    path, X = tmp_path / "d.npz", np.arange(6.0).reshape(2, 3)
    names = {"feature_names": np.array(["a", "b", "c"])} if named else {}
    np.savez(path, X=X, kind=["u", "v"], part=[1, 2], **names)
    table = read_table(path, features=["c", "a"] if named else None, response=["part", "part"],
                       marks={"strata": "kind"})  # fmt: skip
    assert_array_equal(table.X, X[:, [2, 0]] if named else X)
    assert table.marks["strata"].tolist() == ["u", "v"]
    assert_array_equal(table.y, [[1, 1], [2, 2]])
    if named:
        assert table.feature_names.tolist() == ["c", "a"]
        assert read_table(path, features=["b"]).y is None
        refused(path, "no column is named 'q'; there are 'a', 'b', 'c'$", features=["b", "q"])
        refused(path, "no column is named 'q', so it cannot be dropped$", "part", drop=["q"])


def test_npz_square_sparse_is_read_by_rows_unless_it_says_otherwise(tmp_path):
    X = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    given = dict(data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=[1, 2])
    np.savez(tmp_path / "a.npz", **given)
    assert_array_equal(read_table(tmp_path / "a.npz").X.toarray(), X.toarray())
    np.savez(tmp_path / "b.npz", format="csc", **given)
    assert_array_equal(read_table(tmp_path / "b.npz").X.toarray(), X.toarray().T)


@pytest.mark.parametrize("changed, words", [
    ({"format": "coo"}, r"a sparse matrix of format 'coo' and shape \(2, 2\); save it as CSR"),
    ({"shape": [2, 2, 1]}, r"a sparse matrix of format 'csr' and shape \(2, 2, 1\); save it as"),
    ({"feature_names": ["a", "b", "c"]},
     r"feature_names has shape \(3,\), X has shape \(2, 2\)"),
    ({"X": np.ones(2), "feature_names": ["a", "b"]},
     r"feature_names has shape \(2,\), X has shape \(2,\)"),
])  # fmt: skip
def test_npz_parts_that_do_not_fit(tmp_path, refused, changed, words):
    given = dict(data=[1.0], indices=[0], indptr=[0, 1, 1], shape=[2, 2], y=[1, 2])
    np.savez(tmp_path / "d.npz", **{**given, **changed})
    refused(tmp_path / "d.npz", words)


def test_npz_without_one_part(tmp_path, refused):
    for name in ("data", "indices", "indptr", "shape"):
        given = dict(data=[1.0], indices=[0], indptr=[0, 1, 1], shape=[2, 2])
        del given[name]
        np.savez(tmp_path / "d.npz", **given)
        refused(tmp_path / "d.npz", "neither X nor the parts data, indices, indptr, shape of a")
