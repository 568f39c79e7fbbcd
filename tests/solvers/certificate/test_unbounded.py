"""No finite optimum is said, with the features that lead there, and only where there is none."""

import warnings

import numpy as np
import pytest
from cases import every
from oracles.recession import no_optimum

import sparsesolve as ss
from sparsesolve import families

N = 200


def made(seed=0, p=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, p))
    return X, X[:, 0], rng


def fitted(X, y, **options):
    """The path, and what it warned of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fit = ss.path(X, y, **{"lambdas": [0.0], **options})
    return fit, [str(one.message) for one in seen]


@every("seed", range(25))
@every("tol", [1e-4, 1e-10])
def test_it_is_what_linear_programming_says(seed, tol):
    """Few rows of noise: half of the data sets are separable, many of them barely."""
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(14, 5)), rng.random(14) < 0.5
    labels[:2] = True, False
    fit, said = fitted(X, labels, family="binomial", tol=tol)
    endless = no_optimum("two classes", np.c_[np.ones(14), X], labels)
    assert (fit.status[-1] == ss.Status.UNBOUNDED) == bool(said) == endless


@every("seed", range(6))
@every("tol", [1e-4, 1e-7])
def test_an_order_of_deaths_that_a_column_tells_is_said(seed, tol):
    """Neighbours differ by little, so that the fall ends far out; one exchange ends it."""
    rng = np.random.default_rng(seed)
    X, free = rng.normal(size=(40, 3)), {"penalty_factor": [0, 1, 1], "lambdas": [0.1]}
    times = np.exp(-X[:, 0])
    fit, said = fitted(X, np.c_[times, np.ones(40)], family="cox", tol=tol, **free)
    assert fit.status[0] == ss.Status.UNBOUNDED and fit.unbounded.tolist() == [0]
    assert "No finite coefficients are best" in said[0]
    two = np.argsort(times)[[10, 30]]
    times[two] = times[two[::-1]]
    fit, said = fitted(X, np.c_[times, np.ones(40)], family="cox", tol=tol, **free)
    assert fit.status[0] == ss.Status.CONVERGED and not said


CERTAIN = np.arange(N) < 10  # rows whose responses are at their end
ALIKE = {
    "binomial": lambda eta, rng: (rng.logistic(size=N) + eta > 0) | CERTAIN,
    "multinomial": lambda eta, rng: np.where(CERTAIN, 2, np.digitize(
        eta + rng.logistic(size=N), [-1, 1])),
    "poisson": lambda eta, rng: np.where(CERTAIN, 0, rng.poisson(np.exp(0.3 * eta))),
    "cox": lambda eta, rng: (rng.exponential(np.exp(-eta)), 1.0 - CERTAIN),
    "probit": lambda eta, rng: (rng.normal(size=N) + eta > 0) | CERTAIN,
    "cloglog": lambda eta, rng: (rng.logistic(size=N) + eta > 0) | CERTAIN,
    "negative_binomial": lambda eta, rng: np.where(CERTAIN, 0, rng.poisson(np.exp(0.3 * eta))),
}  # fmt: skip


def family_of(name):
    if name == "negative_binomial":
        return families.negative_binomial(2.0)
    return getattr(families, name)() if name in ("probit", "cloglog") else name


@every("name", ALIKE)
@every("options", [
    {}, {"lambdas": None, "n_lambdas": 4, "penalty_factor": [1, 1, 1, 1, 0]},
    {"penalty": ss.penalties.GroupL2([0, 0, 1, 1, 2])},
])  # fmt: skip
def test_the_column_that_tells_responses_is_named(name, options):
    X, eta, rng = made()
    y = ALIKE[name](eta, rng)
    fit, said = fitted(np.c_[X, CERTAIN], y, family=family_of(name), **options)
    assert (fit.status == ss.Status.UNBOUNDED).all() and fit.unbounded.tolist() == [4]
    assert len(said) == 1 and "column 4 grow" in said[0]
    one = np.where(np.arange(N) == 0, 0, CERTAIN)  # of the ten, and no other row
    assert fitted(np.c_[X, one], y, family=family_of(name), **options)[0].unbounded is not None


@pytest.mark.parametrize("name", ["binomial", "multinomial", "poisson", "cox", "gamma", "huber"])
def test_where_there_is_an_optimum_nothing_is_said(name):
    X, eta, rng = made(1)
    y = {
        "binomial": rng.logistic(size=N) + eta > 0,
        "multinomial": np.digitize(eta + rng.logistic(size=N), [-1, 1]),
        "poisson": rng.poisson(np.exp(eta)),
        "cox": (rng.exponential(np.exp(-eta)), rng.random(N) < 0.7),
        "gamma": rng.gamma(2.0, np.exp(eta)), "huber": rng.standard_t(2, size=N),
    }[name]  # fmt: skip
    family = {"gamma": families.gamma(), "huber": families.huber(1.0)}.get(name, name)
    for tol in (1e-4, 1e-7):
        fit, said = fitted(X, y, family=family, tol=tol)
        assert fit.unbounded is None and not said and not fit.status.any()


def test_limits_hold_what_would_grow():
    X, eta, _ = made()
    assert fitted(X, eta > 0, family="binomial", lower=-2, upper=2)[0].unbounded is None
    assert fitted(X, eta > 0, family="binomial", upper=2)[0].unbounded is None
    assert fitted(X, eta > 0, family="binomial", lower=0)[0].unbounded[0] == 0


def test_a_lambda_that_holds_nothing_is_said():
    X, eta, _ = made()
    small, said = fitted(X, eta > 0, family="binomial", lambdas=[1e-3, 1e-12])
    assert small.status.tolist() == [0, 3] and "lambda = 1e-12" in said[0]
    assert not fitted(X, eta > 0, family="binomial", lambdas=[1e-3])[1]


@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-7])
def test_a_loose_tolerance_calls_no_lambda_negligible(tol):
    """At a hundredth of the first lambda there is an optimum, however loose the gap asked for."""
    X, eta, _ = made()
    first = ss.path(X, eta > 0, family="binomial", n_lambdas=1).lambdas[0]
    fit, said = fitted(X, eta > 0, family="binomial", lambdas=[0.01 * first], tol=tol)
    assert fit.status.tolist() == [0] and not said


def test_names_and_where_orthonormal_groups_hide_columns():
    X, eta, rng = made()
    y = ALIKE["binomial"](eta, rng)
    frame = {"a": X[:, 0], "b": X[:, 1], "sure": CERTAIN * 1.0}
    pandas = pytest.importorskip("pandas")
    _, said = fitted(pandas.DataFrame(frame), y, family="binomial")
    assert "column 'sure'" in said[0]
    fit, _ = fitted(np.c_[X[:, 0], CERTAIN], y, family="binomial", standardize="group",
                    penalty=ss.penalties.GroupL2([0, 1]))  # fmt: skip
    assert fit.unbounded.tolist() == [1]


def test_a_path_that_has_just_begun_is_held_by_its_lambda():
    """However little its first coefficients are penalised in all."""
    X, eta, _ = made()
    first = ss.path(X, eta > 0, family="binomial", n_lambdas=1, lambdas=None).lambdas[0]
    for part in (1.0, 1.0 - 1e-9, 1.0 - 1e-6, 0.999):
        assert fitted(X, eta > 0, family="binomial", lambdas=[part * first])[1] == []


@every("seed", range(6))
@every("p", [3, 25])
def test_counts_of_0_agree_with_a_linear_programme(seed, p):
    """Wide designs too, where the rows that hold first go to their places by long steps."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, p))
    y = rng.poisson(np.exp(2.0 * X[:, 0] - 1.0)) * (rng.random(20) < 0.7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        fit = ss.path(X, y, family="poisson", lambdas=[0.0])
    endless = no_optimum("counts", np.column_stack([np.ones(20), X]), y)
    assert fit.status[0] == (ss.Status.UNBOUNDED if endless else ss.Status.CONVERGED)


KERNELS = {
    "TotalVariation": (ss.penalties.TotalVariation(), np.ones((4, 1))),
    "TrendFilter": (ss.penalties.TrendFilter(1), np.c_[np.ones(4), np.arange(4.0)]),
    "GraphTV": (ss.penalties.GraphTV([(0, 1), (2, 3)]), np.kron(np.eye(2), np.ones((2, 1)))),
    "Separate": (
        ss.penalties.Separate({(0,): None, (1, 2, 3): ss.penalties.L1()}), np.eye(4)[:, :1]
    ),
}  # fmt: skip


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_directions_that_a_norm_does_not_see_are_what_linear_programming_says(name, several):
    """Some random classes are separated by combinations of the kernel, some are not."""
    penalty, N = KERNELS[name]
    family, said = "multinomial" if several else "binomial", set()
    kind = "classes" if several else "two classes"
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 4))
        score = X @ N @ rng.normal(size=N.shape[1]) + (seed % 2) * rng.normal(size=30)
        y = np.where(score > 0.5, 2, X[:, 0] > 0.0) if several else score > 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = ss.path(X, y, family=family, penalty=penalty, lambdas=[0.01])
        endless = bool(fit.status[0] == ss.Status.UNBOUNDED)
        assert endless == no_optimum(kind, np.c_[np.ones(30), X @ N], y)
        said.add(endless)
    assert said == {True, False}


