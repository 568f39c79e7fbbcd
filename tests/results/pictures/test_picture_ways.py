"""Other ways to draw a path: lines for groups, panels for classes, curves between knots."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.results.pictures.line_names import (
    COLOURS,
)  # noqa: E402

RNG = np.random.default_rng(12)
X = RNG.normal(size=(80, 7))
Y = X @ [2.0, -1.0, 1.0, 0.0, 0.0, 1.0, 0.0] + RNG.normal(size=80)
KIND = np.array(["x", "y", "z"])[(X[:, :3] + RNG.gumbel(size=(80, 3))).argmax(axis=1)]
GROUPS = [0, 1, 0, 2, 2, 3, 2]


def axes(count=1):
    return Figure(figsize=(6, 4), layout="constrained").subplots(1, count)


def segments_of(ax):
    (collection,) = (c for c in ax.collections if isinstance(c, LineCollection))
    return collection.get_segments(), [to_hex(c).upper() for c in collection.get_colors()]


def test_a_line_for_each_group_is_its_norm():
    fit = ss.path(X, Y, penalty=ss.penalties.GroupL2(GROUPS), n_lambdas=15)
    ax = axes()
    assert fit.plot("lambda", label=True, ax=ax, by="group") is ax
    drawn, _ = segments_of(ax)
    norms = [np.linalg.norm(fit.coefs.toarray()[np.array(GROUPS) == g], axis=0) for g in range(4)]
    ends = sorted(line[-1, 1] for line in drawn)
    assert ends == pytest.approx(sorted(norm[-1] for norm in norms))
    largest = int(np.argmax([norm[-1] for norm in norms]))
    assert f"group {largest}" in [text.get_text() for text in ax.texts]
    count = ax.child_axes[0].xaxis.get_major_formatter()
    assert [int(count(-np.log(lam))) for lam in fit.lambdas] == fit.df_groups.tolist()
    assert "group" in ax.get_ylabel() and ax.child_axes[0].get_xlabel() == "Nonzero groups"


def test_groups_of_a_tree_have_a_line_each():
    tree = {"all": range(7), "left": [0, 2], "leaf": [5]}
    fit = ss.path(X, Y, penalty=ss.penalties.TreeL2(tree), n_lambdas=10)
    drawn, _ = segments_of(fit.plot("lambda", label=True, ax=axes(), by="group"))
    last = fit.coefs.toarray()[:, -1]
    norms = [np.linalg.norm(last[list(which)]) for which in tree.values()]
    assert sorted(line[-1, 1] for line in drawn) == pytest.approx(sorted(norms))
    with pytest.raises(ValueError, match="no groups"):
        ss.path(X, Y, penalty=ss.penalties.Slope()).plot(by="group")


def test_a_group_of_one_bears_the_name_of_its_feature():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdefg"))
    fit = ss.path(frame, Y, penalty=ss.penalties.GroupL2(GROUPS))
    ax = fit.plot("lambda", label=True, ax=axes(), by="group")
    words = {text.get_text() for text in ax.texts}
    assert {"b", "f"} <= words <= {"b", "f", "group 0", "group 2"}


def test_a_panel_for_each_class_with_a_colour_for_each_feature():
    fit = ss.path(X, KIND, family="multinomial", n_lambdas=20)
    given = axes(3)
    panels = fit.plot("lambda", ax=given, by="class")
    assert [a is b for a, b in zip(panels, given, strict=True)] == [True] * 3
    assert [ax.get_title() for ax in panels] == ["x", "y", "z"]
    last = np.array([coefs.toarray()[:, -1] for coefs in fit.coefs])
    numbers = np.cumsum(np.any([abs(c).max(axis=1).toarray().ravel() for c in fit.coefs], axis=0))
    for ax, ends in zip(panels, last, strict=True):
        drawn, colours = segments_of(ax)
        for line, colour in zip(drawn, colours, strict=True):
            if len(line) and line[-1, 1] != 0.0:
                (j,) = np.flatnonzero(np.isclose(ends, line[-1, 1], rtol=1e-12))
                assert colour == COLOURS[(numbers[j] - 1) % len(COLOURS)]
        count = ax.child_axes[0].xaxis.get_major_formatter()
        assert count(-np.log(fit.lambdas[-1])) == str(np.count_nonzero(ends))


def test_panels_of_their_own():
    from matplotlib import pyplot

    fit = ss.path(X, np.column_stack([Y, -Y, Y**2, X[:, 3], X[:, 4]]), family="multigaussian",
                  n_lambdas=5)  # fmt: skip
    panels = fit.plot(by="class", label=True)
    figure = panels[0].figure
    assert len(panels) == 5 == len(figure.axes)
    assert panels[4].get_title() == "response 4"
    figure.draw_without_rendering()
    pyplot.close(figure)


def test_between_knots_lines_are_straight_in_lambda():
    fit = ss.lars_path(X, Y)
    ax = fit.plot("lambda", ax=axes())
    drawn, _ = segments_of(ax)
    for line in drawn:
        x, b = line[np.isfinite(line[:, 1])].T
        exact = fit.coef(np.exp(-x))
        assert np.abs(exact - b).max(axis=1).min() < 1e-9
    assert max(map(len, drawn)) > 200 and ax.get_xlim()[1] == pytest.approx(
        -np.log(0.1 * fit.lambdas[fit.lambdas > 0][-1])
    )
    count = ax.child_axes[0].xaxis.get_major_formatter()
    assert count(-np.log(fit.lambdas[2]) + 1e-6) == str(fit.df[2])


@pytest.mark.parametrize("by, words", [
    ("groups", "by is 'groups'; choose one of 'feature', 'group', 'class'"),
    ("group", "has no groups; fit it with a group penalty"),
    ("class", "has one response"),
])  # fmt: skip
def test_ways_that_do_not_suit_are_refused(by, words):
    with pytest.raises(ValueError, match=words):
        ss.path(X, Y, n_lambdas=3).plot(ax=axes(), by=by)


def test_too_few_panels_are_refused():
    fit = ss.path(X, KIND, family="multinomial", n_lambdas=3)
    with pytest.raises(ValueError, match="ax holds 2 axes; the path has 3 classes"):
        fit.plot(ax=axes(2), by="class")


@pytest.mark.parametrize("penalty", [ss.penalties.TotalVariation(order=[2, 1, 0, 3, 4, 5, 6]),
                                     ss.penalties.TrendFilter()])  # fmt: skip
def test_coefficients_along_a_line_are_drawn_along_it(penalty, tmp_path):
    fit = ss.path(X, Y, penalty=penalty, n_lambdas=12)
    ax = fit.plot(ax=axes())
    order = getattr(penalty, "order", None) or range(7)
    lines = ax.get_lines()
    assert len(lines) == 5
    np.testing.assert_array_equal(lines[-1].get_ydata(), fit.coefs.toarray()[order, -1])
    df = [penalty.degrees(b) for b in fit.coefs.toarray().T]
    assert fit.degrees.tolist() == df
    assert f"{df[-1]} {fit.counted}" in lines[-1].get_label()
    assert [int(row.split()[1]) for row in str(fit).splitlines()[3:]] == df
    assert f"{df[-1]} {fit.counted} of 7 features" in repr(fit)
    features = fit.plot(ax=axes(), by="feature").child_axes[0]
    count = features.xaxis.get_major_formatter()
    assert [int(count(-np.log(lam))) for lam in fit.lambdas] == df
    ss.save(fit, tmp_path / "model.npz")
    back = ss.load(tmp_path / "model.npz")
    assert back.degrees.tolist() == df and back.counted == fit.counted
    found = ss.criteria(back, X, Y)["bic"]
    np.testing.assert_allclose(found, ss.criteria(fit, X, Y)["bic"])
