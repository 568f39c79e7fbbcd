"""Groups standardised whole: the problem on orthonormal bases, and what does not change it."""

import sys

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

GROUPS = [0, 1, 0, 2, 1, 2, 0, 3, 3, 3, 3, 1]
LISTS = [[0, 2, 6], [1, 4, 11], [3, 5], [7, 8, 9, 10]]
N, P = 70, 12
RNG = np.random.default_rng(12)
X = RNG.standard_normal((N, P)) @ RNG.standard_normal((P, P)) + np.resize([0.0, 5.0, -2.0], P)
X[RNG.random(X.shape) < 0.3] = 0.0
X = X.astype(np.float32).astype(float)
SIGNAL = 0.3 * X[:, 0] - 0.2 * X[:, 3] + 0.1 * X[:, 5]
SIGNAL -= SIGNAL.mean()
Y = {
    "gaussian": SIGNAL + RNG.standard_normal(N),
    "binomial": (SIGNAL > RNG.logistic(size=N)) * 1.0,
    "poisson": RNG.poisson(np.exp(np.clip(SIGNAL, -2, 2))) * 1.0,
    "cox": np.column_stack([RNG.exponential(np.exp(-SIGNAL)), RNG.random(N) < 0.7]),
    "multinomial": np.array(list("abc"))[(SIGNAL + RNG.standard_normal(N) > 0.5).astype(int)
                                         + (SIGNAL + RNG.standard_normal(N) > -0.5)],
    "multigaussian": SIGNAL[:, None] * [1, -0.5, 0] + RNG.standard_normal((N, 3)),
}  # fmt: skip
WEIGHTS = RNG.uniform(0.5, 2.0, N) * (np.arange(N) % 9 != 4)
OPTIONS = {
    "plain": {},
    "rows": {"weights": WEIGHTS, "offset": 0.3 * RNG.standard_normal(N)},
    "origin": {"intercept": False, "weights": WEIGHTS},
    "net": {"alpha": 0.6, "penalty_factor": [1.0, 0.5, 2.0, 0.0]},
    "out": {"penalty_factor": [1.0, np.inf, 2.0, 0.7]},
}


def options_of(family, name):
    options = {key: value for key, value in OPTIONS[name].items()
               if not (family == "cox" and key == "intercept")}  # fmt: skip
    if family in ("multinomial", "multigaussian") and "offset" in options:
        options["offset"] = np.column_stack([options["offset"]] * 3) * [1.0, 0.0, -1.0]
    return options


def by_hand(X, lists=LISTS, weights=None, intercept=True):
    """Z with orthonormal groups, by QR of the centred columns, and each group's map back."""
    w = np.ones(len(X)) if weights is None else weights
    w = w / w.sum()
    mean, Z, maps, at = w @ X, [], [], 0
    for part in lists:
        R = np.linalg.qr(np.sqrt(w)[:, None] * (X[:, part] - mean[part]), mode="r")
        maps.append(np.linalg.inv(R))
        Z.append((X[:, part] - (mean[part] if intercept else 0.0)) @ maps[-1])
        at += len(part)
    return np.column_stack(Z), maps, mean


def in_order(lists=LISTS):
    return np.repeat(np.arange(len(lists)), [len(part) for part in lists])


def columns_of(fit):
    return [part.toarray() for part in fit.coefs] if isinstance(fit.coefs, list) else [
        fit.coefs.toarray()]  # fmt: skip


@pytest.mark.parametrize("name", sorted(OPTIONS))
@pytest.mark.parametrize("family", sorted(Y))
def test_it_is_the_problem_on_bases_made_by_hand(family, name):
    options, tol = options_of(family, name), 1e-9 if family == "cox" else 1e-11
    steer = {"family": family, "n_lambdas": 5, "lambda_min_ratio": 0.03, "tol": tol}
    fit = ss.path(X, Y[family], penalty=GroupL2(GROUPS), standardize="group", **steer, **options)
    Z, maps, mean = by_hand(X, weights=options.get("weights"),
                            intercept=options.get("intercept", family != "cox"))
    hand = ss.path(Z, Y[family], penalty=GroupL2(in_order()), standardize=False, **steer,
                   **options)  # fmt: skip
    assert not fit.status.any() and (fit.gaps <= tol).all()
    assert fit.lambdas == pytest.approx(hand.lambdas, rel=1e-9)
    for k, (b, c) in enumerate(zip(columns_of(fit), columns_of(hand), strict=True)):
        at, expected = 0, np.zeros_like(b)
        for part, back in zip(LISTS, maps, strict=True):
            expected[part] = back @ c[at : at + len(part)]
            at += len(part)
        assert b == pytest.approx(expected, abs=2e-5)
        if family != "cox":
            centred = mean if options.get("intercept", True) else np.zeros(P)
            intercepts = fit.intercepts if fit.intercepts.ndim == 1 else fit.intercepts[k]
            theirs = hand.intercepts if hand.intercepts.ndim == 1 else hand.intercepts[k]
            assert intercepts == pytest.approx(theirs - centred @ expected, abs=2e-5)


