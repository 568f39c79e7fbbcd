"""ADMM and linearised ADMM: the solutions of other solvers, certified, for every kind of norm."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.penalties.whole import WholePenalty

RNG = np.random.default_rng(8)
X = RNG.standard_normal((60, 12))
SIGNAL = X @ np.r_[np.zeros(4), np.ones(4), np.zeros(4)]
Y = SIGNAL + 0.5 * RNG.standard_normal(60)
PENALTIES = {
    "image": P.TotalVariation2D((3, 4)), "sparse image": P.TotalVariation2D((3, 4), l1=0.3),
    "linf": P.OverlapLinf(P.window_groups(12, 3)), "l2": P.OverlapL2(P.window_groups(12, 3)),
    "slope": P.Slope(), "trend": P.TrendFilter(),
    "beside": P.Separate({(0, 1): None, range(2, 12): P.TotalVariation()}),
}  # fmt: skip
OF_RESPONSES = {**PENALTIES, "trace": P.TraceNorm(), "tree": P.TreeL2([range(4), range(12)])}


@pytest.mark.parametrize("label", OF_RESPONSES)
def test_splittings_of_several_responses_have_the_same_value(label):
    penalty = WholePenalty(OF_RESPONSES[label].over(12), 12, n_responses=3)
    A, psi, _ = penalty.splitting()
    gram = (A.T @ A).toarray()
    assert gram == pytest.approx(np.kron(np.eye(3), gram[:12, :12]))  # what Admm builds on
    for B in RNG.standard_normal((5, 3, 12)):
        assert psi.value(A @ B.ravel()) == pytest.approx(penalty.value(B))


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("solver", ["admm", "linearized_admm"])
def test_steps_at_the_null_model_leave_the_next_lambdas_alone(solver, family):
    """Under a kernel the null model takes steps, at which no residual may drive rho away."""
    if (solver, family) == ("admm", "binomial"):
        return
    y = Y if family == "gaussian" else Y > 0
    fit = ss.path(X, y, family=family, penalty=PENALTIES["image"], solver=solver, tol=1e-6,
                  n_lambdas=4, lambda_min_ratio=0.1, max_iter=400)  # fmt: skip
    assert not fit.status.any()
