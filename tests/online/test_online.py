"""Online learning: lazy steps against a dense twin, and against laws and theorems."""

import pickle
import tracemalloc

import numpy as np
import pytest
from cases import every
from online_twin import Twin, hinge, logistic, poisson, softmax, squared
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties

METHODS = ("fobos", "rda", "ftrl")
LOSSES = {
    "binomial": (logistic, lambda rng, eta: (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))) * 1.0),
    "gaussian": (squared, lambda rng, eta: eta + rng.normal(size=len(eta))),
    "poisson": (poisson, lambda rng, eta: rng.poisson(np.exp(0.5 * eta)) * 1.0),
}


def problem(n=200, p=30, seed=0, family="binomial"):
    """Sparse rows, and responses of few features."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, p)) < 0.2, rng.normal(size=(n, p)), 0.0)
    return X, LOSSES[family][1](rng, X[:, 0] - X[:, 1])


def same(fit, twin, atol=1e-10):
    np.testing.assert_allclose(np.atleast_2d(fit.coef()), twin.W.T, rtol=0, atol=atol)
    np.testing.assert_allclose(np.atleast_1d(fit.intercept), twin.b, rtol=0, atol=atol)
    assert fit.losses[-1, 1] == pytest.approx(np.mean(twin.losses), abs=1e-10)


@every("schedule", ["sqrt", "inverse", "constant"])
@every("alpha", [1.0, 0.6, 0.0])
@every("family", LOSSES)
@every("method", METHODS)
def test_lazy_steps_are_the_eager_ones(method, family, alpha, schedule):
    X, y = problem(family=family)
    options = {"lam": 0.02, "alpha": alpha, "schedule": schedule}
    step = 0.3 if family == "binomial" else 0.05  # longer ones diverge where they do not shrink
    fit = ss.online(X, y, family=family, method=method, step=step, **options)
    twin = Twin(method, LOSSES[family][0], X.shape[1], 1, eta0=step, **options).learn(X, y)
    same(fit, twin)
    assert alpha < 1.0 or 0 < len(fit.nonzero())


@every("alpha", [1.0, 0.5])
@every("batch", [1, 7])
@every("method", METHODS)
def test_weights_offsets_factors_and_batches(method, batch, alpha):
    X, y = problem()
    rng = np.random.default_rng(1)
    w, offset = rng.integers(0, 3, size=len(X)) * rng.random(len(X)), rng.normal(size=len(X))
    v = np.repeat([0.0, 1.0, 2.0], 10)
    fit = ss.online(X, y, family="binomial", lam=0.05, alpha=alpha, method=method, step=0.5,
                    batch=batch, weights=w, offset=offset, penalty_factor=v)  # fmt: skip
    twin = Twin(method, logistic, 30, 1, 0.05, alpha, v, 0.5).learn(X, y, w, offset, batch)
    np.testing.assert_allclose(fit.coef(), twin.W[:, 0], atol=1e-10)
    assert fit.intercept == pytest.approx(twin.b[0], abs=1e-10)


@every("batch", [1, 4])
@every("alpha", [1.0, 0.7])
@every("grouped", [False, True])
@every("method", METHODS)
def test_classes_one_by_one_and_by_rows(method, grouped, alpha, batch):
    X, _ = problem(n=150, p=12)
    labels = np.random.default_rng(3).integers(0, 3, size=len(X)) * (X[:, 0] > 0)
    fit = ss.online(X, labels, family="multinomial", lam=0.03, alpha=alpha, grouped=grouped,
                    method=method, step=0.4, batch=batch)  # fmt: skip
    twin = Twin(method, softmax, 12, 3, 0.03, alpha, eta0=0.4, tied=grouped)
    twin.learn(X, np.eye(3)[labels], batch=batch)
    np.testing.assert_allclose(fit.coef(), twin.W.T, atol=1e-10)
    np.testing.assert_allclose(fit.intercept, twin.b, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_hinge_and_several_real_responses(method):
    X, y = problem()
    fit = ss.online(X, y, family="hinge", lam=0.02, method=method, step=0.3)
    same(fit, Twin(method, hinge, 30, 1, 0.02, eta0=0.3).learn(X, 2 * y - 1))
    Y = np.column_stack([X[:, 0], X[:, 1] - X[:, 2]])
    fit = ss.online(X, Y, family="multigaussian", lam=0.02, method=method, step=0.3)
    same(fit, Twin(method, squared, 30, 2, 0.02, eta0=0.3, tied=True).learn(X, Y))


def test_a_loss_of_the_users():
    class Squared:
        def value(self, y, eta):
            return 0.5 * (y - eta) ** 2

        def gradient(self, y, eta):
            return eta - y

        def curvature(self, y, eta):
            return np.ones(len(y))

    X, y = problem(family="gaussian")
    fit = ss.online(X, y, family=Squared(), lam=0.05, step=0.3)
    np.testing.assert_allclose(fit.coef(), ss.online(X, y, lam=0.05, step=0.3).coef(), atol=1e-12)


@every("method", METHODS)
@every("scale", [0.01, 1.0, 30.0])
def test_steps_fit_columns_of_any_scale(scale, method):
    rng = np.random.default_rng(0)
    X = scale * rng.normal(size=(3000, 20))
    eta = X @ rng.normal(size=20)
    y = rng.poisson(np.exp(4 / 3 * eta / eta.std()))  # grows fast: long steps explode
    fit = ss.online(X, y, lam=1e-3, family="poisson", method=method)
    assert fit.certify(X, y).relative_gap < 1.0  # better than weights 0


@every("step", ["auto", 0.5])
@every("batch", [1, 3])
@every("method", METHODS)
def test_any_cut_of_the_stream_gives_the_same_bits(method, batch, step):
    X, y = problem(n=5000, p=20)
    options = {"family": "binomial", "lam": 0.01, "method": method, "batch": batch, "step": step}
    whole = ss.online(X, y, **options)
    cuts = [0, 1, 2, 50, 51, 700, 4100, 5000]
    parts = ss.online(X[:1], y[:1], classes=[0, 1], **options)
    for first, last in zip(cuts[1:-1], cuts[2:], strict=True):
        parts.coef()  # whoever looks changes nothing
        block = sparse.csr_matrix(X[first:last])
        parts = pickle.loads(pickle.dumps(parts)).more(block, y[first:last])
    stream = ((X[a : a + 617], y[a : a + 617]) for a in range(0, 5000, 617))
    streamed = ss.online(stream, n_features=20, **options)
    for other in (parts, streamed):
        np.testing.assert_array_equal(other.coef(), whole.coef())
        assert other.intercept == whole.intercept
        np.testing.assert_array_equal(other.losses, whole.losses)
        assert other.eta0 == whole.eta0


def test_features_turn_up_as_the_stream_goes_on():
    X, y = problem(n=300, p=200)
    options = {"family": "binomial", "lam": 0.01, "step": 1.0}
    blocks = [(X[a : a + 50, : 80 + a // 3], y[a : a + 50]) for a in range(0, 300, 50)]
    known = [(np.pad(Z, [(0, 0), (0, 200 - Z.shape[1])]), t) for Z, t in blocks]
    growing, fixed = ss.online(blocks, **options), ss.online(known, n_features=200, **options)
    seen = growing.n_features
    np.testing.assert_array_equal(growing.coef(), fixed.coef()[:seen])
    assert not fixed.coef()[seen:].any()
    assert growing.predict(X).shape == (300,)


@pytest.mark.parametrize("method", METHODS)
def test_ridge_factors_are_folded_before_they_overflow(method):
    X, y = problem(n=1500, p=10)
    options = {"lam": 2.0, "alpha": 0.1, "schedule": "constant"}
    fit = ss.online(X, y, family="binomial", method=method, step=0.5, **options)
    same(fit, Twin(method, logistic, 10, 1, eta0=0.5, **options).learn(X, y))


@every("schedule", ["sqrt", "inverse"])
@every("batch", [1, 5])
@every("alpha", [1.0, 0.5])
def test_the_prox_takes_the_next_step_size(alpha, batch, schedule):
    """Theorem 2 of Duchi and Singer: eta_{t + 1/2} = eta_{t+1}; lazily, with weights, by cuts."""
    X, y = problem()
    w = np.random.default_rng(1).integers(0, 3, size=len(X)) * 0.7
    options = {"lam": 0.05, "alpha": alpha, "schedule": schedule}
    twin = Twin("fobos", logistic, 30, 1, eta0=0.8, next_prox=True, **options)
    twin.learn(X, y, w, batch=batch)
    options |= {"family": "binomial", "method": "fobos", "step": 0.8, "batch": batch}
    fit = ss.online(X[:77], y[:77], weights=w[:77], prox_step="next", **options)
    fit.more(X[77:], y[77:], weights=w[77:])
    np.testing.assert_allclose(fit.coef(), twin.W[:, 0], atol=1e-10)
    same = ss.online(X, y, weights=w, **options)
    assert np.abs(same.coef() - fit.coef()).max() > 1e-4
    ball = ss.online(X, y, weights=w, prox_step="next", radius=1e9, **options)  # not lazily
    np.testing.assert_allclose(ball.coef(), twin.W[:, 0], atol=1e-10)


def suffered_by(X, y, w, charged, **options):
    """A fit, and the sum over rows of charged(rows, b, b0) at the weights before their step."""
    fit, suffered, b, b0 = None, 0.0, np.zeros(X.shape[1]), 0.0
    for k in range(0, len(X), options["batch"]):
        rows = slice(k, k + options["batch"])
        suffered += charged(rows, b, b0)
        fit = ss.online(X[rows], y[rows], weights=w[rows], **options) if fit is None else (
            fit.more(X[rows], y[rows], weights=w[rows]))  # fmt: skip
        b, b0 = fit.coef(), fit.intercept
    return fit, suffered


@every("change", [{}, {"penalty": penalties.GroupL2([0] * 10 + [1] * 20)}, {"radius": 0.3},
                  {"weights": np.linspace(3.0, 1.0, 300)}, {"batch": 5}])  # fmt: skip
@every("seed", range(3))
def test_theorem_8_regret_grows_as_the_logarithm(seed, change):
    X, y = problem(n=300, seed=seed)
    lam = 0.05
    options = {"family": "hinge", "lam": lam, "alpha": 0.2, "method": "fobos",
               "schedule": "inverse", "step": (1.0 + seed) / (lam * 0.8), "intercept": False,
               "classes": [0, 1], "batch": 1, **change}  # fmt: skip
    w = options.pop("weights", np.ones(300))
    d = np.sqrt([10.0, 20.0]) if "penalty" in change else None
    if d is not None:  # H is lam (1 - alpha) times the least factor, here the root of a size
        options["step"] /= d.min()

    def charge(b):
        if d is None:
            return lam * (0.2 * np.abs(b).sum() + 0.4 * b @ b)
        parts = b[:10], b[10:]
        return lam * sum(v * (0.2 * np.linalg.norm(c) + 0.4 * c @ c)
                         for v, c in zip(d, parts, strict=True))  # fmt: skip

    def charged(rows, b, _):
        loss = np.maximum(0.0, 1.0 - (2 * y[rows] - 1) * (X[rows] @ b))
        return w[rows] @ (loss + charge(b))
    fit, suffered = suffered_by(X, y, w, charged, **options)
    rivals = [np.zeros(30), fit.coef(), *(0.1 * np.random.default_rng(seed).normal(size=(5, 30)))]
    for rival in rivals:
        norm = np.linalg.norm(rival)
        if norm <= options.get("radius", np.inf):
            assert suffered - charged(slice(300), rival, 0.0) <= fit.regret_bound(norm)


def test_the_logarithmic_bound_is_nearly_reached_by_coin_tosses():
    """1 - y w with lam = 1: w_t is minus the mean of the signs so far, nearly; the regret is
    (log T + .58 - .65) / 2 in the mean, and the bound (log T + .58) / 2."""
    T, shares = 400, []
    for seed in range(60):
        y = np.random.default_rng(seed).choice([-1.0, 1.0], size=T)
        fit = ss.online(np.ones((T, 1)), y, family="hinge", lam=1.0, alpha=0.0, method="fobos",
                        schedule="inverse", step=1.0, intercept=False, classes=[-1, 1])
        w = np.append(0.0, np.cumsum(y)[:-1]) / np.arange(1, T + 1)
        best = y.mean()
        assert fit.coef()[0] == pytest.approx(y.sum() / (T + 1))
        suffered = np.sum(1.0 - y * w + 0.5 * w**2)
        regret = suffered - np.sum(1.0 - y * best + 0.5 * best**2)
        bound = fit.regret_bound(abs(best))
        assert bound <= 0.5 * np.sum(1.0 / np.arange(1, T + 1)) + 0.5 * best**2 + 1e-6
        assert regret <= bound
        shares.append(regret / bound)
    assert 0.85 < np.mean(shares) < 0.95


def rising(t):
    return 0.002 * min(t / 20, 1.0)


def wavering(t):
    return 0.1 * (1.0 + 0.9 * np.sin(t))


@every("change", [
    {"method": "fobos", "step": rising}, {"method": "fobos", "step": wavering},
    {"method": "fobos", "batch": 5}, {"method": "rda", "batch": 5, "step": 1.5},
    {"method": "fobos", "radius": 1.0}, {"method": "rda", "radius": 1.0},
    {"method": "ftrl", "lam": 0.0, "weights": np.linspace(0.1, 30.0, 60)},
    {"method": "ftrl", "weights": np.linspace(30.0, 0.1, 60)}, {"method": "ftrl", "step": 5.0},
])  # fmt: skip
@every("seed", range(3))
def test_regret_stays_below_its_bound_where_steps_weights_and_means_change(change, seed):
    """Compared with every length that the bound takes, the regret as measured row by row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)) * 10.0 ** rng.uniform(-1, 1)
    y = X @ rng.normal(size=2) + np.where(np.arange(60) < 30, 20.0, 0.0)
    options = {"lam": 0.1, "step": 0.3, "batch": 1, **change}
    w, lam = options.pop("weights", np.ones(60)), options["lam"]

    def charged(rows, b, b0):
        loss = (y[rows] - X[rows] @ b - b0) ** 2 / 2
        return w[rows] @ (loss + lam * np.abs(b).sum())
    fit, suffered = suffered_by(X, y, w, charged, **options)
    root = np.sqrt(w)[:, None]
    best = np.linalg.lstsq(root * np.column_stack([X, np.ones(60)]), root[:, 0] * y)[0]
    for norm in (0.1, 1.0, *([] if "radius" in options else [np.linalg.norm(best)])):
        fixed = best * (norm / np.linalg.norm(best))
        assert suffered - charged(slice(60), fixed[:2], fixed[2]) <= fit.regret_bound(norm)


