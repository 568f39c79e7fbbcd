"""Coefficients at their places: in a tree, an image, a graph; and what does not fit."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import single, ward

from sparsesolve.penalties import tree_groups
from sparsesolve.penalties.trees import read_tree
from sparsesolve.results.pictures.image import (
    CHOSEN,
    LEFT,
    layout,
    plot_graph,
    plot_image,
    plot_tree,
)

GROUPS = [[4, 0], [1, 3], [4, 0, 2], [1, 3, 4, 0, 2]]  # feature 5 is in none
B = np.array([0.0, 1.0, 0.0, -2.0, 0.0, 3.0])


def test_every_group_is_an_interval_above_its_features():
    rng = np.random.default_rng(0)
    for linkage in (ward(rng.standard_normal((40, 3))), single(np.arange(30.0)[:, None] ** 2)):
        groups = tree_groups(linkage, leaves=False)
        place, across, height = layout(read_tree(groups, None, len(linkage) + 1, None))
        assert sorted(place) == list(range(len(linkage) + 1))
        by_size = sorted(groups, key=len)
        for group, middle in zip(by_size, across, strict=True):
            spots = np.sort(place[group])
            assert (np.diff(spots) == 1).all() and middle == np.mean(spots)
        holds = [(a, b) for a, one in enumerate(by_size) for b, other in enumerate(by_size)
                 if set(one) < set(other)]  # fmt: skip
        assert all(height[a] < height[b] for a, b in holds) and height.min() == 1.0


def test_branches_and_dots():
    ax = plot_tree(B, GROUPS, ax=Figure().add_subplot())
    lines, dots, leaves = ax.collections
    assert len(lines.get_segments()) == 5 + 3  # features in groups, groups in groups
    dark = np.array([tuple(c)[0] < 0.5 for c in lines.get_colors()])
    assert dark.sum() == 2 + 1  # features 1 and 3, and their pair
    assert float(CHOSEN) < 0.5 < float(LEFT)
    assert np.array_equal(leaves.get_array(), B) and leaves.get_clim() == (-3.0, 3.0)
    # norms of [4, 0], [1, 3], [4, 0, 2] and of all of these
    assert dots.get_sizes() == pytest.approx([0.0, 40.0, 0.0, 40.0])


def test_names_and_several_responses():
    names = list("abcdef")
    ax = plot_tree(np.stack([B, -B]), [["b", "d"], list("abcd")], names, Figure().add_subplot())
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["f", "d", "b"]
    assert np.allclose(ax.collections[2].get_array(), np.sqrt(2.0) * np.abs(B))
    nothing = plot_tree(np.zeros(6), GROUPS, ax=Figure().add_subplot())
    assert not nothing.collections[1].get_sizes().any()


@pytest.mark.parametrize("groups, names, sentence", [
    ([[0, 1], [1, 2]], None, "cross"), ([[0, 9]], None, "features are numbered"),
    (GROUPS, ["a"], "names has 1 names; give one for each of 6"),
])  # fmt: skip
def test_what_is_refused(groups, names, sentence):
    with pytest.raises(ValueError, match=sentence):
        plot_tree(B, groups, names)


def test_an_image():
    b = np.array([0.0, 1.0, -2.0, 0.0, 0.5, 0.0])
    ax = plot_image(b, (2, 3), Figure().add_subplot())
    drawn = ax.get_images()[0]
    assert np.array_equal(drawn.get_array(), b.reshape(2, 3)) and drawn.get_clim() == (-2.0, 2.0)
    assert plot_image(np.zeros(4), (2, 2), ax) is ax
    with pytest.raises(ValueError, match=r"shape \(2, 2\) does not have 6 entries"):
        plot_image(b, (2, 2), ax)


def test_a_graph():
    b, places = np.array([1.0, 1.0, -1.0]), np.array([[0, 0], [1, 0], [0, 1.0]])
    ax = plot_graph(b, [(0, 1), (1, 2)], places, Figure().add_subplot())
    assert [line.get_linewidth() for line in ax.lines] == [3.0, 0.7]
    assert np.array_equal(ax.collections[0].get_offsets(), places)
    with pytest.raises(ValueError, match="give two numbers for each of 3"):
        plot_graph(b, [], places[:2], ax)
