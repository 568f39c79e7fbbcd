"""mkl_path: certified solutions for every norm and family, options, and an independent method."""

import mkl_oracle
import numpy as np
import numpy_losses
import pytest
from scipy import stats

import sparsesolve as ss
from sparsesolve import families, mkl

X, K, Y = mkl_oracle.problem(0, n=60, M=8)
RNG = np.random.default_rng(9)
RESPONSES = {
    "gaussian": (Y, numpy_losses.GAUSSIAN),
    "binomial": ((Y > 0.5).astype(float), numpy_losses.BINOMIAL),
    "poisson": (RNG.poisson(np.exp(Y / 2)).astype(float), numpy_losses.POISSON),
    families.huber(0.7): (Y, numpy_losses.huber(0.7)),
    families.squared_hinge(): (np.sign(Y - 0.5), numpy_losses.SQUARED_HINGE),
}
NORMS = ["l1", "l1_squared", "lp", "elastic", mkl.lp(1.2), mkl.lp(8), mkl.elastic(0.1)]


def shape(norm):
    return {
        "name": norm if isinstance(norm, str) else norm.name,
        "p": getattr(norm, "p", 2.0), "alpha": getattr(norm, "alpha", 0.5),
    }  # fmt: skip


@pytest.mark.parametrize("family", RESPONSES, ids=lambda family: getattr(family, "name", family))
@pytest.mark.parametrize("norm", NORMS, ids=str)
def test_gaps_hold_by_an_independent_certificate(family, norm):
    y, loss = RESPONSES[family]
    fit = ss.mkl_path(K, y, family=family, norm=norm, n_lambdas=12, stop=None)
    assert len(fit.lambdas) == 12 and fit.gaps.max() <= 1e-7
    for k in range(12):
        gap = mkl_oracle.relative_gap(K, y, fit, k, loss, **shape(norm))
        assert -1e-12 <= gap <= 5e-7, (k, gap)


def test_the_first_lambda_is_the_least_with_nothing_active():
    fit = ss.mkl_path(K, Y, n_lambdas=5)
    u = (Y - Y.mean()) / 60
    largest = np.sqrt(np.einsum("i,mij,j->m", u, K, u)).max()
    assert fit.lambdas[0] == pytest.approx(largest) and fit.df[0] == 0
    assert ss.mkl_path(K, Y, lambdas=[0.999 * largest]).df[0] == 1


def test_weights_offset_and_kernel_weights():
    w, offset, d = RNG.integers(0, 3, 60).astype(float), X[:, 3], np.linspace(0.5, 2, 8)
    fit = ss.mkl_path(K, Y, weights=w, offset=offset, kernel_weights=d, n_lambdas=10, stop=None)
    for k in range(10):
        gap = mkl_oracle.relative_gap(K, Y, fit, k, numpy_losses.GAUSSIAN, d=d, w=w, offset=offset)
        assert gap <= 5e-7
    kept = w > 0
    small = ss.mkl_path(K[:, kept][:, :, kept], Y[kept], weights=w[kept], offset=offset[kept],
                        kernel_weights=d, lambdas=fit.lambdas)  # fmt: skip
    np.testing.assert_allclose(small.kernel_norms, fit.kernel_norms, atol=1e-3)
    np.testing.assert_allclose(small.null_deviance, fit.null_deviance)


def test_a_kernel_of_infinite_weight_is_left_out():
    fit = ss.mkl_path(K, Y, kernel_weights=[np.inf] * 2 + [1] * 6, n_lambdas=10)
    alone = ss.mkl_path(K[2:], Y, lambdas=fit.lambdas)
    assert not fit.kernel_norms[:2].any()
    np.testing.assert_allclose(fit.kernel_norms[2:], alone.kernel_norms, atol=1e-5)


def test_without_intercept():
    fit = ss.mkl_path(K, Y, intercept=False, n_lambdas=10)
    assert not fit.intercepts.any() and fit.gaps.max() <= 1e-7


