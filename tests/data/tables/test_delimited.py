"""CSV: read as written by whatever program, and one sentence for everything that is wrong."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsesolve.data.tables import read_table

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
        ("", "the file is empty"),
        ("\na,y\n1,2\n", "the first line is blank; it must hold the names of the columns"),
        (" \n1,2\n", "the first line is blank"),
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


def test_csv_labels_and_marks(written):
    text = 'y,a,ward,kind\n"no",1, north ,10\nyes,2,south,9\n no,3,north,10\n'
    table = read_table(written(text), "y", labels=True, marks={"strata": "ward", "fold": "kind"})
    assert table.y.tolist() == ["no", "yes", "no"] and table.y.dtype.kind == "U"
    assert table.marks["strata"].tolist() == ["north", "south", "north"]
    assert table.marks["fold"].tolist() == [10, 9, 10] and table.marks["fold"].dtype == np.int64
    assert_array_equal(table.X, [[1], [2], [3]])
    several = read_table(written("u,v,a\n1,0.5,7\n2,1,8\n"), ["v", "u"], labels=True)
    assert_array_equal(several.y, [[0.5, 1], [1, 2]])


def test_csv_of_these_features_alone(written):
    text = ',y,c,a,b\nfirst,,7,1,x\nsecond,,8,2,y\n'
    table = read_table(written(text), features=["a", "c"])
    assert table.y is None and table.feature_names.tolist() == ["a", "c"]
    assert_array_equal(table.X, [[1, 7], [2, 8]])


def test_what_is_read_does_not_hold_the_table(written):
    table = read_table(written("a,y,w,o\n1,2,3,4\n5,6,7,8\n"), "y", "w", "o")
    for part in (table.X, table.y, table.weights, table.offset):
        assert part.base is None or part.base.size == part.size


@pytest.mark.parametrize("text, sentence", [
    ("y,a\nno,1\n,2\n", "line 3 (row 2), column 'y': the cell is empty; fill it or drop the row"),
    ("y,a\nno,1\n NaN ,2\n", "line 3 (row 2), column 'y': 'NaN' stands for a missing value; fill "
     "it or drop the row"),
    ("y,a\nno,1\nNA,x\n", "line 3 (row 2), column 'y': 'NA' stands for a missing value; fill "
     "it or drop the row"),
    (f"y,a\nno,{'x' * 50}\n", f"line 2 (row 1), column 'a': '{'x' * 40}' is not a number; "
     "fill it, drop the row, or leave the column out with --drop"),
])  # fmt: skip
def test_missing_labels(written, text, sentence):
    path = written(text)
    with pytest.raises(ValueError) as caught:
        read_table(path, "y", labels=True)
    assert str(caught.value) == f"{path}: {sentence}"


def test_missing_marks(written, refused):
    path = written("y,a,s\n1,1,u\n2,2,na\n")
    refused(path, r"line 3 .row 2., column 's': 'na' stands for a missing value; fill it or drop "
            "the row$", "y", marks={"strata": "s"})  # fmt: skip
