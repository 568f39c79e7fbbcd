"""Files of sentences: what is not a word stays as it was."""

import gzip

import pytest

from sparsesolve import structured

CONLLU = """# sent_id = 1
1-2\tdella\t_\t_\t_\t_\t_\t_\t_\t_
1\tdi\tdi\tADP\tE\t_\t3\tcase\t_\t_
2\tla\til\tDET\tRD\t_\t3\tdet\t_\t_
2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_

# text = #
1\t#\t#\tSYM\tS\t_\t0\troot\t_\t_
"""


def test_conllu_words_and_the_way_back(tmp_path):
    (tmp_path / "a.conllu").write_text(CONLLU)
    read = structured.read_sentences(tmp_path / "a.conllu")
    assert read.columns["form"] == ["di", "la", "#"] and read.lengths == [2, 1]
    assert read.columns["upos"] == ["ADP", "DET", "SYM"]
    structured.write_sentences(tmp_path / "b.conllu", read, "upos", ["A", "B", "C"])
    text = (tmp_path / "b.conllu").read_text()
    assert text == CONLLU.replace("ADP", "A").replace("DET", "B").replace("SYM", "C")


def test_columns_and_gzip(tmp_path):
    with gzip.open(tmp_path / "a.txt.gz", "wt") as stream:
        stream.write("a X\nb Y\n\n\nc X")
    read = structured.read_sentences(tmp_path / "a.txt.gz", ["word", "tag"])
    assert read.columns == {"word": ["a", "b", "c"], "tag": ["X", "Y", "X"]}
    assert read.lengths == [2, 1]


def test_faults_are_told_with_their_line(tmp_path):
    (tmp_path / "a.txt").write_text("a X\nb\n")
    with pytest.raises(ValueError, match="line 2 has 1 columns where 2 are expected"):
        structured.read_sentences(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_text("\n\n")
    with pytest.raises(ValueError, match="holds no word"):
        structured.read_sentences(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_text("a X\n")
    with pytest.raises(ValueError, match="has 2 columns and 1 names"):
        structured.read_sentences(tmp_path / "a.txt", ["word"])
