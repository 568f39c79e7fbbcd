"""The command line, run for real: what it prints and writes, and how it refuses."""

import csv
import os
import subprocess
import sys

import numpy as np
import pytest
from cases import refused, write_csv

import sparsesolve as ss
from sparsesolve.__main__ import main
from sparsesolve.results import printing

rng = np.random.default_rng(7)
X = rng.normal(size=(40, 6))
y = X @ [3, -2, 0, 0, 1, 0] + rng.normal(size=40)
NAMES = ["a", "b", "c", "d", "e", "weight, kg"]


@pytest.fixture
def data(tmp_path):
    """The data above as a CSV file, with columns w and o beside X and y."""
    columns = dict(zip(NAMES, X.T.tolist(), strict=True))
    rest = {"y": y.tolist(), "w": range(1, 41), "o": X[:, 0].tolist()}
    return write_csv(tmp_path / "data.csv", **columns, **rest)


def read_coefs(path):
    """The rows of a coefficient file as {(lambda, feature): coefficient}."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["lambda", "feature", "coefficient"]
    return {(float(r["lambda"]), r["feature"]): float(r["coefficient"]) for r in rows}


def run(*args):
    command = [sys.executable, "-m", "sparsesolve", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


# What it does


def test_path_of_a_csv_file(data, tmp_path):
    out, plot = tmp_path / "coefs.csv", tmp_path / "path.png"
    arguments = ["--response", "y", "--drop", "w", "--drop", "o", "--out", out, "--plot", plot]
    done = run("path", data, *arguments)
    assert (done.returncode, done.stderr) == (0, "")  # no progress bar in a pipe
    fit = ss.path(X, y)
    assert done.stdout == f"{printing.table(fit, whole=True)}\n"
    coefs = read_coefs(out)
    assert len(coefs) == fit.df.sum() + len(fit.lambdas)
    for k, lam in enumerate(fit.lambdas):
        assert coefs[lam, "(Intercept)"] == fit.intercepts[k]
        found = [coefs.get((lam, name), 0.0) for name in NAMES]
        assert found == fit.coefs.toarray()[:, k].tolist()
    assert plot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and plot.stat().st_size > 10_000


def test_own_lambdas_and_coefficients_on_stdout(data, capsys):
    args = ["path", str(data), "--response", "y", "--lambdas", "0.5,1,0.1", "--out", "-"]
    assert main(args) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "lambda,feature,coefficient"
    assert list(dict.fromkeys(line.split(",")[0] for line in lines[1:])) == ["1.0", "0.5", "0.1"]


TARGET = (y > np.median(y)).astype(int)
def written_csv(path, **columns):
    """A CSV file with the features and these columns; returns the --response options for them."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*NAMES, *columns])
        rows = zip(*columns.values(), strict=True)
        writer.writerows([*x, *row] for x, row in zip(X.tolist(), rows, strict=True))
    return [part for name in columns for part in ("--response", name)]


def test_labels_are_read_as_they_are_and_named(tmp_path, capsys):
    labels = np.array(["no", "yes, indeed"])[TARGET]
    for name in ("data.csv", "data.parquet", "data.npz"):
        file, given = tmp_path / name, ["--response", "state"]
        if name == "data.csv":
            given = written_csv(file, state=labels.tolist())
        elif name == "data.npz":
            np.savez(file, X=X, state=labels)
        else:
            pa = pytest.importorskip("pyarrow")
            from pyarrow import parquet

            features = dict(zip("abcdef", X.T, strict=True))
            parquet.write_table(pa.table({**features, "state": labels.tolist()}), file)
        assert main(["path", str(file), *given, "--family", "binomial", "--n-lambdas", "5"]) == 0
        first, *_, last = capsys.readouterr().out.splitlines()
        assert first.startswith("binomial path of 'yes, indeed' against 'no': 5 lambdas, 6 feat")
        wanted = str(ss.path(X, labels, family="binomial", n_lambdas=5)).splitlines()[-1]
        assert last.split()[:4] == wanted.split()[:4]


