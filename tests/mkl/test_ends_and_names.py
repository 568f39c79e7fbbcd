"""Kernel paths end by the rule, know the columns they were made of; constant kernels are none."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from sparsesolve import mkl, mkl_path
from sparsesolve.estimators import MKLRegressor, MKLRegressorCV

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X[:, 0] - X[:, 1] + 0.3 * RNG.normal(size=60)
STACK = np.stack([np.outer(x, x) for x in X.T])


@pytest.mark.parametrize("norm", ["l1", "elastic", "l1_squared", "lp"])
@pytest.mark.parametrize("family, y", [("binomial", Y > 0), ("gaussian", Y), ("poisson", Y > 0)])
def test_the_deviance_rule_ends_a_path(norm, family, y):
    fit = mkl_path(STACK, y, family=family, norm=norm, lambda_min_ratio=1e-9)
    assert "deviance" in fit.stop_reason and len(fit.lambdas) < 100
    assert fit.gaps.max() <= 1e-7


def test_new_rows_have_the_columns_of_the_fit():
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    fit = mkl_path(mkl.build_grams(table, [(mkl.linear(), "a")]), Y, n_lambdas=3)
    expected = fit.predict(table[:5])
    np.testing.assert_array_equal(fit.predict(table[:5].to_numpy()), expected)
    np.testing.assert_array_equal(fit.predict(table[["b", "a"]][:5]), expected)
    with pytest.raises(ValueError, match="X has no column 'b', which the kernels were made of"):
        fit.predict(table[["a"]])


def test_missing_values_are_refused_before_and_after():
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    pairs, missing = [(mkl.gaussian(1.0), None)], table.copy()
    missing.iloc[2, 1] = np.nan
    with pytest.raises(ValueError, match="X holds nan at row 2 of column 'b'"):
        mkl.build_grams(missing, pairs)
    fit = mkl_path(mkl.build_grams(table, pairs), Y, n_lambdas=3)
    with pytest.raises(ValueError, match="X holds nan at row 2 of column 'b'"):
        fit.predict(missing)
    given = mkl_path(mkl.precomputed(STACK, scale="trace"), Y, n_lambdas=3)
    blocks = STACK[:, :5].copy()
    blocks[0, 1, 1] = np.inf
    with pytest.raises(ValueError, match="the block of kernel 0 holds NaN or infinity"):
        given.predict(blocks)


def test_diagonals_of_new_samples_are_one_for_each():
    fit = mkl_path(mkl.precomputed(STACK, scale="diagonal"), Y, n_lambdas=3)
    assert fit.predict((STACK[:, :5], np.ones((4, 5)))).shape == (5, 3)
    with pytest.raises(ValueError, match="the diagonal of kernel 0 has 2 values"):
        fit.predict((STACK[:, :5], np.ones((4, 2))))
    with pytest.raises(ValueError, match="2 diagonals are given; 4 are needed"):
        fit.predict((STACK[:, :5], np.ones((2, 5))))


PAIRS = [(mkl.gaussian(1.0), 0), (mkl.gaussian(1.0), 1), (mkl.polynomial(2), 1)]


@pytest.mark.parametrize("scale", [None, "trace", "diagonal"])
@pytest.mark.parametrize("value", [0.0, 1.0, 3.7])
def test_a_constant_column_has_a_zero_kernel_once_it_is_centred(scale, value):
    table = np.column_stack([X[:, 0], np.full(60, value)])
    made = [mkl.build_grams(table, PAIRS, centre=True, scale=scale, store=store)
            for store in (True, False)]  # fmt: skip
    made.append(mkl.build_grams(table, PAIRS, centre=True, scale=scale, dtype="float32"))
    for grams in made:
        fit = mkl_path(grams, Y, n_lambdas=10)
        assert fit.kernel_norms[0].any() and not fit.kernel_norms[1:].any()
        assert not grams.between(table[:3])[1].any()


def test_a_column_may_be_constant_in_one_fold():
    table = np.column_stack([X[:, 0], np.r_[np.ones(15), np.zeros(45)]])
    model = MKLRegressorCV(PAIRS, centre=True, cv=KFold(4), alphas=5).fit(table, Y)
    assert np.isfinite(model.score_path_).all()


@pytest.mark.parametrize("norm", ["l1", "elastic", "l1_squared", "lp"])
def test_constant_kernels_leave_the_null_model(norm):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nothing = mkl_path([np.zeros((60, 60))], Y, norm=norm)
        assert nothing.gaps.max() <= 1e-7 and not nothing.df.any() and not nothing.dev_ratio.any()
        fit = mkl_path(np.ones((2, 60, 60)), Y, norm=norm)
        assert len(fit.lambdas) == 1 and not fit.kernel_norms.any()
        assert fit.predict(np.ones((2, 3, 60)))[:, 0] == pytest.approx(Y.mean())
        for model in (MKLRegressor(norm=norm), MKLRegressorCV(norm=norm, cv=3, alphas=4)):
            assert model.fit(np.ones((60, 2)), Y).predict(X[:3, :2]) == pytest.approx(Y.mean())


def test_a_constant_response_is_cross_validated():
    model = MKLRegressorCV([(mkl.gaussian(1.0), 0)], cv=3, alphas=5).fit(X, np.ones(60))
    assert model.predict(X[:2]) == pytest.approx(1.0)


def test_stacks_are_centred_and_scaled_like_tables():
    weights = RNG.random(60)
    linear = [(mkl.linear(), j) for j in range(4)]
    for options in ({}, {"centre": True}, {"scale": None}, {"centre": True, "scale": None}):
        table = MKLRegressor(linear, alpha=0.1, **options).fit(X, Y, weights)
        stack = MKLRegressor("precomputed", alpha=0.1, **options).fit(STACK, Y, weights)
        assert stack.predict(STACK[:, :5]) == pytest.approx(table.predict(X[:5]), abs=1e-6)
    with pytest.raises(ValueError, match="scale='diagonal' needs k"):
        MKLRegressor("precomputed", scale="diagonal").fit(STACK, Y)


def test_the_hinge_asks_for_its_norms():
    with pytest.raises(ValueError, match="family 'hinge' needs norm .* not 'l1'; pass norm="):
        mkl_path(STACK, Y > 0, family="hinge")


@pytest.mark.parametrize("centre", [False, True])
@pytest.mark.parametrize("scale", [None, "trace", "diagonal"])
def test_what_is_no_kernel_is_refused_though_rounding_is_not(centre, scale):
    made = mkl.build_grams(X, [(lambda A, B: -(A @ B.T), None)], centre=centre, scale=scale)
    with pytest.raises(ValueError, match="not positive semidefinite: entry .* of its diagonal"):
        mkl_path(made, Y)
