"""The constrained form: optimal on its ball, by balls as penalties, and its certificate."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(3)
X = RNG.standard_normal((50, 8))
Y = X @ [2.0, 1.5, 0, 0, -1, 0, 0, 0.5] + RNG.standard_normal(50)
GROUPS = np.repeat(["a", "b", "c", "d"], 2)


@pytest.mark.parametrize("penalty, ball", [
    (None, P.L1Ball(1.7)), (P.GroupL2(GROUPS, np.ones(4)), P.GroupBall(GROUPS, 1.7)),
    (P.Spectral("frobenius", (2, 4)), P.L2Ball(1.7)),
])  # fmt: skip
@pytest.mark.parametrize("family, y", [("gaussian", Y), ("binomial", Y > 0)])
def test_the_same_as_by_projections(penalty, ball, family, y):
    fit = ss.path(X, y, family=family, penalty=penalty, standardize=False, tol=1e-10)
    found = ss.selection.at_radius(fit, 1.7, X, y)
    twin = ss.path(X, y, family=family, penalty=ball, lambdas=[1.0], tol=1e-10)
    assert found.value == pytest.approx(1.7, rel=1e-7) and found.value <= 1.7
    assert found.gap <= 1e-6 and twin.gaps[0] <= 1e-10
    assert found.coef == pytest.approx(twin.coef(1.0), abs=1e-4)


def test_a_radius_that_holds_nothing_and_several_responses():
    fit = ss.path(X, Y, standardize=False)
    found = ss.selection.at_radius(fit, 100.0, X, Y)
    least = np.linalg.lstsq(np.column_stack([np.ones(50), X]), Y)[0][1:]
    assert found.lam == 0.0 and found.coef == pytest.approx(least, abs=1e-3)
    both = np.column_stack([Y, -Y])
    fit = ss.path(X, both, family="multigaussian", penalty=P.TraceNorm())
    found = ss.selection.at_radius(fit, 2.0, X, both)
    assert np.linalg.svd(found.coef, compute_uv=False).sum() == pytest.approx(2.0, rel=1e-6)


PAIRS = [[0, 1, 2], [2, 3, 4], [5, 6, 7]]


@pytest.mark.parametrize("penalty, polar", [
    (None, lambda Z: np.linalg.norm(Z, axis=0).max()),
    (P.GroupL2(GROUPS, np.ones(4)), lambda Z: max(np.linalg.norm(Z[:, [j, j + 1]])
                                                  for j in range(0, 8, 2))),
    (P.L1(), lambda Z: np.abs(Z).max()),
    (P.TraceNorm(), lambda Z: np.linalg.norm(Z, 2)),
    (P.TreeLinf([[j] for j in range(8)], np.ones(8)), lambda Z: np.abs(Z).sum(axis=0).max()),
    (P.Separate({range(4): P.GroupL2([0, 0, 0, 0], [1.0]), range(4, 8): P.L1()}),
     lambda Z: max(np.linalg.norm(Z[:, :4]), np.abs(Z[:, 4:]).max())),
], ids=["rows", "groups", "l1", "trace", "largest sizes", "parts"])  # fmt: skip
def test_the_gap_of_several_responses_is_that_of_the_data(penalty, polar):
    """By weak duality for squared error: F(B) - D = r polar(Z) - Z'B at the dual point Y - XB."""
    both = np.column_stack([Y, X[:, 2] - Y / 2])
    fit = ss.path(X, both, family="multigaussian", penalty=penalty, standardize=False, tol=1e-10)
    found = ss.selection.at_radius(fit, 1.3, X, both)
    left = both - found.intercept - X @ found.coef.T
    Z = left.T @ (X - X.mean(axis=0)) / len(X)
    null = 0.5 * np.sum((both - both.mean(axis=0)) ** 2) / len(X)
    gap = 1.3 * polar(Z) - np.sum(Z * found.coef)
    assert gap / null == pytest.approx(found.gap, abs=2e-8) and found.gap < 1e-6


def test_criteria_of_several_responses_count_what_a_penalty_counts():
    both = np.column_stack([Y, X[:, 2] - Y / 2])
    for penalty in (P.OverlapLinf(PAIRS), P.Sum([P.OverlapLinf(PAIRS), P.L1()]),
                    P.Separate({range(4): P.TreeLinf([[0, 1], [0]]), range(4, 8): P.L1()}),
                    P.TotalVariation()):  # fmt: skip
        fit = ss.path(X, both, family="multigaussian", penalty=penalty, n_lambdas=6)
        found = ss.criteria(fit, X, both)
        assert np.isfinite(found["aic"]).all() and found["aic"][0] > found["aic"][-1]


def test_what_is_refused():
    with pytest.raises(ValueError, match="MCP is not convex, so that no multiplier certifies"):
        ss.selection.at_radius(ss.path(X, Y, penalty=P.MCP(), standardize=False), 1.0, X, Y)
    with pytest.raises(ValueError, match="L1Ball is a constraint itself, with radius 2"):
        ss.selection.at_radius(ss.path(X, Y, penalty=P.L1Ball(2.0), lambdas=[1.0]), 1.0, X, Y)
    for option, value in (("standardize", True), ("alpha", 0.5), ("lower", 0.0)):
        options = {"standardize": False, option: value}
        with pytest.raises(ValueError, match=f"The path has {option}=.* fit it with"):
            ss.selection.at_radius(ss.path(X, Y, **options), 1.0, X, Y)
    fit = ss.path(X, Y, standardize=False, lambdas=[0.01])
    with pytest.raises(ValueError, match="begin it at a larger lambda"):
        ss.selection.at_radius(fit, 0.01, X, Y)


def test_balls_answer_on_arrays():
    v = np.array([3.0, -4.0])
    for ball, size in ((P.L1Ball(1.0), 7.0), (P.L2Ball(1.0), 5.0), (P.LinfBall(1.0), 4.0),
                       (P.GroupBall([0, 0], 1.0), 5.0)):  # fmt: skip
        assert ball.value(v) == np.inf and ball.value(v / size) == 0.0
        assert ball.value(ball.prox(v)) == 0.0 and ball.prox(v, 5.0) is not v
        z, b = np.array([1.0, 2.0]), ball.prox(np.array([1e6, 2e6]))
        assert ball.conjugate(z) >= z @ b - 1e-9
        assert ball.polar(z) == np.inf and ball.polar(0 * z) == 0.0
    with pytest.raises(ValueError, match="radius must be above 0"):
        P.L1Ball(0.0)
    with pytest.raises(ValueError, match="No lambda makes 0 optimal"):
        ss.path(X, Y, penalty=P.L1Ball(1.0))
