"""Rows that are alike, met once: the path is that of all rows."""

import numpy as np
import pytest
from oracles.recession import no_optimum
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.solvers.reductions.identities import EqualRows

N = 600
RNG = np.random.default_rng(3)
THREE = RNG.integers(0, 3, size=(N, 3)) * [1.0, 1.0, 0.5]
X = np.column_stack([THREE, THREE * THREE[:, [1, 2, 0]]])  # 27 different rows
ETA = 0.5 * X[:, 0] - 0.4 * X[:, 2] - 0.3
W = RNG.uniform(0.0, 2.0, N) * (RNG.random(N) < 0.9)
OFFSET = 0.5 * (np.arange(N) % 3)
Y = {
    "binomial": RNG.random(N) < 1 / (1 + np.exp(-ETA)),
    "poisson": RNG.poisson(np.exp(ETA)),
    families.gamma(): RNG.gamma(2.0, np.exp(ETA)) + 1e-3,
    families.negative_binomial(2.0): RNG.poisson(np.exp(ETA)),
    families.tweedie(1.5): RNG.gamma(2.0, np.exp(ETA)) * (RNG.random(N) < 0.7),
    families.probit(): RNG.random(N) < 1 / (1 + np.exp(-ETA)),
    families.cloglog(): RNG.random(N) < 1 / (1 + np.exp(-ETA)),
}
CASES = {
    "plain": {},
    "weights and offset": {"weights": W, "offset": OFFSET},
    "no intercept": {"intercept": False, "standardize": False},
    "limits, factors": {"lower": -0.1, "penalty_factor": [0.0, 1, 1, 2, 1, np.inf]},
    "groups": {"penalty": ss.penalties.GroupL2([0, 1, 0, 1, 2, 2])},
}


@pytest.fixture
def rows(monkeypatch):
    """How many rows solvers are given, by problem; the one behind `False` is left alone."""
    seen, merge = [], EqualRows.forward

    def watched(problem, lambdas, n_threads):
        if seen[-1:] == [False]:
            return None
        found = merge(problem, lambdas, n_threads)
        seen.append((found[0] if found else problem).design.n)
        return found

    monkeypatch.setattr(EqualRows, "forward", watched)
    return seen


def same(fit, whole):
    assert fit.lambdas == pytest.approx(whole.lambdas, rel=1e-10)
    coefs = [np.array([c.toarray() for c in path.coefs]) if path.intercepts.ndim == 2
             else path.coefs.toarray() for path in (fit, whole)]  # fmt: skip
    assert coefs[0] == pytest.approx(coefs[1], abs=3e-5)
    assert fit.intercepts == pytest.approx(whole.intercepts, abs=3e-5)
    assert fit.dev_ratio == pytest.approx(whole.dev_ratio, abs=1e-6)
    assert fit.null_deviance == whole.null_deviance
    assert (fit.gaps <= fit.options["tol"]).all()


