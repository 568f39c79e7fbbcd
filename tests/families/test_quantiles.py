"""Families with kinks of real numbers: names, parameters, what is refused, what they predict."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.families import read_family

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = X[:, 0] + RNG.standard_t(2, size=80)


@pytest.mark.parametrize("made, name", [
    (families.quantile(0.25), "quantile(q=0.25)"),
    (families.epsilon_insensitive(0.5), "epsilon_insensitive(epsilon=0.5)"),
])  # fmt: skip
def test_a_family_knows_its_name_and_that_it_has_kinks(made, name):
    assert made.name == name and not made.smooth and not made.several
    assert read_family(made) is made
    np.testing.assert_array_equal(made.mean(np.array([-1.0, 2.0])), [-1.0, 2.0])
    np.testing.assert_array_equal(made.read([1, 2, 3], 3).values, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("make, bad, words", [
    (families.quantile, 0.0, "q must be"), (families.quantile, 1, "q must be"),
    (families.quantile, "half", "q must be"), (families.epsilon_insensitive, -1, "epsilon must"),
    (families.epsilon_insensitive, None, "epsilon must"),
])  # fmt: skip
def test_other_parameters_are_refused(make, bad, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make(bad)


@pytest.mark.parametrize("q", [0.2, 0.5, 0.8])
def test_that_share_of_the_rows_lies_below(q):
    """With an intercept at most q of the rows are below the fit, at most 1 - q above."""
    fit = ss.path(X, Y, family=families.quantile(q), lambdas=[0.02], tol=1e-9)
    left = Y - fit.predict(X, s=0.02)
    assert (left < -1e-4).mean() <= q + 1e-9 and (left > 1e-4).mean() <= 1 - q + 1e-9


def test_a_saved_model_knows_its_family(tmp_path):
    fit = ss.path(X, Y, family=families.epsilon_insensitive(0.3), lambdas=[0.1])
    ss.save(fit, tmp_path / "fit.npz")
    assert ss.load(tmp_path / "fit.npz").family == "epsilon_insensitive(epsilon=0.3)"
