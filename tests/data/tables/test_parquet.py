"""Parquet files: numbers of either size, labels, and what is said of missing cells."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsesolve.data.tables import read_table


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
    refused(path, "row 2, column 'b': the cell holds no value", "b", drop=["a", "c"])
    refused(path, "row 1, column 'a': 'u' is not a number; .*--family binomial", "a")
    refused(path, "no column is named 'd'", "y", drop=["d"])
    refused(written("no parquet", "e.parquet"), "not a Parquet file", "y")
    path = parquet_file(tmp_path / "g.pq", a=[1.0, 2.0, np.inf], b=[1, 2, 3],
                        y=["u", None, None], z=[*"uvw"])  # fmt: skip
    refused(path, "row 2, column 'y': the cell holds no value; fill it or drop the row$", "y",
            labels=True, drop=["a", "z"])
    refused(path, "row 3, column 'a': inf is not finite; fill it, drop the row, or leave the "
            "column out with --drop$", "z", labels=True, drop=["y"])  # fmt: skip
    whole = path.read_bytes()
    for end in (20, len(whole) // 2):
        (tmp_path / "f.parquet").write_bytes(whole[:end])
        refused(tmp_path / "f.parquet", "not a Parquet file", "y")


def test_parquet_of_other_types(tmp_path, refused):
    pa = pytest.importorskip("pyarrow")
    from datetime import date
    from decimal import Decimal

    columns = {
        "ok": pa.array([True, None, False]), "share": pa.array([Decimal("1.5"), None, Decimal(2)]),
        "ward": pa.array(["u", "v", "u"]).dictionary_encode(), "y": [1, 2, 3],
        "day": [date(2026, 1, 2)] * 3, "embedding": [[1.0, 2.0]] * 3, "point": [{"a": 1}] * 3,
        "none": pa.nulls(3),
    }  # fmt: skip
    path = parquet_file(tmp_path / "d.parquet", **columns)
    others = ["day", "embedding", "point", "none"]
    table = read_table(path, "y", drop=others)
    assert table.feature_names.tolist() == ["ok", "share", "ward=v"]
    assert_array_equal(table.X.matrix, [[1, 1.5, 0], [0.5, 1.75, 1], [0, 2, 0]])
    kinds = {"day": "date32", "embedding": "list<.*double>", "point": "struct<.*>"}
    for name, kind in kinds.items():
        rest = [other for other in others if other != name]
        refused(path, f"column '{name}' holds {kind}.*, neither numbers nor text; .*--drop", "y",
                drop=rest)
    refused(path, "column 'none' is missing in every row", "y", drop=others[:3])


def test_parquet_without_pyarrow(written, refused, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    refused(written("", "d.parquet"), "needs pyarrow", "y")


def test_parquet_labels_marks_and_features(tmp_path):
    path = parquet_file(tmp_path / "d.parquet", a=[1.0, 2.0], b=[3, 4], y=["no", "yes"],
                        s=["u", "v"], k=[7, 8], o=[0.5, 1.0])  # fmt: skip
    table = read_table(path, "y", offset="o", labels=True, marks={"strata": "s", "fold": "k"})
    assert table.y.tolist() == ["no", "yes"] and table.marks["strata"].tolist() == ["u", "v"]
    assert table.marks["fold"].tolist() == [7, 8] and table.marks["fold"].dtype.kind == "i"
    assert_array_equal(table.X, [[1, 3], [2, 4]])
    assert_array_equal(table.offset, [0.5, 1.0])
    some = read_table(path, features=["b", "a"])
    assert some.y is None and some.feature_names.tolist() == ["b", "a"]
    assert_array_equal(some.X, [[3, 1], [4, 2]])
    both = read_table(path, ["b", "a"], features=["k"])
    assert_array_equal(both.y, [[3, 1], [4, 2]])
