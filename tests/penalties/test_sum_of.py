"""Sum: worked numbers, splittings of every penalty that has one, paths, responses, refusals."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.penalties.forms import splitting_of
from sparsesolve.penalties.prox import sum_of_norms, sums
from sparsesolve.penalties.whole import WholePenalty

RNG = np.random.default_rng(7)
X = RNG.standard_normal((70, 12))
TRUTH = np.outer([1.0, -1.0, 0.0, 0.0], [1.0, 1.0, 0.0]).ravel()
Y = X @ TRUTH + 0.5 * RNG.standard_normal(70)
LOW = P.Sum([P.L1(0.3), P.TraceNorm((4, 3))])


@pytest.mark.parametrize("penalty", [
    P.TotalVariation2D((3, 4), (1.0, 2.0), 0.3), P.TotalVariation2D((3, 4)),
    P.GraphTV([(0, 5), (2, 7), (11, 1)], [1.0, 0.0, 3.0]), P.OverlapLinf(P.window_groups(12, 3)),
    P.OverlapL2(P.interval_groups(12)), P.Slope(),
    P.Sum([P.L1(0.2), P.TotalVariation2D((3, 4)), P.OverlapL2(P.window_groups(12, 3))]),
], ids=lambda penalty: type(penalty).__name__)  # fmt: skip
def test_splittings_have_the_same_value_and_a_prox(penalty):
    own = penalty.over(12)
    A, psi, _ = splitting_of(own, 12)
    for b in RNG.standard_normal((5, 12)):
        assert psi.value(A @ b) == pytest.approx(own.value(b))
        s = A @ b
        at = psi.prox(s, 0.3)
        least = 0.5 * ((at - s) ** 2).sum() + 0.3 * psi.value(at)
        for other in at + 0.1 * RNG.standard_normal((20, len(s))):
            assert least <= 0.5 * ((other - s) ** 2).sum() + 0.3 * psi.value(other) + 1e-12


SEVERAL = np.column_stack([Y, -Y + 0.1 * RNG.standard_normal(70), RNG.standard_normal(70)])
CLASSES = SEVERAL.argmax(axis=1)


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
@pytest.mark.parametrize("penalty", [
    P.Sum([P.L1(0.3), P.TraceNorm()]), P.Sum([P.TreeL2([range(4), range(12)]), P.L1(0.2)]),
    P.Sum([P.TotalVariation(), P.OverlapLinf(P.window_groups(12, 3))]), LOW,
    P.Sum([P.TotalVariation(), P.TotalVariation2D((3, 4))]),
], ids=["trace", "tree", "windows", "low rank of each", "with a kernel"])  # fmt: skip
def test_several_responses_are_certified_as_one_is(family, penalty):
    y = SEVERAL if family == "multigaussian" else CLASSES
    # The objective below is that of X as it is.
    options = {"family": family, "penalty": penalty, "stop": None, "standardize": False}
    fit = ss.path(X, y, n_lambdas=3, lambda_min_ratio=0.1, tol=1e-7, **options)
    assert not fit.status.any() and fit.gaps.max() <= 1e-7
    for lam in fit.lambdas[1:]:  # no other solver, however it begins, ends below what is claimed
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ss.ConvergenceWarning)
            other = ss.path(X, y, lambdas=[lam], tol=1e-5, solver="fista", max_iter=100, **options)
        (value, null), (least, _) = (objective(f, lam, penalty, y) for f in (fit, other))
        assert value <= least + 1.1e-7 * null


def objective(fit, lam, penalty, y):
    """The objective and its value at the null model, by numpy but for the penalty's value."""
    B, K = fit.coef(lam), 3
    eta = X @ B.T + fit.intercept(lam)
    omega = penalty.over(12).over_responses(K).value(B)
    if y.ndim == 2:
        null = 0.5 * ((y - y.mean(axis=0)) ** 2).sum() / len(X)
        return 0.5 * ((y - eta) ** 2).sum() / len(X) + lam * omega, null
    shares = np.bincount(y) / len(y)
    loss = np.log(np.exp(eta).sum(axis=1)) - eta[np.arange(len(y)), y]
    return loss.mean() + lam * omega, -shares @ np.log(shares)


