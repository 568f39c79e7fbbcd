"""Dual points are feasible, and the gap there, by numpy alone, is at most that of the path."""

import numpy as np
import pytest
from numpy_losses import BINOMIAL, GAUSSIAN, POISSON, SQUARED_HINGE, Loss, huber
from scipy.special import logsumexp, xlogy

import sparsesolve as ss
from sparsesolve import families, penalties

RNG = np.random.default_rng(2)
N, P = 70, 12
X = RNG.standard_normal((N, P)) * RNG.uniform(0.5, 3.0, P) + RNG.standard_normal(P)
LINK = (X[:, 0] - X[:, 1]) / 2 + RNG.standard_normal(N)
SIGN = np.where(LINK > LINK.mean(), 1.0, -1.0)
W = RNG.uniform(0.5, 2.0, N)
OFFSET = RNG.standard_normal(N) / 3
V = np.resize([1.0, 0.0, 2.0, 0.5], P)
GROUPS = np.arange(P) // 3
FACTORS = V * (P / V.sum())

HINGE = Loss(lambda y, eta: np.maximum(1 - y * eta, 0), None, None,
             lambda y, v: np.where((y * v >= -1 - 1e-12) & (y * v <= 1e-12), y * v, np.inf))
MEDIAN = Loss(lambda y, eta: np.abs(y - eta) / 2, None, None,
              lambda y, v: np.where(np.abs(v) <= 0.5 + 1e-12, y * v, np.inf))
LOSSES = {
    "gaussian": ("gaussian", LINK, GAUSSIAN), "binomial": ("binomial", SIGN > 0, BINOMIAL),
    "poisson": ("poisson", np.round(np.exp(LINK / 2)), POISSON),
    "huber": (families.huber(0.7), LINK, huber(0.7)),
    "squared_hinge": ("squared_hinge", SIGN, SQUARED_HINGE),
    "hinge": ("hinge", SIGN, HINGE), "quantile": (families.quantile(0.5), LINK, MEDIAN),
}  # fmt: skip


def l1(z, b, lam):
    """The penalty and its conjugate."""
    return lam * np.abs(b).sum(), np.abs(z).max() <= lam * (1 + 1e-9)


def net(z, b, lam, alpha=0.4):
    a = lam * alpha
    charge = a * np.abs(b).sum() + lam * (1 - alpha) * b @ b / 2
    return charge, np.sum(np.maximum(np.abs(z) - a, 0) ** 2) / (2 * lam * (1 - alpha))


def factors(z, b, lam):
    return lam * FACTORS @ np.abs(b), (np.abs(z) <= lam * FACTORS * (1 + 1e-9) + 1e-12).all()


def groups(z, b, lam):
    size = np.sqrt(np.bincount(GROUPS, z * z)) / np.sqrt(3)
    charge = lam * np.sqrt(3) * np.sqrt(np.bincount(GROUPS, b * b)).sum()
    return charge, size.max() <= lam * (1 + 1e-9)


def variation(z, b, lam):
    sums = np.cumsum(z)
    return lam * np.abs(np.diff(b)).sum(), np.abs(sums[:-1]).max() <= lam * (1 + 1e-9) and (
        abs(sums[-1]) < 1e-9)


def trace(z, b, lam):
    sizes = [np.linalg.svd(x.reshape(3, 4), compute_uv=False) for x in (z, b)]
    return lam * sizes[1].sum(), sizes[0].max() <= lam * (1 + 1e-9)


PENALTIES = {
    "lasso": ({}, l1), "net": ({"alpha": 0.4}, net), "factors": ({"penalty_factor": V}, factors),
    "groups": ({"penalty": penalties.GroupL2(GROUPS)}, groups),
    "variation": ({"penalty": penalties.TotalVariation()}, variation),
    "trace": ({"penalty": penalties.TraceNorm((3, 4))}, trace),
}  # fmt: skip


