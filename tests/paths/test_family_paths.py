"""Families written by users: labels, errors in their methods, steps that lead too far."""

import numpy as np
import numpy_losses
import pytest
from numpy_losses import CertifiedLogCosh, LogCosh

import sparsesolve as ss
from sparsesolve import families

N, P = 60, 8
RNG = np.random.default_rng(12)
X = RNG.standard_normal((N, P)) * np.resize([1.0, 3.0, 0.2], P) + [0, 1, 0, 0, -2, 0, 0, 0]
ETA = 0.6 * X[:, 0] - 0.2 * X[:, 1] + 0.4 * X[:, 3]
REAL = ETA + RNG.standard_t(2, N)
COUNT = RNG.poisson(np.exp(ETA) * RNG.gamma(2.0, 0.5, N)).astype(float)
WEIGHTS = np.where(np.arange(N) == 5, 0.0, RNG.uniform(0.2, 2.0, N))


def solved(y, family, **options):
    """Intercept and coefficients at one lambda."""
    fit = ss.path(options.pop("X", X), y, family=family, lambdas=[0.03], tol=1e-8, **options)
    return np.append(fit.intercepts, fit.coefs.toarray())


@pytest.mark.parametrize("family", ["binomial", families.probit(), families.squared_hinge()],
                         ids=str)  # fmt: skip
def test_labels_of_any_type_mean_the_same_and_turn_around(family):
    side = REAL > 0
    first = solved(side, family)
    for labels in (["a", "b"], [-1, 1], [1, 2], [0.0, 1.0]):
        assert np.array_equal(solved(np.array(labels)[side * 1], family), first)
    assert solved(~side, family) == pytest.approx(-first, abs=1e-6)
    fit = ss.path(X, np.array(["no", "yes"])[side * 1], family=family, lambdas=[0.03])
    assert fit.class_names.tolist() == ["no", "yes"]


def test_a_users_poisson_is_poisson():
    class Counts:
        value = staticmethod(numpy_losses.POISSON.value)
        gradient = staticmethod(numpy_losses.POISSON.slope)
        curvature = staticmethod(numpy_losses.POISSON.bend)
        conjugate = staticmethod(numpy_losses.POISSON.conjugate)

    y, given = COUNT, {"lambdas": [0.3, 0.1, 0.03], "tol": 1e-10, "weights": WEIGHTS}
    ours, theirs = (ss.path(X, y, family=family, **given) for family in ("poisson", Counts()))
    assert theirs.coefs.toarray() == pytest.approx(ours.coefs.toarray(), abs=1e-6)
    assert theirs.null_deviance == pytest.approx(ours.null_deviance, rel=1e-12)
    assert theirs.dev_ratio == pytest.approx(ours.dev_ratio, abs=1e-10)


@pytest.mark.parametrize("base", [LogCosh, CertifiedLogCosh])
def test_an_exception_in_a_users_code_reaches_the_caller_wherever_it_comes(base):
    class Failing(base):
        calls, last = 0, None

        def value(self, y, eta):
            self.calls += 1
            if self.calls == self.last:
                raise KeyError("mine")
            return base.value(y, eta)

    given = {"lambdas": [0.3, 0.1], "tol": 1e-6}
    law = Failing()
    ss.path(X, REAL, family=law, **given)
    for last in range(1, law.calls + 1):
        law = Failing()
        law.last = last
        with pytest.raises(KeyError, match="mine"):
            ss.path(X, REAL, family=law, **given)


def test_a_step_that_no_halving_makes_short_enough_is_learnt_from():
    """Where curvature is all but gone a model leads 1e16 too far, and had done so for ever."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6))
    y = 1e3 * (X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.normal(size=50))
    fit = ss.path(X, y, family=LogCosh(), n_lambdas=3, lambda_min_ratio=0.05, max_iter=2000)
    assert fit.gaps.max() <= 1e-7
