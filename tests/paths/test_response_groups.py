"""Groups of features chosen for all responses at once, against a slow solver and by hand."""

from contextlib import nullcontext

import numpy as np
import pytest
import response_group_oracle

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

MAKERS = {"l2": GroupL2, "sparse": SparseGroup, "linf": GroupLinf}
FAMILIES = ["multigaussian", "multinomial"]
GROUPS = [0, 1, 0, 2, 1, 2, 0, None, 3, 3, 3, 3]
LISTS = [[0, 2, 6], [1, 4], [3, 5], [8, 9, 10, 11], [7]]
N, P, K = 60, 12, 3
RNG = np.random.default_rng(5)
X = RNG.standard_normal((N, P)) + np.resize([0.0, 1.0, -2.0], P)
X[:, 1:] += 0.4 * X[:, :-1]
X[RNG.random(X.shape) < 0.25] = 0.0
X = X.astype(np.float32).astype(float)
B = np.zeros((K, P))
B[:, [0, 2, 6, 1]] = RNG.standard_normal((K, 4))
SCORES = X @ B.T + RNG.standard_normal((N, K))
CLASSES = (SCORES - SCORES.mean(axis=0)).argmax(axis=1)
Y = {"multigaussian": SCORES, "multinomial": CLASSES}
TABLE = {"multigaussian": SCORES, "multinomial": np.eye(K)[CLASSES]}
WEIGHTS, OFFSET = RNG.uniform(0.5, 2.0, N), 0.3 * RNG.standard_normal((N, K))
CASES = {
    "plain": {},
    "rows": {"weights": WEIGHTS, "offset": OFFSET},
    "origin": {"intercept": False},
    "raw": {"standardize": False},
    "net": {"alpha": 0.6},
    "factors": {"penalty_factor": [1.0, 0.5, 0.0, 2.0, 1.0], "weights": WEIGHTS},
    "boxes": {"lower": -0.1, "upper": np.resize([0.05, np.inf], P)},
    "positive": {"lower": 0.0, "offset": OFFSET},
}


def by_hand(family, kind, *, standardize=True, weights=None, offset=None, intercept=True,
            alpha=1.0, penalty_factor=None, lower=-np.inf, upper=np.inf, lists=LISTS, X=X):
    """The slow problem, and what its coefficients are to be divided by and moved."""
    w = np.full(N, 1 / N) if weights is None else weights / weights.sum()
    mean = w @ X
    scale = np.sqrt(w @ (X - mean) ** 2) if standardize else np.ones(X.shape[1])
    mean = mean if intercept else 0.0 * mean
    offset = None if offset is None else offset.T
    limits = {"low": lower * scale, "high": upper * scale}
    return response_group_oracle.Problem(
        (X - mean) / scale, TABLE[family], lists, family=family, kind=kind, alpha=alpha, w=w,
        factors=penalty_factor, offset=offset, intercept=intercept, **limits), mean, scale


def standardised(fit, k, mean, scale):
    """Coefficients (K, p) and intercepts of the slow problem."""
    b = np.stack([part.toarray()[:, k] for part in fit.coefs])
    return fit.intercepts[:, k] + b @ mean, b * scale


@pytest.fixture(params=FAMILIES)
def family(request):
    return request.param


@pytest.fixture(params=sorted(MAKERS))
def kind(request):
    return request.param


