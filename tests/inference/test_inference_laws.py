"""Laws of inference after a choice, seeded; and the faults that they are there to find.

Uniformity: pivots at the true coefficients, one a draw, are uniform given the event. Coverage: the
share of intervals that cover is within four binomial errors, with draws as clusters.
benchmarks/inference/coverage.py has more draws and cases.
"""

import numpy as np
import pytest
from inference_draws import STRONGER, Coverage, best_fit, tables
from scipy import stats

import sparsesolve as ss
from sparsesolve import inference
from sparsesolve.inference import carving, event, knockoff_filter, polyhedral, truncated

# family: (rows, features, lambda of the selection)
SIZES = {
    "gaussian": (100, 20, 0.2), "binomial": (400, 10, 0.03), "poisson": (200, 10, 0.1),
    "cox": (200, 10, 0.05), "probit": (300, 10, 0.08), "cloglog": (300, 10, 0.08),
    "negative_binomial(2)": (300, 10, 0.08),
}  # fmt: skip


def hold(method, family, draws, **options):
    """Return True if one pivot a draw is uniform and 90 % intervals cover."""
    n, p, lam = SIZES[family]
    options = {"scale": STRONGER.get(family, 1.0), "lam": lam, **options}
    found, coverage = [], Coverage()
    for seed, (table, pivot, truth, _) in enumerate(
            tables(method, family, n, p, 0.5, draws=draws, **options)):  # fmt: skip
        found.append(pivot[seed % len(pivot)])
        coverage.add((table.lower <= truth) & (truth <= table.upper))
    assert len(found) > draws / 2
    return (stats.kstest(found, "uniform").pvalue > 1e-4
            and abs(coverage.share - 0.9) < 4 * coverage.error)


@pytest.mark.parametrize("method, family, options", [
    *(("carve", family, {}) for family in SIZES),
    *(("selective", family, {}) for family in ("gaussian", "binomial", "poisson", "cox")),
    ("selective", "gaussian", {"alpha": 0.5}), ("carve", "gaussian", {"alpha": 0.5}),
    ("carve", "gaussian", {"lower": 0.0, "lam": 0.1}), ("carve", "gaussian", {"given": None}),
    ("carve", "gaussian", {"penalty_factor": [0.0, 3.0, *[1.0] * 18]}),
    ("carve", "gaussian", {"sigma": 3.0, "given": 3.0, "scale": 3.0, "lam": 0.6}),
])  # fmt: skip
def test_pivots_are_uniform_and_intervals_cover(method, family, options):
    assert hold(method, family, 60, **options)


def test_refit_of_the_same_rows_does_not_cover():
    """What the caution of refit is about."""
    n, p, lam = SIZES["gaussian"]
    coverage = Coverage()
    for *_, (X, eta, y) in tables("selective", "gaussian", n, p, 0.5, lam, 60):
        table = ss.refit(ss.path(X, y, lambdas=[lam]), X, y, lam, level=0.9)
        truth = best_fit(X, eta, table.features[1:])
        coverage.add((table.lower[1:] <= truth) & (truth <= table.upper[1:]))
    assert coverage.share + 4 * coverage.error < 0.9


# Planted faults: each law holds, and fails with the fault in place.


def faulty_lambda(monkeypatch):
    """Lambda on the scale of the mean loss in an event on the scale of the log-likelihood."""
    rows = event.Selection.rows

    def planted(self, H):
        M, k = rows(self, H)
        return M, k / self.data.total

    monkeypatch.setattr(event.Selection, "rows", planted)


def faulty_sigma(monkeypatch):
    """The standard deviation in place of the variance."""
    for module in (carving, polyhedral):
        right = module.noise_level
        monkeypatch.setattr(module, "noise_level", lambda *given, right=right: (
            np.sqrt(right(*given)[0]), "given"))  # fmt: skip


def faulty_carving(monkeypatch):
    """The law of the polyhedral lemma for an estimate of all rows."""
    class Plain(truncated.Truncated):
        def __init__(self, x, v, lo, hi, d):
            self.lo, self.hi = np.minimum(lo, x - 1e-6), np.maximum(hi, x + 1e-6)
            super().__init__(x, v, self.lo, self.hi)

    monkeypatch.setattr(carving, "Carved", Plain)


def faulty_rows(monkeypatch):
    """The errors of the selecting rows alone for estimates of all rows."""
    right = carving._covariances

    def planted(*given):
        C1, C = right(*given)
        return 1.001 * C1, C1

    monkeypatch.setattr(carving, "_covariances", planted)


@pytest.mark.parametrize("plant, method, options", [
    (faulty_lambda, "selective", {}),
    (faulty_sigma, "selective", {"sigma": 3.0, "given": 3.0, "scale": 3.0, "lam": 0.6}),
    (faulty_sigma, "carve", {"sigma": 3.0, "given": 3.0, "scale": 3.0, "lam": 0.6}),
    (faulty_carving, "carve", {}),
    (faulty_rows, "carve", {"share": 0.5}),
])  # fmt: skip
def test_uniformity_and_coverage_find(monkeypatch, plant, method, options):
    assert hold(method, "gaussian", 60, **options)
    plant(monkeypatch)
    assert not hold(method, "gaussian", 60, **options)


