"""Cutting planes under other penalties than the ridge, against a linear programme and path."""

import numpy as np
import pytest
from scipy.optimize import linprog

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.paths import bundle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 8))
Y = np.where(X[:, 0] - X[:, 1] + 0.5 * RNG.normal(size=50) > 0, 1.0, -1.0)
GROUPS = [0, 0, 1, 1, 2, 2, 3, 3]


def J(w, lam, omega):
    return np.maximum(0.0, 1.0 - Y * (X @ w)).mean() + lam * omega(w)


@pytest.mark.parametrize("lam", [0.2, 0.05])
def test_l1_against_the_linear_programme(lam):
    signed = Y[:, None] * X
    costs = np.r_[np.full(16, lam), np.full(50, 0.02)]
    least = linprog(costs, A_ub=np.hstack([-signed, signed, -np.eye(50)]), b_ub=-np.ones(50)).fun
    seen = []
    trace = bundle.bmrm(bundle.hinge_risk(X, Y), lam, 150, penalty="l1", tol=1e-4,
                        callback=lambda k, w, alpha: seen.append((w, alpha)))  # fmt: skip
    assert trace.gap <= 1e-4 and trace.theory is None
    assert trace.bounds.max() <= least + 1e-12 and trace.objectives.min() >= least - 1e-12
    for (w, alpha), objective in zip(seen, trace.objectives, strict=True):
        assert J(w, lam, lambda b: np.abs(b).sum()) == pytest.approx(objective)
        assert alpha is None or alpha.min() >= 0.0 and alpha.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("penalty", [P.GroupL2(GROUPS), P.Berhu(0.3), P.TraceNorm((2, 4))])
def test_penalties_against_path(penalty):
    trace = bundle.bmrm(bundle.hinge_risk(X, Y), 0.05, 60, penalty=penalty, tol=1e-3)
    fit = ss.path(X, Y, family="hinge", penalty=penalty, lambdas=[0.05], standardize=False,
                  intercept=False, tol=1e-8)  # fmt: skip
    omega = penalty.over(8, None).value
    least = J(fit.coef(0.05), 0.05, omega)
    assert trace.gap <= 1e-3
    assert trace.bounds.max() <= least + 1e-9 and trace.objectives.min() >= least - 1e-8
    assert J(trace.coef, 0.05, omega) == pytest.approx(trace.objectives.min())


@pytest.mark.parametrize("options, error, message", [
    ({"penalty": P.MCP()}, ValueError, "MCP is not convex"),
    ({"penalty": P.TotalVariation()}, ValueError, "without a penalty"),
    ({"penalty": 3.0}, TypeError, "penalty"),
    ({"penalty": P.L1(), "line_search": True}, ValueError, "for the ridge alone"),
    ({"callback": 1}, TypeError, "callback must be a function"),
])  # fmt: skip
def test_what_cannot_be_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        bundle.bmrm(bundle.hinge_risk(X, Y), 0.1, 5, **options)


@pytest.mark.parametrize("line_search", [False, True])
@pytest.mark.parametrize("lam", [1.0, 0.01])
def test_theorem_5_holds_on_runs(lam, line_search):
    trace = bundle.bmrm(bundle.hinge_risk(X, Y), lam, 60, line_search=line_search)
    assert (trace.gaps[1:] <= trace.theory[1:] * (1 + 1e-9) + 1e-14).all()
    assert trace.theory[0] == np.inf and trace.theory[1] == trace.gaps[1]
    # as printed: log2(lam J(0) / G^2) + 8 G^2 / (lam eps) - 4 steps, solved for eps
    G, t = np.linalg.norm(X, axis=1).max(), np.arange(1, 61)
    steps = t + 4.0 - np.log2(lam / G**2)
    assert (trace.theory[1:] <= 8.0 * G**2 / (lam * steps)).all()


def test_theorem_5_is_tight_up_to_16_on_orthonormal_columns():
    trace = bundle.bmrm(np.eye(60), 0.1, 50)
    t = np.arange(1, 51)
    assert trace.gaps[1:] == pytest.approx(1.0 / (2.0 * 0.1 * t), rel=1e-6)
    share = trace.gaps[1:] / trace.theory[1:]
    assert (share <= 1.0 + 1e-9).all() and (share >= 1.0 / 16.0).all()


@pytest.mark.parametrize("method", ["qp", "ls", "pragam", "pragam_b", "pegasos", "pegasos_1"])
def test_a_callback_sees_every_iterate(method):
    seen, lam = [], 0.05

    def keep(k, w, alpha):
        seen.append((k, w.copy(), alpha))
    runs = {
        "qp": lambda **o: bundle.bmrm(bundle.hinge_risk(X, Y), lam, 8, **o),
        "ls": lambda **o: bundle.bmrm(bundle.hinge_risk(X, Y), lam, 8, line_search=True, **o),
        "pragam": lambda **o: bundle.pragam(X, Y, lam, 8, **o),
        "pragam_b": lambda **o: bundle.pragam(X, Y, lam, 8, bias=True, **o),
        "pegasos": lambda **o: bundle.pegasos(X, Y, lam, 8, **o),
        "pegasos_1": lambda **o: bundle.pegasos(X, Y, lam, 8, batch=1, **o),
    }
    trace = runs[method](callback=keep)
    np.testing.assert_allclose(trace.objectives, runs[method]().objectives)
    assert [k for k, *_ in seen] == list(range(9))
    shifts = np.append(Y[:, None] - X @ np.stack([w for _, w, _ in seen]).T, np.zeros((1, 9)), 0)
    for k, w, alpha in seen:
        eta = X @ w
        if method == "pragam_b":  # the best bias is at a kink
            risk = min(np.maximum(0, 1 - Y * (eta + b)).mean() for b in shifts[:, k])
        else:
            risk = np.maximum(0.0, 1.0 - Y * eta).mean()
        assert 0.5 * lam * w @ w + risk == pytest.approx(trace.objectives[k])
        if alpha is not None and method not in ("qp", "ls"):  # within the box, and D there
            assert alpha.min() >= 0.0 and alpha.max() <= 0.02 + 1e-12
            z = X.T @ (Y * alpha)
            assert alpha.sum() - z @ z / (2 * lam) <= trace.objectives.min() + 1e-9
            if method.startswith("pragam"):
                assert alpha.sum() - z @ z / (2 * lam) == pytest.approx(trace.bounds[k])