@pytest.mark.parametrize("solver", ["auto", "fista"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_certificates_and_lambda_max_hold_for_every_option(family, kind, name, solver):
    options, tol = CASES[name], 1e-8
    fit = ss.path(X, Y[family], family=family, penalty=MAKERS[kind](GROUPS), n_lambdas=4,
                  lambda_min_ratio=0.05, tol=tol, solver=solver, stop=None, **options)
    slow, mean, scale = by_hand(family, kind, **options)
    assert not fit.status.any() and (fit.gaps <= tol).all()
    assert fit.lambdas[0] == pytest.approx(slow.lambda_max(), rel=1e-6)
    for k, lam in enumerate(fit.lambdas):
        point = standardised(fit, k, mean, scale)
        assert slow.certificate(lam, *point) <= 3 * tol + 1e-10, k
    b = np.stack([part.toarray() for part in fit.coefs])
    assert (b >= options.get("lower", -np.inf)).all()
    assert (b <= np.reshape(options.get("upper", np.inf), (-1, 1))).all()


def test_groups_enter_whole_for_all_responses(family):
    fit = ss.path(X, Y[family], family=family, penalty=GroupL2(GROUPS), n_lambdas=20)
    assert len(fit.groups) == 5 and (fit.df_groups <= 5).all()
    for which in fit.nonzero():
        assert set(which) == {j for part in LISTS if set(part) & set(which) for j in part}
    b = np.stack([part.toarray() for part in fit.coefs])
    assert ((b != 0).any(axis=0) == (b != 0).all(axis=0)).all()
    if family == "multinomial":
        assert abs(b.sum(axis=0)).max() <= 1e-5 * abs(b).max()


def test_relaxed_groups_lose_nothing(family):
    fit = ss.path(X, Y[family], family=family, penalty=GroupL2(GROUPS), n_lambdas=12, tol=1e-9)
    apart = family == "multinomial"  # without a penalty some features tell the classes apart
    with pytest.warns(ss.ConvergenceWarning, match="No finite") if apart else nullcontext():
        relaxed = ss.relax(fit, X, Y[family])
    assert (relaxed.dev_ratio >= fit.dev_ratio[: len(relaxed.lambdas)] - 1e-6).all()


def test_groups_without_a_penalty_keep_their_limits(family):
    """Some responses end at a limit, for others the same feature is free."""
    options = {"penalty_factor": [0.0, 1.0, 1.0, 1.0, 1.0], "lower": -0.1, "upper": 0.2}
    for solver in ("auto", "fista"):
        fit = ss.path(X, Y[family], family=family, penalty=GroupL2(GROUPS), n_lambdas=4,
                      tol=1e-9, solver=solver, **options)  # fmt: skip
        b = np.stack([part.toarray() for part in fit.coefs])
        assert not fit.status.any() and b.min() >= -0.1 and b.max() <= 0.2
        assert (b[:, LISTS[0]] == 0.2).any() or (b[:, LISTS[0]] == -0.1).any()
    rows = ss.path(X[:, :3], SCORES, family="multigaussian", penalty=GroupL2([0, 0, 0]),
                   lambdas=[0.0], lower=-0.1, upper=0.2, tol=1e-12)  # fmt: skip
    own = np.stack([part.toarray()[:, 0] for part in rows.coefs])
    alone = [ss.path(X[:, :3], y, lambdas=[0.0], lower=-0.1, upper=0.2, tol=1e-13)
             for y in SCORES.T]  # fmt: skip
    assert own == pytest.approx(np.stack([f.coefs.toarray()[:, 0] for f in alone]), abs=1e-6)


def test_classes_that_can_be_told_apart_end_near_a_loss_of_nothing():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((60, 12))
    kinds = np.argmax(Z[:, :3] + rng.standard_normal((60, 3)), axis=1)
    told = "No finite coefficients are best at lambda = 0"
    with pytest.warns(ss.ConvergenceWarning, match=told):
        fit, rows = (ss.path(Z, kinds, family="multinomial", lambdas=[0.1, 0.0], **how)
                     for how in ({"penalty": GroupL2(np.arange(12) // 3)}, {"grouped": True}))
    assert fit.status.tolist() == [ss.Status.CONVERGED, ss.Status.UNBOUNDED]
    assert fit.dev_ratio[1] == pytest.approx(rows.dev_ratio[1], abs=1e-6)


def test_giant_groups_take_first_order_steps(family):
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((20, 500))
    fit = ss.path(wide, Y[family][:20], family=family, penalty=GroupL2(["a"] * 400 + ["b"] * 100),
                  n_lambdas=3, lambda_min_ratio=0.5)  # fmt: skip
    assert not fit.status.any()


def test_grouped_beside_a_penalty_is_refused():
    with pytest.raises(ValueError, match="ties its groups of features across them by itself"):
        ss.path(X, CLASSES, family="multinomial", grouped=True, penalty=GroupL2(GROUPS))