@pytest.mark.parametrize("change, match", [
    ({"penalty": penalties.MCP()}, "MCP is not convex"),
    ({"penalty": [penalties.L1(), penalties.Log(1.0)]}, "Log is not convex"),
    ({"radius": 0.5}, "norm <= radius"),
    ({"weights": np.arange(1.0, 201.0)}, "weights of rows rise"),
    ({"method": "rda", "step": rising}, "lengthen"),
    ({"method": "rda", "penalty": penalties.Berhu(1.0), "radius": 2.0}, "Berhu is no norm"),
    ({"penalty": [penalties.L1(), penalties.TotalVariation()]}, "may raise an earlier"),
    ({"method": "ftrl", "penalty": penalties.GroupL2([0] * 30)}, "for the elastic net"),
    ({"method": "ftrl", "batch": 2}, "single rows"),
    ({"schedule": "inverse"}, "alpha < 1"),
    ({"schedule": "inverse", "alpha": 0.5}, "intercept=False"),
    ({"schedule": "inverse", "alpha": 0.5, "intercept": False, "step": 19.0}, "1 / H = 20"),
    ({"prox_step": "next"}, "prox_step='same'"),
])  # fmt: skip
def test_no_bound_where_a_premise_of_its_theorem_fails(change, match):
    X, y = problem()
    fit = ss.online(X, y, **{"lam": 0.1, "method": "fobos", "step": 0.1, **change})
    with pytest.raises(ValueError, match=match):
        fit.regret_bound(1.0)
    if "convex" in match:
        with pytest.raises(ValueError, match=match):
            fit.certify(X, y)


