"""The commands tag, parse and predict: from a file of sentences to tagged and parsed text."""

import re

import pytest
from cases import run

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


TEXT = "dogs\tN\t2\nbark\tV\t0\n\nloud\tA\t2\ncats\tN\t3\nmeow\tV\t0\n"


@pytest.mark.parametrize("method", ["mira", "spom"])
def test_from_a_file_to_parsed_text(tmp_path, capsys, method):
    train, new, model = (tmp_path / name for name in ("train.txt", "new.txt", "parser.npz"))
    train.write_text(TEXT)
    new.write_text("old\tA\t_\ndogs\tN\t_\nbark\tV\t_\n")
    templates = tmp_path / "templates.txt"
    templates.write_text("# two of them\nh.tag+m.tag+direction\nm.form\n")
    run("parse", train, "--columns", "form,tag,head", "--templates", templates, "--method", method,
        "--bits", 12, "--dev", train, "--out", model)  # fmt: skip
    said = capsys.readouterr().out
    assert "5 words in 2 sentences" in said and "100.00 % of 5 words" in said
    run("predict", model, new, "--out", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "old\tA\t2\ndogs\tN\t3\nbark\tV\t0\n"


def test_new_heads_leave_no_old_dependencies(tmp_path):
    row = "{}\t{}\t_\tN\t_\t_\t{}\tdep\t{}:dep\t_\n".format
    file, model = tmp_path / "gold.conllu", tmp_path / "parser.npz"
    file.write_text("# text = a b\n" + row(1, "a", 2, 2) + row(2, "b", 0, 0) + "\n")
    assert run("parse", file, "--bits", 8, "--out", model) == 0
    assert run("predict", model, file, "--out", tmp_path / "out.conllu") == 0
    cells = [line.split("\t") for line in (tmp_path / "out.conllu").read_text().split("\n")]
    assert [(part[6], part[8]) for part in cells[1:3]] == [("2", "_"), ("0", "_")]


def test_a_file_without_heads_is_told(tmp_path, capsys):
    train = tmp_path / "train.txt"
    train.write_text("dogs\tN\n")
    code = run("parse", train, "--columns", "form,upos", "--out", tmp_path / "parser.npz")
    assert code == 2
    assert "column 'lemma'" in capsys.readouterr().err
