"""The picture of a cross-validation: means, bars, both lambdas, counts."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure  # noqa: E402

import sparsesolve as ss  # noqa: E402

RNG = np.random.default_rng(4)
X = RNG.standard_normal((60, 8))
Y = X[:, 0] + RNG.standard_normal(60)


def axes():
    return Figure(figsize=(6, 4), layout="constrained").add_subplot()


def test_means_errors_and_chosen_lambdas_stand_where_they_should():
    cv = ss.cv_path(X, Y, n_folds=5, seed=0, n_lambdas=20)
    ax = axes()
    assert cv.plot(ax=ax) is ax
    (bars,) = ax.containers
    points, _, (segments,) = bars
    np.testing.assert_allclose(points.get_xdata(), -np.log(cv.lambdas))
    np.testing.assert_allclose(points.get_ydata(), cv.mean)
    ends = np.array([segment[:, 1] for segment in segments.get_segments()])
    np.testing.assert_allclose(ends, np.stack([cv.lower, cv.upper], axis=1))
    lines = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == ":"]
    np.testing.assert_allclose(lines, -np.log([cv.lambda_1se, cv.lambda_min]))
    assert [text.get_text() for text in ax.texts] == ["1se", "min"]
    assert ax.get_ylabel() == "Mean squared error" and "log" in ax.get_xlabel()
    ax.figure.draw_without_rendering()
    top = ax.child_axes[0].xaxis.get_major_formatter()
    assert top(-np.log(cv.lambdas[7])) == str(cv.n_nonzero[7])


def test_without_axes_a_figure_is_made():
    cv = ss.cv_path(X, Y, n_folds=5, seed=0, lambdas=[0.5, 0.1, 0.0])
    ax = cv.plot()
    assert len(ax.containers[0][0].get_xdata()) == 2  # 0 has no place on a logarithmic axis


def test_a_path_of_lambda_zero_cannot_be_drawn():
    cv = ss.cv_path(X, Y, n_folds=5, seed=0, lambdas=[0.0])
    with pytest.raises(ValueError, match="no lambda that can be drawn"):
        cv.plot(ax=axes())
