"""Penalties on whole vectors solved on few features, or by way of other columns."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.solvers.reductions import few_features, mapped
from sparsesolve.solvers.reductions.few_features import FewFeatures

RNG = np.random.default_rng(8)
X = RNG.standard_normal((50, 60))
X[:, 10:20] += X[:, :10]
SIGNAL = X[:, :6] @ [2.0, -2.0, 1.5, 1.0, -1.0, 0.5]
Y = SIGNAL + RNG.standard_normal(50)
SEVERAL = np.column_stack([Y, -Y + RNG.standard_normal(50), RNG.standard_normal(50)])
CASES = {
    "slope": ("gaussian", Y, P.Slope(), {}),
    "slope and ridge": ("gaussian", Y, P.Slope(q=0.4, kind="oscar"), {"alpha": 0.7}),
    "slope, classes": ("binomial", Y > 0, P.Slope(), {}),
    "k-support": ("gaussian", Y, P.KSupport(5), {"tol": 1e-6, "n_lambdas": 4}),
    "berhu": ("binomial", Y > 0, P.Berhu(0.2), {"intercept": False}),
    "l1": ("poisson", RNG.poisson(np.exp(0.2 * SIGNAL)), P.Separate({range(60): P.L1()}), {}),
    "exclusive": ("gaussian", Y, P.ExclusiveLasso(np.repeat(range(6), 10)),
                  {"lambdas": [3.0, 0.5, 0.1]}),
    "rows": ("multigaussian", SEVERAL, P.TraceNorm(), {}),
    "slope, several": ("multinomial", SEVERAL.argmax(axis=1), P.Slope(), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_solutions_of_all_features(name, monkeypatch):
    family, y, penalty, options = CASES[name]
    options = {"family": family, "penalty": penalty, "tol": 1e-10, "n_lambdas": 8,
               "lambda_min_ratio": 0.1, "stop": None, **options}  # fmt: skip
    monkeypatch.setattr(few_features, "FEWEST_FEATURES", 1)
    parts = ss.path(X, y, **options)
    monkeypatch.setattr(few_features, "FEWEST_FEATURES", 10**9)
    whole = ss.path(X, y, **options)
    assert not parts.status.any() and not whole.status.any()
    assert parts.lambdas == pytest.approx(whole.lambdas, rel=1e-9)
    assert parts.dev_ratio == pytest.approx(whole.dev_ratio, abs=2e-3)
    for lam in whole.lambdas:
        b, other = parts.coef(lam), whole.coef(lam)
        assert np.mean((X @ (b - other).T) ** 2) <= 4 * max(1e-6, options["tol"] * np.var(Y))


FIVES = [range(a, a + 5) for a in range(0, 60, 5)]
WINDOWS = [range(a, a + 10) for a in range(0, 51, 5)]
NESTED = [*FIVES, *(range(a, a + 15) for a in range(0, 60, 15)), range(60)]


@pytest.mark.parametrize("penalty, family", [
    (P.TreeL2(NESTED, np.ones(17)), "gaussian"), (P.TreeL2(NESTED, np.ones(17)), "multigaussian"),
    (P.TreeLinf(NESTED, np.ones(17)), "gaussian"), (P.OverlapLinf(WINDOWS), "multigaussian"),
    (P.OverlapL2(WINDOWS), "gaussian"),
], ids=lambda x: x if isinstance(x, str) else type(x).__name__)  # fmt: skip
def test_working_sets_grow_by_whole_groups(penalty, family, monkeypatch):
    """A proximal step moves subtrees, or what groups that overlap leave, as a whole.

    So does the working set: a feature is left out only with a whole group that holds it (Bach et
    al. 2012, section 15).
    """
    monkeypatch.setattr(few_features, "FEWEST_FEATURES", 1)
    sets, solve = [], FewFeatures._solve_part
    monkeypatch.setattr(FewFeatures, "_solve_part", lambda self, which, *rest: (
        sets.append(set(which.tolist())) or solve(self, which, *rest)))  # fmt: skip
    y = Y if family == "gaussian" else SEVERAL
    options = {"family": family, "penalty": penalty, "lambda_min_ratio": 0.3, "n_lambdas": 12}
    parts = ss.path(X, y, tol=1e-8, **options)
    assert not parts.status.any()
    for used in sets:
        assert all(used >= set(atom) or not used & set(atom) for atom in FIVES)
        for j in set(range(60)) - used:
            assert any(j in group and not used & set(group) for group in penalty.groups)
    assert min(map(len, filter(None, sets))) <= 20 and len({len(used) for used in sets}) > 1
    monkeypatch.setattr(few_features, "FEWEST_FEATURES", 10**9)
    whole = ss.path(X, y, tol=1e-8, **options)
    assert whole.dev_ratio == pytest.approx(parts.dev_ratio, abs=1e-3)


@pytest.mark.parametrize("intercept", [True, False])
def test_columns_formed_as_they_come(monkeypatch, intercept):
    """As for a large sparse X: no more columns than come to work, the same answers."""
    Z = sparse.random_array((200, 80), density=0.1, rng=np.random.default_rng(1), format="csc")
    y = Z @ np.repeat([1.0, 0, -2, 0.5], 20) + 0.1 * RNG.standard_normal(200)
    options = {"family": "binomial", "penalty": P.TotalVariation(), "intercept": intercept}
    whole = ss.path(Z, y > 0, n_lambdas=15, tol=1e-8, **options)
    monkeypatch.setattr(mapped, "SMALL_MAPPED", 0)
    made = []
    begin = mapped.Generated._state
    monkeypatch.setattr(
        mapped.Generated, "_state", lambda self: (begin(self), made.append(len(self.columns)))[0]
    )
    fit = ss.path(Z, y > 0, lambdas=whole.lambdas, tol=1e-8, **options)
    assert 0 < made[-1] < 70 and fit.gaps.max() <= 1e-8
    assert fit.coefs.toarray() == pytest.approx(whole.coefs.toarray(), abs=2e-2)
    assert fit.dev_ratio == pytest.approx(whole.dev_ratio, abs=1e-6)
    own = ss.path(Z, y > 0, n_lambdas=3, **options)
    assert own.lambdas[0] == pytest.approx(whole.lambdas[0], rel=1e-9)
