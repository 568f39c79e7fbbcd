"""The quick reader gives what numpy's gives, or leaves the file to it."""

import numpy as np
import pytest

from sparsesolve.data.tables import quick_numbers as module
from sparsesolve.data.tables import read_table

pytest.importorskip("pandas")


@pytest.fixture
def both(monkeypatch, tmp_path):
    """A function of text that reads it with and without the quick reader."""
    tried = []
    quick = module.quick_numbers

    def watched(*args):
        tried.append(quick(*args))
        return tried[-1]

    def read(text, **options):
        file = tmp_path / "data.csv"
        file.write_text(text)
        found = []
        for enough in (0, 1 << 60):
            monkeypatch.setattr(module, "ENOUGH", enough)
            monkeypatch.setattr("sparsesolve.data.tables.delimited.quick_numbers", watched)
            try:
                found.append(read_table(file, "y", **options))
            except ValueError as error:
                found.append(str(error))
        return (*found, tried[-2] is not None)

    return read


def test_numbers_are_the_nearest_floats(both):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3)) * 10.0 ** rng.integers(-300, 300, size=(300, 3))
    lines = "\n".join(",".join(map(repr, row)) for row in values.tolist())
    first, second, quick = both(f"y,a,b\n{lines}\n")
    assert quick
    np.testing.assert_array_equal(first.X, values[:, 1:])
    np.testing.assert_array_equal(first.y, values[:, 0])
    np.testing.assert_array_equal(first.X, second.X)
    assert first.X.flags.f_contiguous


@pytest.mark.parametrize("text, quick", [
    ("y,a\n1, 2\n 3,4 \n", True), ('y,a\n"1","2"\n', True), ("y,a\n1,2\n\n3,4\n", True),
    ("y,a\r\n1,2\r\n3,4", True), ("y;a\n1;0\n2;1\n", True), ("y\ta\n+1\t-.5\n", True),
    ("y,a\n1,0\n0,1\n", True), ("y,a\n1,1e-400\n", True), ("y,a,drop\n1,2,x\n3,4,\n", True),
    ("y,a\n1,2\n3\n", False), ("y,a\n1,2,3\n4,5,6\n", False), ("y,a\n1,2\n3,4,5\n", False),
    ("y,a\n1,\n2,3\n", False), ("y,a\nTrue,2\n", False), ("y,a\n1,0\n2,false\n", False),
    ("y,a\n1,1_0\n", False), ("y,a\n1,NA\n", False), ("y,a\n1,#2\n", False),
    ("y,a\n1,inf\n", True), ("y,a\n1,1e400\n", True),  # refused afterwards
])  # fmt: skip
def test_what_one_reads_and_refuses_so_does_the_other(text, quick, both):
    drop = ("drop",) if "drop" in text else ()
    first, second, taken = both(text, drop=drop)
    assert taken == quick
    if isinstance(second, str):
        assert first == second
        return
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)
    assert first.feature_names.tolist() == second.feature_names.tolist()


def test_labels_are_those_of_the_other_reader(both):
    text = "y,a,place\nyes,1,north\nno,2, south\nyes,3,north \n"
    for options in ({"labels": True, "drop": ("place",)},
                    {"labels": True, "marks": {"strata": "place"}}):  # fmt: skip
        first, second, quick = both(text, **options)
        assert quick and first.y.tolist() == second.y.tolist() == ["yes", "no", "yes"]
        np.testing.assert_array_equal(first.X, second.X)
        for name, values in first.marks.items():
            assert values.tolist() == second.marks[name].tolist() == ["north", "south", "north"]
    first, second, quick = both("y,a\nyes,1\n,2\n", labels=True)
    assert quick and first == second and "the cell is empty" in first
