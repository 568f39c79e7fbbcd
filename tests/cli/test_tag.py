"""The commands tag and predict: from a file of sentences to tagged text."""

import re

import pytest

import sparsesolve as ss
from sparsesolve.__main__ import main

WORDS = [("the", "DET"), ("dog", "NOUN"), ("runs", "VERB"), ("a", "DET"), ("cat", "NOUN"),
         ("sleeps", "VERB")]  # fmt: skip


def line(i, word, tag):
    return f"{i}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_"


def sentences(pairs):
    return "\n".join(line(i, *pair) for i, pair in enumerate(pairs, 1)) + "\n\n"


@pytest.mark.parametrize("algorithm", ["averaged", "crf"])
def test_from_a_file_to_tagged_text(tmp_path, capsys, algorithm):
    train, new, model = (str(tmp_path / name) for name in ("t.conllu", "n.conllu", "m.npz"))
    with open(train, "w") as stream:
        stream.write(5 * (sentences(WORDS[:3]) + sentences(WORDS[3:])))
    with open(new, "w") as stream:
        stream.write(sentences([("the", "_"), ("cat", "_"), ("runs", "_")]))
    assert main(["tag", train, "--out", model, "--algorithm", algorithm, "--dev", train]) == 0
    told = capsys.readouterr().out
    assert "100.00 % of 30 words" in told and "inf" not in told
    if algorithm == "averaged":
        assert "3 tags; no certificate, which --algorithm crf has" in told
    else:
        gap = float(re.search(r"tags; gap (\S+)", told).group(1))
        assert gap == float(f"{ss.load(model).gaps[0]:.2g}") and 0.0 <= gap <= 0.01
    assert main(["assess", model, train]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0] == "of,label,precision,recall,f1,support"
    assert table[1] == "words,DET,1.0,1.0,1.0,10" and table[-1] == "words,all,1.0,1.0,1.0,30"
    assert main(["assess", model, train, "--s", "1"]) == 2
    assert "a model of sentences knows its columns" in capsys.readouterr().err
    assert main(["plot", model, str(tmp_path / "chains.svg")]) == 0
    assert main(["predict", model, new, "--out", str(tmp_path / "o.conllu")]) == 0
    tagged = (tmp_path / "o.conllu").read_text()
    assert [row.split("\t")[3] for row in tagged.split("\n") if row] == ["DET", "NOUN", "VERB"]


def test_a_column_that_is_not_there_is_told(tmp_path, capsys):
    (tmp_path / "t.txt").write_text("a X\n")
    code = main(["tag", str(tmp_path / "t.txt"), "--out", str(tmp_path / "m.npz")])
    assert code == 2 and "has no column 'upos'" in capsys.readouterr().err