@pytest.mark.parametrize("method, call", [
    ("truncated gradient", "method='fobos' with alpha=1.0"), ("Pegasos", "family='hinge'"),
    ("projected-gradient", "radius="), ("dual_averaging", "method='rda'"),
    ("adagrad", "method='ftrl'"), ("fobo", "did you mean 'fobos'"),
])  # fmt: skip
def test_names_of_other_methods_lead_to_the_call(method, call):
    with pytest.raises(ValueError, match=call):
        ss.online(np.eye(2), [0, 1], lam=0.1, method=method)


def test_weights_whose_objective_overflows_get_no_certificate():
    X, y = problem()
    fit = ss.online(X[:10], y[:10], lam=0.1, method="fobos", step=100.0)
    assert np.isfinite(fit.certify(X, y).gap)
    with pytest.raises(ValueError, match="the fit has diverged"):
        fit.certify(1e150 * X, y)


@pytest.mark.parametrize("grouped", [False, True])
def test_certificates_bound_the_distance_from_the_optimum(grouped):
    X, y = problem(n=1000)
    classes = np.where(X[:, 3] > 0.5, 2, y) if grouped else y
    family = "multinomial" if grouped else "binomial"
    fit = ss.online(X, classes, family=family, lam=0.02, passes=20, grouped=grouped)
    best = ss.path(X, classes, family=family, standardize=False, lambdas=[0.02], grouped=grouped,
                   tol=1e-10)  # fmt: skip
    found = fit.certify(X, classes)
    polished = ss.online(X, classes, family=family, lam=0.02, grouped=grouped)
    assert polished.certify(X, classes).objective > found.objective  # more passes, nearer
    least = optimum(best, X, classes, grouped)
    assert -1e-12 <= found.objective - least <= found.gap
    assert found.relative_gap < 0.05


