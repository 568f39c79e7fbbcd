"""Laws of inference after a choice, seeded.

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
from sparsesolve.inference import knockoff_filter

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
    *((method, "gaussian", {"sigma": 3.0, "given": 3.0, "scale": 3.0, "lam": 0.6})
      for method in ("selective", "carve")), ("carve", "gaussian", {"share": 0.5}),
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


def agree(table):
    """Return True if a two-sided p-value is below 1 - level where its interval leaves 0 out."""
    outside = (table.lower > 0.0) | (table.upper < 0.0)
    return np.array_equal(outside, table.p_values < 1.0 - table.level)


@pytest.mark.parametrize("method", ["selective", "carve"])
def test_p_values_are_two_sided_as_intervals_are(method):
    """R's selectiveInference prints p-values in the direction of the sign without saying so."""
    assert all(agree(table) for level in (0.5, 0.8, 0.9) for table, *_ in tables(
        method, "gaussian", *SIZES["gaussian"][:2], 0.5, 0.2, 10, level=level))  # fmt: skip


def test_a_feature_enters_at_the_knot_before_its_first_nonzero_coefficient():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 15))
    y = X[:, 0] + rng.normal(size=60)
    entry = knockoff_filter.entry_lambdas(ss.lars_path(X, y))
    for j in np.argsort(-entry)[1:6]:
        just = [ss.path(X, y, lambdas=[entry[j] * f], tol=1e-13).coef(entry[j] * f)[j] != 0.0
                for f in (1.0 + 1e-6, 1.0 - 1e-6)]  # fmt: skip
        assert just == [False, True]


def test_a_debiased_interval_has_its_correction_for_degrees_of_freedom():
    """hdi and hidimstat leave the factor 1 - df / n out, and cover less."""
    coverage = Coverage()
    for seed in range(12):
        rng = np.random.default_rng([9, seed])
        X, b = rng.normal(size=(80, 100)), np.zeros(100)
        b[:12] = 0.7
        y = X @ b + rng.normal(size=80)
        table = inference.debiased(X, y, range(12), level=0.9, sigma=1.0, seed=seed,
                                   n_folds=5, n_lambdas=30)  # fmt: skip
        coverage.add((table.lower <= b[:12]) & (b[:12] <= table.upper))
    assert abs(coverage.share - 0.9) < 4 * coverage.error + 0.06  # 15 of .5: .850 in the design
