"""Equal rows, one-sided limits, groups of one, one response, inner products: one path."""

from types import SimpleNamespace

import numpy as np
import pytest
import response_oracle as oracle
from oracles.recession import no_optimum

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.solvers.reductions.identities import EqualRows, OneSided, Rows

N = 600
RNG = np.random.default_rng(3)
THREE = RNG.integers(0, 3, size=(N, 3)) * [1.0, 1.0, 0.5]
X = np.column_stack([THREE, THREE * THREE[:, [1, 2, 0]]])  # 27 different rows
ETA = 0.5 * X[:, 0] - 0.4 * X[:, 2] - 0.3
W = RNG.uniform(0.0, 2.0, N) * (RNG.random(N) < 0.9)
OFFSET = 0.5 * (np.arange(N) % 3)
Y = {
    "binomial": RNG.random(N) < 1 / (1 + np.exp(-ETA)),
    "poisson": RNG.poisson(np.exp(ETA)),
    families.gamma(): RNG.gamma(2.0, np.exp(ETA)) + 1e-3,
    families.negative_binomial(2.0): RNG.poisson(np.exp(ETA)),
    families.tweedie(1.5): RNG.gamma(2.0, np.exp(ETA)) * (RNG.random(N) < 0.7),
    families.probit(): RNG.random(N) < 1 / (1 + np.exp(-ETA)),
    families.cloglog(): RNG.random(N) < 1 / (1 + np.exp(-ETA)),
}
CASES = {
    "plain": {},
    "weights and offset": {"weights": W, "offset": OFFSET},
    "no intercept": {"intercept": False, "standardize": False},
    "limits, factors": {"lower": -0.1, "penalty_factor": [0.0, 1, 1, 2, 1, np.inf]},
    "groups": {"penalty": ss.penalties.GroupL2([0, 1, 0, 1, 2, 2])},
}


@pytest.fixture
def rows(monkeypatch):
    """How many rows solvers are given, by problem; the one behind `False` is left alone."""
    seen, merge = [], EqualRows.forward

    def watched(problem, lambdas, n_threads):
        if seen[-1:] == [False]:
            return None
        found = merge(problem, lambdas, n_threads)
        seen.append((found[0] if found else problem).design.n)
        return found

    monkeypatch.setattr(EqualRows, "forward", watched)
    return seen


def same(fit, whole):
    assert fit.lambdas == pytest.approx(whole.lambdas, rel=1e-10)
    coefs = [np.array([c.toarray() for c in path.coefs]) if path.intercepts.ndim == 2
             else path.coefs.toarray() for path in (fit, whole)]  # fmt: skip
    assert coefs[0] == pytest.approx(coefs[1], abs=3e-5)
    assert fit.intercepts == pytest.approx(whole.intercepts, abs=3e-5)
    assert fit.dev_ratio == pytest.approx(whole.dev_ratio, abs=1e-6)
    assert fit.null_deviance == whole.null_deviance
    assert (fit.gaps <= fit.options["tol"]).all()


