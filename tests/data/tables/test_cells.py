"""Text files as other programs write them: what parts cells, how numbers are written."""

import numpy as np
import pytest

pytest.importorskip("pandas")
from sparsesolve.data.tables.cells import (  # noqa: E402
    Style,
    number_marks,
    numbers_of,
    read_cells,
)


def cells_of(tmp_path, text, style=None, encoding="utf-8"):
    file = tmp_path / "data.txt"
    file.write_bytes(text.encode(encoding))
    return read_cells(file, style or Style())


@pytest.mark.parametrize("text, separator", [
    ("a,b\n1,x\n2,\n", ","),
    ("a;b\n1;x\n2;NA\n", ";"),
    ("a\tb\n1\tx\n2\t?\n", "\t"),
    ("a|b\n1|x\n2|null\n", "|"),
    ("a b\n1   x\n2 .\n", r"\s+"),
    ('"a" "b"\n"r1" 1 "x"\n"r2" 2 NA\n', r"\s+"),  # R's write.table
    ("# a comment, with commas\n\n# another\na;b\n1;x\n2;\n", ";"),
    ("\ufeffa,b\n1,x\n2,<NA>\n", ","),
    ('a,b\n"1","x"\n"2",""\n', ","),
])  # fmt: skip
def test_separators_comments_and_gaps_are_found_out(text, separator, tmp_path):
    names, columns, found = cells_of(tmp_path, text)
    assert names == ["a", "b"] and found == separator
    assert columns["a"].tolist() == ["1", "2"] and columns["b"].tolist() == ["x", None]


def test_encodings(tmp_path):
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "cp1252"):
        names, columns, _ = cells_of(tmp_path, "größe,ort\n1,Köln\n", encoding=encoding)
        assert names == ["größe", "ort"] and columns["ort"].tolist() == ["Köln"]
    said = cells_of(tmp_path, "größe\n1\n", Style(encoding="utf-16"), encoding="utf-16")
    assert said[0] == ["größe"]


def test_a_separator_that_is_said(tmp_path):
    assert cells_of(tmp_path, "a:b\n1:2\n", Style(separator=":"))[0] == ["a", "b"]
    assert cells_of(tmp_path, "a,b c\n1 2\n", Style(separator="blank"))[0] == ["a,b", "c"]


@pytest.mark.parametrize("text, words", [
    ("", "the file is empty"),
    ("# nothing\n", "the file is empty"),
    ("a,b\n", "there are no rows below the header"),
    ("a,b\n1,2\n1,2,3\n", "cannot be split into cells"),
])  # fmt: skip
def test_what_is_no_table_is_refused(text, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        cells_of(tmp_path, text)


@pytest.mark.parametrize("cells, separator, marks", [
    (["1.5", "2"], ",", (".", None)),
    (["1,5", "2"], ";", (",", None)),
    (["1.234,5", "2"], ";", (",", ".")),
    (["1,234.5", "2"], ";", (".", ",")),
    (["1,234", "5,678"], ",", (".", ",")),  # in quotes
    (["1,234", "5,6"], ";", (",", None)),
    (["red, green", "2"], ",", (".", None)),  # text
])  # fmt: skip
def test_marks_of_numbers_are_found_out(cells, separator, marks):
    assert number_marks([np.array(cells, dtype=object)], Style(), separator) == marks


def test_marks_that_may_be_either_are_asked_for():
    column = np.array(["1,234", "5,678"], dtype=object)
    with pytest.raises(ValueError, match="'1,234' may be a decimal comma or a thousands"):
        number_marks([column], Style(), ";")
    assert number_marks([column], Style(decimal=","), ";") == (",", None)
    assert number_marks([column], Style(thousands=","), ";") == (".", ",")


def test_numbers():
    cells = ["1", "-2.5e3", None, "True", "false", "x", "1_0", "inf", 7, True]
    cells = np.array(cells, dtype=object)
    values, bad = numbers_of(cells, ".", None)
    np.testing.assert_array_equal(values[[0, 1, 3, 4, 8, 9]], [1, -2500, 1, 0, 7, 1])
    assert bad.tolist() == [False] * 5 + [True] * 3 + [False] * 2 and np.isnan(values[2])
    assert numbers_of(np.array(["1.234,5"], dtype=object), ",", ".")[0].tolist() == [1234.5]
