"""Proxes of parts: the same as alone, and what each subtracts is in its dual ball."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.penalties.each_response import dual_of_part, ends_early, prox_of_part

WINDOWS = P.window_groups(8, 3)
PARTS = {
    "exact": P.TotalVariation(l1=0.3),
    "exact, with a start": P.OverlapLinf(WINDOWS),
    "iterative": P.OverlapL2(WINDOWS),
    "sum": P.Sum([P.TotalVariation(), P.OverlapLinf(WINDOWS)]),
    "separate": P.Separate({range(4): P.OverlapL2([[0, 1], [1, 2], [3]]), range(4, 8): P.L1()}),
}


@pytest.mark.parametrize("name", sorted(PARTS))
def test_what_a_prox_subtracts_is_in_the_dual_ball(name):
    omega, near = PARTS[name].over(8), None
    assert ends_early(omega) == (name in ("iterative", "sum", "separate"))
    for v in np.random.default_rng(0).standard_normal((6, 8)):
        for t in (2.0, 0.5, 0.1):
            b, near = prox_of_part(omega, v, t, near)
            xi = dual_of_part(omega, near, t)
            assert b == pytest.approx(omega.prox(v, t), abs=1e-6)
            # against directions of all kinds: no product is above t times the norm
            for d in (b, *np.random.default_rng(1).standard_normal((20, 8)), *np.eye(8)):
                assert xi @ d <= t * omega.value(d) * (1.0 + 1e-9) + 1e-12
            assert xi == pytest.approx(v - b, abs=1e-3)


@pytest.mark.parametrize("omega", [
    P.Separate({range(8): P.OverlapL2(WINDOWS), range(8, 12): P.L1()}),
    P.Separate({range(8): PARTS["sum"], range(8, 12): None}),
], ids=["overlaps", "sum"])  # fmt: skip
@pytest.mark.parametrize("responses", [1, 2])
def test_gaps_under_a_ridge_part_bound_the_objective(omega, responses):
    """A looser path claims no less than what a tighter one gains on it."""
    rng = np.random.default_rng(5)
    X, Y = rng.standard_normal((30, 12)), rng.standard_normal((30, responses))
    Y += X @ rng.standard_normal((12, responses))
    family = "gaussian" if responses == 1 else "multigaussian"
    given = {"penalty": omega, "alpha": 0.6, "family": family, "standardize": False,
             "lambdas": [1.0, 0.3, 0.1]}  # fmt: skip
    Y = Y[:, 0] if responses == 1 else Y
    loose, tight = ss.path(X, Y, tol=1e-3, **given), ss.path(X, Y, tol=1e-8, **given)
    assert not tight.status.any()

    def objective(fit, lam):
        B = np.atleast_2d(fit.coef(lam))
        left = np.reshape(Y, (30, -1)) - X @ B.T - np.atleast_1d(fit.intercept(lam))
        own = omega.over(12)
        size = own.value(B[0]) if responses == 1 else own.over_responses(responses).value(B)
        return 0.5 * np.sum(left**2) / 30 + lam * (0.6 * size + 0.2 * np.sum(B**2))

    null = 0.5 * np.sum((Y - Y.mean(axis=0)) ** 2) / 30
    for lam, claimed in zip(loose.lambdas, loose.gaps, strict=True):
        assert objective(loose, lam) - objective(tight, lam) <= claimed * null * (1.0 + 1e-6)