def agree(table):
    """Return True if a two-sided p-value is below 1 - level where its interval leaves 0 out."""
    outside = (table.lower > 0.0) | (table.upper < 0.0)
    return np.array_equal(outside, table.p_values < 1.0 - table.level)


@pytest.mark.parametrize("method", ["selective", "carve"])
def test_intervals_find_one_sided_p_values(monkeypatch, method):
    """R's selectiveInference prints p-values in the direction of the sign without saying so."""
    def all_agree():
        return all(agree(table) for level in (0.5, 0.8, 0.9) for table, *_ in tables(
            method, "gaussian", *SIZES["gaussian"][:2], 0.5, 0.2, 10, level=level))  # fmt: skip

    assert all_agree()

    def planted(law):
        below = truncated.pivots(law, 0.0)
        return np.where(law.x > 0.0, 1.0 - below, below)

    for module in (carving, polyhedral):
        monkeypatch.setattr(module, "p_values", planted)
    assert not all_agree()


def test_limits_find_another_standard_deviation(monkeypatch):
    """1 / (n - 1) in place of 1 / n moves the event by half a percent: the line oracle sees it."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(100, 20)), rng.normal(size=100)
    y += X[:, :3] @ [0.8, -0.6, 0.5]

    def held():
        """Return True if the sign of feature 0 changes at its limit."""
        table = inference.selective(ss.path(X, y, lambdas=[0.2]), X, y, 0.2, sigma=1.0)
        A = np.column_stack([np.ones(100), X[:, table.features]])
        row = np.linalg.inv(A.T @ A)[1] @ A.T
        found = []
        for step in (1e-5, -1e-5):
            t = table.truncation[0, 0] + step
            there = y + (t - table.estimates[0]) * row / (row @ row)
            b = ss.path(X, there, lambdas=[0.2], tol=1e-13).coef(0.2)
            found.append(np.array_equal(np.flatnonzero(b), table.features))
        return found == [True, False]

    assert held()
    right = event._spread
    monkeypatch.setattr(event, "_spread", lambda X, w: right(X, w) * np.sqrt(100 / 99))
    assert not held()


def test_paths_find_an_entry_one_knot_late(monkeypatch):
    """A feature enters at the knot before its first nonzero coefficient."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 15))
    y = X[:, 0] + rng.normal(size=60)
    path = ss.lars_path(X, y)

    def held():
        entry = knockoff_filter.entry_lambdas(path)
        for j in np.argsort(-entry)[1:6]:
            just = [ss.path(X, y, lambdas=[entry[j] * f], tol=1e-13).coef(entry[j] * f)[j] != 0.0
                    for f in (1.0 + 1e-6, 1.0 - 1e-6)]  # fmt: skip
            if just != [False, True]:
                return False
        return True

    assert held()

    def planted(path):
        found = np.zeros(path.n_features)
        for k in range(len(path.lambdas) - 1, 0, -1):
            found[path.nonzero(path.lambdas[k])] = path.lambdas[k]
        return found

    monkeypatch.setattr(knockoff_filter, "entry_lambdas", planted)
    assert not held()


def test_noise_finds_a_threshold_without_the_one(monkeypatch):
    """Where no feature has an influence, signs of W are coins: any selection is a false one."""
    def false_selections():
        rng = np.random.default_rng(6)
        return np.mean([np.isfinite(knockoff_filter._threshold(rng.normal(size=60), 0.2))
                        for _ in range(400)])  # fmt: skip

    assert false_selections() < 0.2 + 4 * np.sqrt(0.2 * 0.8 / 400)
    right = knockoff_filter._ratios
    monkeypatch.setattr(knockoff_filter, "_ratios", lambda W, t: right(W, t) - 1.0 / np.maximum(
        1, [np.sum(x <= W) for x in t]))  # fmt: skip
    assert false_selections() > 0.4


def test_coverage_finds_a_correction_without_degrees_of_freedom(monkeypatch):
    """hdi and hidimstat leave the factor 1 - df / n out of the debiased lasso."""
    from sparsesolve.inference import desparsified

    def share():
        coverage = Coverage()
        for seed in range(12):
            rng = np.random.default_rng([9, seed])
            X, b = rng.normal(size=(80, 100)), np.zeros(100)
            b[:12] = 0.7
            y = X @ b + rng.normal(size=80)
            table = inference.debiased(X, y, range(12), level=0.9, sigma=1.0, seed=seed,
                                       n_folds=5, n_lambdas=30)  # fmt: skip
            coverage.add((table.lower <= b[:12]) & (b[:12] <= table.upper))
        return coverage

    right = share()
    assert abs(right.share - 0.9) < 4 * right.error + 0.06  # 15 of .5: .850 in the design
    working = desparsified._working
    monkeypatch.setattr(desparsified, "_working", lambda matrix, b, b0, data, left=1.0: working(
        matrix, b, b0, data))  # fmt: skip
    wrong = share()
    assert wrong.share + 4 * wrong.error < 0.9