def test_counts_in_two_columns(tmp_path, capsys):
    lost, won = 1 + (X[:, 2] > 0), TARGET + 1
    file = tmp_path / "data.csv"
    given = written_csv(file, lost=lost.tolist(), won=won.tolist())
    assert main(["path", str(file), *given, "--family", "binomial", "--n-lambdas", "5"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("binomial path of 'won' against 'lost': 5 lambdas")
    fit = ss.path(X, np.column_stack([lost, won]), family="binomial", n_lambdas=5)
    assert shown.split(":")[1] == f"{fit}\n".split(":")[1]


@pytest.mark.parametrize(
    "family, column, words",
    [
        ("gaussian", ["a", "b"] * 20, "line 2 (row 1), column 'y': 'a' is not a number"),
        ("binomial", ["a", "NA"] * 20, "line 3 (row 2), column 'y': the cell holds no value "
         "('NA'); fill it or drop the row; if 'NA' is a label, write another word for it"),
        ("binomial", ["a"] * 40, "one class only ('a' in all 40 rows)"),
        ("cox", [1, 2] * 20, "pass two columns, (time, status)"),
    ],
)
def test_responses_that_do_not_fit(family, column, words, tmp_path, capsys):
    given = written_csv(tmp_path / "data.csv", y=column)
    line = refused(capsys, "path", tmp_path / "data.csv", *given, "--family", family)
    assert words in line


def test_demo(tmp_path):
    pytest.importorskip("sklearn")
    plot = tmp_path / "demo.png"
    done = run("demo", "--out", plot)
    assert (done.returncode, done.stderr) == (0, "")
    header = next(line for line in done.stdout.splitlines() if "Df" in line)
    assert header.split() == ["Df", "%Dev", "Lambda", "Gap"]
    assert "64 features" in done.stdout and "worst gap" in done.stdout
    assert "binomial path of 'malignant' against 'benign': 60 lambdas, 30 features" in done.stdout
    assert "classifies" in done.stdout and "correctly" in done.stdout
    for file in (plot, tmp_path / "demo-logistic.png"):
        assert str(file) in done.stdout.splitlines()[-1]
        assert file.stat().st_size > 50_000


def test_a_progress_bar_on_a_terminal(data):
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    command = [sys.executable, "-m", "sparsesolve", "path", str(data), "--response", "y"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, timeout=120)
    os.close(theirs)
    shown = ""
    try:
        while part := os.read(ours, 100_000):
            shown += part.decode()
    except OSError:  # Linux's end of file on a terminal whose other side is closed
        os.close(ours)
    assert done.returncode == 0 and "/100" in shown
    assert b"/100" not in done.stdout


def test_a_reader_that_has_seen_enough(data):
    command = f"{sys.executable} -m sparsesolve path {data} --response y | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120)
    assert done.stderr == "" and done.stdout.startswith("gaussian path")


def test_a_missed_tolerance_is_one_line(data, capsys):
    args = ["--response", "y", "--max-iter", "0", "--n-lambdas", "3", "--quiet"]
    assert main(["path", str(data), *args]) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("sparsesolve: warning: ") and shown.err.count("\n") == 1


# How it refuses


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--response", "z"], "no column is named 'z'"),
        ([], "say which column"),
        (["--response", "y", "--alpha", "2"], "alpha"),
        (["--response", "y", "--alpha", "x"], "--alpha: invalid float value: 'x'"),
        (["--response", "y", "--family", "gausian"], "family"),
        (["--response", "y", "--lambdas", "1,b"], "'1,b' is not a list of numbers"),
        (["--response", "y", "--tol", "nan"], "tol"),
        (["--response", "y", "--format", "xls"], "invalid choice: 'xls'"),
        (["--response", "y", "--format", "npz"], "not an .npz file"),
        (["--response", "y", "--xvar", "z"], "invalid choice: 'z'"),
        (["--response", "y", "--plot", "p.xyz"], "no plot format by that ending"),
        (["--response", "y", "--plot", "/nowhere/p.png"], "no folder"),
        (["--response", "y", "--out", "/nowhere/c.csv"], "no folder"),
        (["--response", "y", "--out", "."], "it is a folder"),
        (["--response", "y", "--wieghts", "w"], "unrecognized arguments: --wieghts"),
    ],
)
def test_bad_options(data, capsys, arguments, words):
    assert words in refused(capsys, "path", data, *arguments)


def test_bad_commands(capsys):
    assert "COMMAND" in refused(capsys)
    assert "invalid choice" in refused(capsys, "pth")
    assert "FILE" in refused(capsys, "path")


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"sparsesolve {ss.__version__}\n"


def test_bad_files(tmp_path, capsys):
    missing = tmp_path / "missing.csv"
    assert f"{missing}: No such file" in refused(capsys, "path", missing, "--response", "y")
    assert "directory" in refused(capsys, "path", tmp_path, "--format", "csv", "--response", "y")
    np.savez(tmp_path / "nan.npz", X=[[1.0], [np.nan]], y=[1, 2])
    assert "row 1, column 0" in refused(capsys, "path", tmp_path / "nan.npz")
    np.savez(tmp_path / "short.npz", X=[[1.0], [2.0]], y=[1, 2, 3])
    assert "y" in refused(capsys, "path", tmp_path / "short.npz")


def test_what_is_missing_is_named(data, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for args in (["path", data, "--response", "y", "--plot", "p.png"], ["demo"]):
        assert "pip install 'sparsesolve[plot]'" in refused(capsys, *args)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    plot = data.with_suffix(".png")
    assert "pip install 'sparsesolve[demo]'" in refused(capsys, "demo", "--out", plot)
