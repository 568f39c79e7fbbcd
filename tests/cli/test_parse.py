"""The command parse: a parser from a file, and parsed text."""

import pytest
from cases import run

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
