"""Terms of a gap, dual points orthogonal to what nothing holds back, and the basis of the latter.

That every solver claims the gap of the one formula is in tests/laws/test_gap.py.
"""

import numpy as np
import pytest
from python_penalties import Steps
from sparsesolve.solvers.certificate.gap import (
    duality_gap,
    gap_of_terms,
    least_gap,
    ridge_excess,
    scales,
    squares_excess,
    unexplained,
)
from states import problem_of

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.losses import LOSSES
from sparsesolve.penalties import ElasticNet
from sparsesolve.penalties.rows import on_rows
from sparsesolve.solvers.certificate.dual_point import UnpenalisedBasis, clear, projected

INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(0)


def test_terms_add_up_and_the_dual_point_0_is_never_worse():
    assert gap_of_terms(1.0, 2.0, 0.5) == 3.5
    assert gap_of_terms(1.0, 2.0, 0.5, 3.0) == 3.0
    assert gap_of_terms(1.0, -1e-16) == 1.0  # less than 0 is rounding


def test_closed_forms_are_value_and_conjugate_less_the_inner_product():
    y, eta, dual = RNG.standard_normal((3, 20))
    samples = 0.5 * np.sum((y - eta) ** 2) + 0.5 * np.sum(dual**2) - dual @ y + dual @ eta
    assert squares_excess(y - eta, dual) == pytest.approx(samples)
    g, z = RNG.standard_normal((2, 20))
    blocks = 0.5 * 0.3 * np.sum(g**2) + np.sum(z**2) / (2 * 0.3) - z @ g
    assert ridge_excess(g, z, 0.3) == pytest.approx(blocks)
    assert ridge_excess(z / 0.3, z, 0.3) == pytest.approx(0.0, abs=1e-30)


@pytest.mark.parametrize("terms", [(INF, 1.0), (1.0, INF), (NAN, 1.0), (1.0, NAN), (INF, -INF)])
def test_a_dual_point_out_of_the_domain_leaves_the_dual_point_0(terms):
    assert gap_of_terms(*terms, 0.0, 7.0) == 7.0
    assert gap_of_terms(*terms) == INF


def test_without_a_dual_point_the_objective_over_the_least_loss_is_left():
    """missing = inf; z is not asked."""
    loss = LOSSES["gaussian"](np.array([1.0, -1.0]), np.full(2, 0.5))
    b = np.array([0.25])
    eta = np.array([0.25, 0.0])
    value, u = loss.at(eta)
    gap = duality_gap(loss, ElasticNet(1), 2.0, b, eta, value, u, None, INF)
    assert gap == pytest.approx(value + 0.5, rel=1e-15)
    z = np.array([u[0]])
    some = duality_gap(loss, ElasticNet(1), 2.0, b, eta, value, u, z, 0.01)
    none = duality_gap(loss, ElasticNet(1), 2.0, b, eta, value, u, z)
    assert some == pytest.approx(none + 0.01, rel=1e-12)


def test_two_scales_are_tried_where_they_differ():
    z = np.array([3.0, -1.0])
    assert scales(ElasticNet(2), z, 1.5) == pytest.approx([0.5])
    assert scales(ElasticNet(2, 0.5), z, 1.5) == pytest.approx([1.0, 0.25])
    assert scales(ElasticNet(2), z, 4.0) == [1.0]
    tried = []
    loss = LOSSES["gaussian"](np.zeros(2), np.full(2, 0.5))
    found = least_gap(loss, np.zeros(2), np.zeros(2), [0.5, 1.0],
                      lambda s: tried.append(s) or 2.0 - s)  # fmt: skip
    assert tried == [0.5, 1.0] and found == 1.0


def test_what_is_unexplained_is_what_least_squares_would_gain():
    Z, r = RNG.standard_normal((20, 3)), RNG.standard_normal(20)
    Q = np.linalg.qr(Z)[0].T
    left = r - Z @ np.linalg.lstsq(Z, r, rcond=None)[0]
    assert unexplained(Q, r) == pytest.approx(0.5 * (r @ r - left @ left), rel=1e-12)


