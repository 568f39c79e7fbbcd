"""Penalties on groups and on whole vectors: steps against a dense twin."""

import pickle

import numpy as np
import pytest
from online_twin import GroupTwin, logistic, softmax

import sparsesolve as ss

METHODS = ("fobos", "rda", "ftrl")
GROUPS = [[0, 7, 3], [1, 2], [4], [5, 6, 8, 9, 10, 11]]
D = np.sqrt([len(group) for group in GROUPS])
PENALTIES = {
    "l2": (ss.penalties.GroupL2(GROUPS), "l2", 1.0),
    "linf": (ss.penalties.GroupLinf(GROUPS), "linf", 1.0),
    "sparse": (ss.penalties.SparseGroup(GROUPS, 0.4), (0.4, None), 1.0),
}


def problem(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, 12)) < 0.3, rng.normal(size=(n, 12)), 0.0)
    return X, (X[:, 0] - X[:, 7] + 0.5 * rng.normal(size=n) > 0) * 1.0


@pytest.mark.parametrize("alpha", [1.0, 0.6])
@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("method", METHODS)
def test_groups(method, name, batch, alpha):
    X, y = problem()
    penalty, kind, _ = PENALTIES[name]
    fit = ss.online(X, y, family="binomial", penalty=penalty, lam=0.01, alpha=alpha, method=method,
                    step=0.5, batch=batch)  # fmt: skip
    twin = GroupTwin(method, logistic, 12, 1, 0.01, GROUPS, D, kind, alpha=alpha, eta0=0.5)
    twin.learn(X, y, batch=batch)
    np.testing.assert_allclose(fit.coef(), twin.W[:, 0], atol=1e-10)
    assert fit.intercept == pytest.approx(twin.b[0], abs=1e-10)


