"""The data of a fit, given again: known by the deviance that they leave."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.results.fitted_data import FittedData

RNG = np.random.default_rng(3)
X = RNG.standard_normal((50, 4))
Y = X[:, 0] + RNG.standard_normal(50)
W, OFFSET = RNG.uniform(0.5, 2.0, 50), 0.3 * RNG.standard_normal(50)


@pytest.mark.parametrize("family, y", [
    ("gaussian", Y),
    ("binomial", Y > 0),
    ("binomial", np.column_stack([np.arange(1, 51), np.arange(50)[::-1] + 1])),
    ("cox", np.column_stack([np.exp(Y), Y > -1])),
    ("multinomial", np.digitize(Y, [-0.5, 0.5])),
])  # fmt: skip
def test_what_is_left_is_what_the_path_says(family, y):
    offset = np.outer(OFFSET, [1.0, 0.5, -1.0]) if family == "multinomial" else OFFSET
    fit = ss.path(X, y, family=family, weights=W, offset=offset, n_lambdas=8)
    data = FittedData(fit, X, y)
    null = fit.null_deviance / (2 * data.total)
    assert data.excess(fit.lambdas) == pytest.approx((1 - fit.dev_ratio) * null)
    data.refuse_others()
    with pytest.raises(ValueError, match="data is not that of the fit"):
        FittedData(fit, X[::-1], y).refuse_others()


def test_far_values_in_a_row_of_no_weight_hide_no_other_data():
    far, w = X.copy(), np.where(np.arange(50) == 3, 0.0, 1.0)
    far[3] = 1e15
    fit = ss.path(far, Y, weights=w, n_lambdas=8)
    FittedData(fit, far, Y).refuse_others()
    with pytest.raises(ValueError, match="data is not that of the fit"):
        FittedData(fit, far, Y[::-1]).refuse_others()


@pytest.mark.parametrize("X, y, options", [
    (X, 1.7e12 + Y, {}),
    (X, Y, {"offset": np.full(50, 1e12)}),
    (X + 1e13, Y, {}),
    (X, 1e160 * Y, {}),
    (X, 1e-160 * Y, {}),
    (X, np.ceil(1e9 * np.exp(Y)), {"family": "poisson"}),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_the_data_of_a_fit_are_known_whatever_their_digits(X, y, options):
    fit = ss.path(X, y, n_lambdas=5, lambda_min_ratio=0.1, stop=None, **options)
    FittedData(fit, X, y).refuse_others()


@pytest.mark.parametrize("ask", [
    ss.relax,
    ss.criteria,
    lambda fit, X, y: fit.extend(X, y, n_lambdas=2, lambda_min_ratio=0.01),
    lambda fit, X, y: fit.coef(0.07, exact=True, X=X, y=y),
])  # fmt: skip
def test_responses_are_as_many_and_in_the_order_of_the_fit(ask):
    table = np.column_stack([Y, X[:, 1], -Y])
    two = ss.path(X, table[:, :2], family="multigaussian", lambdas=[0.2, 0.1])
    with pytest.raises(ValueError, match="y has 3 columns; the path was fitted to 2"):
        ask(two, X, table)
    three = ss.path(X, np.digitize(Y, [-0.5, 0.5]), family="multinomial", lambdas=[0.2, 0.1])
    with pytest.raises(ValueError, match="y has 2 classes; the path was fitted to 3"):
        ask(three, X, Y > 0)
    frame = pytest.importorskip("pandas").DataFrame(table[:, :2], columns=["u", "v"])
    named = ss.path(X, frame, family="multigaussian", lambdas=[0.2, 0.1])
    ask(named, X, frame)
    with pytest.raises(ValueError, match="Column 0 of y is 'v' where the path was fitted to 'u'"):
        ask(named, X, frame[["v", "u"]])


def test_rows_that_inform():
    w = np.where(np.arange(50) < 10, 0.0, 1.0)
    assert FittedData(ss.path(X, Y, weights=w, n_lambdas=2), X, Y).n_informative() == 40
    y = np.column_stack([np.exp(Y), np.arange(50) % 2])
    fit = ss.path(X, y, family="cox", weights=w, n_lambdas=2)
    assert FittedData(fit, X, y).n_informative() == 20


def test_what_a_file_does_not_keep_is_said(tmp_path):
    y = (np.ceil(np.exp(Y)), Y > -1)
    strata = ss.families.cox(ties="efron", strata=np.arange(len(Y)) % 2)
    for options in ({"weights": W}, {"offset": OFFSET}, {"family": strata}):
        kept = y if "family" in options else Y
        ss.save(ss.path(X, kept, n_lambdas=5, **options), tmp_path / "m.npz")
        with pytest.raises(ValueError, match="model from a file lacks"):
            ss.criteria(ss.load(tmp_path / "m.npz"), X, kept)
    with pytest.raises(ValueError, match="model from a file lacks"):
        fit = ss.load(tmp_path / "m.npz")
        fit.predict(X, s=0.1, kind="survival", data=(X, y))
    fit = ss.path(X, y, family=ss.families.cox(ties="efron"), n_lambdas=5)
    ss.save(fit, tmp_path / "m.npz")
    curves = [f.predict(X, s=0.1, kind="survival", data=(X, y))
              for f in (fit, ss.load(tmp_path / "m.npz"))]  # fmt: skip
    assert np.array_equal(*curves)