@pytest.mark.parametrize("lam", [1e-3, 1e-5])
def test_a_small_lambda_alone_is_reached(lam):
    for family in ("gaussian", "binomial"):
        y, _ = RESPONSES[family]
        assert ss.mkl_path(K, y, family=family, lambdas=[lam]).gaps[0] <= 1e-7


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_units_of_the_response(unit):
    fit, plain = ss.mkl_path(K, unit * Y, n_lambdas=10), ss.mkl_path(K, Y, n_lambdas=10)
    np.testing.assert_allclose(fit.lambdas, unit * plain.lambdas)
    np.testing.assert_allclose(fit.kernel_norms, unit * plain.kernel_norms, atol=1e-6 * unit)
    np.testing.assert_allclose(fit.predict(K), unit * plain.predict(K), atol=1e-4 * unit)
    mixed = ss.mkl_path(K, 8 * Y, norm="elastic", lambdas=8 * plain.lambdas)
    assert mixed.gaps.max() <= 1e-7


def test_duplicated_and_zero_kernels():
    twice = [*K[:3], *K[:3], np.zeros((60, 60)), np.eye(60)]
    fit = ss.mkl_path(twice, Y, n_lambdas=30)
    once = ss.mkl_path([*K[:3], np.eye(60)], Y, lambdas=fit.lambdas)
    assert fit.gaps.max() <= 1e-7 and not fit.kernel_norms[6].any()
    both = fit.kernel_norms[:3] + fit.kernel_norms[3:6]
    np.testing.assert_allclose(both, once.kernel_norms[:3], atol=2e-3)


def test_stops_and_budgets():
    assert ss.mkl_path(K, Y, dfmax=2).df.max() <= 3
    assert len(ss.mkl_path(K, Y, stop=lambda point: point.index == 3).lambdas) == 4
    with pytest.warns(ss.ConvergenceWarning, match="1 of 1 lambdas miss tol"):
        fit = ss.mkl_path(K, Y, lambdas=[1e-3], max_iter=2)
    assert fit.status[0] == ss.Status.MAX_ITER and fit.gaps[0] > 1e-7


def test_several_classes_share_the_kernels():
    kind = np.array(["a", "b", "c"])[np.digitize(Y, [0, 1.5])]
    for norm in ("l1", "lp"):
        fit = ss.mkl_path(K, kind, family="multinomial", norm=norm, n_lambdas=10, stop=None)
        assert fit.gaps.max() <= 1e-7 and len(fit.dual_coefs) == 3
        assert fit.intercepts.shape == (3, 10)
        np.testing.assert_allclose(fit.intercepts.sum(axis=0), 0, atol=1e-12)
    p = fit.predict(K, s=fit.lambdas[-1], kind="response")
    np.testing.assert_allclose(p.sum(axis=1), 1)
    labels = fit.predict(K, s=fit.lambdas[-1], kind="class")
    assert (labels == kind).mean() > 0.9


@pytest.mark.parametrize("family", [families.quantile(0.3), families.epsilon_insensitive(0.1)])
@pytest.mark.parametrize("norm", ["l1", "l1_squared", "lp"])
def test_a_loss_with_kinks_that_no_algorithm_solves_is_refused(family, norm):
    with pytest.raises(ValueError, match="has kinks, which algorithms of kernels do not solve"):
        ss.mkl_path(K, Y, family=family, norm=norm)


def test_a_loss_whose_conjugate_has_no_formula():
    """Probit: sqrt(u'K_m u) = lam where active, at most lam elsewhere, u from its definition."""
    y = Y > 0
    fit = ss.mkl_path(K, y, family=families.probit(), n_lambdas=8, tol=1e-12, stop=None)
    assert not fit.status.any()
    for k in range(8):
        eta = fit.predict(K, s=fit.lambdas[k])
        side = np.where(y, 1.0, -1.0)
        u = side * stats.norm.pdf(eta) / stats.norm.cdf(side * eta) / 60
        sizes = np.sqrt(np.einsum("i,mij,j->m", u, K, u))
        assert sizes.max() <= fit.lambdas[k] * (1 + 1e-4)
        np.testing.assert_allclose(sizes[fit.kernel_norms[:, k] > 1e-6], fit.lambdas[k], rtol=1e-3)