@pytest.mark.parametrize("name", ["l2", "linf"])
@pytest.mark.parametrize("method", METHODS)
def test_groups_of_all_classes(method, name):
    X, _ = problem()
    labels = np.random.default_rng(1).integers(0, 3, size=len(X)) * (X[:, 0] > 0)
    penalty, kind, _ = PENALTIES[name]
    fit = ss.online(X, labels, family="multinomial", penalty=penalty, lam=0.01, method=method,
                    step=0.5)  # fmt: skip
    twin = GroupTwin(method, softmax, 12, 3, 0.01, GROUPS, D, kind, eta0=0.5)
    twin.learn(X, np.eye(3)[labels])
    np.testing.assert_allclose(fit.coef(), twin.W.T, atol=1e-10)
    np.testing.assert_allclose(fit.intercept, twin.b, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_classes_by_groups_of_one_are_those_of_grouped(method):
    X, _ = problem()
    labels = np.random.default_rng(1).integers(0, 3, size=len(X))
    options = {"family": "multinomial", "lam": 0.01, "alpha": 0.7, "method": method, "step": 0.5}
    rows = ss.online(X, labels, grouped=True, **options)
    groups = ss.online(X, labels, penalty=ss.penalties.GroupL2(np.arange(12)), **options)
    np.testing.assert_allclose(groups.coef(), rows.coef(), atol=1e-12)


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("method", METHODS)
def test_goes_on_to_the_bit_and_is_certified(method, name):
    X, y = problem(n=400)
    options = {"family": "binomial", "penalty": PENALTIES[name][0], "lam": 0.02, "method": method,
               "step": 0.5}  # fmt: skip
    whole = ss.online(X, y, **options)
    parts = ss.online(X[:37], y[:37], n_features=12, **options)
    parts = pickle.loads(pickle.dumps(parts)).more(X[37:], y[37:])
    np.testing.assert_array_equal(parts.coef(), whole.coef())
    best = ss.path(X, y, family="binomial", penalty=options["penalty"], standardize=False,
                   lambdas=[0.02], tol=1e-10)  # fmt: skip
    least = objective(X, y, best.coef(0.02), best.intercepts[0], options["penalty"].over(12))
    found = whole.certify(X, y)
    mine = objective(X, y, whole.coef(), whole.intercept, options["penalty"].over(12))
    assert found.objective == pytest.approx(mine, rel=1e-12)
    assert -1e-12 <= found.objective - least <= found.gap


def objective(X, y, b, b0, penalty):
    eta = X @ b + b0
    return np.mean(np.logaddexp(0, eta) - y * eta) + penalty.value(b, 0.02)


def test_ridge_factors_of_groups_are_folded():
    X, y = problem(n=1500)
    options = {"alpha": 0.1, "eta0": 0.5, "schedule": "constant"}
    twin = GroupTwin("fobos", logistic, 12, 1, 2.0, GROUPS, D, "l2", **options).learn(X, y)
    fit = ss.online(X, y, family="binomial", penalty=PENALTIES["l2"][0], lam=2.0, alpha=0.1,
                    method="fobos", step=0.5, schedule="constant")  # fmt: skip
    np.testing.assert_allclose(fit.coef(), twin.W[:, 0], atol=1e-10)


class Box:
    """max |b_j|, as a user writes it."""

    def value(self, b):
        return np.abs(b).max()

    def prox(self, v, t):
        low, high = 0.0, np.abs(v).max()
        if np.abs(v).sum() <= t:
            return np.zeros_like(v)
        for _ in range(100):
            cut = 0.5 * (low + high)
            low, high = (cut, high) if np.maximum(np.abs(v) - cut, 0).sum() > t else (low, cut)
        return np.clip(v, -high, high)

    def polar(self, z):
        return np.abs(z).sum()


@pytest.mark.parametrize("method", ["fobos", "rda"])
def test_any_penalty_is_learned_with_step_by_step(method):
    X, y = problem()
    options = {"family": "binomial", "lam": 0.03, "method": method, "step": 0.5, "alpha": 0.8}
    fit = ss.online(X, y, penalty=Box(), **options)
    whole = ss.penalties.GroupLinf([list(range(12))], weights=[1.0])
    if method == "rda":
        grouped = ss.online(X, y, penalty=whole, **options)
        np.testing.assert_allclose(fit.coef(), grouped.coef(), atol=1e-9)
    twin = GroupTwin(method, logistic, 12, 1, 0.03, [list(range(12))], [1.0], "linf", alpha=0.8,
                     eta0=0.5).learn(X, y)  # fmt: skip
    np.testing.assert_allclose(fit.coef(), twin.W[:, 0], atol=1e-9)
    assert fit.certify(X, y).gap > 0.0


def test_berhu_by_the_paper_s_formula():
    """Duchi and Singer (2009), equation 26: every step moves all weights."""
    X, y = problem()
    gamma, lam, eta, w, b = 0.2, 0.05, 0.5, np.zeros(12), 0.0
    for t, (x, label) in enumerate(zip(X, y, strict=True), 1):
        step = eta / np.sqrt(t)
        slope = 1.0 / (1.0 + np.exp(-(x @ w + b))) - label
        v, level = w - step * slope * x, step * lam
        soft = np.sign(v) * np.maximum(np.abs(v) - level, 0.0)
        w = np.where(np.abs(v) <= gamma + level, soft, v / (1.0 + level / gamma))
        b -= step * slope
    assert np.abs(w).max() > gamma > np.abs(w).min()  # both pieces are in use
    fit = ss.online(X, y, family="binomial", penalty=ss.penalties.Berhu(gamma), lam=lam,
                    method="fobos", step=eta)  # fmt: skip
    np.testing.assert_allclose(fit.coef(), w, atol=1e-10)


@pytest.mark.parametrize("method", ["fobos", "rda"])
def test_projections_keep_weights_within_the_ball(method):
    X, y = problem()
    options = {"family": "binomial", "lam": 0.02, "method": method, "step": 2.0}
    free = ss.online(X, y, **options)
    assert np.linalg.norm(free.coef()) > 0.3
    fit = ss.online(X, y, radius=0.3, **options)
    assert np.linalg.norm(fit.coef()) <= 0.3 + 1e-12
    wide = ss.online(X, y, radius=1e6, **options)
    np.testing.assert_allclose(wide.coef(), free.coef(), atol=1e-12)


@pytest.mark.parametrize(
    "change, match",
    [
        ({"penalty": "l1"}, "L1 is not a sum over groups"),
        ({"penalty": ss.penalties.GroupL2}, "the class GroupL2; pass an object"),
        ({"penalty": Box()}, "not a sum over groups"),
        ({"average": True}, "one rate for all"),
        ({"radius": 1.0}, "one rate for all"),
        ({"radius": 0.0, "method": "rda"}, "radius must be"),
        ({"average": "tail", "method": "rda"}, "average must be"),
        ({"penalty": Box(), "method": "rda", "penalty_factor": np.ones(12)}, "of all together"),
        ({"penalty": ss.penalties.GroupL2([[0, 1], [1, 2]])}, "must not overlap"),
    ],
)
def test_bad_options_are_refused(change, match):
    X, y = problem()
    with pytest.raises((ValueError, TypeError), match=match):
        ss.online(X, y, family="binomial", lam=0.1, **change)


def test_a_stream_must_say_how_many_features_its_groups_have():
    X, y = problem()
    with pytest.raises(ValueError, match="give n_features"):
        ss.online([(X, y)], family="binomial", lam=0.1, penalty=PENALTIES["l2"][0])


def test_what_a_penalty_raises_comes_out():
    class Broken(Box):
        calls = 0

        def prox(self, v, t):
            Broken.calls += 1
            raise RuntimeError("no prox today")

    X, y = problem()
    with pytest.raises(RuntimeError, match="no prox today"):
        ss.online(X, y, family="binomial", lam=0.1, penalty=Broken(), method="rda", step=1.0)
    assert Broken.calls == 1
