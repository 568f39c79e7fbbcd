"""Rows with known responses: their classes, offsets, and what is no fit of theirs."""

import numpy as np
import pytest
from assessed_fits import BINOMIAL, ETA, KIND, MULTINOMIAL, NEW, OLD, SICK, X

import sparsesolve as ss


def test_new_rows_need_not_have_all_classes():
    some = KIND[NEW] != "b"
    found = ss.assess(MULTINOMIAL, X[NEW][some], KIND[NEW][some], s=0.05)
    predicted = MULTINOMIAL.predict(X[NEW][some], s=0.05, kind="class")
    assert found["class"] == pytest.approx((predicted != KIND[NEW][some]).mean())
    sick = SICK[NEW] == "sick"
    only = ss.assess(BINOMIAL, X[NEW][sick], SICK[NEW][sick], s=0.05)
    predicted = BINOMIAL.predict(X[NEW][sick], s=0.05, kind="class")
    assert only["class"] == pytest.approx((predicted == "healthy").mean())
    assert np.isnan(only["auc"])
    with pytest.raises(ValueError, match="the class 'dead', which the fit does not know"):
        ss.assess(BINOMIAL, X[NEW], np.where(sick, "dead", "healthy"))


@pytest.mark.parametrize("ask", [ss.assess, ss.criteria, ss.refit, ss.relax])
def test_only_paths_are_asked(ask):
    with pytest.raises(TypeError, match="fit is a ndarray; give a Path or a CVPath"):
        ask(BINOMIAL.coef(0.1), X, SICK)


def test_offsets_are_those_of_the_rows():
    fit = ss.path(X[OLD], SICK[OLD], family="binomial", offset=ETA[OLD], lambdas=[0.1])
    with pytest.raises(ValueError, match="give that of the new rows"):
        ss.assess(fit, X[NEW], SICK[NEW])
    found = ss.assess(fit, X[NEW], SICK[NEW], 0.1, offset=ETA[NEW])
    p = fit.predict(X[NEW], 0.1, kind="response", offset=ETA[NEW])
    likelihood = np.where(SICK[NEW] == "sick", p, 1 - p)
    assert found["deviance"] == pytest.approx(-2 * np.log(likelihood).mean())


def test_rows_of_weight_0_count_for_nothing():
    """Bins and thresholds are those of the rows that weigh something."""
    far, w = X[NEW].copy(), np.resize([1.0, 0.0, 2.0], 60)
    far[w == 0.0] *= 1e150
    some = w > 0.0
    rows, rest = (far, SICK[NEW]), (X[NEW][some], SICK[NEW][some])
    found = ss.roc(BINOMIAL, *rows, s=0.05, weights=w)
    expected = ss.roc(BINOMIAL, *rest, s=0.05, weights=w[some])
    assert (found.thresholds == expected.thresholds).all() and found.auc == expected.auc
    found = ss.calibration(BINOMIAL, *rows, s=0.05, n_bins=4, weights=w)
    expected = ss.calibration(BINOMIAL, *rest, s=0.05, n_bins=4, weights=w[some])
    for name in ("predicted", "observed", "weights"):
        assert (getattr(found, name) == getattr(expected, name)).all()
    assert ss.assess(BINOMIAL, *rows, weights=w)["auc"].tolist() == (
        ss.assess(BINOMIAL, *rest, weights=w[some])["auc"].tolist())  # fmt: skip
    counts = np.outer(w == 0.0, [2.0, 3.0])
    with pytest.raises(ValueError, match="no row counts: every row with a count in y has"):
        ss.assess(BINOMIAL, X[NEW], counts, weights=w)


TWO = ss.path(X, np.column_stack([ETA, X[:, 2]]), family="multigaussian", lambdas=[0.2, 0.1])
THREE = np.column_stack([ETA, X[:, 2], X[:, 3]])


@pytest.mark.parametrize("y, found", [(THREE, 3), (THREE[:, :1], 1)])
def test_there_are_as_many_responses_as_in_the_fit(y, found):
    with pytest.raises(ValueError, match=f"y has {found} columns; the path was fitted to 2"):
        ss.assess(TWO, X, y)


@pytest.mark.parametrize("ask", [ss.assess, ss.confusion])
@pytest.mark.parametrize("K", [2, 4])
def test_there_are_as_many_classes_as_in_the_fit(ask, K):
    with pytest.raises(ValueError, match=f"y has {K} classes; the path was fitted to 3"):
        ask(MULTINOMIAL, X, np.eye(K)[np.resize(np.arange(K), 150)])


def test_classes_of_a_table_without_names_are_numbered():
    table = np.eye(3)[np.searchsorted(["a", "b", "c"], KIND)]
    fit = ss.path(X[OLD], table[OLD], family="multinomial", lambdas=[0.05])
    some = KIND[NEW] != "a"
    codes = table.argmax(axis=1)[NEW][some]
    predicted = fit.predict(X[NEW][some], 0.05, kind="class")
    assert ss.assess(fit, X[NEW][some], codes, 0.05)["class"] == pytest.approx(
        (predicted != codes).mean())  # fmt: skip
    with pytest.raises(ValueError, match="the class 'a', which the fit does not know"):
        ss.assess(fit, X, KIND)


@pytest.mark.parametrize("family", ["multigaussian", "multinomial", "binomial"])
@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_columns_of_y_are_known_by_their_names(family, frame):
    table = pytest.importorskip(frame).DataFrame
    names = ["u", "v"] if family == "binomial" else ["u", "v", "w"]
    y = table({name: np.abs(THREE[:, k]) for k, name in enumerate(names)})
    fit = ss.path(X, y, family=family, lambdas=[0.1])
    found = ss.assess(fit, X, y, 0.1)
    assert found == ss.assess(fit, X, np.asarray(y), 0.1)
    with pytest.raises(ValueError, match="Column 0 of y is 'v' where .* 'u' .the same columns in"):
        ss.assess(fit, X, y[["v", "u", "w"][: len(names)]])
    other = table({f"not {name}": np.abs(X[:, k]) for k, name in enumerate(names)})
    with pytest.raises(ValueError, match="Column 0 of y is 'not u' .* .other columns.; pass y"):
        ss.assess(fit, X, other)


def test_a_frame_of_labels_has_one_column():
    table = pytest.importorskip("pandas").DataFrame({"kind": KIND[NEW]})
    assert ss.assess(MULTINOMIAL, X[NEW], table, 0.1) == ss.assess(
        MULTINOMIAL, X[NEW], KIND[NEW], 0.1)  # fmt: skip


def test_rows_have_the_columns_of_the_fit():
    with pytest.raises(ValueError, match="X has 3 columns"):
        ss.assess(BINOMIAL, X[:, :3], SICK)


def test_new_rows_of_a_fit_to_shares_need_not_have_both_classes():
    share = 1.0 / (1.0 + np.exp(-ETA))
    fit = ss.path(X, share, family="binomial", n_lambdas=5)
    found = ss.assess(fit, X, np.ones(len(X)), fit.lambdas[-1])
    eta = fit.predict(X, fit.lambdas[-1])
    assert found["class"] == pytest.approx((eta <= 0).mean()) and np.isnan(found["auc"])
    assert found["deviance"] == pytest.approx(2 * np.logaddexp(0, -eta).mean())
    shares = ss.assess(fit, X, share, fit.lambdas[-1])
    assert shares["deviance"] < found["deviance"]
