"""Certificates on ill-conditioned designs, against the same in 60 decimal digits."""

import decimal
import warnings

import claims
import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties

N, P = 16, 8
RNG = np.random.default_rng(4)
T = np.linspace(0.0, 1.0, N)
ORTHOGONAL = np.linalg.qr(RNG.standard_normal((N, P)))[0]
TURN = np.linalg.qr(RNG.standard_normal((P, P)))[0]
DESIGNS = {
    "hilbert": 1.0 / (1.0 + np.arange(N)[:, None] + np.arange(P)),
    "powers": T[:, None] ** np.arange(1, P + 1),
    "condition 1e12": ORTHOGONAL * np.logspace(0, -12, P) @ TURN,
    "single": (RNG.standard_normal((N, P)) + 1e3).astype(np.float32),
    "means of 1e8": RNG.standard_normal((N, P)) + 1e8,
}
ETA = 3 * np.sin(6 * T) + 0.3 * RNG.standard_normal(N)
RESPONSES = {"gaussian": ETA, "binomial": (ETA > 0.5) * 1.0, "poisson": np.floor(np.exp(ETA / 2))}
LISTS = [[0, 1, 2], [3, 4], [5, 6, 7]]
KINDS = {None: None, "l2": penalties.GroupL2(LISTS), "sparse": penalties.SparseGroup(LISTS),
         "linf": penalties.GroupLinf(LISTS)}  # fmt: skip


def worst_claim(fit, better, X, y, slack, **options):
    """No point that says CONVERGED has a gap above its tolerance, or, as this judge's dual points
    are loose at tiny lambdas, is worse by that than the one of `better`; returns how many."""
    with decimal.localcontext(claims.ARITHMETIC) as context:
        context.traps[decimal.Overflow] = False
        judge = claims.Judge(X.astype(float), y, numbers=claims.DIGITS, **options)
        sure = np.flatnonzero(fit.status == ss.Status.CONVERGED)
        for k in sure:
            point = fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel(), fit.lambdas[k]
            gap = judge.gap(*point)
            if gap > 1.2e-7 + slack:
                other = (better.intercepts[k], better.coefs[:, [k]].toarray().ravel(),
                         better.lambdas[k])  # fmt: skip
                gap = (judge.objective(*point) - judge.objective(*other)) / judge.null
            assert gap <= 1.2e-7 + slack, f"{float(gap):.1e} at point {k}, said {fit.gaps[k]:.1e}"
    return len(sure)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("design", DESIGNS)
def test_certificates_stay_true_down_to_tiny_lambdas(design, family, kind):
    X, y = DESIGNS[design], RESPONSES[family]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        fit, better = (
            ss.path(X, y, family=family, penalty=KINDS[kind], n_lambdas=5, stop=None,
                    lambda_min_ratio=1e-8, max_iter=steps, tol=tol)
            for steps, tol in ((600, 1e-7), (5000, 1e-13))
        )  # fmt: skip
    slack = 1e-6 if design == "means of 1e8" else 1e-12  # of intercepts as large as X
    own = {"family": family, "kind": kind, "lists": LISTS if kind else ()}
    assert worst_claim(fit, better, X, y, slack, **own) > 1


@pytest.mark.parametrize("design", DESIGNS)
def test_knots_stay_true(design):
    X, y = DESIGNS[design], RESPONSES["gaussian"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        fit = ss.lars_path(X, y, lambda_min=1e-8)
    slack = 1e-6 if design == "means of 1e8" else 1e-12
    assert worst_claim(fit, fit, X, y, slack) > 1