@pytest.mark.parametrize("make", [
    lambda omega: P.Sum([omega]), lambda omega: P.Separate({range(12): omega}),
], ids=["sum", "separate"])  # fmt: skip
@pytest.mark.parametrize("omega", [
    P.GroupL2(np.arange(12) // 3), P.TreeL2([range(6), range(3), range(6, 12)]), P.TraceNorm(),
    P.TotalVariation(),
], ids=["groups", "tree", "trace norm", "total variation"])  # fmt: skip
def test_a_part_is_on_all_responses_what_it_is_alone(make, omega):
    options = {"family": "multigaussian", "standardize": False, "lambdas": [0.3, 0.05]}
    alone = ss.path(X, SEVERAL, penalty=omega, tol=1e-10, **options)
    whole = ss.path(X, SEVERAL, penalty=make(omega), tol=1e-9, **options)
    assert not alone.status.any() and not whole.status.any()
    for lam in alone.lambdas:
        assert whole.coef(lam) == pytest.approx(alone.coef(lam), abs=1e-3)


@pytest.mark.parametrize("omega", [
    P.Sum([P.TotalVariation2D((3, 4)), P.TraceNorm((4, 3))]), LOW,
    P.OverlapL2(P.window_groups(12, 3)),
    P.Separate({range(8): P.OverlapL2(P.window_groups(8, 3)), range(8, 12): P.L1()}),
    P.Separate({range(6): P.Sum([P.TotalVariation(), P.OverlapLinf(P.window_groups(6, 2))]),
                range(6, 12): P.OverlapLinf(P.window_groups(6, 2))}),
], ids=["image", "low rank", "windows", "parts", "parts of sums"])  # fmt: skip
def test_conjugates_under_a_ridge_part_are_bounds_from_above(omega, monkeypatch):
    """An iterative prox that ends early is not the point at which the conjugate is attained."""
    exact = WholePenalty(omega.over(12), 12, 0.6)
    exact_rows = WholePenalty(omega.over(12), 12, 0.6, n_responses=2)
    for rounds in (1, 6):
        monkeypatch.setattr(sums, "ROUNDS", rounds)
        monkeypatch.setattr(sum_of_norms, "SWEEPS", 1)
        monkeypatch.setattr(sum_of_norms, "STEPS", rounds)
        for z in RNG.standard_normal((5, 12)):
            early = WholePenalty(omega.over(12), 12, 0.6).conjugate(z, 0.3)
            rows = WholePenalty(omega.over(12), 12, 0.6, n_responses=2)
            several = rows.conjugate(np.stack([z, z]), 0.3)
            monkeypatch.undo()
            C = exact_rows.prox(10.0 * np.stack([z, z]), 1e-3) / 10.0
            for B in (C, *(exact_rows.prox(np.stack([z, z]) / s, 0.3 / s) for s in (0.12, 0.5))):
                top = np.vdot(np.stack([z, z]), B) - exact_rows.value(B, 0.3)
                assert top <= several * (1.0 + 1e-12)
            b = exact.prox(10.0 * z, 1e-3) / 10.0
            points = [b, *(exact.prox(z / s, 0.3 / s) for s in (0.12, 0.2, 0.5, 1.0))]
            for b in points:  # no point is above the bound
                assert z @ b - exact.value(b, 0.3) <= early * (1.0 + 1e-12)


def test_parts_that_are_rounding_do_not_undo_a_bound():
    """Where one term does all the work, what is left for another is not orthogonal to its kernel.

    Features 1 and 3 are in no edge: the kernel of that term has them, and the windows hold them.
    """
    edges = P.GraphTV([(4, 5), (0, 4), (2, 4)], [1.7, 1.1, 1.6])
    groups = P.OverlapLinf([[1], [1, 3, 5], [1, 3, 4, 5], [1, 2, 3, 4, 5], [0]], np.ones(5))
    both = P.Sum([edges, groups]).over(6)
    for z in np.vstack([np.eye(6), RNG.standard_normal((20, 6))]):
        level = both.polar(z)
        assert np.isfinite(level) and not both.prox(z, level * (1 + 1e-9)).any()
        assert both.prox(z, level * (1 - 1e-3)).any()
