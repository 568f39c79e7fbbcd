"""Penalties in turn: algorithm 1 of Martins et al. step by step, what it contains, its bounds."""

import pickle

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties

P, LAM = 12, 0.02
GROUPS = [[0, 7, 3], [1, 2], [4], [5, 6, 8, 9, 10, 11]]
OUTER = [[0, 7, 3, 1, 2], [4, 5, 6, 8, 9, 10, 11]]


def problem(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, P)) < 0.4, rng.normal(size=(n, P)), 0.0)
    return X, (X[:, 0] - X[:, 7] + 0.5 * rng.normal(size=n) > 0) * 1.0


def shrink(w, groups, t):
    out = w.copy()
    for group in groups:
        size = np.linalg.norm(w[group])
        cut = t * np.sqrt(len(group))
        out[group] *= 1.0 - cut / size if size > cut else 0.0
    return out


def soft(w, t):
    return np.sign(w) * np.maximum(np.abs(w) - t, 0.0)


def slow(X, y, operators, eta, radius=np.inf, ridge=0.0, average=False):
    """Algorithm 1 with one operator after another; eta is a function of the step."""
    w, seen = np.zeros(X.shape[1]), []
    for t, (x, target) in enumerate(zip(X, y, strict=True), 1):
        seen.append(w)
        w = w - eta(t) * x * (1.0 / (1.0 + np.exp(-x @ w)) - target)
        for operator in operators:
            w = operator(w, eta(t) * LAM)
        w = w / (1.0 + eta(t) * LAM * ridge)
        size = np.linalg.norm(w)
        w = w * radius / size if size > radius else w
    return np.mean(seen, axis=0) if average else w


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("schedule", ["sqrt", "inverse", "constant"])
def test_steps_are_those_of_a_dense_twin(schedule, average):
    X, y = problem()
    parts = [(0.5, penalties.L1()), (2.0, penalties.GroupL2(GROUPS)), penalties.GroupL2(OUTER)]
    fit = ss.online(X, y, family="binomial", penalty=parts, lam=LAM, alpha=0.7, method="fobos",
                    step=0.8, schedule=schedule, radius=0.5, average=average,
                    intercept=False)  # fmt: skip
    eta = {"sqrt": lambda t: 0.8 / np.sqrt(t), "inverse": lambda t: 0.8 / t,
           "constant": lambda t: 0.8}[schedule]  # fmt: skip
    operators = [lambda w, t: soft(w, 0.35 * t), lambda w, t: shrink(w, GROUPS, 1.4 * t),
                 lambda w, t: shrink(w, OUTER, 0.7 * t)]  # fmt: skip
    expected = slow(X, y, operators, eta, 0.5, 0.3, average)
    np.testing.assert_allclose(fit.coef(), expected, atol=1e-12)


def test_one_part_is_the_penalty_itself_and_no_ridge_but_the_elastic_net_is():
    X, y = problem(seed=1)
    options = {"family": "binomial", "lam": LAM, "method": "fobos", "step": 0.5}
    one = ss.online(X, y, penalty=[penalties.GroupL2(GROUPS)], **options)
    same = ss.online(X, y, penalty=penalties.GroupL2(GROUPS), **options)
    np.testing.assert_allclose(one.coef(), same.coef(), atol=1e-12)
    net = ss.online(X, y, penalty=[penalties.L1()], alpha=0.6, **options)
    same = ss.online(X, y, alpha=0.6, **options)
    np.testing.assert_allclose(net.coef(), same.coef(), atol=1e-12)


def test_the_sparse_group_lasso_is_l1_and_then_groups():
    X, y = problem(seed=2)
    options = {"family": "binomial", "lam": LAM, "method": "fobos", "step": 0.5}
    whole = ss.online(X, y, penalty=penalties.SparseGroup(GROUPS, 0.4), **options)
    parts = [(0.4, penalties.L1()), (0.6, penalties.GroupL2(GROUPS))]
    np.testing.assert_allclose(ss.online(X, y, penalty=parts, **options).coef(), whole.coef(),
                               atol=1e-12)  # fmt: skip


@pytest.mark.parametrize("alpha", [1.0, 0.7])
def test_the_gap_is_above_what_is_lost_and_the_regret_within_its_bound(alpha):
    X, y = problem(n=400, seed=4)
    parts = [(0.4, penalties.L1()), (0.6, penalties.GroupL2(GROUPS))]
    options = {"family": "binomial", "lam": LAM, "alpha": alpha, "method": "fobos", "step": 1.0,
               "classes": [0.0, 1.0]}  # fmt: skip
    fit = ss.online(X, y, penalty=parts, **options)
    best = ss.path(X, y, family="binomial", penalty=penalties.SparseGroup(GROUPS, 0.4),
                   alpha=alpha, standardize=False, lambdas=[LAM], tol=1e-10)  # fmt: skip

    def objective(w, b):
        eta = X @ w + b
        groups = sum(np.sqrt(len(g)) * np.linalg.norm(w[g]) for g in GROUPS)
        omega = alpha * (0.4 * np.abs(w).sum() + 0.6 * groups) + 0.5 * (1 - alpha) * w @ w
        return np.mean(np.logaddexp(0.0, eta) - y * eta) + LAM * omega

    w, b = best.coef(LAM), best.intercepts[0]
    found = fit.certify(X, y)
    assert found.objective == pytest.approx(objective(fit.coef(), fit.intercept), rel=1e-12)
    assert found.gap >= found.objective - objective(w, b) > 0.0
    assert found.gap < found.objective
    paid, current = 0.0, ss.online(X[:1], y[:1], penalty=parts, **options)
    for x, target in zip(X[1:], y[1:], strict=True):
        v, c = current.coef(), current.intercept
        eta = x @ v + c
        groups = sum(np.sqrt(len(g)) * np.linalg.norm(v[g]) for g in GROUPS)
        paid += np.logaddexp(0.0, eta) - target * eta
        paid += LAM * (alpha * (0.4 * np.abs(v).sum() + 0.6 * groups)
                       + 0.5 * (1 - alpha) * v @ v)  # fmt: skip
        current = current.more(x[None], [target])
    paid += np.log(2.0)  # the first row, at 0
    rival = len(X) * objective(w, b)
    assert paid - rival <= fit.regret_bound(float(np.hypot(np.linalg.norm(w), b)))


def test_classes_pickles_and_refusals():
    X, y = problem()
    labels = np.random.default_rng(1).integers(0, 3, size=len(X))
    parts = [penalties.L1(), penalties.GroupL2(GROUPS)]
    options = {"family": "multinomial", "penalty": parts, "lam": LAM, "method": "fobos",
               "step": 0.5, "classes": [0, 1, 2]}  # fmt: skip
    whole = ss.online(X, labels, **options)
    begun = pickle.loads(pickle.dumps(ss.online(X[:40], labels[:40], n_features=P, **options)))
    np.testing.assert_array_equal(begun.more(X[40:], labels[40:]).coef(), whole.coef())
    for method, sentence in (("ftrl", "a sequence of penalties"), ("rda", "use method='fobos'")):
        with pytest.raises(ValueError, match=sentence):
            ss.online(X, y, family="binomial", penalty=parts, lam=LAM, method=method)
    with pytest.raises(ValueError, match="empty sequence"):
        ss.online(X, y, penalty=[], lam=LAM, method="fobos")
    with pytest.raises(ValueError, match="a pair"):
        ss.online(X, y, penalty=[(-1.0, penalties.L1())], lam=LAM, method="fobos")
    with pytest.raises(TypeError, match="penalty is"):
        ss.online(X, y, penalty=[3], lam=LAM, method="fobos")
