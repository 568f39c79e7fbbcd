"""Paths of families given as objects, judged by the oracle's certificate; counts, labels."""

from dataclasses import replace

import glm_oracle
import numpy as np
import numpy_losses
import pytest

import sparsesolve as ss
from sparsesolve import families

N, P = 60, 8
RNG = np.random.default_rng(12)
X = RNG.standard_normal((N, P)) * np.resize([1.0, 3.0, 0.2], P) + [0, 1, 0, 0, -2, 0, 0, 0]
ETA = 0.6 * X[:, 0] - 0.2 * X[:, 1] + 0.4 * X[:, 3]
UNIFORM = RNG.uniform(size=N)
REAL = ETA + RNG.standard_t(2, N)
COUNT = RNG.poisson(np.exp(ETA) * RNG.gamma(2.0, 0.5, N)).astype(float)
POSITIVE = np.exp(ETA) * RNG.gamma(2.0, 0.5, N)
WEIGHTS = RNG.uniform(0.2, 2.0, N)
WEIGHTS[5] = 0.0
OFFSET = 0.3 * RNG.standard_normal(N)


class LogCosh:
    """A user's family, of numpy alone."""

    value = staticmethod(numpy_losses.LOG_COSH.value)
    gradient = staticmethod(numpy_losses.LOG_COSH.slope)

    def curvature(self, y, eta):
        return 1 - np.tanh(eta - y) ** 2


class CertifiedLogCosh(LogCosh):
    conjugate = staticmethod(numpy_losses.LOG_COSH.conjugate)


CASES = {  # family, y, the oracle's loss
    "huber": (families.huber(0.7), REAL, numpy_losses.huber(0.7)),
    "squared_hinge": (families.squared_hinge(), np.where(REAL > 0, 1, -1),
                      numpy_losses.SQUARED_HINGE),
    "probit": (families.probit(), (REAL > 0) * 1, numpy_losses.PROBIT),
    "cloglog": (families.cloglog(), UNIFORM < -np.expm1(-np.exp(ETA)), numpy_losses.CLOGLOG),
    "gamma": (families.gamma(), POSITIVE, numpy_losses.GAMMA),
    "negative_binomial": (families.negative_binomial(2.0), COUNT,
                          numpy_losses.negative_binomial(2.0)),
    "tweedie": (families.tweedie(1.4), np.where(UNIFORM < 0.3, 0, POSITIVE),
                numpy_losses.tweedie(1.4)),
    "a user's": (families.from_object(LogCosh()), REAL,
                 replace(numpy_losses.LOG_COSH, conjugate=None, least=np.zeros_like)),
    "a user's with a conjugate": (CertifiedLogCosh(), REAL, numpy_losses.LOG_COSH),
}
OPTIONS = {
    "plain": {},
    "offset": {"weights": WEIGHTS, "offset": OFFSET},
    "limits": {"lower": -0.05, "upper": np.resize([0.1, np.inf], P), "alpha": 0.5},
    "factors": {"penalty_factor": np.resize([1.0, 0.0, 2.0, np.inf], P), "weights": WEIGHTS},
    "origin": {"intercept": False, "standardize": False, "alpha": 0.3},
}


@pytest.mark.parametrize("options", sorted(OPTIONS))
@pytest.mark.parametrize("name", ["a user's", "a user's with a conjugate"])
def test_every_solution_is_optimal_by_an_independent_certificate(name, options):
    """Families of users; those of the package are in laws/test_certificates.py."""
    family, y, loss = CASES[name]
    given = OPTIONS[options]
    fit = ss.path(X, y, family=family, n_lambdas=8, lambda_min_ratio=0.01, stop=None,
                  tol=1e-6, **given)  # fmt: skip
    assert len(fit.lambdas) == 8 and (fit.gaps <= 1e-6).all()
    rest = {**given, "loss": loss}
    assert fit.lambdas[0] == pytest.approx(glm_oracle.lambda_max(X, y, **rest), rel=1e-6)
    for k in (0, 3, 7):
        b0, b = fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel()
        assert glm_oracle.certificate(X, y, b0, b, fit.lambdas[k], **rest) <= 2e-6
        ratio = glm_oracle.dev_ratio(X, y, b0, b, **rest)
        assert fit.dev_ratio[k] == pytest.approx(ratio, abs=1e-10)


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


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_path_keeps_its_family(name):
    family, y, _ = CASES[name]
    fit = ss.path(X, y, family=family, lambdas=[0.3, 0.05], tol=1e-9)
    again = ss.path(X, y, **fit.options)
    assert np.array_equal(again.coefs.toarray(), fit.coefs.toarray())
    eta = fit.predict(X)
    assert np.array_equal(fit.predict(X, kind="response"), families.read_family(family).mean(eta))
    exact = fit.coef(0.1, exact=True, X=X, y=y)
    there = ss.path(X, y, family=family, lambdas=[0.1], tol=1e-9)
    assert exact == pytest.approx(there.coef(0.1), abs=1e-4)
    if fit.class_names is not None:
        assert set(fit.predict(X, 0.05, kind="class")) == set(np.unique(y))


def test_a_step_that_no_halving_makes_short_enough_is_learnt_from():
    """Where curvature is all but gone a model leads 1e16 too far, and had done so for ever."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6))
    y = 1e3 * (X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.normal(size=50))
    fit = ss.path(X, y, family=LogCosh(), n_lambdas=3, lambda_min_ratio=0.05, max_iter=2000)
    assert fit.gaps.max() <= 1e-7
