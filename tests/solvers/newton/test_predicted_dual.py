"""The dual point to which a step's model leads ends paths sooner, and certifies what it ends."""

import glm_oracle
import numpy as np
import numpy_losses
import pytest

import sparsesolve as ss
from sparsesolve import families

LOSSES = {
    "binomial": ("binomial", numpy_losses.BINOMIAL),
    "poisson": ("poisson", numpy_losses.POISSON),
    "gamma": (families.gamma(), numpy_losses.GAMMA),
    "probit": (families.probit(), numpy_losses.PROBIT),
}
LOOSE, FINE = 1e-8, 4e-9  # of these alone the first may end by what a model foretells


def _problem(name, n=80, p=40):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    signal = X[:, :6] @ np.array([1.0, -0.8, 0.0, 0.5, 0.0, -0.4])
    y = {"poisson": rng.poisson(np.exp(signal / 2)),
         "gamma": np.exp(signal / 2) * rng.gamma(2.0, 0.5, n)}  # fmt: skip
    return X, y.get(name, (signal > rng.logistic(size=n)) * 1.0)


def _path(X, y, family, tol, **options):
    return ss.path(X, y, family=family, tol=tol, stop=None, solver="proximal_newton", n_lambdas=30,
                   lambda_min_ratio=0.02, **options)  # fmt: skip


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_a_gap_of_second_order_takes_fewer_steps(name):
    X, y = _problem(name)
    family, _ = LOSSES[name]
    loose, fine = (_path(X, y, family, tol) for tol in (LOOSE, FINE))
    assert not loose.status.any() and not fine.status.any()
    assert loose.n_iters.sum() < 0.9 * fine.n_iters.sum()


@pytest.mark.filterwarnings("error")
def test_samples_all_but_certain_leave_the_domain_and_nothing_is_lost():
    """Their curvature vanishes, that of the model does not: v is of no use, the path goes on."""
    X, _ = _problem("binomial")
    X[0] *= 50.0
    y = X[:, 0] > 0.3 * np.sin(np.arange(80))
    fit = _path(X, y, "binomial", 1e-7)
    assert not fit.status.any()
    for k in (10, 20, 29):
        b = fit.coefs[:, [k]].toarray().ravel()
        assert glm_oracle.certificate(X, y * 1.0, fit.intercepts[k], b, fit.lambdas[k],
                                      loss=numpy_losses.BINOMIAL) <= 1e-7  # fmt: skip


@pytest.mark.parametrize("name", ["binomial", "poisson"])
def test_free_columns_that_press_on_limits_count(name):
    """Beside a limit such a column is free or not by the sign of its product with v."""
    X, y = _problem(name)
    family, loss = LOSSES[name]
    options = {"penalty_factor": np.r_[0.0, 0.0, np.ones(38)], "lower": -0.15, "upper": 0.15}
    fit = _path(X, y, family, 1e-7, **options)
    assert not fit.status.any() and (abs(fit.coefs[[0, 1]].toarray()) == 0.15).any()
    for k in range(0, 30, 4):
        b = fit.coefs[:, [k]].toarray().ravel()
        found = glm_oracle.certificate(X, y, fit.intercepts[k], b, fit.lambdas[k], loss=loss,
                                       **options)  # fmt: skip
        assert found <= 1e-7