@pytest.mark.parametrize("family", Y, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_paths_are_those_of_all_rows(family, name, rows):
    options = {"family": family, "n_lambdas": 12, "lambda_min_ratio": 1e-2, "tol": 1e-12,
               "stop": None, **CASES[name]}  # fmt: skip
    fit = ss.path(X, Y[family], **options)
    assert rows == [27 * (3 if "offset" in options and family != "poisson" else 1)]
    rows.append(False)
    same(fit, ss.path(X, Y[family], **options))


@pytest.mark.parametrize("spread", [0.3, 300.0])
def test_exposures_of_counts_add_up(spread, rows):
    """Whatever the offsets; one so small that nothing is seen of its row adds nothing."""
    offset = np.where(np.arange(N) % 7 == 0, -spread, RNG.normal(size=N))
    y = RNG.poisson(np.exp(ETA + offset))
    offset[W == 0.0] = spread
    options = {"family": "poisson", "n_lambdas": 12, "lambda_min_ratio": 1e-2, "tol": 1e-12,
               "stop": None, "weights": W, "offset": offset}  # fmt: skip
    fit = ss.path(X, y, **options)
    assert rows == [27] and fit.dev_ratio[0] == 0.0
    rows.append(False)
    same(fit, ss.path(X, y, **options))


@pytest.mark.parametrize("options", [
    {}, {"grouped": True}, {"weights": W, "offset": np.outer(OFFSET, [0.0, 1.0, -1.0])},
    {"penalty": ss.penalties.GroupL2([0, 1, 0, 1, 2, 2])},
], ids=["plain", "grouped", "weights and offset", "groups"])  # fmt: skip
def test_classes_of_rows_and_of_responses(options, rows):
    y = np.where(RNG.random(N) < 0.3, "c", np.where(Y["binomial"], "a", "b"))
    options = {"family": "multinomial", "n_lambdas": 10, "lambda_min_ratio": 1e-2, "tol": 1e-11,
               "stop": None, **options}  # fmt: skip
    fit = ss.path(X, y, **options)
    assert rows == [27 * (3 if "offset" in options else 1)] and fit.dev_ratio[0] == 0.0
    rows.append(False)
    same(fit, ss.path(X, y, **options))


def test_rows_that_differ_and_wide_designs_are_left_alone(rows):
    y = Y["binomial"]
    ss.path(RNG.normal(size=(N, 3)), y, family="binomial", n_lambdas=3)
    ss.path(np.tile(THREE, 20), y, family="binomial", n_lambdas=3)  # 60 columns
    ss.path(THREE, Y["poisson"], n_lambdas=3)
    ss.path(THREE, ETA, family=families.huber(1.0), n_lambdas=3)
    assert rows == [N, N, N, N]


LEVELS = RNG.integers(0, 4, N)
DUMMIES = (LEVELS[:, None] == np.arange(4)) * 1.0
CLASSES = np.digitize(0.7 * LEVELS + RNG.gumbel(size=N), [0.5, 2.0])
SATURATED = {
    "a dummy that nothing holds back": {"penalty_factor": [0, 1, 1, 1]},
    "ridge": {"penalty_factor": [0, 1, 1, 1], "alpha": 0.0},
    "no intercept": {"penalty_factor": [1, 1, 1, 0], "intercept": False},
    "nothing held back": {"lambdas": [0.0], "intercept": False},
    "fista": {"solver": "fista", "tol": 1e-6},
}


@pytest.mark.parametrize("options", SATURATED.values(), ids=SATURATED)
@pytest.mark.parametrize("family", ["binomial", "multinomial", "poisson", "cloglog"])
def test_as_many_rows_as_coefficients(options, family, rows):
    """Residuals vanish where a class is fitted: what is left of them is rounding."""
    y = {"multinomial": CLASSES, "poisson": CLASSES}.get(family, CLASSES > 0)
    kind = {"multinomial": "classes", "poisson": "counts"}.get(family, "two classes")
    family = families.cloglog() if family == "cloglog" else family
    fit = ss.path(DUMMIES, y, family=family, **{"n_lambdas": 10, "tol": 1e-8, **options})
    assert rows == [4]
    assert set(fit.status) == {_status(DUMMIES, y, kind, options)}
    assert (fit.gaps <= fit.options["tol"]).all()


def _status(columns, y, kind, options):
    """What a linear programme says of the columns that nothing holds back."""
    free = np.equal(options.get("penalty_factor", np.ones(4)), 0) | ("lambdas" in options)
    loose = columns[:, free]
    if options.get("intercept", True):
        loose = np.column_stack([np.ones(len(y)), loose])
    return ss.Status.UNBOUNDED if no_optimum(kind, loose, y) else ss.Status.CONVERGED


def test_one_class_of_rows(rows):
    fits = [ss.path(np.ones((N, 1)), y, family=family)
            for family, y in (("binomial", CLASSES > 0), ("multinomial", CLASSES))]  # fmt: skip
    assert rows == [1, 1]
    for fit in fits:
        assert fit.dev_ratio.tolist() == [0.0] and not fit.status.any()


# One-sided limits on coefficients without a penalty, which a softmax keeps by a shift

N_SIDED, P, FREE = 60, 8, [0, 1, 4]
SIDES = [(0.0, np.inf), (-0.2, np.inf), (-np.inf, 0.1)]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N_SIDED, P)) + 0.5
    scores = X[:, :3] @ rng.normal(size=(3, 3))
    return X, (scores + rng.gumbel(size=(N_SIDED, 3))).argmax(axis=1)