# Dual points

RNG_DUAL = np.random.default_rng(2)
ETA, Y = RNG_DUAL.standard_normal(30), RNG_DUAL.random(30).round()
COLUMNS = np.column_stack([np.ones(30), RNG_DUAL.standard_normal((30, 3))])


@pytest.fixture(params=["gaussian", "binomial", "poisson"])
def loss(request):
    return LOSSES[request.param](Y, np.full(30, 1 / 30))


def test_the_dual_point_is_orthogonal_and_a_newton_step_away(loss):
    eta = 0.2 * ETA
    u = loss.at(eta)[1]
    dual, missing = clear(loss, eta, u, COLUMNS)
    assert missing < 1e-20
    assert COLUMNS.T @ dual == pytest.approx(np.zeros(4), abs=1e-14)
    H = loss.curvature_at(eta)
    step = np.linalg.solve(COLUMNS.T @ (H[:, None] * COLUMNS), COLUMNS.T @ u)
    assert dual == pytest.approx(u - H * (COLUMNS @ step), abs=1e-14)


def test_dependent_columns_and_columns_of_zeros_do_no_harm(loss):
    u = loss.at(ETA)[1]
    more = np.column_stack([COLUMNS, COLUMNS[:, 1] - COLUMNS[:, 2], np.zeros(30)])
    dual, missing = clear(loss, ETA, u, more)
    assert missing < 1e-15
    assert dual == pytest.approx(clear(loss, ETA, u, COLUMNS)[0], abs=1e-13)


def test_where_no_curvature_is_left_the_point_is_projected():
    """On slopes within their ends: no other such point is nearer, in lengths of intervals."""
    loss = LOSSES["huber"](Y, np.full(30, 1 / 30), delta=0.1)
    eta = Y + 50.0 * (1.0 + COLUMNS[:, 1] ** 2)
    assert clear(loss, eta, loss.at(eta)[1], COLUMNS)[1] <= 1e-12
    low, high = -RNG_DUAL.random(30), RNG_DUAL.random(30)
    low[:5], high[5:10] = 0.0, 0.0
    high[10:12] = low[10:12] = 0.0
    points = low + (high - low) * RNG_DUAL.normal(0.5, 2.0, size=(20, 30))
    found = [projected(u, low, high, COLUMNS, 1.0) for u in points]
    length = np.where(high > low, high - low, 1.0)
    for u, (x, missing) in zip(points, found, strict=True):
        assert missing <= 1e-13 and (low <= x).all() and (x <= high).all()
        assert all((u - x) / length @ (other - x) <= 1e-9 for other, _ in found)


def test_several_responses_are_cleared_together():
    """Their curvature ties them: orthogonal in every response, at a feasible point."""
    shares = np.eye(3)[RNG_DUAL.integers(3, size=30)]
    loss = LOSSES["multinomial"](shares, np.full(30, 1 / 30))
    eta = RNG_DUAL.standard_normal((3, 30))
    u = loss.at(eta)[1]
    dual, missing = clear(loss, eta, u, COLUMNS)
    assert missing == 0.0
    assert dual @ COLUMNS == pytest.approx(np.zeros((3, 4)), abs=1e-14)
    assert dual.sum(axis=0) == pytest.approx(np.zeros(30), abs=1e-14)  # as u's does


def test_a_column_may_be_free_for_some_responses_alone():
    shares, free = np.eye(3)[RNG_DUAL.integers(3, size=30)], np.ones((3, 4), dtype=bool)
    free[1:, 2] = False  # of one alone the others would tell the rest: they sum to 0
    loss = LOSSES["multinomial"](shares, np.full(30, 1 / 30))
    eta = RNG_DUAL.standard_normal((3, 30))
    u = loss.at(eta)[1]
    dual, missing = clear(loss, eta, u, COLUMNS, free)
    left = dual @ COLUMNS
    assert missing == 0.0
    assert left[free] == pytest.approx(np.zeros(10), abs=1e-14)
    assert np.abs(left[1:, 2]).min() > 1e-6


