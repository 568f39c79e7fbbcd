"""A path that is killed goes on from its file, and the file of another problem is refused."""

import subprocess
import sys

import numpy as np
import pytest
from packed_genotypes import drawn
from plink_files import write_plink

import sparsesolve as ss
from sparsesolve.penalties import MCP, SCAD, Berhu, GroupL2, L2Ball, Slope

RNG = np.random.default_rng(8)
X = RNG.standard_normal((90, 40))
ETA = X[:, :4] @ [1.0, -1.0, 0.5, 0.5]
Y = ETA + RNG.standard_normal(90)
CASES = {
    "gaussian": (Y, {}),
    "binomial": (Y > 0, {"family": "binomial"}),
    "cox": (np.column_stack([RNG.exponential(np.exp(-ETA)), Y > -1]), {"family": "cox"}),
    "multinomial": (np.digitize(Y, [-1, 1]), {"family": "multinomial"}),
    "multigaussian": (np.column_stack([Y, -ETA]), {"family": "multigaussian"}),
    "hinge": (Y > 0, {"family": "hinge"}),
    "groups": (Y, {"penalty": GroupL2(np.arange(40) // 4)}),
    "slope": (Y, {"penalty": Slope(np.linspace(2, 1, 40))}),
    "concave": (Y, {"penalty": SCAD()}),
    "limits": (Y, {"lower": -0.4, "upper": 0.3}),
    "own lambdas": (Y, {"lambdas": np.geomspace(0.9, 0.01, 15)}),
}


def matrices(path):
    coefs = path.coefs if isinstance(path.coefs, list) else [path.coefs]
    return np.stack([matrix.toarray() for matrix in coefs])


class Killed(BaseException):
    pass


def killed_at(index):
    def stop(point):
        if point.index == index:
            raise Killed
        return False

    return stop


@pytest.mark.parametrize("case", CASES)
def test_a_path_goes_on_where_it_was_killed(tmp_path, case):
    y, options = CASES[case]
    options = {"n_lambdas": 15, "lambda_min_ratio": 0.05, "tol": 1e-9, **options}
    file, seen = tmp_path / "run.npz", []
    with pytest.raises(Killed):
        ss.path(X, y, stop=killed_at(6), checkpoint=file, **options)
    again = ss.path(X, y, stop=lambda point: seen.append(point.index), checkpoint=file, **options)
    whole = ss.path(X, y, stop=None, **options)
    assert seen == [6, *range(7, 15)]  # the last one that was solved is only asked about
    assert again.lambdas == pytest.approx(whole.lambdas, rel=1e-12)
    assert again.gaps.max() <= 1e-9
    tol = 1e-2 if case == "hinge" else 1e-4
    assert matrices(again) == pytest.approx(matrices(whole), abs=tol)
    assert again.intercepts == pytest.approx(whole.intercepts, abs=tol)
    assert again.n_iters[:7].tolist() == whole.n_iters[:7].tolist()
    finished = ss.path(X, y, stop=None, checkpoint=file, **options)
    assert matrices(finished).tolist() == matrices(again).tolist()


PROGRAM = """
import os, sys
import sparsesolve as ss, numpy as np
y = np.load("y.npy")
kill = lambda point: point.index == 5 and os.kill(os.getpid(), 9)
ss.path(ss.genotypes("study.bed"), y, n_lambdas=12, stop=kill, checkpoint="run.npz")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal 9")
def test_a_killed_process_on_genotypes_loses_nothing_that_was_solved(tmp_path):
    file = write_plink(tmp_path, drawn(60, 30, seed=1))
    y = RNG.standard_normal(60)
    np.save(tmp_path / "y.npy", y)
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True)
    assert done.returncode == -9, done.stderr
    assert [each.name for each in tmp_path.glob("*.part")] == []
    seen, G = [], ss.genotypes(file)
    again = ss.path(G, y, n_lambdas=12, checkpoint=tmp_path / "run.npz",
                    stop=lambda point: seen.append(point.index))  # fmt: skip
    assert seen[0] == 5 and len(again.lambdas) == 12
    whole = ss.path(G, y, n_lambdas=12, stop=None)
    assert matrices(again) == pytest.approx(matrices(whole), abs=1e-3)
    ss.save(again, tmp_path / "m.npz")


def test_a_path_that_its_rule_ended_stays_ended(tmp_path):
    first = ss.path(X, ETA, checkpoint=tmp_path / "run.npz")
    again = ss.path(X, ETA, checkpoint=tmp_path / "run.npz")
    assert len(first.lambdas) < 100 and again.stop_reason == first.stop_reason
    assert matrices(again).tolist() == matrices(first).tolist()
    few = ss.path(X, Y, dfmax=3, pmax=5, checkpoint=tmp_path / "few.npz")
    more = ss.path(X, Y, dfmax=3, pmax=5, checkpoint=tmp_path / "few.npz")
    assert more.lambdas.tolist() == few.lambdas.tolist()


def test_a_cross_validation_has_a_file_for_each_path(tmp_path):
    options = {"n_folds": 3, "seed": 0, "n_lambdas": 12, "checkpoint": tmp_path / "cv.npz"}
    with pytest.raises(Killed):
        ss.cv_path(X, Y, stop=killed_at(4), **options)
    cv = ss.cv_path(X, Y, **options)
    assert sorted(each.name for each in tmp_path.iterdir()) == [f"cv.{i}.npz" for i in range(4)]
    again = ss.cv_path(X, Y, **options)
    assert again.mean.tolist() == cv.mean.tolist()
    plain = ss.cv_path(X, Y, **{**options, "checkpoint": None})
    assert plain.mean == pytest.approx(cv.mean, rel=1e-3)


def test_a_cross_validation_of_other_folds_in_every_run_is_refused(tmp_path):
    with pytest.raises(ValueError, match="needs the same folds in every run; give seed or folds"):
        ss.cv_path(X, Y, checkpoint=tmp_path / "cv.npz")
    assert list(tmp_path.iterdir()) == []


OTHERS = {
    "X": lambda: (np.where(X == X[3, 3], 9.0, X), Y, {}),
    "rows in another order": lambda: (X, Y[::-1], {}),
    "tol": lambda: (X, Y, {"tol": 1e-5}),
    "alpha": lambda: (X, Y, {"alpha": 0.5}),
    "grid": lambda: (X, Y, {"n_lambdas": 9}),
    "limits": lambda: (X, Y, {"upper": 0.5}),
    "factors": lambda: (X, Y, {"penalty_factor": np.linspace(1, 2, 40)}),
    "family": lambda: (X, Y, {"family": "huber(1.0)"}),
    "standardize": lambda: (X, Y, {"standardize": False}),
    "weights": lambda: (X, Y, {"weights": np.linspace(1, 2, 90)}),
    "penalty": lambda: (X, Y, {"penalty": "slope(0.2)"}),
    "excluded columns": lambda: (X, Y, {"penalty_factor": np.where(np.arange(40), 1, np.inf)}),
    "columns": lambda: (X[:, :39], Y, {}),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_file_of_other_data_or_options_is_refused(tmp_path, other):
    ss.path(X, Y, n_lambdas=8, checkpoint=tmp_path / "run.npz")
    before = (tmp_path / "run.npz").read_bytes()
    given, y, options = OTHERS[other]()
    with pytest.raises(ValueError, match=r"the checkpoint of other data or options \(other"):
        ss.path(given, y, **{"n_lambdas": 8, "checkpoint": tmp_path / "run.npz", **options})
    assert (tmp_path / "run.npz").read_bytes() == before


@pytest.mark.parametrize("of, numbers", [(SCAD, (3.7, 9.0)), (MCP, (3.0, 4.0)),
                                         (Berhu, (1.0, 2.0)), (L2Ball, (20.0, 20.1))])
def test_another_number_of_a_penalty_is_noticed(tmp_path, of, numbers):
    options = {"lambdas": [0.1, 0.05], "checkpoint": tmp_path / "run.npz"}
    ss.path(X, Y, penalty=of(numbers[0]), **options)
    with pytest.raises(ValueError, match="the checkpoint of other data or options"):
        ss.path(X, Y, penalty=of(numbers[1]), **options)
    ss.path(X, Y, penalty=of(numbers[0]), **options)


def test_one_number_of_one_column_among_many_is_noticed(tmp_path):
    wide = RNG.standard_normal((20, 4321))
    ss.path(wide, Y[:20], n_lambdas=3, checkpoint=tmp_path / "run.npz")
    wide[7, 3333] += 1.0
    with pytest.raises(ValueError, match="the checkpoint of other data"):
        ss.path(wide, Y[:20], n_lambdas=3, checkpoint=tmp_path / "run.npz")


@pytest.mark.parametrize("kind", ["text", "model", "empty", "cut", "array", "less"])
def test_files_that_are_no_checkpoints_are_left_alone(tmp_path, kind):
    file = tmp_path / "run.npz"
    fit = ss.path(X, Y, n_lambdas=4, checkpoint=file)
    whole = file.read_bytes()
    file.write_bytes({"text": b"words", "cut": whole[: len(whole) // 2]}.get(kind, b""))
    if kind == "model":
        ss.save(fit, file)
    if kind == "array":
        with file.open("wb") as stream:
            np.save(stream, np.ones(3))
    if kind == "less":
        file.write_bytes(whole)
        with np.load(file) as found:
            kept = {name: found[name] for name in found.files if name != "values"}
        np.savez(file, **kept)
    before = file.read_bytes()
    with pytest.raises(ValueError, match="is not a checkpoint") as caught:
        ss.path(X, Y, n_lambdas=4, checkpoint=file)
    assert "\n" not in str(caught.value) and file.read_bytes() == before


def test_a_file_that_cannot_be_written_is_refused_before_the_fit(tmp_path):
    for fit in (ss.path, ss.cv_path):
        for file in (tmp_path / "none" / "run.npz", tmp_path, ""):
            with pytest.raises(ValueError, match="cannot be written"):
                fit(X, Y, checkpoint=file)
        for file in (5, True, [tmp_path / "run.npz"], b"run.npz"):
            with pytest.raises(TypeError, match="^checkpoint is .*; give the name of a file"):
                fit(X, Y, checkpoint=file)


@pytest.mark.parametrize("function", [
    ss.stability_path, *(getattr(ss.inference, name) for name in
                         ("split", "carve", "debiased", "knockoffs"))])  # fmt: skip
def test_functions_of_many_fits_refuse_it(tmp_path, function):
    words = "^checkpoint is of path and cv_path; " + function.__name__
    with pytest.raises(ValueError, match=words):
        function(X, Y, checkpoint=tmp_path / "run.npz")
    assert list(tmp_path.iterdir()) == []