def factors():
    v = np.ones(P)
    v[FREE] = 0.0
    return v


def dense(fit):
    return np.stack([matrix.toarray() for matrix in fit.coefs])


@pytest.mark.parametrize("lower, upper", SIDES)
@pytest.mark.parametrize("alpha", [1.0, 0.05])
@pytest.mark.parametrize("solver", ["auto", "response_newton", "response_blocks"])
def test_as_low_as_a_slow_solver_within_the_limits(data, lower, upper, alpha, solver):
    X, y = data
    v = factors() * P / (P - len(FREE))
    options = {"lower": lower, "upper": upper, "alpha": alpha, "standardize": False,
               "solver": solver}  # fmt: skip
    fit = ss.path(X, y, family="multinomial", penalty_factor=factors(), n_lambdas=8, stop=None,
                  lambda_min_ratio=1e-3, **options)  # fmt: skip
    B, Y = dense(fit), np.eye(3)[y]
    assert not fit.status.any() and (B >= lower).all() and (B <= upper).all()
    form = {"family": "multinomial", "alpha": alpha, "v": v}
    for k in (0, 4, 7):
        low, high = np.full(P, lower), np.full(P, upper)
        best = oracle.solve(X, Y, fit.lambdas[k], low=low, high=high, steps=20_000, **form)[0]
        mine = oracle.objective(X, Y, fit.lambdas[k], fit.intercepts[:, k], B[:, :, k], **form)
        assert mine <= best + 2e-7


@pytest.mark.parametrize("penalty", ["GroupL2", "GroupLinf"])
def test_a_group_without_a_penalty_is_that_without_limits_shifted(data, penalty):
    X, y = data
    groups = np.repeat([0, 1], 4)
    held = getattr(ss.penalties, penalty)(groups, weights=[0.0, 2.0])
    options = {"family": "multinomial", "penalty": held, "tol": 1e-10}
    lower = np.where(groups == 0, -0.05, -np.inf)
    plain = ss.path(X, y, lambda_min_ratio=0.05, n_lambdas=6, stop=None, **options)
    fit = ss.path(X, y, lower=lower, lambdas=plain.lambdas, **options)
    assert not fit.status.any() and fit.n_iters.sum() <= plain.n_iters.sum() + 6
    assert (dense(fit)[:, :4] >= -0.05).all() and dense(fit)[:, :4].min() == -0.05
    assert fit.predict(X, kind="response") == pytest.approx(
        plain.predict(X, kind="response"), abs=1e-5
    )


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize("penalty", ["GroupL2", "GroupLinf"])
@pytest.mark.parametrize("low", [0.0, -np.inf])
@pytest.mark.parametrize("rows", [40, 60])
def test_coefficients_are_those_of_the_deviance_where_limits_differ_within_a_group(
    data, penalty, low, rows
):
    """One feature of a group without a penalty has two limits, the others one or none."""
    X, y = data[0][:rows].copy(), data[1][:rows]
    X[4:, 0] = 0.0
    lower, upper = np.full(P, low), np.full(P, np.inf)
    lower[2], upper[2] = 0.0, 0.1
    held = getattr(ss.penalties, penalty)(np.repeat([0, 1], 4), weights=[0.0, 1.0])
    fit = ss.path(X, y, family="multinomial", penalty=held, lower=lower, upper=upper,
                  standardize=False, lambdas=[0.1, 0.01, 0.001, 0.0], stop=None)  # fmt: skip
    B, Y = dense(fit), np.eye(3)[y]
    assert (B >= lower[:, None]).all() and (B <= upper[:, None]).all()
    for k in range(4):
        value = oracle.loss("multinomial", Y, np.full(rows, 1 / rows), fit.intercepts[:, [k]]
                            + B[:, :, k] @ X.T)[0]  # fmt: skip
        claimed = 0.5 * fit.null_deviance / rows * (1.0 - fit.dev_ratio[k])
        assert value == pytest.approx(claimed, abs=1e-9)


