"""Penalties written by users in path and cv_path: optimal by independent means, or refused."""

import numpy as np
import pytest
from python_penalties import Largest, SquaredL1, Steps
from scipy.optimize import linprog, minimize

import sparsesolve as ss
from sparsesolve import penalties

RNG = np.random.default_rng(4)
X = RNG.standard_normal((60, 6)) + [0, 3, 0, 0, -1, 0]
Y = X @ [1.0, 1.1, 0, 0, -0.5, 0.2] + 0.3 * RNG.standard_normal(60)
NOISY = Y + 2 * RNG.standard_normal(60)
CLASSES = np.where(NOISY > 4, "b", np.where(NOISY > 2, "c", "a"))


def test_steps_are_the_lasso_on_means_and_differences():
    """b_0, b_1 = m - h, m + h: |b_1 - b_0| = 2 |h|, factors sum to 6, and m is unpenalised."""
    for family, y in (("gaussian", Y), ("binomial", NOISY > 3), ("poisson", np.abs(Y).round())):
        fit = ss.path(X, y, family=family, penalty=Steps(6), n_lambdas=8, tol=1e-11)
        assert fit.gaps.max() <= 1e-11
        T = np.kron(np.eye(3), [[1.0, -1.0], [1.0, 1.0]])
        twin = ss.path(
            X @ T, y, family=family, penalty_factor=[0, 1] * 3, lambdas=fit.lambdas,
            standardize=False, tol=1e-11,
        )  # fmt: skip
        assert np.allclose(fit.coefs.toarray(), T @ twin.coefs.toarray(), atol=3e-5)
        assert np.allclose(fit.dev_ratio, twin.dev_ratio, atol=1e-8)


def test_the_largest_coefficient_by_a_linear_program():
    """X square, no noise, lam so small that b minimises max |b| among the solutions of Ab = c."""
    A, c = RNG.standard_normal((3, 6)), RNG.standard_normal(3)
    fit = ss.path(A, c, penalty=Largest(), intercept=False, lambdas=[1e-5], tol=1e-13)
    bounds, ones = [(None, None)] * 6 + [(0, None)], np.ones((6, 1))
    lp = linprog(
        np.eye(7)[6], np.vstack([np.hstack([np.eye(6), -ones]), np.hstack([-np.eye(6), -ones])]),
        np.zeros(12), np.hstack([A, np.zeros((3, 1))]), c, bounds,
    )  # fmt: skip
    assert np.abs(fit.coef(1e-5)).max() == pytest.approx(lp.fun, rel=1e-3)


@pytest.mark.parametrize("alpha", [1.0, 0.3])
@pytest.mark.parametrize("unit", [1.0, 1e6])
def test_what_is_no_norm_keeps_its_lambda_in_any_unit(alpha, unit):
    """Against a smooth search over b = p - q, p and q at least 0."""
    def objective(parts):
        b = parts[:6] - parts[6:12]
        r = Y - X @ b - parts[12]
        return (r @ r) / 120 + 0.2 * (alpha * parts[:12].sum() ** 2 + (1 - alpha) * b @ b) / 2

    limits = [(0, None)] * 12 + [(None, None)]
    found = minimize(objective, np.zeros(13), bounds=limits, options={"maxiter": 5000,
                     "maxfun": 200_000, "ftol": 1e-15, "gtol": 1e-10})  # fmt: skip
    # coefficients unit times as small, whose squares count unit^2 times as much
    fit = ss.path(unit * X, Y, penalty=SquaredL1(), alpha=alpha, lambdas=[0.2 * unit**2],
                  tol=1e-12)  # fmt: skip
    assert fit.coef(0.2 * unit**2) * unit == pytest.approx(found.x[:6] - found.x[6:12], abs=2e-5)


@pytest.mark.parametrize("family, y", [
    ("multinomial", CLASSES), ("multigaussian", np.column_stack([Y, X[:, 0] + Y])),
])  # fmt: skip
def test_several_responses(family, y):
    fit = ss.path(X, y, family=family, penalty=Steps(6), n_lambdas=5)
    assert fit.gaps.max() <= 1e-7
    first = np.stack([c[:, [0]].toarray().ravel() for c in fit.coefs])
    assert first[:, 1::2] == pytest.approx(first[:, ::2], abs=1e-12)


def test_a_constant_column_takes_what_its_neighbour_has():
    Z = X.copy()
    Z[:, 1] = 7.0
    fit = ss.path(Z, Y, penalty=Steps(6), lambdas=[0.1])
    b = fit.coef(0.1)
    assert b[1] == pytest.approx(b[0], abs=1e-6) and b[0] != 0.0
    assert fit.predict(Z, 0.1).mean() == pytest.approx(Y.mean())


def test_without_a_penalty_it_is_least_squares():
    b = np.linalg.lstsq(np.column_stack([np.ones(60), X]), Y)[0]
    fit = ss.path(X, Y, penalty=Steps(6), lambdas=[0.0], tol=1e-13)
    assert fit.coef(0.0) == pytest.approx(b[1:], abs=1e-6)


class NoProx:
    def value(self, b):
        return 0.0


