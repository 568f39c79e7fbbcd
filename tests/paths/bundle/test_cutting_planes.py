"""Cutting planes of any risk, under any penalty: traces, bounds, theorems and callbacks."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.paths import bundle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=40) > 0, 1.0, -1.0)


@pytest.mark.parametrize("line_search", [False, True])
def test_a_smooth_risk_of_ones_own(line_search):
    """Logistic, against BFGS."""

    def risk(w):
        eta = Y * (X @ w)
        return np.logaddexp(0, -eta).mean(), -X.T @ (Y / (1 + np.exp(eta))) / 40

    found = minimize(lambda w: risk(w)[0] + 0.05 * w @ w, np.zeros(5), tol=1e-12)
    trace = bundle.bmrm(risk, 0.1, 300, line_search=line_search, start=np.zeros(5), tol=1e-6)
    assert trace.gap <= 1e-6 * (1 if not line_search else 1000)
    assert found.fun - 1e-9 <= trace.objectives.min() <= found.fun + trace.gap + 1e-9
    assert trace.bounds.max() <= found.fun + 1e-9
    assert (np.diff(trace.bounds[1:]) >= -1e-14).all()
    assert trace.method == ("ls_bmrm" if line_search else "qp_bmrm")
    assert trace.passes[-1] == 2 * len(trace.objectives)
    shapes = {len(x) for x in (trace.objectives, trace.bounds, trace.passes, trace.seconds)}
    assert len(shapes) == 1 and (np.diff(trace.seconds) >= 0).all()


def test_it_begins_where_it_is_told_and_ends_at_the_tolerance():
    columns = np.eye(4)
    trace = bundle.bmrm(columns, 0.5, 0, start=[1.0, 0, 0, 0])
    assert trace.objectives == pytest.approx([1.25]) and trace.coef == pytest.approx([1, 0, 0, 0])
    assert len(bundle.bmrm(columns, 0.5, 100, tol=0.6).objectives) < 10


@pytest.mark.parametrize(("risk", "options", "message"), [
    (lambda w: (0.0, w), {}, "start is needed"),
    (lambda w: w, {"start": [0.0]}, "a value and a subgradient"),
    (lambda w: (0.0, np.zeros(3)), {"start": [0.0]}, r"subgradient of shape \(3,\)"),
    (lambda w: (np.nan, w), {"start": [0.0]}, "not finite at call 1"),
    (np.ones(3), {}, "an array"),
    (np.eye(2), {"start": [0.0]}, "start has shape"),
    (np.eye(2), {"start": [0.0, np.inf]}, "start is not finite at 1"),
    (np.eye(2), {"lam": 0.0}, "lam must be"),
    (np.eye(2), {"lam": -1.0}, "lam must be"),
    (np.eye(2), {"n_iter": -1}, "n_iter must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused(risk, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        bundle.bmrm(risk, **{"lam": 1.0, **options})


RNG_PENALISED = np.random.default_rng(0)
X_PENALISED = RNG_PENALISED.normal(size=(50, 8))
HEIGHT = X_PENALISED[:, 0] - X_PENALISED[:, 1] + 0.5 * RNG_PENALISED.normal(size=50)
Y_PENALISED = np.where(HEIGHT > 0, 1.0, -1.0)
GROUPS = [0, 0, 1, 1, 2, 2, 3, 3]


def J(w, lam, omega):
    return np.maximum(0.0, 1.0 - Y_PENALISED * (X_PENALISED @ w)).mean() + lam * omega(w)


@pytest.mark.parametrize("lam", [0.2, 0.05])
def test_l1_against_the_linear_programme(lam):
    signed = Y_PENALISED[:, None] * X_PENALISED
    costs = np.r_[np.full(16, lam), np.full(50, 0.02)]
    least = linprog(costs, A_ub=np.hstack([-signed, signed, -np.eye(50)]), b_ub=-np.ones(50)).fun
    seen = []
    trace = bundle.bmrm(bundle.hinge_risk(X_PENALISED, Y_PENALISED), lam, 150, penalty="l1",
                        tol=1e-4,
                        callback=lambda k, w, alpha: seen.append((w, alpha)))  # fmt: skip
    assert trace.gap <= 1e-4 and trace.theory is None
    assert trace.bounds.max() <= least + 1e-12 and trace.objectives.min() >= least - 1e-12
    for (w, alpha), objective in zip(seen, trace.objectives, strict=True):
        assert J(w, lam, lambda b: np.abs(b).sum()) == pytest.approx(objective)
        assert alpha is None or alpha.min() >= 0.0 and alpha.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("penalty", [P.GroupL2(GROUPS), P.Berhu(0.3), P.TraceNorm((2, 4))])
def test_penalties_against_path(penalty):
    trace = bundle.bmrm(bundle.hinge_risk(X_PENALISED, Y_PENALISED), 0.05, 60, penalty=penalty,
                        tol=1e-3)
    fit = ss.path(X_PENALISED, Y_PENALISED, family="hinge", penalty=penalty, lambdas=[0.05],
                  standardize=False,
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
def test_what_cannot_be_is_refused_of_penalised(options, error, message):
    with pytest.raises(error, match=message):
        bundle.bmrm(bundle.hinge_risk(X_PENALISED, Y_PENALISED), 0.1, 5, **options)


@pytest.mark.parametrize("line_search", [False, True])
@pytest.mark.parametrize("lam", [1.0, 0.01])
def test_theorem_5_holds_on_runs(lam, line_search):
    trace = bundle.bmrm(bundle.hinge_risk(X_PENALISED, Y_PENALISED), lam, 60,
                        line_search=line_search)
    assert (trace.gaps[1:] <= trace.theory[1:] * (1 + 1e-9) + 1e-14).all()
    assert trace.theory[0] == np.inf and trace.theory[1] == trace.gaps[1]
    # as printed: log2(lam J(0) / G^2) + 8 G^2 / (lam eps) - 4 steps, solved for eps
    G, t = np.linalg.norm(X_PENALISED, axis=1).max(), np.arange(1, 61)
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
        "qp": lambda **o: bundle.bmrm(bundle.hinge_risk(X_PENALISED, Y_PENALISED), lam, 8, **o),
        "ls": lambda **o: bundle.bmrm(bundle.hinge_risk(X_PENALISED, Y_PENALISED), lam, 8,
                                      line_search=True, **o),
        "pragam": lambda **o: bundle.pragam(X_PENALISED, Y_PENALISED, lam, 8, **o),
        "pragam_b": lambda **o: bundle.pragam(X_PENALISED, Y_PENALISED, lam, 8, bias=True, **o),
        "pegasos": lambda **o: bundle.pegasos(X_PENALISED, Y_PENALISED, lam, 8, **o),
        "pegasos_1": lambda **o: bundle.pegasos(X_PENALISED, Y_PENALISED, lam, 8, batch=1, **o),
    }
    trace = runs[method](callback=keep)
    np.testing.assert_allclose(trace.objectives, runs[method]().objectives)
    assert [k for k, *_ in seen] == list(range(9))
    shifts = np.append(Y_PENALISED[:, None] - X_PENALISED @ np.stack([w for _, w, _ in seen]).T,
                       np.zeros((1, 9)), 0)
    for k, w, alpha in seen:
        eta = X_PENALISED @ w
        if method == "pragam_b":  # the best bias is at a kink
            risk = min(np.maximum(0, 1 - Y_PENALISED * (eta + b)).mean() for b in shifts[:, k])
        else:
            risk = np.maximum(0.0, 1.0 - Y_PENALISED * eta).mean()
        assert 0.5 * lam * w @ w + risk == pytest.approx(trace.objectives[k])
        if alpha is not None and method not in ("qp", "ls"):  # within the box, and D there
            assert alpha.min() >= 0.0 and alpha.max() <= 0.02 + 1e-12
            z = X_PENALISED.T @ (Y_PENALISED * alpha)
            assert alpha.sum() - z @ z / (2 * lam) <= trace.objectives.min() + 1e-9
            if method.startswith("pragam"):
                assert alpha.sum() - z @ z / (2 * lam) == pytest.approx(trace.bounds[k])
