"""CSV: read as written by whatever program, and one sentence for everything that is wrong."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsesolve.tables import read_table

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
def test_csv_that_is_wrong(written, refused, text, words):
    refused(written(text), words, "y")


def test_csv_parts_that_are_wrong(written, refused):
    path = written(PLAIN)
    refused(path, "say which column to fit")
    refused(path, "'age' is given two parts", "y", "age", "age")
    refused(path, "'y' is given two parts", "y", None, None, ["y"])
    refused(path, "no column is named 'weight'", "y", "weight")
    refused(written(PLAIN.replace("age", "\xe5ge"), encoding="latin-1"), "UTF-8", "y")