def test_what_rounding_hides_along_nearly_dependent_columns_is_counted():
    """Two columns that differ by little, and a slope along the difference that is left."""
    loss = LOSSES["gaussian"](Y, np.full(30, 1 / 30))
    twins = np.column_stack([COLUMNS, COLUMNS[:, 1] + 1e-8 * RNG_DUAL.standard_normal(30)])
    gained = clear(loss, ETA, loss.at(ETA)[1], twins)[1]
    difference = twins[:, 4] - twins[:, 1]
    dual = clear(loss, ETA, loss.at(ETA)[1], twins)[0]
    assert gained >= 0.5 * (difference @ dual) ** 2 / (difference @ difference / 30)


@pytest.mark.parametrize("name, y", [("gaussian", Y), ("multinomial", np.eye(2)[Y.astype(int)])])
def test_columns_beyond_floats_leave_no_certificate(name, y):
    loss = LOSSES[name](y, np.full(30, 1 / 30))
    eta = ETA if name == "gaussian" else np.stack([ETA, -ETA])
    assert clear(loss, eta, loss.at(eta)[1], 1e160 * COLUMNS)[1] == np.inf


@pytest.mark.parametrize("name", ["binomial", "poisson", "squared_hinge", "cloglog", "gamma"])
def test_samples_that_would_leave_the_range_of_slopes_come_to_its_end(name):
    """A column is not 0 for two responses alone, which pull it one way with different weight."""
    y = np.ones(30)
    y[:2] = -1.0 if name == "squared_hinge" else 1.0 if name == "gamma" else 0.0
    loss = LOSSES[name](y, np.full(30, 1 / 30))
    eta, column = np.full(30, 0.3), np.zeros(30)
    eta[:2], column[:2] = (-0.5 if name == "squared_hinge" else -9.0), (1.0, 0.6)
    u = loss.at(eta)[1]
    dual, missing = clear(loss, eta, u, column[:, None])
    assert missing < 1e-10 and abs(column @ dual) <= 1e-12
    assert loss.fenchel_young_at(eta, dual) < np.inf


@pytest.mark.parametrize("options", [{"delta": 1e4}, {"delta": 1e3}])
def test_a_loss_without_ends_near_by_keeps_its_newton_step(options):
    """Responses far beyond 1,000: 700 was once taken for the end of all predictors."""
    y = 2000.0 + 1000.0 * RNG_DUAL.standard_normal(30)
    loss = LOSSES["huber"](y, np.full(30, 1 / 30), **options)
    eta = y - 300.0 * RNG_DUAL.standard_normal(30)
    dual, missing = clear(loss, eta, loss.at(eta)[1], COLUMNS)
    assert missing < 1e-9 and loss.fenchel_young_at(eta, dual) < np.inf


# The columns that nothing holds back, and their basis

RNG_BASIS = np.random.default_rng(3)
N, P = 30, 6
X = RNG_BASIS.standard_normal((N, P)) + np.resize([0.0, 5.0], P)
X[:, 4] = 1.0  # constant: takes no part
Y_BASIS = RNG_BASIS.standard_normal(N)
FACTORS = np.array([1.0, 0, 0, 0, 0, 1])
LIMITS = {"lower": np.full(P, -np.inf), "upper": np.array([np.inf, np.inf, 1, np.inf, np.inf, 1])}


def bare(family="binomial", y=Y_BASIS > 0, limits=None, X=X):
    problem = problem_of(X, y, family, weights=np.arange(1.0, N + 1), penalty_factor=FACTORS,
                         **limits or {})  # fmt: skip
    several = problem.n_responses
    penalty = on_rows(problem.penalty, problem.grouped) if several else problem.penalty
    start = np.zeros((several, P) if several else P)
    return problem, UnpenalisedBasis(problem, penalty, start, True)


