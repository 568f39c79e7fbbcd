"""Coefficients drawn as an image and on a graph: colours, thick edges, what does not fit."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from sparsesolve.results.pictures.image import plot_graph, plot_image


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
