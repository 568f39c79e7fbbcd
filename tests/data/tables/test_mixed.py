"""Files of text and gaps beside numbers: what becomes of each column, and what is refused."""

import numpy as np
import pytest

from sparsesolve.data.tables import read_blocks, read_table

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
    options = {"response": ["y"], "drop": ("note",), **options}
    return read_table(path, layout="csv", **options)


def test_text_becomes_categories_and_gaps_means_and_both_are_said(file):
    table = read(file)
    assert table.feature_names.tolist() == ["age", "ward=west"]
    np.testing.assert_allclose(np.asarray(table.X), [[31, 0], [45, 1], [59, 0], [45, 1 / 3]])
    np.testing.assert_array_equal(table.y, [1.5, 2.5, 3.5, 4.5])
    said = " ".join(table.notes)
    assert "ward" in said and "age" in said


def test_an_encoder_makes_the_columns_of_the_model(file, tmp_path):
    design = read(file).X
    (tmp_path / "new.csv").write_text("ward,age,other\nwest,20,x\neast,,y\n")
    table = read(tmp_path / "new.csv", response=[], drop=(), encoder=design)
    np.testing.assert_allclose(np.asarray(table.X), [[20, 1], [45, 0]])
    assert table.y is None


def test_columns_by_name_are_numbers_alone(file):
    with pytest.raises(ValueError, match="row 2., column 'age': the cell holds no value"):
        read(file, response=[], drop=(), features=["age"])
    table = read(file, response=[], drop=(), features=["y"])
    np.testing.assert_array_equal(table.X, [[1.5], [2.5], [3.5], [4.5]])


def test_labels_and_marks_stay_text(file):
    table = read(file, response=["note"], drop=("ward",), labels=True, marks={"strata": "y"})
    assert table.y.tolist() == ["a", "b", "c", "d"]
    assert table.feature_names.tolist() == ["age"]
    assert len(table.marks["strata"]) == 4
    with pytest.raises(ValueError, match="row 4., column 'ward': the cell holds no value"):
        read(file, response=["ward"], labels=True)


def test_blocks_are_the_rows_of_the_whole(file, tmp_path, monkeypatch):
    """However a file is cut, also within quotes; levels and numbers come late, in other marks."""
    rng = np.random.default_rng(0)
    age, ward = rng.normal(size=400).round(2), rng.choice(["e, 1", 'the "w"', "n\ns", "7"], 400)
    ward[:350][ward[:350] == "n\ns"] = "7"
    lines = [f'{x:.2f}'.replace(".", ",") + ";" + '"' + w.replace('"', '""') + '"' + f";{k}"
             for k, (x, w) in enumerate(zip(age, ward, strict=True))]  # fmt: skip
    lines[17] = ";NA;17"
    (tmp_path / "c.csv").write_text("age;ward;y\n" + "\n".join(lines))
    found = []
    for size in (40, 333, 1 << 20):
        monkeypatch.setattr("sparsesolve.data.tables.cells.BLOCK", size)
        monkeypatch.setattr("sparsesolve.data.tables.cells.LINES", 1)
        table = read(tmp_path / "c.csv", drop=())
        blocks = list(read_blocks(tmp_path / "c.csv", encoder=table.X, response=["y"]))
        assert len(blocks) < 3 or size < 1000
        assert table.feature_names.tolist() == [
            "age", "ward=7", "ward=e, 1", "ward=n\ns", 'ward=the "w"']
        np.testing.assert_array_equal(np.delete(table.X.matrix[:, 0], 17), np.delete(age, 17))
        for part, whole in ((np.concatenate([block.X.matrix for block in blocks]), table.X.matrix),
                            (np.concatenate([block.y for block in blocks]), table.y)):
            np.testing.assert_array_equal(part, whole)
        found.append(table)
    for other in found[1:]:
        np.testing.assert_array_equal(other.X.matrix, found[0].X.matrix)
    (tmp_path / "c.csv").write_text("age;ward;y\n" + "\n".join(lines).replace("e, 1", "new"))
    with pytest.raises(ValueError, match="column 'ward': 'new' is none of the 4 levels"):
        list(read_blocks(tmp_path / "c.csv", encoder=table.X))


def test_a_column_that_shows_late_that_it_is_text_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("sparsesolve.data.tables.cells.BLOCK", 100)
    cells = ["01", "1", "2"] * 100 + ["x"] * 400
    lines = "".join(f"{cell},{k}\n" for k, cell in enumerate(cells))
    (tmp_path / "t.csv").write_text("code,y\n" + lines)
    assert read(tmp_path / "t.csv", drop=()).feature_names.tolist() == [
        "code=01", "code=1", "code=2", "code=x"]
    (tmp_path / "t.csv").write_text("code,y\n" + lines.replace("x,", '"1,5",'))
    X = read(tmp_path / "t.csv", drop=()).X
    assert isinstance(X, np.ndarray) and X[-1, 0] == 1.5


def test_a_gap_that_is_refused_is_named_by_line_and_mark(file, tmp_path):
    (tmp_path / "t.csv").write_text("y,a\n1,2\n2,?\n3,4\n")
    with pytest.raises(ValueError, match=r"line 3 .row 2., column 'a': .* no value .'\?'.; fill"):
        read(tmp_path / "t.csv", drop=(), missing="error")