def test_columns_that_depend_on_one_another_add_nothing():
    """The weight is the root of the rank, and of all coefficients the shortest are shown."""
    y = Y["gaussian"]
    more = np.column_stack([X, X[:, 0], 2 * X[:, 3] - X[:, 5] + 4, np.full(N, 3.0), np.ones(N)])
    groups = [*GROUPS, 0, 2, 2, 4]
    options = {"standardize": "group", "tol": 1e-13, "n_lambdas": 10, "stop": None}
    fit = ss.path(X, y, penalty=GroupL2(GROUPS), **options)
    other = ss.path(more, y, penalty=GroupL2(groups), **options)
    assert not other.status.any()
    assert other.lambdas == pytest.approx(fit.lambdas, rel=1e-9)
    assert other.predict(more) == pytest.approx(fit.predict(X), abs=1e-5)
    b = other.coefs.toarray()
    assert not b[14:].any()
    assert b[0] == pytest.approx(b[12], rel=1e-9)
    assert 2 * b[0] == pytest.approx(fit.coefs.toarray()[0], abs=1e-6)
    part = [3, 5, 13]
    scaled = b[part, -1] * more[:, part].std(axis=0)
    null = np.linalg.svd((more[:, part] - more[:, part].mean(0)) / more[:, part].std(0))[2][-1]
    assert abs(null @ scaled) <= 1e-9 * np.linalg.norm(scaled)


def test_a_group_wider_than_the_rows_are_many():
    rng = np.random.default_rng(0)
    wide, y = rng.standard_normal((20, 50)), rng.standard_normal(20)
    fit = ss.path(wide, y, penalty=GroupL2(["a"] * 40 + ["b"] * 10), standardize="group",
                  n_lambdas=8, tol=1e-10)  # fmt: skip
    assert not fit.status.any() and fit.df.max() in (40, 50)
    # the first group spans everything: shrinkage of y in one direction
    y = y - y.mean()
    assert fit.lambdas[0] == pytest.approx(np.linalg.norm(y) / np.sqrt(20) / np.sqrt(19), rel=0.3)


@pytest.mark.parametrize("power", [-60, 60])
def test_units_do_not_matter(power):
    two = 2.0 ** np.resize([0, power, 3, -power], P)
    options = {"penalty": GroupL2(GROUPS), "standardize": "group", "n_lambdas": 5}
    fit, other = (ss.path(Z, Y["gaussian"], **options) for Z in (X, X * two))
    assert np.array_equal(fit.coefs.toarray(), other.coefs.toarray() * two[:, None])
    far = ss.path(X + 1e5, Y["gaussian"], **options)
    assert far.predict(X + 1e5) == pytest.approx(fit.predict(X), abs=1e-6)


def test_groups_are_counted_relaxed_and_refitted():
    y, before = Y["gaussian"], X.copy()
    fit = ss.path(X, y, penalty=GroupL2(GROUPS), standardize="group", n_lambdas=30, tol=1e-10,
                  stop=None)  # fmt: skip
    assert fit.coefs.shape == (P, 30)
    for which, names in zip(fit.nonzero(), fit.nonzero_groups(), strict=True):
        assert set(which) == {j for g in names for j in LISTS[g]}
    support = fit.nonzero(fit.lambdas[8])
    relaxed = ss.relax(fit, X, y)
    design = np.column_stack([np.ones(N), X[:, support]])
    least = np.linalg.lstsq(design, y, rcond=None)[0]
    assert relaxed.coefs.toarray()[support, 8] == pytest.approx(least[1:], abs=1e-6)
    assert ss.refit(fit, X, y, s=fit.lambdas[8]).estimates == pytest.approx(least, abs=1e-6)
    assert np.array_equal(X, before)


@pytest.mark.parametrize("options, kind, sentence", [
    ({}, ValueError, "standardize='group' takes groups of features; give penalty="),
    ({"penalty": SparseGroup(GROUPS)}, ValueError, "SparseGroup asks for each feature by itself"),
    ({"penalty": GroupLinf(GROUPS)}, ValueError, "GroupLinf asks for each feature by itself"),
    ({"penalty": GroupL2(GROUPS), "lower": 0.0}, ValueError, "exclude hold for single"),
    ({"penalty": GroupL2(GROUPS), "upper": np.ones(P)}, ValueError, "leave them out, or use"),
    ({"standardize": "groups"}, TypeError, "standardize must be True, False or 'group'"),
])  # fmt: skip
def test_what_it_cannot_be_with_is_said(options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        ss.path(X, Y["gaussian"], **{"standardize": "group", **options})


def test_a_sparse_design_that_would_not_fit_is_refused():
    huge = sparse.csc_array((np.ones(3), ([0, 1, 2], [0, 1, 2])), shape=(100_000, 100_000))
    with pytest.raises(ValueError, match="fills in a sparse X, 75 GiB here; use standardize=True"):
        ss.path(huge, np.arange(1e5), penalty=GroupL2([[0, 1]]), standardize="group")


def test_blocks_of_rows_elsewhere_are_refused():
    array = pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match="takes X in memory, not a dask array"):
        ss.path(array.from_array(X), Y["gaussian"], penalty=GroupL2(GROUPS), standardize="group")


def test_not_even_large_arrays_by_rows_stay_in_blocks(monkeypatch):
    monkeypatch.setattr(sys.modules["sparsesolve.data.row_blocks"], "LARGE_BYTES", 0)
    tall = np.ascontiguousarray(np.random.default_rng(0).standard_normal((200, 4)))
    y = tall @ [1.0, 0.5, 0.0, 0.0] + np.sin(np.arange(200))
    options = {"penalty": GroupL2([0, 0, 1, 1]), "standardize": "group", "n_lambdas": 5}
    fit, other = (ss.path(Z, y, **options) for Z in (tall, np.asfortranarray(tall)))
    assert np.array_equal(fit.coefs.toarray(), other.coefs.toarray())
