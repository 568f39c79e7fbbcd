"""Model files that are cut off, altered or of another version: read rightly, or refused."""

import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(5)
X = RNG.standard_normal((40, 5))
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(40)
MADE = {
    "path": lambda: ss.path(X, Y, n_lambdas=6),
    "several": lambda: ss.path(X, RNG.integers(3, size=40), family="multinomial", n_lambdas=5),
    "cv": lambda: ss.cv_path(X, Y, n_folds=3, seed=0, n_lambdas=6),
    "kernels": lambda: ss.mkl_path({"a": X @ X.T, "b": np.eye(40)}, Y, n_lambdas=5),
    "cv of kernels": lambda: ss.cv_mkl_path({"a": X @ X.T, "b": np.eye(40)}, Y, n_folds=3, seed=0,
                                            n_lambdas=5),
}
TAMPERED = {
    "empty": lambda a: np.empty(0), "text": lambda a: np.array("zzz"),
    "an object": lambda a: np.array([{}], dtype=object), "NaN": lambda a: np.full(a.shape, np.nan),
    "far too large": lambda a: np.full(a.shape, 10**9), "negative": lambda a: np.full(a.shape, -7),
    "twice": lambda a: np.array([a, a]), "a number": lambda a: np.array(1.5),
    "one short": lambda a: a[:-1] if a.ndim else np.array([a, a]),
}  # fmt: skip


@pytest.fixture(params=sorted(MADE))
def saved(request, tmp_path):
    file = tmp_path / "model.npz"
    ss.save(MADE[request.param](), file)
    return file


def read_or_refused(file):
    """Whether the file was read; what was is fit for use."""
    try:
        back = ss.load(file)
    except ValueError as error:
        assert str(file) in str(error) and "\n" not in str(error)
        return False
    if isinstance(back, ss.MKLPath | ss.results.MKLCrossValidation):
        # Nothing tells a file of fewer samples from a damaged one.
        n = len(getattr(back, "path", back).dual_coefs)
        assert np.isfinite(back.predict([(X @ X.T)[:, :n], np.eye(40)[:, :n]])).all()
    else:
        assert np.isfinite(back.predict(X)).all() and np.isfinite(back.coef(0.1)).all()
    assert str(back) and repr(back)
    return True


@pytest.mark.parametrize("how", TAMPERED)
def test_arrays_of_another_make(saved, how):
    """Indices beyond the coefficients once ended the process."""
    with np.load(saved) as found:
        arrays = dict(found)
    optional = {"feature_names", "class_names", "groups", "folds", "kernel_names",
                "n_features"}  # fmt: skip
    refused = set()
    for name in arrays:
        np.savez(saved, **{**arrays, name: TAMPERED[how](arrays[name])})
        if not read_or_refused(saved):
            refused.add(name)
        np.savez(saved, **{other: array for other, array in arrays.items() if other != name})
        assert read_or_refused(saved) == (name in optional)
    needed = {"lambdas", "coef_indptr", "kernel_norms", "intercepts", "version"} & set(arrays)
    assert needed <= refused or how == "a number"


def test_a_file_of_a_later_version_is_told_from_a_damaged_one(saved):
    with np.load(saved) as found:
        arrays = dict(found)
    np.savez(saved, **{**arrays, "version": 7, "lambdas": np.array("in another form")})
    with pytest.raises(ValueError, match="of version 7, and this sparsesolve reads up to 1; use"):
        ss.load(saved)
    np.savez(saved, **{**arrays, "something": np.arange(3)})  # of a later minor version, say
    assert read_or_refused(saved)


RESULTS = {
    **MADE,
    "binomial": lambda: ss.path(X, Y > 0, family="binomial", n_lambdas=5),
    "cox": lambda: ss.path(X, (np.exp(Y), Y > -1), family="cox", n_lambdas=5),
    "groups": lambda: ss.path(X, Y, penalty=ss.penalties.GroupL2(list("aabbc")), n_lambdas=5),
    "knots": lambda: ss.lars_path(X, Y), "omp": lambda: ss.omp_path(X, Y),
    "niht": lambda: ss.paths.hard_threshold_path(X, Y, n_nonzero=2),
    "relaxed": lambda: ss.relax(ss.path(X, Y, n_lambdas=5), X, Y),
    "made kernels": lambda: ss.mkl_path(ss.mkl.build_grams(
        X, [(ss.mkl.gaussian(1.0), None)], store=False), Y, n_lambdas=5),
    "codes": lambda: ss.sparse_code(Y[:, None], X, lam=0.1),
    "dictionary": lambda: ss.DictionaryLearning(3, lam=0.1, seed=0, n_epochs=1).fit(X.T),
    "stability": lambda: ss.stability_path(X, Y, seed=0, n_lambdas=5, n_pairs=3),
    "design": lambda: ss.make_design({"a": Y, "b": ["u", "v"] * 20}),
    "refit": lambda: ss.refit(ss.path(X, Y, n_lambdas=5), X, Y, s=0.3),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_survives_a_pickle(name):
    first = RESULTS[name]()
    second = pickle.loads(pickle.dumps(first))
    assert type(second) is type(first) and str(second) == str(first)
    for attribute, value in vars(first).items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            again = getattr(second, attribute)
            np.testing.assert_array_equal(again, value)
            assert again.flags.writeable == value.flags.writeable  # a frozen one stays frozen


def test_a_member_hidden_by_the_length_of_another_is_missed(tmp_path):
    """A comment of one entry of the directory takes in the next, which is optional."""
    file = tmp_path / "model.npz"
    ss.save(ss.path(ss.make_design({"a": Y}), Y, n_lambdas=4), file)
    data = bytearray(file.read_bytes())
    entries = [found.start() for found in re.finditer(b"PK\x01\x02", data)]
    data[entries[-2] + 32 : entries[-2] + 34] = (
        data.rfind(b"PK\x05\x06") - entries[-1]).to_bytes(2, "little")  # fmt: skip
    file.write_bytes(data)
    with pytest.raises(ValueError, match="the file is damaged: its directory lists other members"):
        ss.load(file)


def test_damaged_files_of_every_kind_end_in_a_sentence_or_an_answer():
    """A seeded part of benchmarks/system/damaged_files.py, in a process of its own."""
    pytest.importorskip("resource")
    file = Path(__file__).parents[3] / "benchmarks" / "system" / "damaged_files.py"
    done = subprocess.run([sys.executable, file, "0", "420"], capture_output=True, text=True,
                          check=True)  # fmt: skip
    last = done.stdout.splitlines()
    assert len(last) == 1, done.stdout
    counts = dict(re.findall(r"'(\w+)': (\d+)", last[0]))
    assert counts.keys() == {"refused", "answered"} and sum(map(int, counts.values())) == 420
