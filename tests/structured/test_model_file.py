"""Chains in files: what is read back answers as what was written."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import structured


def fitted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.array(["x", "y", "z"])[rng.integers(3, size=30)]
    options = {"lengths": [10] * 3, "groups": ["g", "g", "h"], "n_lambdas": 4}
    return X, y, ss.crf_path(X, y, **options, allowed=np.ones((3, 3), dtype=bool))


def test_what_is_read_is_what_was_written(tmp_path):
    X, _, fit = fitted()
    ss.save(fit, tmp_path / "chain.npz")
    other = ss.load(tmp_path / "chain.npz")
    np.testing.assert_array_equal(other.coefs.toarray(), fit.coefs.toarray())
    assert (other.predict(X) == fit.predict(X)).all()
    assert str(other) == str(fit) and other.templates() == fit.templates()
    assert other.options == fit.options and other.allowed.all()


def test_names_of_before_go_on_for_a_while(tmp_path):
    _, _, fit = fitted()
    model = ss.spom([[1.0], [-1.0], [1.0]], ["a", "b", "a"], C=10.0, eta0=1.0)
    for one, read in ((fit, "load"), (model, "load_spom")):
        with pytest.warns(FutureWarning, match="sparsesolve.save") as said:
            one.save(tmp_path / "model.npz")
        assert said[0].filename == __file__
        with pytest.warns(FutureWarning, match="sparsesolve.load takes its place") as said:
            assert str(getattr(structured, read)(tmp_path / "model.npz")) == str(one)
        assert said[0].filename == __file__


def test_a_picture_has_a_line_for_each_template_in_use():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    _, _, fit = fitted()
    assert len(fit.plot(by="template").lines) == len(fit.templates())
    assert len(fit.plot().lines) == len(fit.nonzero())
