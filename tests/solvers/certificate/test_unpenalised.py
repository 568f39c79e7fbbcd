"""UnpenalisedBasis: which columns nothing holds back, and the basis that stands for them."""

import numpy as np
import pytest
from python_penalties import Steps
from states import problem_of

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.penalties.rows import on_rows
from sparsesolve.solvers.certificate.dual_point import UnpenalisedBasis

RNG = np.random.default_rng(3)
N, P = 30, 6
X = RNG.standard_normal((N, P)) + np.resize([0.0, 5.0], P)
X[:, 4] = 1.0  # constant: takes no part
Y = RNG.standard_normal(N)
FACTORS = np.array([1.0, 0, 0, 0, 0, 1])
LIMITS = {"lower": np.full(P, -np.inf), "upper": np.array([np.inf, np.inf, 1, np.inf, np.inf, 1])}


def bare(family="binomial", y=Y > 0, limits=None, X=X):
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
    y = np.digitize(Y, np.quantile(Y, [0.3, 0.7]))
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
