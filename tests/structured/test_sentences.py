"""Files of sentences: what is not a word stays as it was."""

import gzip

import numpy as np
import pytest

import sparsesolve as ss
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
    with pytest.raises(ValueError, match="names holds 'a' twice"):
        structured.read_sentences(tmp_path / "a.txt", ["a", "a"])
    (tmp_path / "a.txt").write_bytes("gr\xf6n X\n".encode("latin-1"))
    with pytest.raises(ValueError, match="not text in UTF-8 .byte 2.; convert"):
        structured.read_sentences(tmp_path / "a.txt")


def read(tmp_path, text, names=None, encoding="utf-8"):
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    found = structured.read_sentences(tmp_path / "a.txt", names)
    return found["form" if "form" in found.columns else "0"], found.lengths


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("text", ["# sent_id = 1\n1\tred\tA\n", "1\tred\tA\r\n\r\n"])
def test_marks_of_encodings_are_no_text(tmp_path, encoding, text):
    assert read(tmp_path, text, ["id", "form", "tag"], encoding) == (["red"], [1])
    assert read(tmp_path, "a X\n\n\ufeffb Y\n") == (["a", "b"], [1, 1])  # two files in one


@pytest.mark.parametrize("text, words, lengths", [
    ("1 a X\n2 b X\n1 c X\n", ["a", "b", "c"], [2, 1]),  # an empty line is missing
    ("1 a X\n1 b X\n", ["a", "b"], [1, 1]),
    ("1 a X\n1-2 bc X\n1 b X\n2 c X\n", ["a", "b", "c"], [1, 2]),
    ("0.1 x X\n1-2 ab X\n1 a X\n1.1 x X\n2 b X\n", ["a", "b"], [2]),
    ("# text = a b\n1 a X\n# a comment\n2 b X\n", ["a", "b"], [2]),
    ("1 # X\n\u00a0\n1 b\u00a0c X\n", ["#", "b\u00a0c"], [1, 1]),
])  # fmt: skip
def test_ids_are_read(tmp_path, text, words, lengths):
    assert read(tmp_path, text, ["id", "form", "tag"]) == (words, lengths)
    assert read(tmp_path, text.replace(" ", "\t"), ["id", "form", "tag"]) == (words, lengths)


@pytest.mark.parametrize("text, found", [
    ("1 a X\n3 b X\n", "line 2 has id '3' where 2 is expected"),
    ("2 a X\n", "line 1 has id '2' where 1 is expected"),
    ("1 a X\n\n2 b X\n", "line 3 has id '2' where 1"),
    ("1 a X\n2 b X\n2 b X\n", "line 3 has id '2' where 3"),
    ("1 a X\nx b X\n", "line 2 has id 'x' where 2"),
    ("1 a X\n3-4 b X\n2 b X\n", "line 2 has id '3-4' where 2"),
    ("1 a X\n2.1 b X\n2 b X\n", "line 2 has id '2.1' where 2"),
    ("1 a X\n\u00b2 b X\n", "line 2 has id '\u00b2' where 2"),
])  # fmt: skip
def test_ids_that_do_not_count_are_refused(tmp_path, text, found):
    with pytest.raises(ValueError, match=found):
        read(tmp_path, text, ["id", "form", "tag"])


@pytest.mark.parametrize("text, words, lengths, names", [
    ("# SYM\none NUM\n\n# SYM\ntwo NUM\n", ["#", "one", "#", "two"], [2, 2], "form tag"),
    ("#tag X\nb Y\n", ["#tag", "b"], [2], "form tag"),
    ("# newdoc\na X\n# newpar\nb Y\n", ["a", "b"], [1, 1], "form tag"),
    ("# sent_id = 1\na N B X\n# sent_id = 2\nb N B X\n", ["a", "b"], [1, 1], "form c d tag"),
    ("# Good day\na\tX\n# two words\nb\tX\n", ["a", "b"], [2], "form tag"),
    ("10\u00a0000 X\n  b   Y  \n", ["10\u00a0000", "b"], [2], None),
    ("a\tX \n b\tX\u00a0\n", ["a", "b"], [2], "form tag"),
])  # fmt: skip
def test_comments_and_blanks_in_columns_of_any_name(tmp_path, text, words, lengths, names):
    assert read(tmp_path, text, names and names.split()) == (words, lengths)


def test_a_comment_that_may_be_a_word_is_told(tmp_path):
    with pytest.warns(UserWarning, match="line 1 begins with # and is read as a word"):
        assert read(tmp_path, "# good day\na N X\n") == (["#", "a"], [2])


def test_sentences_are_short_in_print_and_taken_as_they_are(tmp_path):
    (tmp_path / "a.txt").write_text("dogs N\nbark V\n\ncats N\n")
    s = structured.read_sentences(tmp_path / "a.txt", ["form", "tag"])
    assert repr(s) == "<Sentences: 2 of 3 words, columns form, tag>" and len(s) == 2
    assert s[1] == {"form": ["cats"], "tag": ["N"]} == list(s)[1] == s[-1]
    with pytest.raises(KeyError, match="no column 'upos', only form, tag"):
        s["upos"]
    templates = structured.Templates(["form", "form[-1]"])
    X = templates.fit_transform(s)
    assert (X != templates.transform(s.columns, s.lengths)).nnz == 0
    with pytest.raises(ValueError, match="column 'form' has 1 words, but lengths add up to 2"):
        structured.Sentences({"form": ["a"]}, [2])
    with pytest.raises(ValueError, match="there is no column 'x'"):
        structured.write_sentences("-", s, "x", ["N"] * 3)
    structured.write_sentences(tmp_path / "b.txt.gz", s, "tag", ["A", "B", "C"])
    assert structured.read_sentences(tmp_path / "b.txt.gz", ["form", "tag"])["tag"] == list("ABC")


def test_sequences_that_constraints_make_impossible_are_refused():
    X, allowed = np.eye(3)[[0, 1, 2, 0, 1]], np.triu(np.ones((3, 3), dtype=bool), 1)
    fit = ss.crf_path(X, [0, 1, 2, 0, 1], lengths=[3, 2], allowed=allowed, n_lambdas=2)
    assert fit.predict(X[:3]).tolist() == [0, 1, 2]
    for ask in (fit.predict, fit.marginals):
        with pytest.raises(ValueError, match="sequence 1 has 4 rows, but allowed lets no sequence "
                                             "of labels be longer than 3"):
            ask(X, [1, 4])
