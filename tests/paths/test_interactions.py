"""Interactions under a hierarchy against the latent group lasso on all pairs, made in full."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.paths import interaction_path

RNG = np.random.default_rng(0)
N, P = 90, 8
X = RNG.normal(size=(N, P)) * RNG.uniform(0.5, 2.0, P) + RNG.normal(size=P)
C = X - X.mean(axis=0)
ETA = X[:, 0] - X[:, 1] + C[:, 0] * C[:, 1] + 0.7 * C[:, 2] * C[:, 3]
Y = ETA + RNG.normal(size=N)
W, OFFSET = RNG.uniform(0.5, 2.0, N), RNG.normal(size=N)
CLASS = (ETA + RNG.normal(size=N) > 0.0).astype(int)
PAIRS = list(combinations(range(P), 2))
LAMBDAS = [0.6, 0.3, 0.1, 0.03]


def all_pairs(hierarchy, w):
    """Return the columns with every product of centred features, and the penalty."""
    centred = X - w @ X / w.sum()
    columns = np.hstack([centred, *(centred[:, [j]] * centred[:, [k]] for j, k in PAIRS)])
    groups = [[j] for j in range(P)]
    for i, (j, k) in enumerate(PAIRS):
        groups += [[j, k, P + i]] if hierarchy == "strong" else [[j, P + i], [k, P + i]]
    return columns, ss.penalties.LatentGroupL2(groups)


@pytest.mark.parametrize("hierarchy", ["strong", "weak"])
@pytest.mark.parametrize("family, y", [("gaussian", Y), ("binomial", CLASS)])
def test_the_solutions_are_those_with_all_pairs(hierarchy, family, y):
    columns, penalty = all_pairs(hierarchy, W)
    lam = LAMBDAS if family == "gaussian" else [0.12, 0.05, 0.02]
    given = {"family": family, "weights": W, "offset": OFFSET, "lambdas": lam}
    twin = ss.path(columns, y, penalty=penalty, tol=1e-12, **given)
    fit = interaction_path(X, y, hierarchy=hierarchy, tol=1e-11, **given)
    assert fit.gaps.max() <= 1e-11
    np.testing.assert_allclose(fit.predict(X, offset=OFFSET), twin.predict(columns, offset=OFFSET),
                               atol=2e-4)  # fmt: skip
    np.testing.assert_allclose(fit.dev_ratio, twin.dev_ratio, atol=1e-7)
    place = {f"x{j}:x{k}": P + i for i, (j, k) in enumerate(PAIRS)}
    products = [j for j, name in enumerate(fit.feature_names) if ":" in name]
    own = twin.coefs.toarray()[[place[fit.feature_names[j]] for j in products]]
    np.testing.assert_allclose(fit.coefs.toarray()[products], own, atol=2e-4)
    assert 0 < len(products) < len(PAIRS)


def test_without_an_intercept_the_origin_stays():
    columns = np.hstack([X, *(X[:, [j]] * X[:, [k]] for j, k in PAIRS)])
    _, penalty = all_pairs("strong", W)
    given = {"lambdas": LAMBDAS, "intercept": False}
    twin = ss.path(columns, Y, penalty=penalty, tol=1e-12, **given)
    fit = interaction_path(X, Y, tol=1e-11, **given)
    np.testing.assert_allclose(fit.predict(X), twin.predict(columns), atol=1e-4)
    assert not fit.intercepts.any() and fit.gaps.max() <= 1e-11


def test_constant_columns_and_responses_and_cox():
    both = np.column_stack([X, np.full(N, 0.1)])
    fit, less = (interaction_path(Z, Y, lambdas=LAMBDAS) for Z in (both, X))
    np.testing.assert_allclose(fit.predict(both), less.predict(X), atol=1e-8)
    assert not any("x8" in name for name in fit.feature_names[9:])
    assert interaction_path(X, np.full(N, 0.1)).df.tolist() == [0]
    time = np.exp(Y)
    cox = interaction_path(X + 2.0, (time, np.ones(N)), family="cox", lambdas=[0.1])
    centred = interaction_path(X, (time, np.ones(N)), family="cox", lambdas=[0.1])
    risk = [c - c.mean() for c in (cox.predict(X + 2.0, 0.1), centred.predict(X, 0.1))]
    np.testing.assert_allclose(*risk, atol=1e-9)
    assert not cox.intercepts.any() and cox.gaps.max() <= 1e-7


@pytest.mark.parametrize("hierarchy", ["strong", "weak"])
def test_gaps_are_those_of_the_problem_with_all_pairs(hierarchy):
    """Recomputed from what is returned, for squared error: the residual, scaled to be feasible."""
    columns, penalty = all_pairs(hierarchy, np.ones(N))
    sd = columns.std(axis=0)
    norm = penalty.over(len(sd))
    fit = interaction_path(X, Y, hierarchy=hierarchy, lambdas=LAMBDAS, tol=1e-6)
    y = Y - Y.mean()
    for k, lam in enumerate(fit.lambdas):
        rest = Y - fit.predict(X, lam)
        assert abs(rest.mean()) < 1e-8
        b = np.linalg.lstsq(columns - columns.mean(axis=0), y - rest)[0] * sd
        u = rest / N
        u = u * min(1.0, lam / norm.dual_norm((columns - columns.mean(axis=0)).T @ u / sd))
        primal = 0.5 * np.mean(rest**2) + lam * norm.norm(b)
        dual = u @ y - 0.5 * N * u @ u
        gap = (primal - dual) / (0.5 * np.mean(y**2))
        assert gap <= 1e-6 and gap <= fit.gaps[k] + 1e-9


def test_hierarchies_hold():
    for hierarchy in ("strong", "weak"):
        fit = interaction_path(X, Y, hierarchy=hierarchy, n_lambdas=15)
        seen = 0
        for support in fit.nonzero():
            names = set(fit.feature_names[support])
            for pair in (name for name in names if ":" in name):
                both = [part in names for part in pair.split(":")]
                seen += 1
                assert all(both) if hierarchy == "strong" else any(both)
        assert seen


def test_the_first_lambda_is_the_least_of_the_empty_model():
    fit = interaction_path(X, Y, n_lambdas=10)
    assert fit.df[0] == 0 and fit.df[1] > 0
    just = interaction_path(X, Y, lambdas=[0.999 * fit.lambdas[0]])
    assert just.df[0] > 0 and len(fit.lambdas) == 10
    assert fit.lambdas[-1] == pytest.approx(0.01 * fit.lambdas[0])


def test_many_features_need_few_products():
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(100, 300))  # 44,850 pairs
    y = wide[:, 0] + wide[:, 1] + 3.0 * wide[:, 0] * wide[:, 1] + 0.5 * rng.normal(size=100)
    fit = interaction_path(wide, y, n_lambdas=8, lambda_min_ratio=0.3)
    assert fit.gaps.max() <= 1e-7 and fit.n_features < 500
    largest = fit.feature_names[np.abs(fit.coef(fit.lambdas[-1])).argmax()]
    assert largest == "x0:x1"


def test_tables_arrays_and_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdefgh"))
    fit = interaction_path(frame, Y, lambdas=LAMBDAS)
    array = interaction_path(X, Y, lambdas=LAMBDAS)
    np.testing.assert_allclose(fit.coefs.toarray(), array.coefs.toarray())
    assert "a:b" in fit.feature_names and "x0:x1" in array.feature_names
    expected = array.predict(X)
    for table in (frame, frame[list("hgfedcba")], X):
        np.testing.assert_allclose(fit.predict(table), expected, atol=1e-12)
    hand = fit.intercepts + np.column_stack(
        [np.prod([frame[part] for part in name.split(":")], axis=0) for name in fit.feature_names]
    ) @ fit.coefs  # fmt: skip
    np.testing.assert_allclose(hand, expected, atol=1e-10)
    ss.save(fit, tmp_path / "fit.npz")
    np.testing.assert_allclose(ss.load(tmp_path / "fit.npz").predict(frame), expected, atol=1e-12)
    error = np.mean((Y - fit.predict(frame, 0.1)) ** 2)
    assert ss.assess(fit, frame, Y, 0.1)["mse"] == pytest.approx(error)
    table = {"a": X[:, 0], "b": X[:, 1], "sex": np.where(C[:, 2] > 0, "f", "m"), "y": Y}
    named = interaction_path("y ~ .", data=table, lambdas=[0.05])
    assert set(named.feature_names) >= {"a", "b", "sex=m", "a:b"}
    alike = interaction_path(ss.make_design({k: table[k] for k in ("a", "b", "sex")}), Y,
                             lambdas=[0.05])  # fmt: skip
    np.testing.assert_allclose(named.predict(table), alike.predict(table))


def test_cross_validation():
    folds = np.arange(N) % 3
    cv = ss.cv_path(X, Y, fit=interaction_path, folds=folds, lambdas=LAMBDAS)
    np.testing.assert_allclose(cv.predict(X, 0.1), interaction_path(
        X, Y, lambdas=LAMBDAS).predict(X, 0.1))  # fmt: skip
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdefgh"))
    named = ss.cv_path(frame, Y, fit=interaction_path, folds=folds, lambdas=LAMBDAS)
    np.testing.assert_allclose(named.mean, cv.mean)
    np.testing.assert_allclose(named.predict(frame, 0.1), cv.predict(X, 0.1))
    weak = ss.cv_path(X, Y, fit=partial(interaction_path, hierarchy="weak"), folds=folds,
                      lambdas=LAMBDAS)  # fmt: skip
    assert np.abs(weak.mean - cv.mean).max() > 1e-6


def test_refusals():
    three = ss.make_design({"a": X[:, 0], "w": np.array(list("xyz"))[np.arange(N) % 3]})
    for made, options, said in [
        (X, {"hierarchy": "none"}, "hierarchy"), (X, {"family": "multinomial"}, "one response"),
        (X, {"penalty_factor": np.ones(P)}, "sets penalty_factor"), (X, {"dfmax": 3}, "dfmax"),
        (three, {}, "two levels"),
    ]:  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=said):
            interaction_path(made, CLASS, **options)
    fit = interaction_path(X, Y, lambdas=LAMBDAS)
    with pytest.raises(ValueError, match="fit another by"):
        fit.coef(0.2, exact=True, X=X, y=Y)