@pytest.mark.parametrize("options, kind, sentence", [
    ({"penalty": NoProx()}, TypeError, r"NoProx has no method prox\(v, t\), which a penalty"),
    ({"penalty": Largest}, TypeError, "penalty is the class Largest; pass an object"),
    ({"penalty": Largest(), "penalty_factor": np.ones(6)}, ValueError,
     "penalty_factor is for the elastic net and norms of disjoint groups, .* penalties.Separate"),
    ({"penalty": Largest(), "lower": 0}, ValueError, "lower and upper are for the elastic net"),
    ({"penalty": Largest(), "solver": "bcd"}, ValueError, "solver='bcd' needs a penalty on disj"),
    ({"penalty": Largest(), "grouped": True, "family": "multinomial", "y": CLASSES}, ValueError,
     "grouped=True belongs to the elastic net"),
    ({"penalty": SquaredL1()}, ValueError, "No lambda makes 0 optimal"),
    ({"penalty": Largest(), "standardize": "group"}, ValueError, "standardize='group' replaces"),
])  # fmt: skip
def test_what_is_refused(options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        ss.path(X, options.pop("y", Y), **options)


def test_a_constant_column_cannot_be_standardised():
    Z = np.column_stack([X[:, :5], np.ones(60)])
    with pytest.raises(ValueError, match="Column 5 .* is constant and cannot be standardised"):
        ss.path(Z, Y, penalty=Largest(), standardize=True)


def test_an_error_in_a_method_reaches_the_caller():
    class Failing(Largest):
        def prox(self, v, t):
            raise RuntimeError("out of luck")

    with pytest.raises(RuntimeError, match="out of luck"):
        ss.path(X, Y, penalty=Failing())


PAIRS = [[0, 1], [2, 3], [4, 5]]
OF = np.repeat(np.arange(3), 2)
STANDARDISED = {
    "L1": penalties.L1(),
    "OverlapL2": penalties.OverlapL2(PAIRS),
    "OverlapLinf": penalties.OverlapLinf(PAIRS),
    "LatentGroupL2": penalties.LatentGroupL2(PAIRS),
    "TreeL2": penalties.TreeL2(PAIRS),
    "TreeLinf": penalties.TreeLinf(PAIRS),
    "ExclusiveLasso": penalties.ExclusiveLasso(OF),
    "KSupport": penalties.KSupport(2),
    "GroupLq": penalties.GroupLq(OF, 1.5),
    "Berhu": penalties.Berhu(),
    "MCP": penalties.MCP(),
    "GroupL2": penalties.GroupL2(OF),
    "Separate": penalties.Separate({(0, 1): None, range(2, 6): penalties.L1()}),
    "Sum": penalties.Sum([penalties.L1(), penalties.L1()]),
}
COMPARING = {
    "TotalVariation": penalties.TotalVariation(),
    "TrendFilter": penalties.TrendFilter(),
    "GraphTV": penalties.GraphTV([(0, 1), (1, 2), (3, 4)]),
    "TotalVariation2D": penalties.TotalVariation2D((2, 3)),
    "Slope": penalties.Slope(),
    "Submodular": penalties.Submodular(np.sqrt(np.arange(1, 7))),
    "TraceNorm": penalties.TraceNorm((2, 3)),
    "Separate": penalties.Separate({0: None, range(1, 6): penalties.TotalVariation()}),
    "Sum": penalties.Sum([penalties.L1(), penalties.TotalVariation()]),
}


def of_all_sizes(seed=3):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(60, 6))
    return Z * [1.0, 10.0, 0.1, 3.0, 1.0, 0.5], Z[:, 0] - Z[:, 3] + 0.3 * rng.normal(size=60)


@pytest.mark.parametrize("kind", ["STANDARDISED", "COMPARING"])
def test_features_are_standardised_unless_coefficients_are_compared(kind):
    """By default; the repr and the table say it."""
    X, y = of_all_sizes()
    for name, penalty in globals()[kind].items():
        same, words = (True, "features standardised") if kind == "STANDARDISED" else (
            False, "features not standardised")  # fmt: skip
        fit = ss.path(X, y, penalty=penalty, lambdas=[0.1])
        asked = ss.path(X, y, penalty=penalty, lambdas=[0.1], standardize=same)
        np.testing.assert_array_equal(fit.coef(0.1), asked.coef(0.1), err_msg=name)
        assert words in repr(fit) and words.capitalize() in str(fit), name


def test_equal_penalties_give_equal_paths_by_default():
    """Of single features, and of disjoint groups, and with a constant column."""
    X, y = of_all_sizes()
    X[:, 5] = 2.0
    options = {"lambdas": [0.3, 0.1], "tol": 1e-11}
    lasso = ss.path(X, y, **options).coef(0.1)
    np.testing.assert_allclose(ss.path(X, y, penalty=penalties.L1(), **options).coef(0.1), lasso,
                               atol=1e-5)  # fmt: skip
    groups = ss.path(X, y, penalty=penalties.GroupL2(OF, np.ones(3)), **options).coef(0.1)
    for kind in (penalties.OverlapL2, penalties.TreeL2, penalties.LatentGroupL2):
        fit = ss.path(X, y, penalty=kind(PAIRS, np.ones(3)), **options)
        np.testing.assert_allclose(fit.coef(0.1), groups, atol=1e-5, err_msg=kind.__name__)


@pytest.mark.parametrize("penalty", [ss.penalties.Berhu(), ss.penalties.ExclusiveLasso([0, 0, 1])])
def test_penalties_that_are_no_norms_send_nobody_to_separate(penalty):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match="penalises every feature; leave penalty_factor out"):
        ss.path(X, X[:, 0], penalty=penalty, penalty_factor=[1, 1, 0])
