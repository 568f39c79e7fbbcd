"""CSV: read as written by whatever program, and one sentence for everything that is wrong."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsesolve.data.tables import Style, read_table

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


WRITTEN = {
    "tabs": (PLAIN.replace(",", "\t"), "data.tsv"),
    "crlf": (PLAIN.replace("\n", "\r\n"), "data.csv"),
    "bom": ("\ufeff" + PLAIN, "data.csv"),
    "quotes": ('"age","y","bmi"\n"50","1.5","20"\n60,"-2",25\n70, 3 , 30\n', "data.txt"),
    "blank lines": (PLAIN + "\n\n", "data.csv"),
    "lines of blanks": (PLAIN.replace("\n", "\n \n"), "data.csv"),
    "empty columns": (PLAIN.replace("\n", ",,\n"), "data.csv"),
    "signs of Unicode": (PLAIN.replace("50", "\xa050\xa0").replace("-2", "\u22122"), "data.csv"),
    "no last newline": (PLAIN.rstrip("\n"), "DATA.CSV"),
    "labels": ('"","age","y","bmi"\n"a b",50,1.5,20\n"c",60,-2,25\n"d",70,3,30\n', "from_R.csv"),
}


@pytest.mark.parametrize("text, name", WRITTEN.values(), ids=WRITTEN)
def test_csv_as_other_programs_write_it(written, text, name):
    table = read_table(written(text, name), "y")
    assert_array_equal(table.X, [[50, 20], [60, 25], [70, 30]])
    assert_array_equal(table.y, [1.5, -2, 3])
    assert table.feature_names.tolist() == ["age", "bmi"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be",
                                      "utf-32", "cp1252", "latin-1"])  # fmt: skip
def test_encodings_are_found(written, encoding):
    text = "größe,y,ort\n1,2,Köln\n2,3,Ulm\n3,5,Köln\n"
    table = read_table(written(text, encoding=encoding), "y")
    assert table.feature_names.tolist() == ["größe", "ort=Ulm"]
    with pytest.raises(ValueError, match="--encoding: unknown encoding: klingon"):
        read_table(written(text), "y", style=Style(encoding="klingon"))
    with pytest.raises(ValueError, match=r"not text in ASCII \(byte \d+\); say its --encoding"):
        read_table(written(text), "y", style=Style(encoding="ascii"))


def test_a_name_may_begin_like_a_comment(written):
    table = read_table(written("# made by hand\n#chrom,pos,y\n1,7,3\n2,8,4\n"), "y")
    assert table.feature_names.tolist() == ["#chrom", "pos"]
    assert_array_equal(table.X, [[1, 7], [2, 8]])


@pytest.mark.parametrize("cells, words", [
    (["12%", "7.5 %", "3%"], r"column 'a' holds percentages \('12%' in line 2 \(row 1\)\)"),
    (["$1,200.50", "$3", "EUR 7"], "holds amounts of money"),
    ([f"2026-01-{day:02d}" for day in range(1, 29)], "column 'a' holds dates .*--drop"),
    ([f"{day}.1.2026 12:00" for day in range(1, 29)], "column 'a' holds dates"),
    ([f"name {k}" for k in range(30)], "30 different texts in 30 rows"),
])  # fmt: skip
def test_text_that_is_no_category_is_named(written, refused, cells, words):
    lines = "".join(f'"{cell}",{k}\n' for k, cell in enumerate(cells))
    refused(written("a,y\n" + lines), words, "y")


def test_wide_csv(written):
    p = 20_000
    header = ",".join(f"x{j}" for j in range(p))
    row = ",".join(map(str, range(p)))
    table = read_table(written(f"{header},y\n{row},1\n{row},2\n"), "y")
    assert table.X.shape == (2, p) and table.X[1, -1] == p - 1


@pytest.mark.parametrize(
    "text, words",
    [
        ("a,y\n1,2\n2,3\nx,3\n",
         r"line 4 \(row 3\), column 'a': 'x' is not a number.*--drop"),
        ("a,y\n\n1,2\n1,\n", r"line 4 \(row 2\), column 'y': the cell holds no value"),
        ("a,y\n1,NA\n", r"line 2 \(row 1\), column 'y': the cell holds no value"),
        ("a,y\n1,no\n", "line 2 .*'no' is not a number; .*--family binomial"),
        ("a,y\n1,2\n3,4\n1e999,2\n", "line 4 .*'1e999' is not a number"),
        ("a,y\n1,2\n3,4\ninf,2\n", "line 4 .*'inf' is not a number"),
        ('"a\nb",y\n1,2\n3,4\n\n5,6\nx,3\n', r"line 7 \(row 4\), column 'a..b': 'x' is not"),
        ("a,y\n,2\n,3\n", "column 'a' is missing in every row; drop it"),
        ("a,y,\n1,2,\n3,4,5\n", "column 3 has no name; give it one"),
        ("a,y\n1,2\n" + "0" * 200_000 + ",1\n", "line 3 cannot be split into cells"),
        ("a,y\n1,2\n1\n", r"line 3 \(row 2\) has 1 cells, the header has 2"),
        ("a,y\n1,2,3\n1,2,3\n", r"line 2 \(row 1\) has 3 cells, the header has 2"),
        ("a,y\n", "no rows"),
        ("a,,y\n1,2,3\n", "column 2 has no name; give it one"),
        ("a,yy\n1,2\n", "no column is named 'y'; did you mean 'yy'"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_csv_that_is_wrong(written, refused, text, words):
    refused(written(text), words, "y")


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


@pytest.mark.parametrize("gap", ["", " NaN ", "NA", "\xa0", "None", "?", "."])
def test_missing_labels_and_marks(written, refused, gap):
    path, mark = written(f"y,a,s\nno,1,u\n{gap},2,{gap}\nyes,3,v\n"), re.escape(gap.strip())
    found = rf" .'{mark}'." if mark else ""
    word = f"; if '{mark}' is a label, write another word for it" if mark else ""
    for column, options in (("y", {"labels": True}), ("s", {"marks": {"strata": "s"}})):
        words = rf"line 3 .row 2., column '{column}': the cell holds no value{found}; "
        words += f"fill it or drop the row{word}$"
        refused(path, words, "y" if column == "y" else "a", **options)
