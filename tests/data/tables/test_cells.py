"""Text files as other programs write them: what parts cells, how numbers are written."""

import numpy as np
import pytest

from sparsesolve.data.tables import cells as module
from sparsesolve.data.tables.cells import DelimitedFile, Marks, Style, numbers_of


def cells_of(tmp_path, text, style=None, encoding="utf-8"):
    file = tmp_path / "data.txt"
    file.write_bytes(text.encode(encoding))
    source = DelimitedFile(file, style)
    (chunk,) = source.chunks(text={0, 1})
    return source.names, [chunk.words[j].cells().tolist() for j in chunk.words], source.separator


@pytest.mark.parametrize("text, separator", [
    ("a,b\n1,x\n2,\n", ","),
    ("a;b\n1;x\n2;NA\n", ";"),
    ("a\tb\n1\tx\n2\t?\n", "\t"),
    ("a|b\n1|x\n2|null\n", "|"),
    ("a b\n1   x\n2 .\n", r"\s+"),
    ("a  b\n 1\tx \n2 NA\n", r"\s+"),
    ("# a comment, with commas\n\n# another\na;b\n1;x\n2;\n", ";"),
    ("sep=|\na|b\n1|x\n2|\n", "|"),
    ("\ufeffa,b\n1,x\n2,<NA>\n", ","),
    ('a,b\n"1","x"\n"2",""\n', ","),
])  # fmt: skip
def test_separators_comments_and_gaps_are_found_out(text, separator, tmp_path):
    assert cells_of(tmp_path, text) == (["a", "b"], [["1", "2"], ["x", None]], separator)


def test_names_of_rows_as_r_writes_them(tmp_path):
    names, columns, _ = cells_of(tmp_path, '"a" "b"\n"r1" 1 "x"\n"r2" 2 NA\n')
    assert names == ["", "a", "b"] and columns[0] == ["r1", "r2"]


def test_a_separator_that_is_said(tmp_path):
    assert cells_of(tmp_path, "a:b\n1:2\n", Style(separator=":"))[0] == ["a", "b"]
    assert cells_of(tmp_path, "a,b c\n1 2\n", Style(separator="blank"))[0] == ["a,b", "c"]


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
    seen = Marks(Style(), separator)
    seen.see(cells)
    assert seen.decided() == marks


def test_marks_that_may_be_either_are_asked_for():
    for style, found in ((Style(decimal=","), (",", None)), (Style(thousands=","), (".", ","))):
        seen = Marks(style, ";")
        seen.see(["1,234", "5,678"])
        assert seen.decided() == found
    seen = Marks(Style(), ";")
    seen.see(["1,234", "5,678"])
    with pytest.raises(ValueError, match="'1,234' may be a decimal comma or a thousands"):
        seen.decided()


def test_numbers():
    cells = ["1", "-2.5e3", None, "True", "false", "x", "1_0", "inf", "1e999", "\u22127"]
    cells.append("1\xa0234")
    values, bad = numbers_of(cells, ".", None)
    np.testing.assert_array_equal(values[[0, 1, 3, 4, 9, 10]], [1, -2500, 1, 0, -7, 1234])
    assert bad.tolist() == [False] * 5 + [True] * 4 + [False] * 2 and np.isnan(values[2])
    assert numbers_of(["1.234,5"], ",", ".")[0].tolist() == [1234.5]


CELLS = ["1", " 2 ", "+3", "-.5", "1e5", "1e-400", "1.", "12345678901234567890", '"4"', "",
         "NA", " ", "?", "True", "FALSE", "x", '"a ""b"" c"', '"1,5"', "1_0", "inf",
         "-Infinity", "1e999", "0x10", "nan", "\xa0", "\xa07", "\u22127", "1 2", "001",
         "1d5", "#2"]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_what_pandas_reads_the_csv_module_reads(tmp_path, monkeypatch, seed):
    """The same numbers to the bit, the same text, the same gaps, the same errors."""
    pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    kinds = [rng.choice(CELLS, rng.integers(1, 4)) for _ in range(3)]
    kinds.append([repr(float(x)) for x in rng.normal(size=9) * 10.0 ** rng.integers(-300, 300, 9)])
    lines = [",".join(rng.choice(kind) for kind in kinds) for _ in range(12)]
    damage = rng.integers(6)
    if damage == 0:
        lines[5] += ",1"
    elif damage == 1:
        lines[5] = lines[5].rpartition(",")[0]
    elif damage == 2:
        lines[5] = rng.choice(["", "  "])
    file = tmp_path / "t.csv"
    file.write_text("a,b,c,d\n" + "\n".join(lines))
    found = []
    for enough in (0, 1 << 60):
        monkeypatch.setattr(module, "ENOUGH", enough)
        monkeypatch.setattr(module, "ROWS", 0)
        try:
            found.append([[chunk.values.tobytes(), {
                j: words.cells().tolist() for j, words in sorted(chunk.words.items())
            }] for chunk in DelimitedFile(file).chunks(text={1})])
        except ValueError as error:
            found.append(str(error))
    assert found[0] == found[1]