def test_columns_without_penalty_and_limits_are_bare_if_they_vary():
    assert bare()[1].which.tolist() == [False, True, True, True, False, False]
    assert bare(limits=LIMITS)[1].which.tolist() == [False, True, False, True, False, False]


def test_the_basis_is_orthonormal_under_the_weights_and_leads_back_to_coefficients():
    problem, columns = bare()
    Q = columns.basis
    assert (Q[:, 0] == 1.0).all()
    assert Q.T @ (problem.weights[:, None] * Q) == pytest.approx(np.eye(4), abs=1e-12)
    c = np.array([0.3, -1.0, 2.0, 0.5])
    image = problem.design.combination(columns.span.which, columns.back(c))
    assert c[0] + image == pytest.approx(Q @ c, abs=1e-12)
    assert np.abs(columns.error(c)).max() <= 1e-12


def test_columns_that_nearly_depend_on_one_another_have_a_basis_of_their_rank():
    near = X.copy()
    near[:, 2] = near[:, 1]
    problem, columns = bare(X=near)
    assert columns.basis.shape == (N, 3) and columns.back(np.ones(3)).shape == (3,)


def test_a_column_at_its_limit_is_held_back_by_what_pushes_it_there():
    problem, columns = bare(limits=LIMITS)
    assert not columns.same_at(0.1)
    inside = np.zeros(P)
    free, basis, mask = columns.at(inside, np.ones(P), 0.1)
    assert free.tolist() == [False, True, True, True, False, False]
    assert basis.shape == (N, 4) and mask is None
    inside[2] = problem.penalty.upper[2]
    free, basis, _ = columns.at(inside, np.ones(P), 0.1)
    assert free.tolist() == columns.which.tolist() and basis.shape == (N, 3)


def test_a_lam_that_vanishes_holds_nothing_back():
    _, columns = bare()
    assert columns.same_at(0.1) and not columns.same_at(0.0)
    free, basis, _ = columns.at(np.zeros(P), np.ones(P), 0.0)
    assert free.tolist() == [True] * 4 + [False, True] and basis.shape == (N, 6)


def test_responses_with_limits_are_looked_at_one_by_one():
    y = np.digitize(Y_BASIS, np.quantile(Y_BASIS, [0.3, 0.7]))
    problem, columns = bare("multinomial", y, LIMITS)
    coefficients = np.zeros((3, P))
    coefficients[1, 2] = np.asarray(problem.penalty.upper)[2]
    free, basis, mask = columns.at(coefficients, np.ones((3, P)), 0.1)
    assert free[:, 2].tolist() == [True, False, True]
    assert free[:, [1, 3]].all() and not free[:, [0, 4, 5]].any()
    assert mask[:, 0].all() and mask.sum(axis=1).tolist() == [4, 3, 4]
    for own, which in zip(mask, free, strict=True):  # a constant and the columns free there
        Z = problem.design.unpacked(np.flatnonzero(which).astype(np.intc))
        assert np.linalg.matrix_rank(np.column_stack([basis[:, own], Z])) == own.sum()


