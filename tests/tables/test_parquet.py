"""Parquet files: numbers of either size, labels, and what is said of missing cells."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsesolve.tables import read_table


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


def test_parquet_that_is_wrong(tmp_path, written, refused):
    path = parquet_file(tmp_path / "d.pq", a=["u", "v"], b=[1.0, None], c=[0.0, np.nan], y=[1, 2])
    refused(path, "column 'a' holds .*string", "y", drop=["b", "c"])
    refused(path, "row 2, column 'b': the cell is empty", "y", drop=["a", "c"])
    refused(path, "row 2, column 'c': nan is not finite", "y", drop=["a", "b"])
    refused(path, "no column is named 'd'", "y", drop=["d"])
    refused(written("no parquet", "e.parquet"), "not a Parquet file", "y")


def test_parquet_without_pyarrow(written, refused, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    refused(written("", "d.parquet"), "needs pyarrow", "y")