def spread(fit, w):
    """Return the standard deviations by which the path divided the columns."""
    if not fit.options["standardize"]:
        return np.ones(P)
    return np.sqrt(w @ (X - w @ X) ** 2)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_anyone_can_check_the_gap(loss, penalty):
    family, y, own = LOSSES[loss]
    options, dual_norm = PENALTIES[penalty]
    given, w, offset = {}, np.full(N, 1 / N), np.zeros(N)
    weighted = (list(LOSSES).index(loss) + list(PENALTIES).index(penalty)) % 2 == 1
    if weighted:
        given, w, offset = {"weights": W, "offset": OFFSET}, W / W.sum(), OFFSET
    fit = ss.path(X, y, family=family, n_lambdas=8, lambda_min_ratio=0.05, **options, **given)
    y = np.asarray(y, dtype=float)
    for k in (2, len(fit.lambdas) - 1):
        lam, b = fit.lambdas[k], fit.coefs.toarray()[:, k]
        u, scale = fit.dual(lam, X, y if loss != "binomial" else y > 0), spread(fit, w)
        eta = offset + X @ b + fit.intercepts[k]
        assert abs(u.sum()) < 1e-10
        charge, finite = dual_norm((X - w @ X).T @ u / scale, b * scale, lam)
        assert finite is not False and finite is not np.False_
        primal = w @ own.value(y, eta) + charge
        dual = -w @ own.conjugate(y, -u / w) - offset @ u
        dual -= finite if isinstance(finite, float) else 0.0
        null = fit.null_deviance / (2 * (W.sum() if weighted else N))
        assert -1e-10 <= (primal - dual) / null <= fit.gaps[k] + 1e-10


def test_several_responses():
    Y = np.stack([LINK, X[:, 2] + OFFSET, OFFSET], axis=1)
    fit = ss.path(X, Y, family="multigaussian", n_lambdas=5, lambda_min_ratio=0.1)
    b = np.stack([c.toarray()[:, 3] for c in fit.coefs])
    u, lam, scale = fit.dual(fit.lambdas[3], X, Y), fit.lambdas[3], X.std(axis=0)
    assert np.linalg.norm(X.T @ u / scale[:, None], axis=1).max() <= lam * (1 + 1e-9)
    eta = X @ b.T + fit.intercepts[:, 3]
    primal = np.sum((Y - eta) ** 2) / (2 * N) + lam * np.linalg.norm(b * scale, axis=0).sum()
    gap = primal - np.sum(u * Y) + N * np.sum(u**2) / 2
    assert -1e-12 <= gap / (fit.null_deviance / (2 * N)) <= fit.gaps[3] + 1e-12


def test_classes():
    y = np.digitize(LINK, [-0.5, 0.7])
    fit = ss.path(X, y, family="multinomial", n_lambdas=5, lambda_min_ratio=0.1)
    b = np.stack([c.toarray()[:, 3] for c in fit.coefs])
    u, lam, scale = fit.dual(fit.lambdas[3], X, y), fit.lambdas[3], X.std(axis=0)
    assert np.abs(X.T @ u / scale[:, None]).max() <= lam * (1 + 1e-9)
    eta, Y = X @ b.T + fit.intercepts[:, 3], np.eye(3)[y]
    loss = np.mean(logsumexp(eta, axis=1) - np.sum(Y * eta, axis=1))
    s = Y - N * u
    gap = loss + lam * np.abs(b * scale).sum() + np.sum(xlogy(s, s)) / N
    assert -1e-12 <= gap / (fit.null_deviance / (2 * N)) <= fit.gaps[3] + 1e-12