def test_lambda_zero_leaves_nothing_but_limits(data):
    X, y = data
    fit = ss.path(X, y, family="multinomial", lower=0.0, lambdas=[0.0])
    plain = ss.path(X, y, family="multinomial", lambdas=[0.0])
    assert not fit.status.any() and (dense(fit) >= 0.0).all()
    assert fit.dev_ratio[0] == pytest.approx(plain.dev_ratio[0], abs=2e-7)


def test_limits_on_both_sides_hold(data):
    X, y = data
    fit = ss.path(X, y, family="multinomial", penalty_factor=factors(), lower=-0.1, upper=0.1)
    assert np.abs(dense(fit)).max() == pytest.approx(0.1, abs=1e-12)
    wide = ss.path(X, y, family="multinomial", penalty_factor=factors(), lambdas=fit.lambdas)
    assert (fit.dev_ratio < wide.dev_ratio - 1e-3).all()


def test_rows_are_shifted_no_further_than_it_takes_and_those_of_zeros_are_left_out():
    inf, state = np.inf, SimpleNamespace(iterations=0, grid_problem=None)
    limits = np.array([[0.0, 0.0, -inf, -inf], [inf, inf, 4.0, inf]])
    found = np.array([[-1.0, -0.5, 5.0, -3.0], [2.0, -0.5, 4.0, 1.0]])
    kept = found.copy()
    which, values = OneSided(state, limits, np.arange(4) < 3).back(np.arange(4), found)
    assert which.tolist() == [0, 2, 3] and values.tolist() == [[0.0, 4.0, -3.0], [3.0, 3.0, 1.0]]
    assert (found == kept).all()


# Groups of one feature are solved for as features, and the answer is that of the groups

RNG_ONES = np.random.default_rng(11)
X_ONES = RNG_ONES.standard_normal((60, 150))
Y_ONES = X_ONES[:, :6] @ [2.0, -1.0, 1.0, 0.5, -0.5, 1.5] + RNG_ONES.standard_normal(60)
WEIGHTS = np.where(np.arange(150) == 4, 0.0, RNG_ONES.uniform(0.5, 2.0, 150))


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.4}, {"standardize": False}])
def test_groups_of_one_feature_of_several_responses_are_grouped_rows(family, options):
    y = np.stack([Y_ONES, RNG_ONES.standard_normal(60), X_ONES[:, 3] - Y_ONES], axis=1)
    y = y if family == "multigaussian" else y.argmax(axis=1)
    few = X_ONES[:, :40].copy()
    few[:, 7] = 1.0
    penalty = ss.penalties.GroupL2(np.arange(40)[::-1], weights=WEIGHTS[:40])
    shared = {"family": family, "penalty": penalty, "tol": 1e-10, "stop": None, "n_lambdas": 8,
              "lambda_min_ratio": 0.05} | options  # fmt: skip
    ours, theirs = ss.path(few, y, **shared), ss.path(few, y, solver="response_groups", **shared)
    assert ours.gaps.max() <= 1e-10 and ours.df[-1] > 5
    assert ours.lambdas == pytest.approx(theirs.lambdas, rel=1e-10)
    for lam in ours.lambdas:
        assert ours.coef(lam) == pytest.approx(theirs.coef(lam), abs=1e-3)
    assert ours.dev_ratio == pytest.approx(theirs.dev_ratio, abs=1e-5)


