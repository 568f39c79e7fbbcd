"""Files of text and gaps beside numbers: what becomes of each column, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pandas")
from sparsesolve.data.tables.mixed import read_mixed  # noqa: E402

TEXT = """y,age,ward,note
1.5,31,east,a
2.5,,west,b
3.5,59,east,c
4.5,45,,d
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TEXT)
    return path


def read(path, **options):
    options = {"response": ["y"], "weights": None, "offset": None, "drop": ("note",), **options}
    return read_mixed(Path(path), "csv", **options)


def test_text_becomes_categories_and_gaps_means_and_both_are_said(file):
    table, notes = read(file)
    assert table.feature_names.tolist() == ["age", "ward=west"]
    np.testing.assert_allclose(np.asarray(table.X), [[31, 0], [45, 1], [59, 0], [45, 1 / 3]])
    np.testing.assert_array_equal(table.y, [1.5, 2.5, 3.5, 4.5])
    said = " ".join(notes)
    assert "ward" in said and "age" in said


def test_gaps_are_refused_where_that_is_asked_for(file):
    with pytest.raises(ValueError, match="'age' is missing in row 1"):
        read(file, missing="error")


def test_an_encoder_makes_the_columns_of_the_model(file, tmp_path):
    design = read(file)[0].X
    (tmp_path / "new.csv").write_text("ward,age,other\nwest,20,x\neast,,y\n")
    table, _ = read(tmp_path / "new.csv", response=[], drop=(), encoder=design)
    np.testing.assert_allclose(np.asarray(table.X), [[20, 1], [45, 0]])
    assert table.y is None


def test_columns_by_name_are_numbers_alone(file):
    with pytest.raises(ValueError, match="row 2, column 'age': the cell is empty"):
        read(file, response=[], drop=(), features=["age"])
    table, _ = read(file, response=[], drop=(), features=["y"])
    np.testing.assert_array_equal(table.X, [[1.5], [2.5], [3.5], [4.5]])


def test_a_slip_among_numbers_and_too_many_texts_are_named(tmp_path):
    lines = [f"{k},{'oops' if k == 7 else k},w{k}" for k in range(300)]
    (tmp_path / "t.csv").write_text("y,a,b\n" + "\n".join(lines) + "\n")
    with pytest.raises(ValueError, match="row 8, column 'a': 'oops' is not a number"):
        read(tmp_path / "t.csv", drop=("b",))
    with pytest.raises(ValueError, match="column 'b' holds 300 different texts in 300 rows"):
        read(tmp_path / "t.csv", drop=("a",))


def test_labels_and_marks_stay_text(file):
    table, _ = read(file, response=["note"], drop=("ward",), labels=True, marks={"strata": "y"})
    assert table.y.tolist() == ["a", "b", "c", "d"]
    assert table.feature_names.tolist() == ["age"]
    assert len(table.marks["strata"]) == 4
    with pytest.raises(ValueError, match="row 4, column 'ward': the cell is empty"):
        read(file, response=["ward"], labels=True)