def test_refits_of_separated_classes_say_so_in_cross_validation_too():
    rng = np.random.default_rng(20)
    X = rng.normal(size=(40, 30))
    y = X[:, 0] > 0
    with pytest.warns(UserWarning, match="No finite coefficients"):
        ss.cv_path(X, y, family="binomial", gammas=[0.0], n_lambdas=8, n_folds=3)
    fit = ss.path(X, y, family="binomial", n_lambdas=8)
    with pytest.warns(UserWarning, match="No finite coefficients"):
        relaxed = ss.relax(fit, X, y)
    assert 0 in relaxed.unbounded


def test_rows_of_far_smaller_numbers_hold_a_direction():
    """No direction that moves rows of 1e7 holds those of 1e-5, whose classes it does not tell."""
    X = np.zeros((7, 4))
    X[[1, 3, 6], 0], X[[1, 3, 6], 1] = [3.3e7, -2.7e7, -4.8e6], [0.008, 0.15, 0.14]
    X[[0, 3, 5, 6], 2], X[[2, 3], 3] = [5.5e-6, -1.9e-5, 2.5e-5, 7.6e-7], [-4.9e-7, -6.6e-7]
    options = {"penalty": ss.penalties.TotalVariation2D((2, 2)), "standardize": False,
               "lambdas": [2e-7], "max_iter": 20}  # fmt: skip
    for y, told in [([0, 1, 1, 0, 1, 1, 0], False), ([1, 1, 1, 0, 1, 1, 0], True)]:
        _, said = fitted(X, np.array(y), family="binomial", **options)
        assert any("keeps falling" in each for each in said) == told
