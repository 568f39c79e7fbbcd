"""K responses with the whole Hessian: against a slow solver and its own certificate."""

from functools import partial

import numpy as np
import pytest
from response_problems import check as against_oracle
from response_problems import (
    labelled,
    largest,
    make_state,
)
from sparsesolve.linalg.design.design import Design
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.certificate import InactiveRows
from sparsesolve.solvers.responses.newton import ResponseNewton

import sparsesolve as ss
import sparsesolve.paths.path as path_module
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.choice import choose

state_of = partial(make_state, ResponseNewton)


def check(X, Y, share, options):
    """Solve to 1e-11 at a share of the largest lambda and compare with the oracle."""
    state, Z = state_of(X, Y, **options)
    return against_oracle(X, Y, share * largest(state, **options), state, Z, options)


@pytest.mark.parametrize("solver", ["response_newton", "response_blocks"])
def test_classes_so_rare_that_a_multiple_of_the_dual_point_costs_them_much(solver):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20_000, 4)), np.repeat([1, 2, 0], [3, 2, 19_995])
    options = {"n_lambdas": 12, "lambda_min_ratio": 0.01, "tol": 1e-10}
    fit = ss.path(X, y, family="multinomial", solver=solver, **options)
    assert fit.gaps.max() <= 1e-10


def test_a_feature_is_near_as_it_was_when_last_looked_at():
    """Not by a size that it had when the dual point was longer."""
    X, _, rng = labelled(n=30, p=80)
    design = Design(X)
    assert design.moments(np.full(30, 1 / 30))
    Z = design.unpacked(np.arange(80, dtype=np.intc))
    rows = InactiveRows(design, ElasticNetRows(ElasticNet(80)), 3, 1)
    u = rng.standard_normal((3, 30))
    top = rows.look(u, 0.0)[2].max()
    assert len(rows.near(0.5 * top, 1.0)) > 1
    which, products, sizes = rows.look(0.01 * u, 0.01 * top)
    np.testing.assert_allclose(products, 0.01 * u @ Z[:, which], atol=1e-12)
    assert 1 <= len(which) < 80 and np.abs(products).max(axis=0) == pytest.approx(sizes)
    assert set(rows.near(0.005 * top, 1.0)) <= set(which)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", [2, 6])
def test_unpenalised_columns_that_separate_classes_miss_no_lambda(seed, grouped):
    """The dual point orthogonal to them is outside the domain of F* until u is all but there.

    A linear programme finds that they separate the classes, so that no finite optimum exists.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(26, 8))
    y = (X[:, :4] + rng.gumbel(size=(26, 4))).argmax(axis=1)
    y[:4] = range(4)
    with pytest.warns(ss.ConvergenceWarning, match="No finite coefficients are best"):
        fit = ss.path(X, y, family="multinomial", grouped=grouped, lambdas=[0.1, 0.05], tol=1e-3,
                      penalty_factor=[0] * 6 + [1] * 2, solver="response_newton")  # fmt: skip
    assert (fit.status == ss.Status.UNBOUNDED).all() and fit.gaps.max() <= 1e-3


def test_a_loose_gap_lets_in_hardly_more_coefficients_than_a_tight_one(monkeypatch):
    """Inexact dual points, and lines drawn through two of them, pass thresholds by their error."""
    states = []

    def keep(*given):
        states.append(choose(*given))
        return states[-1]

    monkeypatch.setattr(path_module, "choose", keep)
    rng = np.random.default_rng(41)
    X = rng.normal(size=(48, 4000))
    for j in range(1, 4000):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
    eta = X[:, ::200] @ rng.normal(size=20)
    y = np.digitize(1.5 * eta / eta.std() + rng.normal(size=48), [-1.0, 1.0])
    options = {"family": "multinomial", "solver": "response_newton", "stop": None}
    lambdas = ss.path(X, y, n_lambdas=30, lambda_min_ratio=0.01, **options).lambdas
    at_work = {}
    for tol in (1e-7, 1e-3, 1e-2, 1e-1):
        fit = ss.path(X, y, lambdas=lambdas, tol=tol, **options)
        at_work[tol] = len(states[-1].point.quadratic.members()[0])
        assert fit.gaps.max() <= tol
    assert max(at_work.values()) <= 1.3 * at_work[1e-7]