def optimum(path, X, y, grouped):
    if not grouped:
        b, b0 = path.coef(0.02), path.intercepts[0]
        eta = X @ b + b0
        return np.mean(np.logaddexp(0, eta) - y * eta) + 0.02 * np.abs(b).sum()
    B = np.stack([c.toarray()[:, 0] for c in path.coefs])
    eta = X @ B.T + path.intercepts[:, 0]
    picked = eta[np.arange(len(X)), y.astype(int)]
    loss = np.mean(np.log(np.exp(eta).sum(axis=1)) - picked)
    return loss + 0.02 * np.linalg.norm(B, axis=0).sum()


@pytest.mark.parametrize("penalty", [
    penalties.TotalVariation(), penalties.Separate({0: None, range(1, 8): penalties.L1()}),
])  # fmt: skip
@pytest.mark.parametrize("family", ["gaussian", "binomial", "multinomial"])
def test_a_certificate_leaves_out_directions_without_a_penalty(family, penalty):
    X, y = problem(n=300, p=8)
    y = np.digitize(X[:, 3] - X[:, 0], [-0.5, 0.5]) if family == "multinomial" else y
    options = {"family": family, "lam": 0.02, "penalty": penalty, "method": "fobos"}
    once, better = (ss.online(X, y, passes=k, **options).certify(X, y) for k in (1, 5))
    assert 0.0 <= better.gap < 0.3 * better.null_objective
    assert once.gap >= once.objective - better.objective


