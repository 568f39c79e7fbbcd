"""Laws of the norms: derivatives, conjugates, proximal operators, starts.

Nested groups of kernels against group penalties on columns, sums of kernels, and slow duals.
"""

import pickle

import mkl_oracle
import numpy as np
import numpy_losses
import pytest
from scipy.optimize import minimize

import sparsesolve as ss
from sparsesolve import mkl
from sparsesolve.mkl import elastic, lp, nested
from sparsesolve.mkl.norms import L1, NORMS, L1Squared, read_norm
from sparsesolve.penalties import GroupL2, SparseGroup

ALL = [*NORMS.values(), lp(1.2), lp(10), elastic(0.1)]
d = np.array([1.0, 0.5, 2.0])
n = np.array([0.3, 1.2, 0.7])


def shape(norm):
    return {"p": getattr(norm, "p", 2.0), "alpha": getattr(norm, "alpha", 0.5)}


@pytest.mark.parametrize("norm", ALL, ids=str)
def test_value_and_derivatives(norm):
    assert norm.value(n, d) == pytest.approx(mkl_oracle.phi(norm.name, n, d, **shape(norm)))
    for m, e in enumerate(np.eye(3) * 1e-5):
        slope = (norm.value(n + e, d) - norm.value(n - e, d)) / 2e-5
        assert norm.slope(n, d)[m] == pytest.approx(slope, rel=1e-6)
        bend = (norm.slope(n + e, d) - norm.slope(n - e, d)) / 2e-5
        np.testing.assert_allclose(norm.second_derivative(n, d)[m], bend, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("norm", ALL, ids=str)
def test_conjugate_is_the_supremum(norm):
    """Fenchel and Young: lam phi(n) + (lam phi)*(s) >= n's, with equality somewhere."""
    lam, s = 0.7, np.array([0.6, 0.9, 0.2])
    c = norm.scale(s, d, lam)
    s = c * s
    value = norm.conjugate(s, d, lam)
    found = minimize(lambda x: lam * norm.value(x**2, d) - x**2 @ s, [0.5, 0.5, 0.5], tol=1e-14)
    assert value == pytest.approx(-found.fun, abs=1e-6)
    rng = np.random.default_rng(0)
    for x in rng.exponential(size=(50, 3)):
        assert lam * norm.value(x, d) + value >= x @ s - 1e-12
    expected = mkl_oracle.conjugate(norm.name, s, d, lam, **shape(norm))
    assert value == pytest.approx(expected)


@pytest.mark.parametrize("norm", [norm for norm in ALL if norm.squared], ids=str)
def test_response_attains_the_conjugate(norm):
    lam, s = 0.7, np.array([0.6, 0.9, 0.2])
    x = norm.response(s, d, lam)
    attained = x @ s - lam * norm.value(x, d)
    assert attained == pytest.approx(norm.conjugate(s, d, lam))


@pytest.mark.parametrize("name", ["l1", "l1_squared", "elastic"])
@pytest.mark.parametrize("t", [0.05, 0.7, 30.0])
def test_prox_is_the_least_of_its_objective(name, t):
    norm, d = NORMS[name], np.array([1.0, 0.5, 2.0, 1.0])
    v = np.array([0.9, 1.4, 0.3, 0.0])
    x = norm.prox(v, d, t)

    def objective(root):
        return 0.5 * ((root**2 - v) ** 2).sum() + t * norm.value(root**2, d)

    found = minimize(objective, np.sqrt(v) + 0.1, tol=1e-14)
    assert objective(np.sqrt(x)) <= found.fun + 1e-9
    np.testing.assert_allclose(x, found.x**2, atol=1e-4)


@pytest.mark.parametrize("norm", ALL, ids=str)
def test_steps_agree_with_straight_ones_to_first_order_and_stay_in_reach(norm):
    t = 1e-6 * np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(norm.move(n, t), n + t, rtol=1e-9)
    assert (norm.move(n, norm.reach(n)) >= 0).all()


def test_extremes_of_the_families():
    assert isinstance(lp(1), L1Squared) and isinstance(elastic(1.0), L1)
    near = lp(1.0001)
    assert near.value(n, d) == pytest.approx(L1Squared().value(n, d), rel=1e-3)


@pytest.mark.parametrize("norm", [*ALL, nested([[0, 1], [0]])], ids=str)
def test_what_is_pickled_comes_back(norm):
    assert pickle.loads(pickle.dumps(norm)) == norm


def test_bad_norms_are_refused():
    with pytest.raises(ValueError, match="did you mean 'l1_squared'"):
        read_norm("l1_square")
    with pytest.raises(TypeError, match=r"call it: mkl.lp\(...\)"):
        read_norm(lp)
    with pytest.raises(ValueError, match="p must be at least 1"):
        lp(0.5)
    with pytest.raises(ValueError, match="alpha must be"):
        elastic(0.0)


TREE = [[0, 1, 2, 3], [4, 5], [0, 1], [2], [0], [4]]
WEIGHTS = [1.0, 0.7, 0.5, 0.3, 0.2, 0.4]
NORM = mkl.nested(TREE, WEIGHTS)
OF = dict(zip(map(tuple, TREE), WEIGHTS, strict=True))


def omega(n):
    return sum(w * np.sqrt((np.asarray(n)[list(g)] ** 2).sum()) for g, w in OF.items())


def slow_dual(s):
    """The least t for which s is a sum of vectors of length t w_g on each group g: a program."""
    sizes = [len(g) for g in OF]
    cuts = np.cumsum(sizes)[:-1]

    def parts(x):
        return np.split(x[1:], cuts)

    def left(x):
        out = np.array(s, dtype=float)
        for group, part in zip(OF, parts(x), strict=True):
            out[list(group)] -= part
        return out

    def room(x):
        return [x[0] ** 2 * w**2 - z @ z for w, z in zip(OF.values(), parts(x), strict=True)]

    start = np.concatenate([[2 * np.linalg.norm(s)], *(
        np.asarray(s)[list(g)] / sum(m in h for h in OF for m in g[:1]) for g in OF)])  # fmt: skip
    limits = [{"type": "eq", "fun": left}, {"type": "ineq", "fun": room}]
    options = {"ftol": 1e-14, "maxiter": 900}
    found = minimize(lambda x: x[0], start, method="SLSQP", options=options, constraints=limits)
    assert np.abs(left(found.x)).max() < 1e-7
    return found.fun


def test_value_slope_and_order_of_the_groups():
    n = np.array([0.3, 1.2, 0.7, 0.1, 0.5, 0.9])
    assert NORM.value(n, None) == pytest.approx(omega(n))
    for m, e in enumerate(np.eye(6) * 1e-6):
        slope = (omega(n + e) - omega(n - e)) / 2e-6
        assert NORM.slope(n, None)[m] == pytest.approx(slope, rel=1e-7)
    assert [len(group) for group in NORM.groups] == [1, 1, 1, 2, 2, 4]
    assert mkl.nested(TREE[::-1], WEIGHTS[::-1]).value(n, None) == pytest.approx(omega(n))


@pytest.mark.parametrize("seed", range(6))
def test_prox_solves_its_problem(seed):
    rng = np.random.default_rng(seed)
    v, t = rng.exponential(size=6), rng.uniform(0.05, 1.0)
    x = NORM.prox(v, None, t)
    # its inclusion: (v - x) / t is a subgradient: dual norm at most 1, and attains Omega(x)
    z = (v - x) / t
    assert NORM.dual(z) <= 1 + 1e-12 and z @ x == pytest.approx(omega(x), abs=1e-12)
    found = minimize(lambda r: 0.5 * ((r**2 - v) ** 2).sum() + t * omega(r**2), np.sqrt(v) + 0.1,
                     tol=1e-14)  # fmt: skip
    assert 0.5 * ((x - v) ** 2).sum() + t * omega(x) <= found.fun + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_the_dual_norm_is_that_of_a_slow_program(seed):
    rng = np.random.default_rng(10 + seed)
    s = rng.exponential(size=6) * (rng.random(6) > 0.3)
    dual = NORM.dual(s)
    assert dual == pytest.approx(slow_dual(s), rel=1e-5)
    assert NORM.dual(3.0 * s) == pytest.approx(3.0 * dual, rel=1e-13)
    for n in rng.exponential(size=(200, 6)) * (rng.random((200, 6)) > 0.5):
        assert s @ n <= dual * omega(n) * (1 + 1e-12)
    assert NORM.scale(s, None, 2 * dual) == 1.0
    assert NORM.scale(s, None, 0.5 * dual) == pytest.approx(0.5)
    assert NORM.dual(np.zeros(6)) == 0.0


@pytest.mark.parametrize("alpha", [0.0, 0.4])
def test_rank_one_kernels_are_columns(alpha):
    """Groups and singletons over x_j x_j' are the (sparse) group lasso: `path` solves it."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 8))
    X -= X.mean(axis=0)
    y = X[:, 0] + X[:, 1] - X[:, 3] + 0.5 * rng.standard_normal(50)
    groups = [[0, 1, 2], [3, 4], [5, 6, 7]]
    weights = [(1 - alpha) * np.sqrt(len(g)) for g in groups]
    single = [[j] for j in range(8)] if alpha else []
    norm = mkl.nested(groups + single, weights + [alpha] * len(single))
    labels = np.repeat(np.arange(3), [3, 2, 3])
    penalty = SparseGroup(labels, tau=alpha) if alpha else GroupL2(labels)
    best = ss.path(X, y, penalty=penalty, standardize=False, n_lambdas=6, lambda_min_ratio=0.05,
                   tol=1e-12, stop=None)  # fmt: skip
    kernels = [np.outer(x, x) for x in X.T]
    fit = ss.mkl_path(kernels, y, norm=norm, lambdas=best.lambdas, tol=1e-9)
    first = ss.mkl_path(kernels, y, norm=norm, n_lambdas=2, stop=None)
    assert first.lambdas[0] == pytest.approx(best.lambdas[0], rel=1e-9)
    assert fit.gaps.max() <= 1e-9
    np.testing.assert_allclose(fit.kernel_norms, np.abs(best.coefs.toarray()), atol=2e-4)
    np.testing.assert_allclose(fit.predict(kernels), best.predict(X), atol=2e-4)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "multinomial"])
def test_groups_alone_are_sums_of_kernels(family):
    _, K, y = mkl_oracle.problem(5, n=40, M=6)
    y = {"gaussian": y, "binomial": y > 0.5, "multinomial": np.digitize(y, [0, 1.5])}[family]
    groups, w = [[0, 3], [1], [2, 4, 5]], np.array([1.0, 0.8, 1.5])
    sums = np.array([K[g].sum(axis=0) for g in groups])
    best = ss.mkl_path(sums, y, family=family, kernel_weights=w, n_lambdas=5, tol=1e-10,
                       lambda_min_ratio=0.1, stop=None)  # fmt: skip
    fit = ss.mkl_path(K, y, family=family, norm=mkl.nested(groups, w), lambdas=best.lambdas,
                      tol=1e-7)  # fmt: skip
    together = np.array([np.sqrt((fit.kernel_norms[g] ** 2).sum(axis=0)) for g in groups])
    np.testing.assert_allclose(together, best.kernel_norms, atol=2e-3 * best.kernel_norms.max())
    np.testing.assert_allclose(fit.predict(K), best.predict(sums), atol=1e-2)
    assert (fit.df >= [sum(len(g) for g, k in zip(groups, best.kernel_norms[:, i] > 0, strict=True)
                           if k) for i in range(5)]).all()  # fmt: skip


def test_the_gap_of_a_tree_again_from_the_data():
    _, K, y = mkl_oracle.problem(7, n=40, M=6)
    loss, n = numpy_losses.GAUSSIAN, len(y)
    fit = ss.mkl_path(K, y, norm=NORM, n_lambdas=4, lambda_min_ratio=0.1, tol=1e-8, stop=None)
    for k, lam in enumerate(fit.lambdas):
        alpha, beta = fit.dual_coefs[:, k], fit.kernel_weights[:, k]
        f = np.einsum("m,mij,j->i", beta, K, alpha)
        norms = beta * np.sqrt(np.einsum("i,mij,j->m", alpha, K, alpha))
        np.testing.assert_allclose(norms, fit.kernel_norms[:, k], atol=1e-9)
        eta = f + fit.intercepts[k]
        primal = loss.value(y, eta).mean() + lam * omega(norms)
        u = -loss.slope(y, eta) / n
        s = np.sqrt(np.einsum("i,mij,j->m", u - u.mean(), K, u - u.mean()))
        c = min(1.0, lam / (slow_dual(s) * (1 + 1e-6)))
        u = c * (u - u.mean())
        dual = -loss.conjugate(y, -n * u).mean()
        assert -1e-12 <= primal - dual <= 1e-4 * mkl_oracle.null_value(y, np.full(n, 1 / n), loss)


@pytest.mark.parametrize(
    "groups, weights, match",
    [
        ([[0, 1], [1, 2]], None, r"groups\[0\] and groups\[1\] overlap, and neither holds"),
        ([[0, 0]], None, "give each kernel of it once"),
        ([[]], None, "give each kernel of it once"),
        ([[0, -1]], None, r"groups\[0\]\[1\]"),
        ([[0], [1]], [1.0], "one per group"),
        ([[0], [1]], [1.0, 0.0], r"weights\[1\] is 0.0"),
        ([[0], [1]], [1.0, np.inf], r"weights\[1\] is inf"),
    ],
)
def test_bad_groups_are_refused(groups, weights, match):
    with pytest.raises((ValueError, TypeError), match=match):
        mkl.nested(groups, weights)


def test_groups_that_do_not_fit_the_kernels_are_refused():
    _, K, y = mkl_oracle.problem(5, n=20, M=3)
    for norm, match in ((mkl.nested([[0, 1]]), "Kernel 2 is in no group"),
                        (mkl.nested([[0, 1, 2, 3]]), "A group holds kernel 3")):  # fmt: skip
        with pytest.raises(ValueError, match=match):
            ss.mkl_path(K, y, norm=norm)
    with pytest.raises(ValueError, match="kernel_weights do not go with nested groups"):
        ss.mkl_path(K, y, norm=mkl.nested([[0, 1, 2]]), kernel_weights=[1, 2, 3])
    with pytest.raises(TypeError, match=r"call it: mkl.nested\(...\)"):
        ss.mkl_path(K, y, norm=mkl.nested)
