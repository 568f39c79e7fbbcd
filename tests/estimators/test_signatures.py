"""Signatures that estimators inherit are those that scikit-learn reads."""

import inspect

import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402

from sparsesolve import estimators  # noqa: E402

OWN = {"PoissonNet": (), "GammaNet": (), "TweedieNet": ("power",),
       "NegativeBinomialNet": ("theta",), "HuberNet": ("delta",)}  # fmt: skip
SHARED = ["alpha", "l1_ratio", "fit_intercept", "standardize", "positive", "max_iter", "tol",
          "penalty_factor", "lower", "upper", "exclude"]  # fmt: skip


@pytest.mark.parametrize("name", OWN)
def test_parameters_are_the_shared_ones_and_its_own(name):
    kind = getattr(estimators, name)
    assert sorted(kind().get_params()) == sorted([*SHARED, *OWN[name]])
    chosen = getattr(estimators, f"{name}CV")
    grid = ["eps", "alphas", "measure", "cv", "rule", "verbose", "n_jobs"]
    without = [one for one in SHARED if one != "alpha"]
    assert sorted(chosen().get_params()) == sorted([*without, *grid, *OWN[name]])


@pytest.mark.parametrize("name", [*OWN, "ProbitNet"])
def test_what_is_given_is_what_is_kept(name):
    for kind in (getattr(estimators, name), getattr(estimators, f"{name}CV")):
        given = {name: object() for name in kind().get_params()}
        model = kind(**given)
        assert all(getattr(model, name) is value for name, value in given.items())
        assert inspect.signature(kind).parameters.keys() == given.keys()
        assert clone(kind()).get_params() == kind().get_params()


def test_only_alpha_is_taken_by_place():
    assert estimators.GammaNet(0.3).alpha == 0.3
    with pytest.raises(TypeError):
        estimators.GammaNet(0.3, 0.5)


@pytest.mark.parametrize("name", ["GammaNet", "GammaNetCV", "PoissonNet"])
def test_keywords_of_others_are_answered_in_the_name_of_the_class(name):
    with pytest.raises(TypeError, match=rf"{name}\(\) has no argument 'lambda1'"):
        getattr(estimators, name)(lambda1=1)
