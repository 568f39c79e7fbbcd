"""Kernels of a table in a file: what is read predicts new tables as the fit does."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import mkl

RNG = np.random.default_rng(0)
N = 40
TABLE = {"size": RNG.normal(size=N), "age": RNG.normal(size=N),
         "ward": np.where(RNG.random(N) < 0.4, "east", "west")}  # fmt: skip
NEW = {"ward": np.array(["west", "east"]), "age": [0.3, -1.0], "size": [0.1, 2.0],
       "id": ["a", "b"]}  # fmt: skip
Y = np.sin(2 * TABLE["size"]) + (TABLE["ward"] == "east") + 0.1 * RNG.normal(size=N)
PAIRS = {"wide": (mkl.gaussian(1.5), None), "line": (mkl.linear(), [0, 1]),
         "cubic": (mkl.polynomial(3, 0.5), ["age"])}  # fmt: skip


def fitted(X, y=Y, family="gaussian", **options):
    return ss.mkl_path(mkl.build_grams(X, PAIRS, **options), y, family=family, n_lambdas=5)


@pytest.mark.parametrize("options", [
    {}, {"scale": "trace"}, {"scale": "diagonal", "centre": True},
    {"weights": np.arange(N) % 3, "centre": True, "scale": "trace"}, {"dtype": "float32"},
], ids=lambda options: " ".join(options) or "plain")  # fmt: skip
def test_a_path_of_kernels_predicts_raw_tables_and_so_does_its_file(options, tmp_path):
    design = ss.make_design(TABLE)
    fit = fitted(design, **options)
    own = fit.predict(NEW)
    np.testing.assert_array_equal(own, fit.predict(design.encode(NEW)))
    ss.save(fit, tmp_path / "fit.npz", rows=True)
    read = ss.load(tmp_path / "fit.npz")
    near = 1e-5 if "dtype" in options else 1e-12
    np.testing.assert_allclose(read.predict(NEW), own, rtol=near, atol=near)
    assert read.grams.items == [] and read.kernel_names.tolist() == list(PAIRS)


def test_names_of_an_array_are_found_in_a_frame(tmp_path):
    pandas = pytest.importorskip("pandas")
    X = np.column_stack([TABLE["size"], TABLE["age"]])
    fit = ss.mkl_path(mkl.build_grams(X, PAIRS, feature_names=["size", "age"]), Y, n_lambdas=4)
    ss.save(fit, tmp_path / "fit.npz", rows=True)
    frame = pandas.DataFrame({"age": [1.0], "other": ["x"], "size": [0.5]})
    for one in (fit, ss.load(tmp_path / "fit.npz")):
        np.testing.assert_allclose(one.predict(frame), fit.predict([[0.5, 1.0]]), rtol=1e-10)
        with pytest.raises(ValueError, match="size"):
            one.predict(frame[["age"]])


def test_classes_come_back(tmp_path):
    labels = np.digitize(Y, [0.0, 1.0])
    fit = fitted(ss.make_design(TABLE), labels, "multinomial")
    ss.save(fit, tmp_path / "fit.npz", rows=True)
    read = ss.load(tmp_path / "fit.npz")
    np.testing.assert_array_equal(read.predict(NEW, kind="class"), fit.predict(NEW, kind="class"))


def test_without_rows_no_row_is_in_the_file(tmp_path):
    fit = fitted(ss.make_design(TABLE))
    ss.save(fit, tmp_path / "fit.npz")
    with np.load(tmp_path / "fit.npz") as found:
        assert "gram_table" not in found.files
    assert ss.load(tmp_path / "fit.npz").grams is None


def test_what_cannot_be_kept_is_said(tmp_path):
    X = np.column_stack([TABLE["size"], TABLE["age"]])
    ours = {"mine": (lambda A, B: A @ B.T, None)}
    fit = ss.mkl_path(mkl.build_grams(X, ours), Y, n_lambdas=3)
    with pytest.raises(ValueError, match="kernel 0 is .* cannot be saved"):
        ss.save(fit, tmp_path / "fit.npz", rows=True)
    with pytest.raises(ValueError, match="was not made of one"):
        ss.save(ss.path(X, Y), tmp_path / "fit.npz", rows=True)
    K = [X @ X.T]
    with pytest.raises(ValueError, match="was not made of one"):
        ss.save(ss.mkl_path(K, Y, n_lambdas=3), tmp_path / "fit.npz", rows=True)


def test_a_damaged_file_is_refused(tmp_path):
    ss.save(fitted(ss.make_design(TABLE)), tmp_path / "fit.npz", rows=True)
    with np.load(tmp_path / "fit.npz") as found:
        arrays = {name: found[name] for name in found.files}
    arrays["gram_table"] = arrays["gram_table"][:-1]
    np.savez(tmp_path / "broken.npz", **arrays)
    with pytest.raises(ValueError, match="damaged"):
        ss.load(tmp_path / "broken.npz")