def test_a_kernel_is_spanned_and_taken_out():
    """Constants of pairs: Q spans the sums of two columns, and z is left without pairs' means."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((20, 6)) + 1.0
    problem = problem_of(X, rng.random(20) < 0.5, "binomial", standardize=False, penalty=Steps(6))
    columns = UnpenalisedBasis(problem, problem.penalty, np.zeros(6), True)
    assert columns.basis.shape == (20, 4) and not columns.which.any() and columns.same_at(0.1)
    c = rng.standard_normal(4)
    b = columns.with_span(np.zeros(6), c)
    image = problem.design.combination(np.arange(6, dtype=np.intc), b)
    assert columns.basis @ c == pytest.approx(c[0] + image, abs=1e-12)
    z = rng.standard_normal(6)
    held = columns.held_part(z.copy(), columns.which)
    half = (z[::2] - z[1::2]) / 2
    assert held == pytest.approx(np.column_stack([half, -half]).ravel())
    free, Q, mask = columns.at(np.zeros(6), z, 0.0)
    assert free.all() and Q.shape == (20, 7) and mask is None


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_gaps_where_columns_of_one_edge_differ_much_in_size(scale):
    """Along b_0 = b_1 nothing is penalised, so z_0 = -z_1, which the larger column knows badly.

    The minimum is in closed form: with d = b_0 - b_1 it is a lasso of one column.
    """
    rng = np.random.default_rng(0)
    for _ in range(4):
        X = rng.standard_normal((15, 2)) * [scale, 1.0 / scale]
        y = rng.standard_normal(15)
        Q = np.linalg.qr(np.column_stack([np.ones(15), X.sum(axis=1)]))[0]
        x, r = (v - Q @ (Q.T @ v) for v in (X[:, 0], y))
        x, r = x - Q @ (Q.T @ x), r - Q @ (Q.T @ r)
        null = ((y - y.mean()) ** 2).sum() / 30
        fit = ss.path(X, y, penalty=penalties.GraphTV([(0, 1)]), n_lambdas=2, tol=1e-6,
                      lambda_min_ratio=0.1, stop=None, max_iter=40)  # fmt: skip
        for lam, gap in zip(fit.lambdas, fit.gaps, strict=True):
            d = np.sign(x @ r) * max(abs(x @ r) - 15 * lam, 0.0) / (x @ x)
            least = ((r - x * d) ** 2).sum() / 30 + lam * abs(d)
            b, c = fit.coef(lam), fit.intercept(lam)
            value = ((y - c - X @ b) ** 2).sum() / 30 + lam * abs(b[0] - b[1])
            assert (value - least) / null <= gap + 1e-12


def test_what_rounding_leaves_along_the_kernel_is_taken_from_the_larger_column():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((15, 3)) * [1e-6, 1e6, 1.0]
    y, edge = rng.standard_normal(15), penalties.GraphTV([(0, 1)])
    problem = problem_of(X, y, standardize=False, penalty=edge)
    basis = UnpenalisedBasis(problem, problem.penalty, np.zeros(3), False)
    z = np.array([2.0, -1.9, 0.1])  # exact products of an orthogonal dual point: 2, -2 and 0
    found = basis.orthogonal_part(z.copy(), basis.which)
    assert found == pytest.approx([2.0, -2.0, 0.0], abs=1e-12)
    assert basis.held_part(z, basis.which) == pytest.approx([1.95, -1.95, 0.0])


@pytest.mark.filterwarnings("ignore")
def test_gaps_count_a_point_1e12_away_along_the_kernel():
    """Three rows of the large column hold for any b > 0; the small ones call for b = 27,000.

    Along the kernel the slope of the small column is 1e-13 of the size of the large one.
    """
    X = np.zeros((7, 4))
    X[[1, 3, 6], 0] = [3.29e7, -2.69e7, -4.78e6]
    X[[1, 3, 6], 1] = [8e-3, 0.155, 0.144]
    X[[0, 3, 5, 6], 2] = [5.5e-6, -1.9e-5, 2.54e-5, 7.6e-7]
    y = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0])

    def objective(b, c, lam):
        eta = c + X @ b
        loss = np.mean(np.logaddexp(0.0, eta) - y * eta)
        B = b.reshape(2, 2)
        return loss + lam * (0.6 * np.abs(B[1] - B[0]) + 1.5 * np.abs(B[:, 1] - B[:, 0])).sum()

    norm = penalties.TotalVariation2D((2, 2), (0.6, 1.5))
    fit = ss.path(X, y, family="binomial", penalty=norm, standardize=False, n_lambdas=2, tol=1e-7,
                  lambda_min_ratio=0.1, stop=None, max_iter=50)  # fmt: skip
    lam, gap = fit.lambdas[0], fit.gaps[0]
    null = -(4 * np.log(4 / 7) + 3 * np.log(3 / 7)) / 7
    far = objective(np.full(4, 27_399.0), 0.911306, lam)
    assert gap >= (objective(fit.coef(lam), fit.intercept(lam), lam) - far) / null
