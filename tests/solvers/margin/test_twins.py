"""Elastic net, ridge, groups and limits under losses with kinks, against programmes with cuts."""

import kinked_oracle as twin
import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties

KINDS = {
    "hinge": ss.families.hinge(),
    "quantile": ss.families.quantile(0.3),
    "epsilon_insensitive": ss.families.epsilon_insensitive(0.2),
}
GROUPS = [[0, 1], [2, 3]]
FACTOR = np.array([0.5, 1.5, 1.0, 1.0])
CASES = {
    "net": ({"alpha": 0.3, "penalty_factor": FACTOR},
            lambda lam: twin.sizes(0.3 * lam * FACTOR) + twin.squares(0.7 * lam * FACTOR)),
    "ridge": ({"alpha": 0.0, "solver": "multipliers"}, lambda lam: twin.squares(lam * np.ones(4))),
    "groups": ({"penalty": penalties.GroupL2(GROUPS)},
               lambda lam: twin.lengths(GROUPS, [lam * 2**0.5] * 2)),
    "sparse_groups": ({"penalty": penalties.SparseGroup(GROUPS, 0.4)},
                      lambda lam: twin.sizes(0.4 * lam * np.ones(4))
                      + twin.lengths(GROUPS, [0.6 * lam * 2**0.5] * 2)),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_certified_answers_lie_between_the_bounds_of_the_twin(kind, name):
    rng = np.random.default_rng(len(name))
    X = rng.normal(size=(24, 4))
    y = X[:, 0] - X[:, 2] + rng.normal(size=24)
    y = np.where(y > 0.3, 1.0, -1.0) if kind == "hinge" else y.round(1)
    w = rng.random(24)
    w /= w.sum()
    options, terms = CASES[name]
    options = {"weights": w, "standardize": False, "tol": 1e-8, **options}
    first = ss.path(X, y, family=KINDS[kind], n_lambdas=2, **options).lambdas[0]
    lam = 0.3 * first if name != "ridge" else 0.02
    fit = ss.path(X, y, family=KINDS[kind], lambdas=[lam], **options)
    low, high = twin.bounds(kind, X, y, w, terms(lam))
    b, b0 = fit.coef(lam), fit.intercept(lam)
    here = twin.loss(kind, y, w, X @ b + b0) + sum(term(b)[0] for term in terms(lam))
    null = fit.null_deviance / 2
    assert high - low <= 1e-6
    assert low - 1e-9 <= here <= low + fit.gaps[0] * null + 1e-6 and fit.gaps[0] <= 1e-8