def test_orthonormal_groups():
    fit = ss.path(X, LINK, penalty=penalties.GroupL2(GROUPS), standardize="group", n_lambdas=5,
                  lambda_min_ratio=0.1)  # fmt: skip
    lam, u = fit.lambdas[3], fit.dual(fit.lambdas[3], X, LINK)
    for g in range(P // 3):
        Q = np.linalg.qr(X[:, GROUPS == g] - X[:, GROUPS == g].mean(axis=0))[0] * np.sqrt(N)
        assert np.linalg.norm(Q.T @ u) <= lam * np.sqrt(3) * (1 + 1e-9)
    least = u @ LINK - N * u @ u / 2
    eta = X @ fit.coef(lam) + fit.intercept(lam)
    charge = 0.0
    for g in range(P // 3):
        part = X[:, GROUPS == g] @ fit.coef(lam)[GROUPS == g]
        charge += np.sqrt(3) * np.std(part)
    gap = np.mean((LINK - eta) ** 2) / 2 + lam * charge - least
    assert -1e-12 <= gap / (LINK.var() / 2) <= fit.gaps[3] + 1e-12


def test_faces_agree():
    fit = ss.path(X, LINK, lambdas=[0.5, 0.2])
    u = fit.dual(0.2, X, LINK)
    knots = ss.lars_path(X, LINK)
    assert knots.dual(0.2, X, LINK) == pytest.approx(u, abs=1e-12)
    shorter = ss.lars_path(X, LINK, lambda_min=0.4)
    assert shorter.dual(0.2, X, LINK) == pytest.approx(u, abs=1e-12)
    cv = ss.cv_path(X, LINK, lambdas=[0.5, 0.2], seed=0, n_folds=3)
    assert cv.dual(0.2, X, LINK) == pytest.approx(u, abs=1e-12)
    assert cv.dual("lambda_min", X, LINK) == pytest.approx(
        fit.dual(cv.lambda_min, X, LINK), abs=1e-12)  # fmt: skip
    between = fit.dual(0.3, X, LINK)  # solved there
    b = fit.coef(0.3, exact=True, X=X, y=LINK)
    b0 = fit.intercept(0.3, exact=True, X=X, y=LINK)
    assert between == pytest.approx((LINK - X @ b - b0) / N, abs=1e-8)


def test_deaths():
    y = np.column_stack([np.exp(-LINK), SIGN > 0])
    fit = ss.path(X, y, family="cox", n_lambdas=5, lambda_min_ratio=0.1)
    u, scale = fit.dual(fit.lambdas[3], X, y), X.std(axis=0)
    assert abs(u.sum()) < 1e-12
    z = np.abs(X.T @ u / scale)
    assert z.max() <= fit.lambdas[3] * (1 + 1e-9)
    assert z[fit.nonzero(fit.lambdas[3])] == pytest.approx(fit.lambdas[3], rel=1e-6)


@pytest.mark.parametrize("fit, words", [
    (lambda: ss.path(X, LINK, penalty=penalties.MCP(), n_lambdas=3), "is not convex"),
    (lambda: ss.lars_path(X, LINK, method="lar"), "minimise nothing"),
    (lambda: ss.omp_path(X, LINK), "greedy"),
    (lambda: ss.relax(ss.path(X, LINK, n_lambdas=3), X, LINK), "relaxed path"),
])  # fmt: skip
def test_what_has_no_dual_says_so(fit, words):
    with pytest.raises((ValueError, AttributeError), match=words):
        fit().dual(0.1, X, LINK)


def test_other_data_are_refused():
    fit = ss.path(X, LINK, n_lambdas=3)
    with pytest.raises(ValueError, match="data is not that of the fit"):
        fit.dual(0.1, X, LINK + SIGN)
    with pytest.raises(ValueError, match="at least 0"):
        fit.dual(-1.0, X, LINK)


def test_dask_arrays_are_refused_before_any_work():
    blocks = pytest.importorskip("dask.array").from_array(X, chunks=(35, P))
    with pytest.raises(ValueError, match="X is a dask array"):
        ss.path(blocks, LINK, n_lambdas=3).dual(0.1, blocks, LINK)
