"""Choice: "auto" takes the solver that suits the problem."""

import numpy as np
import pytest
from random_sparse import random_csc

import sparsesolve as ss
from sparsesolve.solvers import SOLVERS, choice, suitability

RNG = np.random.default_rng(6)
X = RNG.standard_normal((40, 8))
Y = X @ [2.0, -1, 0, 0, 1, 0, 0, 0] + RNG.standard_normal(40)


@pytest.fixture
def chosen(monkeypatch):
    """The names of the solvers that path() makes from now on."""
    names = []

    def watched(name, solver):
        def make(*args):
            names.append(name)
            return solver.state(*args)
        return solver._replace(state=make)

    monkeypatch.setattr(choice, "SOLVERS", {k: watched(k, v) for k, v in SOLVERS.items()})
    return names


def test_auto_takes_the_solver_that_suits(chosen):
    wide = RNG.standard_normal((20, 300))
    ss.path(X, Y)
    ss.path(wide, wide[:, 0])
    ss.path(X, Y, alpha=0)
    ss.path(wide, wide[:, 0], alpha=0)
    ss.path(X, Y, alpha=0, lower=-1)
    ss.path(X, Y, alpha=0, lambdas=[1, 0])
    ss.path(X, Y, solver="working_set")
    pairs = ss.penalties.GroupL2(np.arange(8) // 2)
    ss.path(X, Y, penalty=pairs)
    ss.path(X[:15], Y[:15], penalty=pairs)
    assert chosen == ["sufficient", "working_set", "ridge", "ridge", "sufficient", "sufficient",
                      "working_set", "sufficient", "working_set"]


def test_a_side_too_long_for_eigenvalues_is_left_to_others(chosen, monkeypatch):
    monkeypatch.setattr(suitability, "MOST_EIGENVALUES", 7)
    ss.path(X, Y, alpha=0)
    monkeypatch.setattr(suitability, "MOST_EIGENVALUES", 8)
    monkeypatch.setattr(suitability, "EIGENVALUES_TO_A_STORED_VALUE", 1)
    ss.path(X, Y, alpha=0)
    thin = random_csc((40, 8), 0.05, np.random.default_rng(1))
    ss.path(thin, Y, alpha=0)
    assert chosen == ["sufficient", "ridge", "sufficient"]


def test_few_lambdas_are_not_worth_eigenvalues(chosen, monkeypatch):
    monkeypatch.setattr(suitability, "FEW_EIGENVALUES", 2)
    monkeypatch.setattr(suitability, "EIGENVALUES_TO_A_LAMBDA", 4)
    one = ss.path(X, Y, alpha=0, lambdas=[0.1])
    two = ss.path(X, Y, alpha=0, lambdas=[0.2, 0.1])
    assert chosen == ["sufficient", "ridge"]
    assert np.abs((one.coefs - two.coefs[:, [1]]).toarray()).max() < 1e-5


@pytest.mark.parametrize(
    "family, usual", [("gaussian", "working_set"), ("binomial", "proximal_newton")]
)
def test_giant_groups_are_left_to_first_order_steps(chosen, family, usual):
    wide = RNG.standard_normal((40, 200))
    y = wide[:, 0] > 0 if family == "binomial" else wide[:, 0] + RNG.standard_normal(40)
    for size in (5, 100, 200):  # more columns than rows are no matter, their cube is
        penalty = ss.penalties.GroupL2(np.arange(200) // size)
        fit = ss.path(wide, y, family=family, penalty=penalty, n_lambdas=10, lambda_min_ratio=0.1)
        assert fit.gaps.max() <= 1e-7
    assert chosen == [usual, usual, "sparsa"]


def test_groups_under_the_maximum_norm_are_giant_sooner(chosen):
    """Most of their coefficients are as large as the largest: sweeps lead nowhere."""
    wide = RNG.standard_normal((20, 120))
    y = wide[:, 0] + RNG.standard_normal(20)
    halves, options = np.arange(120) // 60, {"n_lambdas": 5, "lambda_min_ratio": 0.1}
    for kind in (ss.penalties.GroupL2, ss.penalties.GroupLinf):
        for family, response in (("gaussian", y), ("multigaussian", np.outer(y, np.ones(8)))):
            fit = ss.path(wide, response, family=family, penalty=kind(halves), **options)
            assert fit.gaps.max() <= 1e-7
    assert chosen == ["working_set", "response_groups", "sparsa", "sparsa"]


def test_real_responses_are_left_to_inner_products_of_few_columns(chosen, monkeypatch):
    several = np.c_[Y, Y + RNG.standard_normal(40)]
    options = {"family": "multigaussian", "n_lambdas": 5}
    ss.path(X, several, **options)  # tall
    for most in (X.shape[1], X.shape[1] - 1):
        monkeypatch.setattr(suitability, "MOST_WIDE_GRAM_COLUMNS", most)
        ss.path(X[:7], several[:7], **options)
    monkeypatch.setattr(suitability, "MOST_GRAM_COLUMNS", 7)
    ss.path(X, several, **options)
    ss.path(X, several, solver="response_newton", **options)
    assert chosen == ["sufficient", "sufficient", "response_blocks", "response_blocks",
                      "response_newton"]  # fmt: skip


def test_classes_go_by_blocks_where_the_ridge_part_brings_all_features_to_work(chosen):
    wide = RNG.standard_normal((60, 200))
    classes = np.arange(60) % 3
    for alpha in (0.01, 0.1, 0.3, 1.0):
        ss.path(wide, classes, family="multinomial", alpha=alpha, n_lambdas=2)
    ss.path(wide[:, :9], classes, family="multinomial", alpha=0.0, n_lambdas=2)
    assert chosen == ["response_blocks"] * 2 + ["response_newton"] * 3


def test_many_coefficients_of_tall_data_go_by_blocks(chosen, monkeypatch):
    monkeypatch.setattr(suitability, "MOST_TALL_COEFFICIENTS", 40 * 8 - 1)
    classes, options = np.arange(120) % 40, {"family": "multinomial", "lambdas": [0.015]}
    for p in (8, 7, 41):  # With 41 columns rows are not three times as many.
        ss.path(RNG.standard_normal((120, p)), classes, **options)
    assert chosen == ["response_blocks", "response_newton", "response_newton"]


def test_a_giant_group_without_a_norm_is_so_many_columns(chosen, monkeypatch):
    """Large l1/linf groups are left to first-order steps, which are slow."""
    monkeypatch.setattr(suitability, "FIRST_ORDER_PASSES", 50)
    X = RNG.standard_normal((4, 12))
    for weights in ([1.0, 1.0], [0.0, 1.0]):
        penalty = ss.penalties.GroupLinf(np.repeat([0, 1], [9, 3]), weights)
        ss.path(X, X[:, 10], penalty=penalty, n_lambdas=3)
    wide = RNG.standard_normal((4, 100))  # a block of 90 columns costs eigenvalues
    penalty = ss.penalties.GroupLinf(np.repeat([0, 1], [90, 10]), [0.0, 1.0])
    ss.path(wide, wide[:, 95], penalty=penalty, n_lambdas=3)
    assert chosen == ["sparsa", "working_set", "sparsa"]
