"""FOBOS's best iterate, random iterate and step sizes of theory, against twins and theorems."""

import pickle

import numpy as np
import pytest
from cases import every
from online_twin import Twin, hinge, logistic

import sparsesolve as ss
from sparsesolve import penalties


def problem(n=60, p=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] - X[:, 1] + rng.logistic(size=n) > 0) * 1.0


def objective(X, y, w, b, b0, lam, alpha):
    loss = np.logaddexp(0.0, X @ b + b0) - y * (X @ b + b0)
    return np.average(loss, weights=w) + lam * (alpha * np.abs(b).sum() + (1 - alpha) * b @ b / 2)


@every("weights", [False, True])
@every("alpha", [1.0, 0.5])
@every("prox_step", ["same", "next"])
def test_the_best_weights_of_full_gradients_and_corollary_5(prox_step, alpha, weights):
    X, y = problem()
    w = np.random.default_rng(1).integers(0, 3, size=60) * 0.5 if weights else np.ones(60)
    n, lam, T = np.count_nonzero(w), 0.03, 40
    twin = Twin("fobos", logistic, 8, 1, lam, alpha, eta0=8.0, next_prox=prox_step == "next")
    for _ in range(T):
        twin.learn(X, y, w, batch=n)
    values = [objective(X, y, w, W[:, 0], b[0], lam, alpha) for W, b in twin.iterates]
    options = {"family": "binomial", "lam": lam, "alpha": alpha, "method": "fobos", "step": 8.0,
               "prox_step": prox_step, "weights": w}  # fmt: skip
    fit = ss.online(X, y, batch=n, passes=T, average="best", **options)
    best = int(np.argmin(values))
    assert best < T - 1 or T == 40  # long steps: some iterate before the last is the best
    np.testing.assert_allclose(fit.coef(), twin.iterates[best][0][:, 0], atol=1e-10)
    assert fit.intercept == pytest.approx(twin.iterates[best][1][0], abs=1e-10)
    # Corollary 5, with the squared gradients themselves in place of 7 G^2
    u = w[w > 0].mean()
    eta = 8.0 / np.sqrt(u * np.arange(1, T + 1)) * u
    path = ss.path(X, y, family="binomial", alpha=alpha, standardize=False, lambdas=[lam],
                   weights=w, tol=1e-10)  # fmt: skip
    b, b0 = path.coef(lam), path.intercepts[0]
    least, D = objective(X, y, w, b, b0, lam, alpha), np.sqrt(b @ b + b0**2)
    bound = (D**2 + eta**2 @ np.array(twin.slopes) ** 2) / (2 * eta.sum())
    assert fit.best_bound(D) == pytest.approx(bound, rel=1e-6)
    assert -1e-12 <= min(values) - least <= bound
    G = max(max(twin.slopes), lam * (alpha * np.sqrt(8) + (1 - alpha) * D))
    assert bound <= (D**2 + 7 * G**2 * eta @ eta) / (2 * eta.sum())
    again = pickle.loads(pickle.dumps(ss.online(X, y, batch=n, passes=T // 2, average="best",
                                                **options)))  # fmt: skip
    for _ in range(T // 2):
        again.more(X, y, weights=w)
    np.testing.assert_array_equal(again.coef(), fit.coef())
    assert again.best_bound(D) == fit.best_bound(D)


def test_corollary_5_is_nearly_reached_by_steps_across_a_kink():
    """|w - 3| / 2 in steps of 6: w goes to and fro between 0 and 6, and no iterate gains."""
    T, D = 25, 3.0
    fit = ss.online(np.ones((1, 1)), [D], method="fobos", lam=0.0, step=4.0 * D, passes=T, batch=1,
                    family=ss.families.quantile(0.5), schedule="constant", average="best",
                    intercept=False)  # fmt: skip
    assert fit.coef()[0] == 0.0
    assert fit.best_bound(D) == pytest.approx(0.5 * D * (1.0 + 0.25 / T))


@every("method", ["fobos", "rda"])
@every("change", [{}, {"penalty": penalties.GroupL2([0, 0, 1, 1, 2, 2, 3, 3])}, {"radius": 0.5},
                  {"alpha": 0.5, "batch": 3}])  # fmt: skip
def test_a_random_iterate_is_the_one_before_its_step(change, method):
    X, y = problem(n=300)
    options = {"family": "binomial", "lam": 0.02, "method": method, "step": 0.5, **change}
    batch = options.get("batch", 1)
    fits = [np.zeros(8)]
    fit = ss.online(X[:batch], y[:batch], classes=[0, 1], **options)
    for k in range(batch, 300, batch):
        fits.append(fit.coef())
        fit.more(X[k : k + batch], y[k : k + batch])
    drawn = set()
    for seed in range(6):
        whole = ss.online(X, y, average="random", seed=seed, **options)
        hits = [t for t, b in enumerate(fits) if np.abs(b - whole.coef()).max() < 1e-12]
        assert len(hits) == 1
        drawn.add(hits[0])
        parts = ss.online(X[:10], y[:10], classes=[0, 1], average="random", seed=seed, **options)
        parts = pickle.loads(pickle.dumps(parts)).more(X[10:101], y[10:101])
        parts.more(X[101:], y[101:])
        np.testing.assert_array_equal(parts.coef(), whole.coef())
        assert parts.intercept == whole.intercept
    assert len(drawn) > 3


def test_each_iterate_is_as_likely_and_corollary_10_holds():
    T, draws = 8, 800
    X, y = problem(n=T, p=2, seed=3)
    options = {"family": "hinge", "lam": 0.3, "method": "fobos", "step": 0.4,
               "classes": [0, 1]}  # fmt: skip
    twin = Twin("fobos", hinge, 2, 1, 0.3, eta0=0.4).learn(X, 2 * y - 1)
    seen = np.zeros(T)
    for seed in range(draws):
        b = ss.online(X, y, average="random", seed=seed, **options).coef()
        seen[np.argmin([np.abs(W[:, 0] - b).max() for W, _ in twin.iterates])] += 1
    expected = draws / T
    assert ((seen - expected) ** 2 / expected).sum() < 24.3  # chi-square of 7, its 99.9 % point
    # over streams drawn from a law, the mean objective of the drawn weights keeps the bound
    X, y = problem(n=200, p=2, seed=4)
    rng, excess = np.random.default_rng(0), []

    def value(b, b0):
        return np.mean(np.maximum(0, 1 - (2 * y - 1) * (X @ b + b0))) + 0.3 * np.abs(b).sum()
    path = ss.path(X, y, family="hinge", standardize=False, lambdas=[0.3], tol=1e-9)
    b, b0 = path.coef(0.3), path.intercepts[0]
    for seed in range(40):
        rows = rng.integers(200, size=100)
        fit = ss.online(X[rows], y[rows], average="random", seed=seed, **options)
        bound = fit.regret_bound(np.sqrt(b @ b + b0**2)) / 100
        excess.append(value(fit.coef(), fit.intercept) - value(b, b0) - bound)
    assert np.mean(excess) <= 0.0


@every("family", ["binomial", "hinge", "gaussian"])
def test_step_sizes_of_theory(family):
    X, y = problem(n=80)
    X[:, 3] = 0.0
    side = 2 * y - 1
    lengths = np.sqrt((X**2).sum(axis=1) + 1.0)
    slope = np.abs(side) if family == "gaussian" else 1.0  # at weights 0; or the largest
    y = side if family == "gaussian" else y
    G = slope * lengths
    options = {"family": family, "lam": 0.1, "method": "fobos", "step": "theory"}
    fit = ss.online(X, y, norm=2.0, **options)
    assert fit.eta0 == pytest.approx(2.0 / (4 * G.max()))
    fixed = ss.online(X, y, **{**options, "step": fit.eta0})
    np.testing.assert_array_equal(fit.coef(), fixed.coef())
    full = ss.online(X, y, norm=2.0, batch=80, average="best", **options)
    assert full.eta0 == pytest.approx(2.0 / (np.sqrt(7) * G.mean()))
    strong = ss.online(X, y, schedule="inverse", alpha=0.25, intercept=False,
                       penalty_factor=np.repeat([1.0, 3.0], 4), **options)  # fmt: skip
    assert strong.eta0 == pytest.approx(1.0 / (0.1 * 0.75 * 0.5))
    strong.regret_bound(1.0)  # whose premise is met


@pytest.mark.parametrize("change, match", [
    ({"average": "best"}, "give batch=60, not 1"),
    ({"average": "best", "method": "rda"}, "for method='fobos'"),
    ({"average": "mean"}, "average must be one of"),
    ({"step": "theory"}, "needs norm="), ({"norm": 1.0}, "norm is for step='theory'"),
    ({"step": "theory", "norm": 0.0}, "norm must be"),
    ({"step": "theory", "norm": 1.0, "method": "rda"}, "for method='fobos'"),
    ({"step": "theory", "norm": 1.0, "schedule": "constant"}, "the number T of steps"),
    ({"step": "theory", "schedule": "inverse"}, "alpha < 1"),
    ({"prox_step": "next", "method": "rda"}, "for method='fobos'"),
])  # fmt: skip
def test_what_cannot_be_is_refused(change, match):
    X, y = problem()
    with pytest.raises(ValueError, match=match):
        ss.online(X, y, **{"family": "binomial", "lam": 0.1, "method": "fobos", **change})
    with pytest.raises(ValueError, match="give X in memory"):
        ss.online([(X, y)], lam=0.1, method="fobos", average="best", n_features=8)


def test_the_bound_of_the_best_weights_has_premises():
    X, y = problem()
    options = {"lam": 0.1, "method": "fobos", "batch": 60, "average": "best", "passes": 5}
    with pytest.raises(ValueError, match="steps lengthen"):
        ss.online(X, y, step=lambda t: 0.001 * t, **options).best_bound(1.0)
    with pytest.raises(ValueError, match="for average='best'"):
        ss.online(X, y, lam=0.1).best_bound(1.0)
    with pytest.raises(ValueError, match="MCP is not convex"):
        ss.online(X, y, step=0.1, penalty=penalties.MCP(), **options).best_bound(1.0)
