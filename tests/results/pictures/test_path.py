"""Plots: what is drawn, where it stands, and that names do not run into each other."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("matplotlib")
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.text import Text  # noqa: E402

from sparsesolve.results.path import Path  # noqa: E402
from sparsesolve.results.pictures.path import MAX_LINES  # noqa: E402


def made(b, lambdas=None, **fields):
    """A path with the dense coefficients b, shape (p, L)."""
    b = np.asarray(b, dtype=float)
    n = b.shape[1]
    defaults = dict(
        lambdas=2.0 ** -np.arange(n) if lambdas is None else np.asarray(lambdas),
        coefs=sparse.csc_array(b),
        intercepts=np.zeros(n),
        df=(b != 0).sum(axis=0),
        dev_ratio=np.linspace(0, 0.9, n),
        null_deviance=1.0,
        gaps=np.zeros(n),
        n_iters=np.zeros(n, int),
        status=np.zeros(n, np.int8),
        stop_reason="",
        family="gaussian",
    )
    return Path(**{**defaults, **fields})


B = [[0, 1, 2], [0, 0, 0], [0, 0, -3], [0, 0.5, 0]]


def lines_of(ax):
    (collection,) = (c for c in ax.collections if isinstance(c, LineCollection))
    return [segment[:, 1].tolist() for segment in collection.get_segments()], collection


def axes():
    return Figure(figsize=(6, 4), layout="constrained").add_subplot()


def labels_of(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    "xvar, places, word",
    [
        ("norm", [0, 1.5, 5], "L1 norm"),
        ("lambda", [0, np.log(2), np.log(4)], "log"),
        ("dev", [0, 0.45, 0.9], "deviance"),
    ],
)
def test_the_three_axes(xvar, places, word):
    ax = axes()
    assert made(B).plot(xvar, label=False, ax=ax) is ax
    drawn, collection = lines_of(ax)
    assert drawn == [
        [0, 0.5, 0],
        [0, 1, 2],
        [0, -3],
    ]  # neither zeros nor the feature never selected
    np.testing.assert_allclose(collection.get_segments()[0][:, 0], places)
    np.testing.assert_allclose(collection.get_segments()[2][:, 0], places[1:])
    assert word in ax.get_xlabel() and ax.get_ylabel() == "Coefficient"
    assert set(map(tuple, collection.get_colors()))  # all drawn in colours of the palette
    assert ax.get_xlim() == pytest.approx((0, places[-1]))


def test_count_of_nonzeros_on_top():
    ax = made(B).plot("lambda", ax=axes())
    count = ax.child_axes[0].xaxis.get_major_formatter()
    assert [count(x) for x in (0.0, 0.5, np.log(2), 1.2, np.log(4))] == ["0", "0", "2", "2", "2"]
    assert count(-0.1) == count(5.0) == ""
    ax.figure.draw_without_rendering()


def test_labels_are_the_names_or_the_positions_of_the_last_coefficients():
    assert labels_of(made(B).plot(label=False, ax=axes())) == []
    assert sorted(labels_of(made(B).plot(ax=axes()))) == ["0", "2"]
    named = made(B, feature_names=np.array(["a", "b", "c", "d"]))
    assert sorted(labels_of(named.plot(label=True, ax=axes()))) == ["a", "c"]
    assert labels_of(named.plot(label=1, ax=axes())) == ["c"]
    with pytest.raises(TypeError, match="label must be a number, not 'yes'"):
        named.plot(label="yes", ax=axes())


def test_labels_do_not_overlap_and_stand_in_the_order_of_the_lines():
    rng = np.random.default_rng(0)
    ends = np.r_[rng.normal(size=60) * 0.01, 3.0, -3.0]
    ax = made(np.stack([0 * ends, ends], axis=1)).plot(label=True, ax=axes())
    ax.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without their lines
    assert 6 < len(boxes) < 40
    assert all(low.y1 <= high.y0 + 1.0 for low, high in zip(boxes, boxes[1:], strict=False))
    shown = [ends[int(label)] for label in labels_of(ax)]
    assert shown == sorted(shown)
    assert {61, 60} <= {int(label) for label in labels_of(ax)}  # the largest always


def test_an_empty_model_and_one_lambda_are_drawn():
    ax = made(np.zeros((3, 2))).plot(label=True, ax=axes())
    ax.figure.draw_without_rendering()
    ax = made([[1.0]], lambdas=[0.5]).plot("lambda", label=True, ax=axes())
    ax.figure.draw_without_rendering()
    assert labels_of(ax) == ["0"]


def test_lambda_zero_is_left_out_of_the_axis_of_lambda():
    path = made([[0, 1, 2]], lambdas=[2.0, 1.0, 0.0])
    assert lines_of(path.plot("lambda", ax=axes()))[0] == [[0, 1]]
    assert lines_of(path.plot("norm", ax=axes()))[0] == [[0, 1, 2]]
    with pytest.raises(ValueError, match="no lambda"):
        made([[1.0]], lambdas=[0.0]).plot("lambda", ax=axes())


def test_a_huge_ridge_path_draws_its_largest_lines_and_says_so():
    p = 200_000
    b = sparse.csc_array(np.linspace(0.0, 1.0, p)[:, None] * [[0.0, 1.0]])
    ax = made(np.zeros((1, 2)), coefs=b, df=np.array([0, p - 1])).plot(label=False, ax=axes())
    drawn, _ = lines_of(ax)
    assert len(drawn) == MAX_LINES and min(line[1] for line in drawn) > 0.99
    assert labels_of(ax) == ["the largest 1,000 of 199,999 lines"]


def test_several_responses_are_drawn_as_norms():
    first, second = sparse.csc_array([[0.0, 3.0]]), sparse.csc_array([[0.0, -4.0]])
    path = made([[0, 1]], coefs=[first, second], intercepts=np.zeros((2, 2)))
    ax = path.plot("norm", ax=axes())
    assert lines_of(ax)[0] == [[0.0, 5.0]]
    assert "Norm" in ax.get_ylabel()
    assert ax.get_xlim()[1] == pytest.approx(7.0)


def test_an_unknown_axis_is_refused():
    with pytest.raises(ValueError, match="xvar is 'lamda'; choose one of 'norm', 'lambda', 'dev'"):
        made(B).plot("lamda", ax=axes())


def test_what_is_no_axes_is_refused():
    with pytest.raises(TypeError, match="ax must be axes of matplotlib or None, not int"):
        made(B).plot(ax=3)
    one = sparse.csc_array([[0.0, 3.0]])
    several = made([[0, 1]], coefs=[one, one], intercepts=np.zeros((2, 2)))
    with pytest.raises(TypeError, match="ax must be axes of matplotlib or None, not str"):
        several.plot(by="class", ax=["left", "right"])


def test_axes_of_its_own():
    from matplotlib import pyplot

    ax = made(B).plot(label=True)
    assert ax.figure.number in pyplot.get_fignums()
    pyplot.close(ax.figure)


def test_without_matplotlib_one_sentence():
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy as np\nfrom sparsesolve.results.pictures.axes import axes_or_new\n"
        "try:\n    axes_or_new(None)\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "pip install 'sparsesolve[plot]'" in done.stdout, done.stderr
