"""Models in files: what is read is what was written, and nothing else is read."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import families

RNG = np.random.default_rng(91)
N, P = 60, 7
X = RNG.standard_normal((N, P))
ETA = X[:, 0] - X[:, 1]
Y = ETA + RNG.standard_normal(N)
FITS = {
    "gaussian": ("gaussian", Y),
    "binomial": ("binomial", np.where(Y > 0, "yes", "no")),
    "poisson": ("poisson", RNG.poisson(np.exp(0.5 * ETA))),
    "cox": (families.cox("efron"), np.column_stack([RNG.exponential(np.exp(-ETA)),
                                                    RNG.random(N) < 0.7])),
    "multinomial": ("multinomial", RNG.integers(3, size=N)),
    "multigaussian": ("multigaussian", np.column_stack([Y, ETA])),
    "huber": (families.huber(1.25), Y),
    "probit": (families.probit(), Y > 0),
    "squared_hinge": (families.squared_hinge(), Y > 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FITS)
def test_a_path_comes_back(name, tmp_path):
    family, y = FITS[name]
    fit = ss.path(X, y, family=family, n_lambdas=15)
    ss.save(fit, tmp_path / "model.npz")
    back = ss.load(tmp_path / "model.npz")
    for kind in ("link", "response"):
        assert np.array_equal(back.predict(X, kind=kind), fit.predict(X, kind=kind))
    if fit.class_names is not None and name != "multigaussian":
        assert np.array_equal(back.predict(X, kind="class"), fit.predict(X, kind="class"))
    assert str(back) == str(fit) and repr(back) == repr(fit)
    assert list(back.status) == list(fit.status) and back.null_deviance == fit.null_deviance
    assert np.array_equal(back.coef(0.1), fit.coef(0.1))
    with pytest.raises(ValueError, match="fit the data again"):
        back.coef(0.123456, exact=True, X=X, y=y)


@pytest.mark.parametrize("fit", [
    lambda: ss.paths.lars_path_gram(X.T @ X, X.T @ Y, N),  # y'y, and so its deviance, is not known
    lambda: ss.path(X, Y, pmax=0, penalty_factor=np.arange(P)),  # ends before its first lambda
    lambda: ss.path(X, RNG.integers(3, size=N), family="multinomial", pmax=0,
                    penalty_factor=np.arange(P)),
])  # fmt: skip
def test_paths_without_deviance_or_without_lambdas_come_back(fit, tmp_path):
    fit = fit()
    ss.save(fit, tmp_path / "model.npz")
    back = ss.load(tmp_path / "model.npz")
    assert str(back) == str(fit) and np.shape(back.intercepts) == np.shape(fit.intercepts)
    assert back.n_features == P
    assert np.array_equal(back.dev_ratio, fit.dev_ratio, equal_nan=True)


def test_a_cross_validated_fit_comes_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdefg"))
    cv = ss.cv_path(frame, Y > 0, family="binomial", measure="auc", n_folds=4, seed=0,
                    alphas=[0.5, 1.0], penalty=ss.penalties.GroupL2(list("uuvvwww")))  # fmt: skip
    ss.save(cv, tmp_path / "model")
    back = ss.load(tmp_path / "model")
    assert str(back) == str(cv).replace(", alpha 1 the best of 2", "").replace(
        ", alpha 0.5 the best of 2", "")  # fmt: skip
    assert np.array_equal(back.coef(), cv.coef()) and back.alpha == cv.alpha
    assert np.array_equal(back.predict(frame, "lambda_min"), cv.predict(frame, "lambda_min"))
    assert np.array_equal(back.folds, cv.folds) and back.larger_is_better
    assert np.array_equal(back.upper, cv.upper)
    assert back.path.groups == cv.path.groups
    assert np.array_equal(back.predict(frame[list("gfedcba")]), cv.predict(frame))
    with pytest.raises(ValueError, match="X has no column 'c'"):
        back.predict(frame[list("gfedba")])
    ax = pytest.importorskip("matplotlib.figure").Figure().add_subplot()
    assert back.plot(ax=ax) is ax


@pytest.mark.parametrize("name", ["gaussian", "binomial", "multinomial", "huber", "hinge"])
def test_a_path_of_kernels_comes_back(name, tmp_path):
    """Grams are not in the file: what is read takes the blocks that they make."""
    family, y = (ss.families.hinge(), Y > 0) if name == "hinge" else FITS[name]
    grams = ss.mkl.build_grams(
        X[:50], {"wide": (ss.mkl.gaussian(2.0), None), "one": (ss.mkl.linear(), 0)})  # fmt: skip
    options = {"norm": "l1_squared", "lambdas": [0.1, 0.05], "tol": 1e-3}
    fit = ss.mkl_path(grams, y[:50], family=family, **options)
    ss.save(fit, tmp_path / "model.npz")
    back = ss.load(tmp_path / "model.npz")
    blocks = dict(zip(["wide", "one"], grams.between(X[50:]), strict=True))
    for kind in ("link", "response", *(() if fit.class_names is None else ("class",))):
        assert np.array_equal(back.predict(blocks, kind=kind), fit.predict(X[50:], kind=kind))
    assert str(back) == str(fit) and back.norm == fit.norm and back.grams is None
    for array in ("kernel_norms", "kernel_weights", "dual_coefs", "gaps", "status"):
        assert np.array_equal(getattr(back, array), getattr(fit, array))
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        assert set(file.files) >= {"norm", "kernel_norms", "kernel_weights", "dual_coefs"}
        assert not set(file.files) & {"coef_data", "feature_names"}


def test_offsets_are_asked_for(tmp_path):
    fit = ss.path(X, Y, offset=ETA, n_lambdas=5)
    ss.save(fit, tmp_path / "model.npz")
    back = ss.load(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="give that of the new rows"):
        back.predict(X)
    assert np.array_equal(back.predict(X, offset=ETA), fit.predict(X, offset=ETA))


def test_the_file_is_what_is_written_down(tmp_path):
    """Names, numbers and texts alone: no pickle, no data of the rows."""
    fit = ss.path(X, Y, weights=np.arange(1.0, N + 1), n_lambdas=5)
    ss.save(fit, tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        assert str(file["format"]) == "sparsesolve model" and int(file["version"]) == 1
        assert set(file.files) == {
            "format", "version", "kind", "family", "options", "stop_reason", "lambdas", "df",
            "dev_ratio", "gaps", "n_iters", "status", "null_deviance", "intercepts", "coef_data",
            "coef_indices", "coef_indptr", "coef_shape", "n_features",
        }  # fmt: skip
        assert all(file[name].size < N for name in file.files)


class Own:
    def value(self, y, eta):
        return (y - eta) ** 2 / 2

    def gradient(self, y, eta):
        return eta - y

    def curvature(self, y, eta):
        return np.ones(len(y))


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ValueError, match="your own family"):
        ss.save(ss.path(X, Y, family=Own(), n_lambdas=3), tmp_path / "model.npz")
    labels = np.array([(0, 1), (1, 2)], dtype="i,i").astype(object)[(Y > 0).astype(int)]
    with pytest.raises(ValueError, match="classes of mixed types"):
        ss.save(ss.path(X, labels, family="binomial", n_lambdas=3), tmp_path / "model.npz")
    assert not (tmp_path / "model.npz").exists()


def test_other_files_are_refused(tmp_path):
    file = tmp_path / "model.npz"
    with pytest.raises(FileNotFoundError):
        ss.load(file)
    np.savez(file, a=1)
    with pytest.raises(ValueError, match="model.npz: it does not hold a model"):
        ss.load(file)
    np.save(tmp_path / "array.npy", np.eye(2))
    with pytest.raises(ValueError, match="does not hold a model"):
        ss.load(tmp_path / "array.npy")
    file.write_text("lambda,feature")
    with pytest.raises(ValueError, match="model.npz: "):
        ss.load(file)
    data = (tmp_path / "array.npy").read_bytes()
    file.write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="model.npz: "):
        ss.load(file)


@pytest.mark.parametrize("options", [
    {"alpha": np.float32(0.5), "tol": np.float32(1e-5)}, {"alpha": Decimal("0.5")},
    {"intercept": np.True_, "standardize": np.False_, "n_lambdas": np.array(6)},
    {"lambda_min_ratio": Fraction(1, 10), "tol": Decimal("1e-6"), "n_lambdas": 5.0},
])  # fmt: skip
def test_numbers_of_every_make_are_options_and_are_saved(options, tmp_path):
    """They were accepted, and failed on the way or when they were saved."""
    plain = {name: bool(v) if isinstance(v, np.bool_) else float(v) for name, v in options.items()}
    fit = ss.path(X, Y, **options)
    assert np.array_equal(fit.coefs.toarray(), ss.path(X, Y, **plain).coefs.toarray())
    ss.save(fit, tmp_path / "model.npz")
    assert np.array_equal(ss.load(tmp_path / "model.npz").coefs.data, fit.coefs.data)
    longer = fit.extend(X, Y, n_lambdas=3.0, lambda_min_ratio=Decimal("1e-6"))
    assert len(longer.lambdas) == len(fit.lambdas) + 3