def test_of_hinge_and_without_penalty():
    X, y = problem(n=500, p=8)
    fit = ss.online(X, y, family="hinge", lam=0.05, passes=10)
    found = fit.certify(X, y)
    assert 0.0 <= found.gap < 0.2 * found.objective
    v = [0.0, *7 * [1.0]]
    free = ss.online(X, y, family="binomial", lam=0.01, penalty_factor=v, passes=10)
    assert free.certify(X, y).relative_gap < 0.05


def test_predictions():
    X, y = problem()
    labels = np.array(["no", "yes"])[y.astype(int)]
    fit = ss.online(X, labels, family="binomial", lam=0.02)
    eta = X @ fit.coef() + fit.intercept
    np.testing.assert_allclose(fit.predict(X), eta, atol=1e-12)
    np.testing.assert_allclose(fit.predict(X, "response"), 1 / (1 + np.exp(-eta)), atol=1e-12)
    assert (fit.predict(X, "class") == np.where(eta > 0, "yes", "no")).all()
    np.testing.assert_allclose(fit.predict(X, offset=y), eta + y, atol=1e-12)
    few = sparse.csr_array(X[:3])  # reads the weights of the features in these rows alone
    np.testing.assert_allclose(fit.predict(few), eta[:3], atol=1e-12)
    wide = sparse.csr_array((few.data, few.indices, few.indptr), (3, 10**6))
    grown = ss.online([(sparse.csr_array(X), y)], family="binomial", lam=0.02)
    np.testing.assert_allclose(grown.predict(wide), grown.predict(X[:3]), atol=1e-12)
    assert "nonzero" in repr(fit) and list(fit.classes) == ["no", "yes"]


