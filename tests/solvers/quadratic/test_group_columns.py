"""Block descent over columns as they are: the minimum that block descent over their inner products
finds, whatever the norm of a group."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.solvers.quadratic.group_columns import DataBlockDescent, GramBlockDescent
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup
from sparsesolve.solvers import SOLVERS

N, P = 20, 40  # more columns than rows: they are taken as they are
GROUPS = np.arange(P) // 4
MAKERS = {"l2": GroupL2(GROUPS), "linf": GroupLinf(GROUPS), "sparse": SparseGroup(GROUPS, 0.4)}
OPTIONS = {"norm": (1.0, np.inf), "ridge": (0.5, np.inf), "limits": (1.0, 0.1)}


@pytest.fixture(params=[(kind, option) for kind in MAKERS for option in OPTIONS],
                ids=lambda pair: "-".join(pair))  # fmt: skip
def omega(request):
    kind, option = request.param
    alpha, limit = OPTIONS[option]
    made = MAKERS[kind].over(P)
    ends = np.full(P, limit)
    shut = np.zeros(made.n_groups, dtype=bool)
    return made.under(alpha, np.ones(made.n_groups), shut, -ends, ends, 1.0)


def full(state):
    b = np.zeros(P)
    which, values = state.coefficients()
    b[which] = values
    return b


def test_columns_and_inner_products_lead_to_the_same_minimum(omega):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, P)) + 0.5 * rng.standard_normal((N, 1))
    y, w = X[:, :8] @ rng.standard_normal(8) + rng.standard_normal(N), np.full(N, 1.0 / N)
    design = Design(np.asfortranarray(X))
    assert design.moments(w)
    design.standardise(False, np.ones(P))
    null = 0.5 * np.mean(y**2)
    made = SimpleNamespace(design=design, penalty=omega, weights=w,
                           response=y, loss=None, null_value=null, centred=False)  # fmt: skip
    state, A, e = SOLVERS["working_set"].state(made, 1), X / np.sqrt(N), y / np.sqrt(N)
    model = InnerModel(A.T @ A, omega)
    top = omega.polar(A.T @ e)
    for lam in (0.5 * top, 0.05 * top):
        model.set_gradient(np.zeros(P), A.T @ e, e)
        for solver, kind in ((state, DataBlockDescent), (model, GramBlockDescent)):
            assert type(solver.quadratic) is kind
            outcome, gap = solver.solve(lam, 1e-11 * null, 20_000)
            assert outcome == 0 and gap <= 1e-11 * null
        values = [0.5 * np.sum((e - A @ b) ** 2) + omega.value(b, lam)
                  for b in (full(state), full(model))]  # fmt: skip
        assert values[0] == pytest.approx(values[1], abs=3e-11 * null)


@pytest.mark.parametrize("make", [GroupL2, GroupLinf, lambda groups: SparseGroup(groups, 0.5)],
                         ids=MAKERS)  # fmt: skip
def test_sparse_columns_that_are_alike(make):
    """Groups of columns that are nearly those of others: sweeps alone take 1,400 to 37,000.

    Without their extrapolation the largest sizes take 1,094.
    """
    rng = np.random.default_rng(4)
    base = sparse.random_array((90, 8), density=0.3, rng=rng).toarray()
    X = np.tile(base, (1, 15)) * (1.0 + 0.02 * rng.standard_normal((90, 120)))
    y = X[:, :12] @ rng.standard_normal(12) + 0.3 * rng.standard_normal(90)
    given = {"penalty": make(np.arange(120) // 4), "tol": 1e-10, "stop": None, "n_lambdas": 8,
             "lambda_min_ratio": 1e-2}  # fmt: skip
    columns, whole = ss.path(sparse.csc_array(X), y, **given), ss.path(X, y, **given)
    assert not columns.status.any() and not whole.status.any()
    assert columns.n_iters.sum() < 1000
    for lam in columns.lambdas:
        assert X @ columns.coef(lam) == pytest.approx(X @ whole.coef(lam), abs=1e-3)
