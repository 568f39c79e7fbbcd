"""The commands cv, predict and plot: what they print and write, by a model in a file."""

import csv

import numpy as np
import pytest
from cases import printed, write_csv

import sparsesolve as ss
from sparsesolve.__main__ import main

RNG = np.random.default_rng(101)
N = 60
X = RNG.normal(size=(N, 5))
ETA = 2 * X[:, 0] - X[:, 1]
Y = ETA + RNG.normal(size=N)
NAMES = ["a", "b", "c", "d", "e"]
STATE = np.where(ETA + RNG.logistic(size=N) > 0, "sick", "well")
KIND = np.array(["x", "y", "z"])[(X[:, :3] + RNG.gumbel(size=(N, 3))).argmax(axis=1)]


@pytest.fixture
def data(tmp_path):
    features = dict(zip(NAMES, X.T.tolist(), strict=True))
    return write_csv(tmp_path / "data.csv", **features, y=Y, state=STATE, kind=KIND, o=X[:, 2] / 9)


def numbers(text):
    heading, *rows = csv.reader(text.splitlines())
    return heading, np.array(rows, dtype=float)


OTHERS = ["--drop", "state", "--drop", "kind", "--drop", "o"]


def test_cv_prints_saves_draws_and_writes(data, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    shown = printed(capsys, "cv", data, "--response", "y", *OTHERS, "--folds", 5, "--seed", 3,
                    "--save", tmp_path / "m.npz", "--plot", tmp_path / "cv.png", "--out",
                    tmp_path / "coefs.csv", "--s", "lambda_min")  # fmt: skip
    cv = ss.cv_path(X, Y, n_folds=5, seed=3)
    assert shown == str(cv) + "\n"
    back = ss.load(tmp_path / "m.npz")
    assert np.array_equal(back.mean, cv.mean) and back.path.feature_names.tolist() == NAMES
    assert (tmp_path / "cv.png").read_bytes()[:4] == b"\x89PNG"
    with (tmp_path / "coefs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {float(row["lambda"]) for row in rows} == {cv.lambda_min}
    assert len(rows) == 1 + len(cv.nonzero("lambda_min"))


def test_options_of_cv_reach_it(data, tmp_path, capsys):
    shown = printed(capsys, "cv", data, "--response", "state", "--drop", "y", "--drop", "kind",
                    "--offset", "o", "--family", "binomial", "--measure", "auc", "--folds", 4,
                    "--repeats", 2, "--seed", 1, "--alpha", 0.5, "--n-lambdas", 20)  # fmt: skip
    cv = ss.cv_path(X, STATE, family="binomial", measure="auc", n_folds=4, repeats=2, seed=1,
                    alpha=0.5, n_lambdas=20, offset=X[:, 2] / 9)  # fmt: skip
    assert shown == str(cv) + "\n" and "8 folds" in shown


def test_predictions_find_their_columns_by_name(data, tmp_path, capsys):
    printed(capsys, "cv", data, "--response", "y", *OTHERS, "--seed", 3, "--save",
            tmp_path / "m.npz", "--quiet")  # fmt: skip
    cv = ss.cv_path(X, Y, seed=3)
    new = write_csv(tmp_path / "new.csv", e=X[:4, 4], note=list("abcd"), b=X[:4, 1], a=X[:4, 0],
                    d=X[:4, 3], c=X[:4, 2])  # fmt: skip
    for more, expected in (
        ([], cv.predict(X[:4])),
        (["--s", "lambda_min"], cv.predict(X[:4], "lambda_min")),
        (["--s", "0.2"], cv.predict(X[:4], 0.2)),
    ):
        heading, values = numbers(printed(capsys, "predict", tmp_path / "m.npz", new, *more))
        assert heading == ["response"] and values[:, 0] == pytest.approx(expected, rel=1e-12)
    printed(capsys, "predict", tmp_path / "m.npz", new, "--out", tmp_path / "p.csv")
    assert numbers((tmp_path / "p.csv").read_text())[1].shape == (4, 1)


def test_predictions_of_whole_paths_classes_and_offsets(data, tmp_path, capsys):
    printed(capsys, "path", data, "--response", "kind", "--drop", "y", "--drop", "state",
            "--drop", "o", "--family", "multinomial", "--n-lambdas", 4, "--save",
            tmp_path / "m.npz")  # fmt: skip
    fit = ss.path(X, KIND, family="multinomial", n_lambdas=4)
    heading, values = numbers(printed(capsys, "predict", tmp_path / "m.npz", data))
    L = len(fit.lambdas)
    assert heading[0] == f"x at {fit.lambdas[0]:.6g}" and heading[L].startswith("y at ")
    assert values.reshape(N, 3, L) == pytest.approx(fit.predict(X, kind="response"))
    shown = printed(capsys, "predict", tmp_path / "m.npz", data, "--kind", "class", "--s", 0.05)
    assert shown.split() == ["class", *fit.predict(X, s=0.05, kind="class")]
    printed(capsys, "path", data, "--response", "y", "--drop", "state", "--drop", "kind",
            "--offset", "o", "--save", tmp_path / "o.npz")  # fmt: skip
    fit = ss.path(X, Y, offset=X[:, 2] / 9)
    shown = printed(capsys, "predict", tmp_path / "o.npz", data, "--offset", "o", "--s", 0.1)
    assert numbers(shown)[1][:, 0] == pytest.approx(fit.predict(X, 0.1, offset=X[:, 2] / 9))


def test_plots_of_models(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    ss.save(ss.cv_path(X, Y, n_folds=3, seed=0), tmp_path / "cv.npz")
    ss.save(ss.path(X, Y), tmp_path / "path.npz")
    sizes = []
    for k, args in enumerate((["cv.npz"], ["cv.npz", "--path"], ["path.npz", "--xvar", "dev"])):
        out = tmp_path / f"{k}.SVG"
        printed(capsys, "plot", tmp_path / args[0], out, *args[1:])
        sizes.append(out.read_text().count("<use"))
    assert len(set(sizes)) == 3


@pytest.mark.parametrize("args, words", [
    (["predict", "{model}", "{none}"], "none.csv: No such file"),
    (["predict", "{none}", "{data}"], "none.csv: No such file"),
    (["predict", "{data}", "{data}"], "does not hold a model"),
    (["predict", "{model}", "{data}", "--s", "lambda_min"], "needs a model that `cv --save`"),
    (["predict", "{model}", "{data}", "--s", "small"], "not a lambda; give a number"),
    (["predict", "{model}", "{data}", "--kind", "class"], "has no classes"),
    (["predict", "{model}", "{bare}"], "no column is named 'a'"),
    (["predict", "{plain}", "{data}"], "has no names of columns; give X as an .npz file"),
    (["cv", "{data}", "--response", "kind", "--folds", "1"], "'kind': "),
    (["cv", "{bare}", "--response", "q", "--folds", "1"], "n_folds must be at least 2"),
    (["cv", "{bare}", "--response", "q", "--measure", "auc"], "measure must be one of"),
    (["plot", "{model}", "{data}"], "no plot format by that ending"),
    (["path", "{bare}", "--response", "q", "--out", "{bare}"], "replace the file that is read"),
    (["cv", "{bare}", "--response", "q", "--save", "{bare}"], "replace the file that is read"),
    (["predict", "{model}", "{data}", "--out", "{data}"], "replace the file that is read"),
    (["predict", "{model}", "{data}", "--out", "{model}"], "replace the file that is read"),
])  # fmt: skip
def test_bad_input_is_one_line(args, words, data, tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    places = {"data": data, "none": tmp_path / "none.csv", "model": tmp_path / "m.npz",
              "plain": tmp_path / "plain.npz"}  # fmt: skip
    places["bare"] = write_csv(tmp_path / "bare.csv", q=Y, r=Y)
    ss.save(ss.path(pandas.DataFrame(X, columns=NAMES), Y, n_lambdas=3), places["model"])
    ss.save(ss.path(X, Y, n_lambdas=3), places["plain"])
    assert main([arg.format(**places) for arg in args]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1 and words in shown.err