def test_a_callable_gives_the_steps():
    X, y = problem()
    options = {"family": "binomial", "lam": 0.02}
    for method in ("fobos", "rda"):
        named = ss.online(X, y, method=method, step=0.5, **options)
        called = ss.online(X, y, method=method, step=lambda t: 0.5 / np.sqrt(t), **options)
        np.testing.assert_allclose(called.coef(), named.coef(), atol=1e-14)


def test_passes_and_shuffles():
    X, y = problem()
    options = {"family": "binomial", "lam": 0.02, "step": 1.0}
    twice = ss.online(X, y, passes=2, **options)
    again = ss.online(X, y, **options).more(X, y)
    np.testing.assert_array_equal(twice.coef(), again.coef())
    blocks = [(X[:90], y[:90]), (X[90:], y[90:])]
    np.testing.assert_array_equal(ss.online(blocks, passes=2, **options).coef(), twice.coef())
    generated = ss.online(lambda: iter(blocks), passes=2, **options)
    np.testing.assert_array_equal(generated.coef(), twice.coef())
    order = np.random.default_rng(7).permutation(len(X))
    mixed = ss.online(X, y, shuffle=True, seed=7, **options)
    np.testing.assert_array_equal(mixed.coef(), ss.online(X[order], y[order], **options).coef())
    np.testing.assert_array_equal(
        ss.online(sparse.csc_array(X), y, shuffle=True, seed=7, **options).coef(), mixed.coef()
    )


@every(
    "change, match",
    [
        ({"family": "cox"}, "not a sum over rows"),
        ({"family": ss.families.cox(ties="efron")}, "not a sum over rows"),
        ({"lam": -1.0}, "lam must be"),
        ({"method": "sgd"}, "method must be one of"),
        ({"step": "fast"}, "step must be"),
        ({"step": 0.0}, "step must be"),
        ({"step": lambda t: t, "method": "ftrl"}, "a rate for each weight"),
        ({"step": lambda t: -t, "method": "rda"}, "a step size is positive"),
        ({"grouped": True}, "ties classes"),
        ({"penalty_factor": [1.0]}, "penalty_factor"),
        ({"passes": 0}, "passes must be"),
        ({"classes": [0, 1, 2]}, "takes two"),
        ({"classes": [1, 2]}, "none of the classes"),
        ({"weights": -np.ones(200)}, "weights"),
        ({"schedule": "cosine"}, "schedule must be"),
    ],
)
def test_bad_options_are_refused(change, match):
    X, y = problem()
    with pytest.raises((ValueError, TypeError), match=match):
        ss.online(X, y, **{"family": "binomial", "lam": 0.1, "method": "fobos", **change})


