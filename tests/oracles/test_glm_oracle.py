"""The slow solver that other tests lean on: losses without stored numbers, and its certificate."""

import glm_oracle
import numpy as np
import numpy_losses
import oracle
import pytest

LOSSES = {
    "gaussian": numpy_losses.GAUSSIAN,
    "binomial": numpy_losses.BINOMIAL,
    "poisson": numpy_losses.POISSON,
    "huber": numpy_losses.huber(0.8),
    "squared_hinge": numpy_losses.SQUARED_HINGE,
    "probit": numpy_losses.PROBIT,  # no conjugate: judged by its optimality conditions
    "cloglog": numpy_losses.CLOGLOG,
    "gamma": numpy_losses.GAMMA,
    "negative_binomial": numpy_losses.negative_binomial(1.5),
    "tweedie": numpy_losses.tweedie(1.4),
}
OPTIONS = {
    "plain": {},
    "ridge_part": {"alpha": 0.3, "penalty_factor": np.array([1, 0, 2, np.inf, 1, 0.5])},
    "limits": {"lower": -0.1, "upper": np.array([0.05, np.inf, 0.2, 0, 0.3, np.inf])},
    "origin": {"intercept": False, "standardize": False, "penalty_factor": np.arange(6.0)},
}


def _problem(name):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 6)) + [0, 1, 0, -2, 0, 0]
    signal = 0.7 * X[:, 0] - 0.5 * X[:, 2] + 0.4 * rng.standard_normal(40)
    binary = (signal > rng.logistic(size=40)).astype(float)
    counts, amounts = rng.poisson(np.exp(signal)), np.exp(signal) * rng.gamma(2.0, 0.5, 40)
    y = {"binomial": binary, "probit": binary, "cloglog": binary, "squared_hinge": 2 * binary - 1,
         "poisson": counts, "negative_binomial": counts, "gamma": amounts,
         "tweedie": np.where(counts > 0, amounts, 0.0)}.get(name, signal + rng.standard_t(2, 40))
    weights = rng.uniform(0.2, 2.0, 40)
    weights[5] = 0.0
    return X, y, {"weights": weights, "offset": 0.3 * rng.standard_normal(40)}


@pytest.mark.parametrize("options", sorted(OPTIONS))
@pytest.mark.parametrize("name", sorted(LOSSES))
def test_solutions_are_certified_and_better_than_their_neighbours(name, options):
    X, y, rest = _problem(name)
    rest = {**rest, **OPTIONS[options]}
    largest = oracle.lambda_max if name == "gaussian" else glm_oracle.lambda_max
    own = {"loss": LOSSES[name]}
    lam = 0.1 * largest(X, y, **rest, **({} if name == "gaussian" else own))
    b0, b = glm_oracle.solve(X, y, lam, **rest, **own)
    assert glm_oracle.kkt_residual(X, y, b0, b, lam, **rest, **own) < 1e-11
    best = glm_oracle.objective(X, y, b0, b, lam, **rest, **own)
    null = glm_oracle.null_objective(X, y, **rest, **own)
    rng = np.random.default_rng(1)
    for size in (1e-3, 1e-2, 0.1):
        other = np.clip(b + size * rng.standard_normal(6), rest.get("lower", -np.inf),
                        rest.get("upper", np.inf))
        other = np.where(np.isinf(rest.get("penalty_factor", 1.0)), 0.0, other)
        other0 = b0 + size * rng.standard_normal() if rest.get("intercept", True) else 0.0
        lost = glm_oracle.objective(X, y, other0, other, lam, **rest, **own) - best
        assert lost > 0
        if own["loss"].conjugate:
            found = glm_oracle.certificate(X, y, other0, other, lam, **rest, **own)
            assert found == pytest.approx(lost / null, rel=1e-6, abs=1e-12)