def test_the_users_arrays_stay_as_they_are():
    kernels, y = K.copy(), Y.copy()
    kernels.flags.writeable = False
    ss.mkl_path(kernels, y, n_lambdas=5)
    assert (kernels == K).all() and (y == Y).all()


@pytest.mark.parametrize("norm", ["l1", "lp", "elastic"])
def test_constant_kernels_beside_an_intercept(norm):
    """A constant function costs nothing as intercept: such kernels never have a norm."""
    kernels = [*K[:3], np.ones((60, 60)), np.zeros((60, 60)), 7 * np.ones((60, 60))]
    for family in ("gaussian", "binomial"):
        y, _ = RESPONSES[family]
        fit = ss.mkl_path(kernels, y, family=family, norm=norm, n_lambdas=10, stop=None)
        assert fit.gaps.max() <= 1e-7 and not fit.kernel_norms[3:].any()


@pytest.mark.parametrize("unit", [1e-200, 1e-60, 1e100])
def test_units_of_the_kernels(unit):
    """lambda goes with the square root of the kernels, the norms against it."""
    fit, plain = ss.mkl_path(unit * K, Y, n_lambdas=8), ss.mkl_path(K, Y, n_lambdas=8)
    root = np.sqrt(unit)
    np.testing.assert_allclose(fit.lambdas, root * plain.lambdas)
    np.testing.assert_allclose(root * fit.kernel_norms, plain.kernel_norms, atol=1e-5)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_one_and_two_samples(family):
    two = ss.mkl_path([np.eye(2)], [0, 1], family=family)
    assert two.gaps.max() <= 1e-7 and two.df[-1] == 1
    if family == "gaussian":
        assert ss.mkl_path([np.ones((1, 1))], [2.0]).intercepts[0] == 2.0


def test_counts_and_separable_classes():
    counts = np.column_stack([np.arange(60) % 3, 1 + np.arange(60) % 2])
    assert ss.mkl_path(K, counts, family="binomial", n_lambdas=10).gaps.max() <= 1e-7
    fit = ss.mkl_path(K, Y > np.median(Y), family="binomial", lambda_min_ratio=1e-5)
    assert fit.gaps.max() <= 1e-7 and "99.9%" in fit.stop_reason


@pytest.mark.parametrize("solver, norm", [
    ("auto", "l1"), ("proximal", "l1"),
    ("alternation", "l1_squared"), ("simple_mkl", "l1_squared"),
])  # fmt: skip
def test_all_kernels_left_out(solver, norm):
    out = [np.inf] * 8
    fit = ss.mkl_path(K, Y, norm=norm, kernel_weights=out, lambdas=[0.1], solver=solver)
    assert fit.df.tolist() == [0] and fit.gaps[0] <= 1e-7
    if solver == "auto":
        assert ss.mkl_path(K, Y, norm=norm, kernel_weights=out).lambdas.tolist() == [0]


def test_rows_that_count_nothing_and_classes_without_weight():
    n = len(Y)
    counts = np.column_stack([np.arange(n) > 0, np.arange(n) > 0]).astype(float)
    with pytest.raises(ValueError, match="rows of positive weight count nothing in y"):
        ss.mkl_path(K, counts, family="binomial", weights=np.arange(n) == 0)
    kinds = np.arange(n) % 3
    with pytest.raises(ValueError, match="no row of class 2 with a positive weight"):
        ss.mkl_path(K, kinds, family="multinomial", weights=kinds < 2)
    with pytest.raises(ValueError, match="y less offset is beyond the largest float at pos"):
        ss.mkl_path(K, np.where(np.arange(n) == 3, 1.7e308, Y), offset=np.full(n, -1e308))


def test_steps_among_counts_so_large_that_rounding_hides_what_they_gain():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    kernels = [np.exp(-(np.subtract.outer(x, x) ** 2)) for x in X.T]
    counts = rng.poisson(1e6 * np.exp(1e-3 * np.sin(2 * X[:, 0])))
    fit = ss.mkl_path(kernels, counts, family="poisson", solver="proximal", n_lambdas=4)
    assert fit.gaps.max() <= 1e-7
