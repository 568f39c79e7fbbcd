"""Columns without a penalty that all but depend on one another: solved for by a basis."""

from fractions import Fraction

import numpy as np
import pytest
import states
from oracles.recession import no_optimum
from scipy import sparse

import sparsesolve as ss
from sparsesolve.penalties import GroupL2
from sparsesolve.solvers.reductions.row_space import MOST, _far_sum, without_collinear

N, P = 60, 12
RNG = np.random.default_rng(0)
APART = RNG.standard_normal(N)


def data(eps=1e-7, free=2):
    """Columns 0 and 4 differ by eps, and y hangs on their difference."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, P))
    X[:, 4] = X[:, 0] + eps * APART
    factors = np.ones(P)
    factors[[0, 4, 7][:free]] = 0.0
    return X, APART + X[:, 2] + 0.5 * rng.standard_normal(N), factors


def problem_of(X, factors, penalty=None, lower=None):
    y = RNG.standard_normal(N)
    return states.problem_of(X, y, penalty_factor=factors, penalty=penalty, lower=lower)


def test_only_where_columns_are_alike_and_not_the_same():
    X, _, factors = data()
    assert without_collinear(problem_of(X, factors)) is not None
    assert without_collinear(problem_of(X, np.where(np.arange(P) == 4, 1.0, factors))) is None
    limited = np.where(np.arange(P) == 4, -1.0, -np.inf)
    assert without_collinear(problem_of(X, factors, lower=limited)) is None
    assert without_collinear(problem_of(data(eps=1e-3)[0], factors)) is None
    assert without_collinear(problem_of(data(eps=0.0)[0], factors)) is None
    wide = RNG.standard_normal((N, MOST + 1))
    wide[:, 1] = wide[:, 0] + 1e-7 * APART
    assert without_collinear(problem_of(wide, np.zeros(MOST + 1))) is None


def test_groups_without_a_weight_are_looked_at_together():
    X, _, _ = data()
    groups = GroupL2(np.arange(P) // 3)  # columns 0 and 4 are in the first two
    assert without_collinear(problem_of(X, [0.0, 0.0, 1.0, 1.0], groups)) is not None
    assert without_collinear(problem_of(X, [0.0, 1.0, 1.0, 1.0], groups)) is None


@pytest.mark.parametrize("options", [
    {}, {"intercept": False}, {"standardize": False}, {"alpha": 0.4},
    {"weights": np.arange(N) % 3 * 1.0}, {"offset": APART[::-1]}, {"lower": 0.0, "free": 3},
], ids=lambda options: " ".join(options))  # fmt: skip
@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array, np.float32])
def test_it_is_the_path_on_a_basis_made_by_hand(kind, options):
    """Predictions agree, and the coefficients that are penalised."""
    options = dict(options)
    X, y, factors = data(1e-4 if kind is np.float32 else 1e-6, options.pop("free", 2))
    X = kind(X)
    dense = X.toarray() if sparse.issparse(X) else X.astype(float)
    if "lower" in options:
        options["lower"] = np.where(factors > 0.0, options["lower"], -np.inf)
    hand = dense.copy()
    hand[:, 4] = (dense[:, 4] - dense[:, 0]) * 1e6
    steer = {"penalty_factor": factors, "n_lambdas": 8, "lambda_min_ratio": 0.02, "tol": 1e-9,
             "stop": None, **options}  # fmt: skip
    fit, other = ss.path(X, y, **steer), ss.path(hand, y, **steer)
    assert not fit.status.any() and not other.status.any()
    assert fit.lambdas == pytest.approx(other.lambdas, rel=1e-6)
    new = {"offset": options["offset"]} if "offset" in options else {}
    assert fit.predict(dense, **new) == pytest.approx(other.predict(hand, **new), abs=2e-4)
    rest = np.setdiff1d(np.arange(P), [0, 4])
    assert fit.coefs.toarray()[rest] == pytest.approx(other.coefs.toarray()[rest], abs=2e-4)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "multinomial"])
@pytest.mark.parametrize("eps", [1e-5, 1e-8])
def test_without_a_penalty_all_columns_are_looked_at(family, eps):
    X, y, _ = data(eps)
    labels = {"gaussian": y, "binomial": y + RNG.logistic(size=N) > 0,
              "multinomial": np.digitize(y + RNG.logistic(size=N), [-1, 1])}[family]  # fmt: skip
    fit = ss.path(X, labels, family=family, lambdas=[0.0])
    assert fit.gaps[0] <= 1e-7
    apart = np.column_stack([np.ones(N), X[:, :4], APART, X[:, 5:]])  # the same span, well told
    kind = {"binomial": "two classes", "multinomial": "classes"}.get(family)
    endless = kind is not None and no_optimum(kind, apart, labels)
    assert fit.status[0] == (ss.Status.UNBOUNDED if endless else ss.Status.CONVERGED)
    if family == "gaussian":
        best = apart @ np.linalg.lstsq(apart, y)[0]
        assert fit.predict(X)[:, 0] == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("family", ["cox", "multinomial", "probit"])
def test_other_families_reach_their_gap(family):
    X, y, factors = data(1e-8)
    Y = {"cox": np.c_[np.exp(-y), y > -1], "multinomial": np.digitize(y, [-0.7, 0.7]),
         "probit": y + RNG.standard_normal(N) > 0}[family]  # fmt: skip
    family = ss.families.probit() if family == "probit" else family
    fit = ss.path(X, Y, family=family, penalty_factor=factors, n_lambdas=6, lambda_min_ratio=0.1)
    assert not fit.status.any() and (fit.gaps <= 1e-7).all()


def test_a_sum_in_twice_the_digits():
    columns, b = RNG.standard_normal((5, 3)), np.array([1e9, -1e9, 3.0])
    columns[:, 1] = columns[:, 0] + 1e-9 * RNG.standard_normal(5)
    less = RNG.standard_normal(5)
    exact = [sum(Fraction(x) * Fraction(y) for x, y in zip(row, b, strict=True)) - Fraction(z)
             for row, z in zip(columns.tolist(), less.tolist(), strict=True)]  # fmt: skip
    assert _far_sum(columns, b, less) == pytest.approx([float(e) for e in exact], rel=1e-14)
