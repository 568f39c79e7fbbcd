"""Solutions and gaps of every single-response family against an independent slow solver."""

from dataclasses import replace

import glm_oracle
import numpy as np
import numpy_losses
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families

GRID = np.array([1.0, 0.5, 0.2, 0.05, 0.01])  # of lambda_max
FAMILIES = {  # name: (family, its loss in numpy)
    "gaussian": ("gaussian", numpy_losses.GAUSSIAN),
    "binomial": ("binomial", numpy_losses.BINOMIAL),
    "poisson": ("poisson", numpy_losses.POISSON),
    "huber": (families.huber(0.8), numpy_losses.huber(0.8)),
    "squared_hinge": (families.squared_hinge(), numpy_losses.SQUARED_HINGE),
    "probit": (families.probit(), numpy_losses.PROBIT),
    "cloglog": (families.cloglog(), numpy_losses.CLOGLOG),
    "gamma": (families.gamma(), numpy_losses.GAMMA),
    "negative_binomial": (families.negative_binomial(1.5), numpy_losses.negative_binomial(1.5)),
    "tweedie": (families.tweedie(1.4), numpy_losses.tweedie(1.4)),
    "a user's": (families.from_object(numpy_losses.LogCosh()),
                 replace(numpy_losses.LOG_COSH, conjugate=None, least=np.zeros_like)),
    "a user's with a conjugate": (numpy_losses.CertifiedLogCosh(), numpy_losses.LOG_COSH),
}
FACTORS = np.array([1.0, 0.5, 3.0, np.inf, 0.0, 1.0, 2.0, 1.0])
OPTIONS = {
    "lasso": {},
    "net": {"alpha": 0.4, "standardize": False},
    "origin": {"intercept": False},
    "factors": {"penalty_factor": FACTORS},
    "limits": {"lower": np.resize([-0.2, -np.inf, 0.0], 8), "upper": np.resize([np.inf, 0.3], 8)},
    "all": {"alpha": 0.7, "penalty_factor": FACTORS, "lower": -0.3,
            "upper": np.resize([np.inf, 0.3], 8)},
}


def _problem(name):
    """A design with zeros, a response of the family, weights (one of them 0) and an offset."""
    rng = np.random.default_rng(11)
    X = rng.standard_normal((60, 8)) + [0, 0.5, 0, 0, -1, 0, 0, 0]
    X[:, 1:] += 0.4 * X[:, :-1]
    X[rng.random(X.shape) < 0.3] = 0.0
    signal = 0.8 * X[:, 0] - 0.6 * X[:, 2] + 0.3 * X[:, 5]
    binary = (signal > rng.logistic(size=60)).astype(float)
    counts, amounts = rng.poisson(np.exp(signal)), np.exp(signal) * rng.gamma(2.0, 0.5, 60)
    gaussian, real = signal + rng.standard_normal(60), signal + rng.standard_t(2, 60)
    y = {"gaussian": gaussian, "huber": real, "a user's": real, "a user's with a conjugate": real,
         "squared_hinge": 2 * binary - 1, "poisson": counts, "negative_binomial": counts,
         "gamma": amounts, "tweedie": np.where(counts > 0, amounts, 0.0)}.get(name, binary)
    weights = rng.uniform(0.5, 2.0, 60)
    weights[7] = 0.0
    return X, y, {"weights": weights, "offset": 0.3 * rng.standard_normal(60)}


@pytest.fixture(params=sorted(FAMILIES))
def name(request):
    return request.param


@pytest.fixture(params=sorted(OPTIONS))
def options(request):
    return OPTIONS[request.param]


@pytest.mark.filterwarnings("error")
def test_coefficients_and_certificates_are_those_of_the_slow_solver(name, options):
    """A claimed gap bounds what is lost, and an independent dual point claims about as much."""
    X, y, rest = _problem(name)
    rest = {**rest, **options}
    family, loss = FAMILIES[name]
    own = {**rest, "loss": loss}
    largest = glm_oracle.lambda_max(X, y, **own)
    assert ss.path(X, y, family=family, n_lambdas=2, **rest).lambdas[0] == pytest.approx(
        largest, rel=1e-6)
    best = {k: glm_oracle.solve(X, y, GRID[k] * largest, **own) for k in (1, 2, 4)}
    for store in (np.asfortranarray, sparse.csc_array):
        fit = ss.path(store(X), y, family=family, lambdas=largest * GRID, tol=1e-11, **rest)
        for k, (b0, b) in best.items():
            assert fit.coefs[:, [k]].toarray().ravel() == pytest.approx(b, abs=3e-5), k
            assert fit.intercepts[k] == pytest.approx(b0, abs=3e-5)
            ratio = glm_oracle.dev_ratio(X, y, b0, b, **own)
            assert fit.dev_ratio[k] == pytest.approx(ratio, abs=1e-5)
    null = glm_oracle.null_objective(X, y, **own)
    fit = ss.path(X, y, family=family, lambdas=largest * GRID, tol=1e-3, **rest)
    assert (fit.gaps <= 1e-3).all()
    for k, (b0, b) in best.items():
        point = fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel(), fit.lambdas[k]
        lost = glm_oracle.objective(X, y, *point, **own)
        lost -= glm_oracle.objective(X, y, b0, b, fit.lambdas[k], **own)
        assert lost / null <= fit.gaps[k] * (1 + 1e-9) + 1e-12
        assert glm_oracle.certificate(X, y, *point, **own) <= 2e-3