# One real response of several is solved for as one

RNG_ROW = np.random.default_rng(12)
X_ROW = RNG_ROW.standard_normal((70, 120))
Y_ROW = 3.0 + X_ROW[:, :5] @ [2.0, -1.0, 1.0, 0.5, -0.5] + RNG_ROW.standard_normal(70)
OPTIONS = {
    "plain": {},
    "elastic net": {"alpha": 0.3, "intercept": False},
    "weights, one of them 0": {"weights": np.r_[0.0, RNG_ROW.uniform(0.5, 2.0, 69)]},
    "columns without penalty": {"penalty_factor": np.r_[0.0, 2.0, 0.0, np.ones(117)]},
    "ridge": {"alpha": 0.0, "lambdas": [1.0, 0.1]},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_coefficients_are_those_of_one_response(name):
    shared = {"tol": 1e-11, "stop": None, "lambda_min_ratio": 0.02, "n_lambdas": 15}
    shared |= OPTIONS[name]
    factors = shared.pop("penalty_factor", np.ones(120))
    for p, offset in ((6, np.cos(np.arange(70.0))), (120, None)):
        shared["penalty_factor"] = factors[:p]
        one = ss.path(X_ROW[:, :p], Y_ROW, offset=offset, **shared)
        row = None if offset is None else offset[:, None]
        rows = ss.path(X_ROW[:, :p], Y_ROW[:, None], family="multigaussian", offset=row, **shared)
        assert rows.lambdas == pytest.approx(one.lambdas, rel=1e-9) and rows.gaps.max() <= 1e-11
        assert np.abs((rows.coefs[0] - one.coefs).toarray()).max() < 1e-4
        assert rows.intercepts[0] == pytest.approx(one.intercepts, abs=1e-4)
        assert rows.dev_ratio == pytest.approx(one.dev_ratio, abs=1e-6)


# Few rows that stand for many: their inner products are those of the design they replace

RNG_INNER = np.random.default_rng(6)
A = RNG_INNER.normal(size=(40, 5)) * [1.0, 1e3, 1e-3, 1.0, 1.0]
A[:, 4] = 0.0


def inner(rows):
    """A'A as solvers see it: columns of the design under its weights."""
    columns = rows.design.unpacked(np.arange(rows.design.p, dtype=np.intc))
    return (rows.weights[:, None] * columns).T @ columns


def cross(rows, response):
    columns = rows.design.unpacked(np.arange(rows.design.p, dtype=np.intc))
    return (rows.weights * response) @ columns


def test_rows_of_a_gram_matrix():
    gram = A.T @ A
    rows, size = Rows(gram), np.where(A.any(axis=0), np.sqrt(np.diagonal(gram)), 1.0)
    assert rows.design.n == 6 and rows.weights == pytest.approx(np.full(6, 1 / 6))
    assert inner(rows) / np.outer(size, size) == pytest.approx(gram / np.outer(size, size),
                                                               abs=1e-9)  # fmt: skip
    assert np.asarray(rows.design.spread).tolist() == [1, 1, 1, 1, 0]


def test_a_response_of_few_rows_has_the_products_and_the_length_of_the_one_it_replaces():
    X, y = RNG_INNER.normal(size=(40, 5)), RNG_INNER.normal(size=40)
    rows = Rows(X.T @ X)
    c = rows.response(X.T @ y, y @ y)
    assert cross(rows, c) == pytest.approx(X.T @ y, rel=1e-10)
    assert rows.weights @ c**2 == pytest.approx(y @ y, rel=1e-12)
    for square in (0.0, 1e-3):  # no length is too small for these products
        shortest = rows.response(X.T @ y, square)
        assert shortest[-1] == 0.0 and shortest[:-1] == pytest.approx(c[:-1])
    fitted = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    assert rows.weights @ rows.response(X.T @ y) ** 2 == pytest.approx(fitted @ fitted)