@pytest.mark.parametrize("family", Y, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_paths_are_those_of_all_rows(family, name, rows):
    options = {"family": family, "n_lambdas": 12, "lambda_min_ratio": 1e-2, "tol": 1e-12,
               "stop": None, **CASES[name]}  # fmt: skip
    fit = ss.path(X, Y[family], **options)
    assert rows == [27 * (3 if "offset" in options and family != "poisson" else 1)]
    rows.append(False)
    same(fit, ss.path(X, Y[family], **options))


@pytest.mark.parametrize("spread", [0.3, 300.0])
def test_exposures_of_counts_add_up(spread, rows):
    """Whatever the offsets; one so small that nothing is seen of its row adds nothing."""
    offset = np.where(np.arange(N) % 7 == 0, -spread, RNG.normal(size=N))
    y = RNG.poisson(np.exp(ETA + offset))
    offset[W == 0.0] = spread
    options = {"family": "poisson", "n_lambdas": 12, "lambda_min_ratio": 1e-2, "tol": 1e-12,
               "stop": None, "weights": W, "offset": offset}  # fmt: skip
    fit = ss.path(X, y, **options)
    assert rows == [27] and fit.dev_ratio[0] == 0.0
    rows.append(False)
    same(fit, ss.path(X, y, **options))


@pytest.mark.parametrize("options", [
    {}, {"grouped": True}, {"weights": W, "offset": np.outer(OFFSET, [0.0, 1.0, -1.0])},
    {"penalty": ss.penalties.GroupL2([0, 1, 0, 1, 2, 2])},
], ids=["plain", "grouped", "weights and offset", "groups"])  # fmt: skip
def test_classes_of_rows_and_of_responses(options, rows):
    y = np.where(RNG.random(N) < 0.3, "c", np.where(Y["binomial"], "a", "b"))
    options = {"family": "multinomial", "n_lambdas": 10, "lambda_min_ratio": 1e-2, "tol": 1e-11,
               "stop": None, **options}  # fmt: skip
    fit = ss.path(X, y, **options)
    assert rows == [27 * (3 if "offset" in options else 1)] and fit.dev_ratio[0] == 0.0
    rows.append(False)
    same(fit, ss.path(X, y, **options))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_designs_and_certificates_over_all_rows(dtype, rows):
    columns, y = sparse.csr_array((THREE == THREE[0]).astype(dtype)), Y["binomial"]
    fit = ss.path(columns, y, family="binomial", n_lambdas=15, tol=1e-9, stop=None)
    assert rows == [8]
    Z = columns.toarray().astype(float)
    scaled = Z / Z.std(axis=0)
    for k, lam in enumerate(fit.lambdas):
        eta = Z @ fit.coef(lam) + fit.intercepts[k]
        value = np.mean(np.logaddexp(0.0, eta) - y * eta)
        value += lam * np.abs(fit.coef(lam) * Z.std(axis=0)).sum()
        share = 1 / (1 + np.exp(-eta))
        u = (y - share) / N
        u -= u.sum() * share * (1 - share) / (share * (1 - share)).sum()
        u *= min(1.0, lam / np.abs(scaled.T @ u).max())
        s = y - N * u  # the dual point of all rows, one by one
        dual = -np.mean(s * np.log(s) + (1 - s) * np.log1p(-s))
        assert value - dual <= 1e-6 * fit.null_deviance / (2 * N)


def test_rows_that_differ_and_wide_designs_are_left_alone(rows):
    y = Y["binomial"]
    ss.path(RNG.normal(size=(N, 3)), y, family="binomial", n_lambdas=3)
    ss.path(np.tile(THREE, 20), y, family="binomial", n_lambdas=3)  # 60 columns
    ss.path(THREE, Y["poisson"], n_lambdas=3)
    ss.path(THREE, ETA, family=families.huber(1.0), n_lambdas=3)
    assert rows == [N, N, N, N]


def test_solvers_by_name_and_a_null_model_of_classes(rows):
    options = {"family": "poisson", "n_lambdas": 8, "tol": 1e-12, "stop": None}
    solvers = ("proximal_newton", "pass_newton", "fista")
    fits = [ss.path(X, Y["poisson"], **options, solver=solver) for solver in solvers]
    assert rows == [27] * 3
    for fit in fits:
        assert fit.dev_ratio[0] == 0.0
        same(fit, fits[0])


LEVELS = RNG.integers(0, 4, N)
DUMMIES = (LEVELS[:, None] == np.arange(4)) * 1.0
CLASSES = np.digitize(0.7 * LEVELS + RNG.gumbel(size=N), [0.5, 2.0])
SATURATED = {
    "a dummy that nothing holds back": {"penalty_factor": [0, 1, 1, 1]},
    "ridge": {"penalty_factor": [0, 1, 1, 1], "alpha": 0.0},
    "no intercept": {"penalty_factor": [1, 1, 1, 0], "intercept": False},
    "nothing held back": {"lambdas": [0.0], "intercept": False},
    "fista": {"solver": "fista", "tol": 1e-6},
}


@pytest.mark.parametrize("options", SATURATED.values(), ids=SATURATED)
@pytest.mark.parametrize("family", ["binomial", "multinomial", "poisson", "cloglog"])
def test_as_many_rows_as_coefficients(options, family, rows):
    """Residuals vanish where a class is fitted: what is left of them is rounding."""
    y = {"multinomial": CLASSES, "poisson": CLASSES}.get(family, CLASSES > 0)
    kind = {"multinomial": "classes", "poisson": "counts"}.get(family, "two classes")
    family = families.cloglog() if family == "cloglog" else family
    fit = ss.path(DUMMIES, y, family=family, **{"n_lambdas": 10, "tol": 1e-8, **options})
    assert rows == [4]
    assert set(fit.status) == {_status(DUMMIES, y, kind, options)}
    assert (fit.gaps <= fit.options["tol"]).all()


def _status(columns, y, kind, options):
    """What a linear programme says of the columns that nothing holds back."""
    free = np.equal(options.get("penalty_factor", np.ones(4)), 0) | ("lambdas" in options)
    loose = columns[:, free]
    if options.get("intercept", True):
        loose = np.column_stack([np.ones(len(y)), loose])
    return ss.Status.UNBOUNDED if no_optimum(kind, loose, y) else ss.Status.CONVERGED


def test_one_class_of_rows(rows):
    fits = [ss.path(np.ones((N, 1)), y, family=family)
            for family, y in (("binomial", CLASSES > 0), ("multinomial", CLASSES))]  # fmt: skip
    assert rows == [1, 1]
    for fit in fits:
        assert fit.dev_ratio.tolist() == [0.0] and not fit.status.any()