def test_bad_data_are_refused():
    X, y = problem()
    broken = X.copy()
    broken[17, 3] = np.nan
    with pytest.raises(ValueError, match="nan at row 17 of column 3"):
        ss.online(broken, y, family="binomial", lam=0.1)
    with pytest.raises(ValueError, match="y is missing"):
        ss.online(X, family="binomial", lam=0.1)
    with pytest.raises(ValueError, match="spent after one"):
        ss.online(iter([(X, y)]), family="binomial", lam=0.1, passes=2)
    with pytest.raises(ValueError, match="classes is missing"):
        ss.online([(X, y)], family="multinomial", lam=0.1)
    with pytest.raises(TypeError, match="tuples"):
        ss.online(iter([X]), lam=0.1)
    with pytest.raises(ValueError, match=r"for one row yield \(\[x\], \[y\]\)"):
        ss.online(zip(X, y, strict=True), lam=0.1)
    with pytest.raises(ValueError, match="X has no rows"):
        ss.online(X[:0], y[:0], lam=0.1)
    with pytest.raises(ValueError, match="counts as w rows"):
        ss.online(X, y, lam=0.1, weights=np.full(len(y), 1e308))
    with pytest.raises(ValueError, match="the steps were too long"):
        ss.online(X * 1e3, y, lam=0.0, method="fobos", step=10.0, schedule="constant")
    fit = ss.online(X, y, family="binomial", lam=0.1)
    with pytest.raises(ValueError, match="30 features"):
        ss.online([(X, y)], family="binomial", lam=0.1, n_features=30).predict(X[:, :3])
    with pytest.raises(ValueError, match="kind must be"):
        fit.predict(X, "nonsense")


@pytest.mark.parametrize("family", ["binomial", "gaussian", "multinomial"])
def test_a_path_starts_at_what_was_learned(family):
    X, y = problem(family="gaussian" if family == "gaussian" else "binomial")
    if family == "multinomial":
        y = y + (X[:, 1] > 0.5)
    options = {"family": family, "standardize": False, "lambdas": [0.02], "tol": 1e-10}
    learned = ss.online(X, y, family=family, lam=0.02, passes=20, shuffle=True)
    cold, warm = ss.path(X, y, **options), ss.path(X, y, start=learned, **options)
    assert warm.gaps[0] <= 1e-10
    assert warm.n_iters[0] <= cold.n_iters[0]
    np.testing.assert_allclose(warm.coef(0.02), cold.coef(0.02), atol=1e-4)


@pytest.mark.parametrize("labels, said", [
    (["no", "yes", "no"], "classes=['no', 'yes']"),
    ([2, 7, 2], "classes=[2, 7]"),
])  # fmt: skip
def test_labels_of_a_stream_that_must_be_named_are_shown(labels, said):
    rows = iter([(np.eye(3), labels)])
    with pytest.raises(ValueError, match="name them all, ") as error:
        ss.online(rows, family="binomial", lam=0.1)
    assert said in str(error.value)


def test_signs_are_recognised_in_blocks():
    """-1 and 1 are the classes, also where the first block shows 1 alone; not beside 0."""
    X = np.eye(4)
    known = ss.online(X, [1, 1, 0, 1], family="binomial", lam=0.1, step=1.0)
    for cut in (1, 2, 3):
        y = np.array([1, 1, -1, 1])
        fit = ss.online(iter([(X[:cut], y[:cut]), (X[cut:], y[cut:])]), family="binomial", lam=0.1,
                        step=1.0)  # fmt: skip
        np.testing.assert_array_equal(fit.coef(), known.coef())
        assert fit.classes.tolist() == [-1, 1]
    with pytest.raises(ValueError, match="classes is missing"):
        ss.online(iter([(X[:2], [0, 1]), (X[2:], [-1, 1])]), family="binomial", lam=0.1)


def test_one_number_is_read_without_all_features():
    """The intercept, the step and the losses of a fit of ten million features."""
    X = sparse.csr_array((np.ones(3), ([0, 1, 2], [1, 5, 9])), shape=(3, 10_000_000))
    fit = ss.online([(X, [1.0, 2.0, 3.0])], lam=0.1, n_features=10_000_000)
    assert fit.n_rows == 3  # the first question chooses the step
    tracemalloc.start()
    assert np.isfinite([fit.intercept, fit.eta0, fit.losses[-1, 1]]).all()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000
