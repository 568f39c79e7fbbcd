"""Models from a shell: groups, strata, limits, folds of the user; saved, drawn, asked again."""

import numpy as np
import pytest
from cases import printed, refused, write_csv

import sparsesolve as ss

RNG = np.random.default_rng(77)
N = 70
X = RNG.normal(size=(N, 6))
ETA = X[:, 0] - X[:, 1] + X[:, 4]
Y = ETA + RNG.normal(size=N)
NAMES = list("abcdef")
TIME, DIED = RNG.exponential(np.exp(-ETA)), RNG.integers(0, 4, size=N) > 0
WARD = np.array(["north", "south", "west"])[RNG.integers(0, 3, size=N)]
FOLD = RNG.integers(0, 4, size=N)
GROUPS = [["a", "b"], ["c", "d", "e"]]  # f is alone


@pytest.fixture
def data(tmp_path):
    features = dict(zip(NAMES, X.T.tolist(), strict=True))
    return write_csv(tmp_path / "data.csv", **features, y=Y, time=TIME, died=DIED.astype(int),
                 ward=WARD, fold=FOLD)  # fmt: skip


@pytest.fixture
def groups(tmp_path):
    rows = [(name, f"g{k}") for k, names in enumerate(GROUPS) for name in names[::-1]]
    feature, group = zip(*rows, strict=True)
    return write_csv(tmp_path / "groups.csv", feature=feature, group=group)


OTHERS = [x for name in ("time", "died", "ward", "fold") for x in ("--drop", name)]
PLACES = [[0, 1], [2, 3, 4]]


@pytest.mark.parametrize("more, penalty", [
    ([], ss.penalties.GroupL2(PLACES)),
    (["--penalty", "group-linf"], ss.penalties.GroupLinf(PLACES)),
    (["--penalty", "sparse-group", "--tau", "0.3"], ss.penalties.SparseGroup(PLACES, 0.3)),
])  # fmt: skip
def test_groups_from_a_file(data, groups, tmp_path, capsys, more, penalty):
    model = tmp_path / "m.npz"
    shown = printed(capsys, "path", data, "--response", "y", *OTHERS, "--groups", groups, *more,
                    "--n-lambdas", 12, "--lower", "0", "--lower", "b=-9", "--save",
                    model)  # fmt: skip
    lower = np.array([0.0, -9, 0, 0, 0, 0])
    fit = ss.path(X, Y, penalty=penalty, n_lambdas=12, lower=lower)
    assert shown == str(fit) + "\n"
    back = ss.load(model)
    assert np.array_equal(back.df_groups, fit.df_groups) and back.coefs.min() < 0
    new = printed(capsys, "predict", model, data, "--s", 0.1)
    values = np.array(new.split()[1:], dtype=float)
    assert values == pytest.approx(fit.predict(X, 0.1), rel=1e-12)


def test_groups_of_arrays_and_cross_validation(tmp_path, capsys):
    labels = np.array([0, 0, 1, 1, 1, 2])
    np.savez(tmp_path / "d.npz", X=X, y=Y, kinds=labels, fold=FOLD)
    shown = printed(capsys, "cv", tmp_path / "d.npz", "--groups", "kinds", "--fold", "fold",
                    "--n-lambdas", 20, "--alphas", "0.5,1")  # fmt: skip
    cv = ss.cv_path(X, Y, penalty=ss.penalties.GroupL2(labels), folds=FOLD, n_lambdas=20,
                    alphas=[0.5, 1])  # fmt: skip
    assert shown == str(cv) + "\n" and "4 folds" in shown


