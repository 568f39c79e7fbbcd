"""ADMM and linearised ADMM: the solutions of other solvers, certified, for every kind of norm."""

import numpy as np
import pytest
from scipy import sparse

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


@pytest.mark.parametrize("alpha", [1.0, 0.7])
@pytest.mark.parametrize("label", PENALTIES)
@pytest.mark.parametrize("solver", ["admm", "linearized_admm"])
def test_the_solutions_of_other_solvers(solver, label, alpha):
    options = {"penalty": PENALTIES[label], "alpha": alpha, "weights": np.resize([1.0, 2.0], 60)}
    fit = ss.path(X, Y, n_lambdas=4, lambda_min_ratio=0.05, tol=1e-9, stop=None, **options)
    own = ss.path(X, Y, lambdas=fit.lambdas, tol=1e-6, solver=solver, stop=None, **options)
    assert not own.status.any() and own.gaps.max() <= 1e-6
    assert own.dev_ratio == pytest.approx(fit.dev_ratio, abs=2e-3)
    assert own.coefs.toarray() == pytest.approx(fit.coefs.toarray(), abs=2e-2)


@pytest.mark.parametrize("family", ["binomial", "poisson"])
def test_other_losses_and_sparse_x(family):
    y = Y > 0 if family == "binomial" else RNG.poisson(np.exp(0.2 * SIGNAL))
    Z = sparse.csc_array(np.where(np.abs(X) > 0.7, X, 0.0))
    options = {"family": family, "penalty": PENALTIES["linf"]}
    fit = ss.path(Z, y, n_lambdas=4, lambda_min_ratio=0.1, tol=1e-9, **options)
    own = ss.path(Z, y, lambdas=fit.lambdas, tol=1e-6, solver="linearized_admm", **options)
    assert not own.status.any()
    assert own.coefs.toarray() == pytest.approx(fit.coefs.toarray(), abs=2e-2)


SEVERAL = np.column_stack([Y, -Y + RNG.standard_normal(60), RNG.standard_normal(60)])
OF_RESPONSES = {**PENALTIES, "trace": P.TraceNorm(), "tree": P.TreeL2([range(4), range(12)])}


@pytest.mark.parametrize("label", OF_RESPONSES)
@pytest.mark.parametrize("family, solver", [
    ("multigaussian", "admm"), ("multigaussian", "linearized_admm"),
    ("multinomial", "linearized_admm"),
])  # fmt: skip
def test_several_responses(family, solver, label):
    y = SEVERAL if family == "multigaussian" else SEVERAL.argmax(axis=1)
    options = {"family": family, "penalty": OF_RESPONSES[label], "alpha": 0.9}
    fit = ss.path(X, y, n_lambdas=3, lambda_min_ratio=0.1, tol=1e-8, stop=None, **options)
    own = ss.path(X, y, lambdas=fit.lambdas, tol=1e-6, solver=solver, stop=None, **options)
    assert not own.status.any() and own.gaps.max() <= 1e-6
    for lam in fit.lambdas:
        assert own.coef(lam) == pytest.approx(fit.coef(lam), abs=2e-2)


BLOCKS = {
    "lasso": {}, "net": {"alpha": 0.5}, "bare": {"penalty_factor": np.resize([1.0, 0.0, 2.0], 12)},
    "limits": {"lower": -0.2, "upper": np.resize([0.3, np.inf], 12)}, "left out": {"exclude": [4]},
    "groups": {"penalty": P.GroupL2(np.arange(12) // 3), "alpha": 0.8},
    "sparse groups": {"penalty": P.SparseGroup(np.arange(12) // 3, 0.4)},
    "linf": {"penalty": P.GroupLinf(np.arange(12) // 3)},
    "lq": {"penalty": P.GroupLq(np.arange(12) // 3, 3.0)},
}  # fmt: skip


@pytest.mark.parametrize("case", BLOCKS)
@pytest.mark.parametrize("family, solver", [
    ("gaussian", "admm"), ("gaussian", "linearized_admm"), ("binomial", "linearized_admm"),
    ("multigaussian", "admm"), ("multinomial", "linearized_admm"),
])  # fmt: skip
def test_norms_of_disjoint_blocks(family, solver, case):
    """Under blocks zeros are exact, and coefficients within their limits."""
    options = {"family": family, **BLOCKS[case]}
    if family == "multigaussian" and case == "limits":
        return
    y = {"gaussian": Y, "binomial": Y > 0, "multigaussian": SEVERAL}.get(
        family, SEVERAL.argmax(axis=1))  # fmt: skip
    fit = ss.path(X, y, n_lambdas=4, lambda_min_ratio=0.1, tol=1e-10, stop=None, **options)
    own = ss.path(X, y, lambdas=fit.lambdas, tol=1e-7, solver=solver, stop=None, **options)
    assert not own.status.any() and own.gaps.max() <= 1e-7
    assert own.dev_ratio == pytest.approx(fit.dev_ratio, abs=2e-3)
    for lam in fit.lambdas if "gaussian" in family else ():
        assert own.coef(lam) == pytest.approx(fit.coef(lam), abs=2e-2)
    if case not in ("lq", "bare"):
        assert own.df[1] < 12


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


def test_what_they_do_not_take():
    with pytest.raises(ValueError, match=r"solver='admm' needs family='gaussian'"):
        ss.path(X, Y > 0, family="binomial", penalty=PENALTIES["linf"], solver="admm")
    with pytest.raises(ValueError, match="needs a norm"):
        ss.path(X, Y, penalty=P.Berhu(), solver="linearized_admm")