def test_pictures_by_groups(data, groups, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    printed(capsys, "path", data, "--response", "y", *OTHERS, "--groups", groups, "--quiet",
            "--by", "group", "--plot", tmp_path / "a.svg", "--save",
            tmp_path / "m.npz")  # fmt: skip
    assert "<!-- g1 -->" in (tmp_path / "a.svg").read_text()
    printed(capsys, "plot", tmp_path / "m.npz", tmp_path / "b.svg", "--by", "group")
    drawn = (tmp_path / "b.svg").read_text()
    assert "<!-- g1 -->" in drawn and "Nonzero groups" in drawn
    message = refused(capsys, "plot", tmp_path / "m.npz", tmp_path / "c.svg", "--by", "class")
    assert "one response" in message


def test_strata_of_text(data, tmp_path, capsys):
    args = ["--response", "time", "--response", "died", "--strata", "ward", "--drop", "y",
            "--drop", "fold"]  # fmt: skip
    shown = printed(capsys, "path", data, *args, "--family", "cox(efron)", "--n-lambdas", 15,
                    "--save", tmp_path / "m.npz")  # fmt: skip
    family = ss.families.cox(ties="efron", strata=WARD)
    fit = ss.path(X, (TIME, DIED), family=family, n_lambdas=15)
    assert shown == str(fit) + "\n"
    assert np.array_equal(ss.load(tmp_path / "m.npz").coefs.data, fit.coefs.data)
    shown = printed(capsys, "cv", data, *args[:-2], "--family", "cox", "--fold", "fold",
                    "--measure", "C")  # fmt: skip
    cv = ss.cv_path(X, (TIME, DIED), family=ss.families.cox(strata=WARD), folds=FOLD, measure="C")
    assert shown == str(cv) + "\n"


def test_rows_held_out_together_and_relaxed_blends(data, capsys):
    own = [x for name in ("time", "died", "fold") for x in ("--drop", name)]
    shown = printed(capsys, "cv", data, "--response", "y", *own, "--fold-groups", "ward",
                    "--folds", 3, "--seed", 2, "--gammas", "0,1", "--n-lambdas", 15)  # fmt: skip
    cv = ss.cv_path(X, Y, groups=WARD, n_folds=3, seed=2, gammas=[0, 1], n_lambdas=15)
    assert shown == str(cv) + "\n"


def test_options_that_steer_a_path(data, capsys):
    shown = printed(capsys, "path", data, "--response", "y", *OTHERS, "--penalty-factor", "a=0",
                    "--penalty-factor", "c=inf", "--upper", "0.5", "--dfmax", 3, "--to-the-end",
                    "--solver", "proximal_newton", "--pmax", 4)  # fmt: skip
    fit = ss.path(X, Y, penalty_factor=[0, 1, np.inf, 1, 1, 1], upper=0.5, dfmax=3, pmax=4,
                  stop=None, solver="proximal_newton")  # fmt: skip
    assert shown == str(fit) + "\n"


@pytest.mark.parametrize("args, words", [
    (["--groups", "G", "--penalty-factor", "a=0"], "--penalty-factor is per feature"),
    (["--groups", "nowhere.csv"], "nowhere.csv: No such file"),
    (["--by", "group", "--plot", "x.png"], "--by group needs --groups"),
    (["--by", "class", "--plot", "x.png"], "--by class belongs to --family multinomial"),
    (["--solver", "magic"], "solver must be one of"),
])  # fmt: skip
def test_bad_flags_give_one_sentence(data, groups, capsys, args, words):
    args = [groups if arg == "G" else arg for arg in args]
    assert words in refused(capsys, "path", data, "--response", "y", *OTHERS, *args)


def test_names_and_numbers_of_features_do_not_meet(data, tmp_path, capsys):
    (tmp_path / "d.svm").write_text("1 1:2 2:3\n0 1:1\n2 2:1\n")
    named, numbered = tmp_path / "named.npz", tmp_path / "numbered.npz"
    printed(capsys, "path", data, "--response", "y", *OTHERS, "--quiet", "--save", named)
    printed(capsys, "path", tmp_path / "d.svm", "--quiet", "--save", numbered)
    message = refused(capsys, "predict", named, tmp_path / "d.svm")
    assert "an SVMlight file numbers its features, so none is named 'a'" in message
    assert "no column is named '1'" in refused(capsys, "predict", numbered, data)
    printed(capsys, "predict", numbered, tmp_path / "d.svm")


def test_names_of_a_file_mean_nothing_to_a_model_without_names(tmp_path, capsys):
    fit = ss.path(X, Y, n_lambdas=5)
    ss.save(fit, tmp_path / "m.npz")
    np.savez(tmp_path / "new.npz", X=X[:3], feature_names=np.array(NAMES))
    (tmp_path / "new.npz").rename(tmp_path / "new.NPZ")
    out = printed(capsys, "predict", tmp_path / "m.npz", tmp_path / "new.NPZ", "--s", 0.1)
    values = [float(line) for line in out.splitlines()[1:]]
    assert values == pytest.approx(fit.predict(X[:3], 0.1), rel=1e-12)


def test_a_curve_has_no_other_axis(data, tmp_path, capsys):
    model = tmp_path / "m.npz"
    ss.save(ss.cv_path(X, Y, n_folds=3, n_lambdas=5, seed=0), model)
    for option in (("--by", "class"), ("--xvar", "norm")):
        message = refused(capsys, "plot", model, tmp_path / "p.png", *option)
        assert "--by and --xvar need --path" in message


def test_a_model_of_kernels_belongs_to_python(capsys, data, tmp_path):
    model = tmp_path / "kernels.npz"
    ss.save(ss.mkl_path([X @ X.T], Y, n_lambdas=3), model)
    for command in (("predict", model, data), ("plot", model, tmp_path / "p.png")):
        assert "is a model of kernels; read it in Python" in refused(capsys, *command)


def test_files_that_number_features_from_0_and_from_1_do_not_meet(tmp_path, capsys):
    """Each feature was taken for the one before, without a word."""
    (tmp_path / "one.svm").write_text("1 1:1 2:3\n0 1:2\n2 2:1\n")
    (tmp_path / "zero.svm").write_text("1 0:1 1:3\n0 0:2\n2 1:1\n")
    printed(capsys, "path", tmp_path / "one.svm", "--quiet", "--save", tmp_path / "m.npz")
    message = refused(capsys, "predict", tmp_path / "m.npz", tmp_path / "zero.svm")
    assert "the file has a feature 0, and the model's are numbered from 1" in message
