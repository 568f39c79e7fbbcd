"""Names beside lines: which, where, and in what colours, against plain searches."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sparsesolve.results.pictures.line_names import (
    COLOURS,
    FARTHEST,
    STYLES,
    choose_names,
    line_colours,
    line_styles,
    ranks,
    spread,
)

RNG = np.random.default_rng(1)


@pytest.mark.parametrize("wanted, spacing", [
    ([0.5, 0.52, 0.6, 0.61, 0.62, 0.9], 0.06),
    ([0.99, 1.0, 1.3], 0.05),
    ([-1.0, 2.0], 1.0),
    ([0.4], 0.3),
    (np.sort(RNG.random(12)), 0.05),
])  # fmt: skip
def test_places_are_the_nearest_that_stand_apart(wanted, spacing):
    wanted = np.array(wanted, dtype=float)
    places = spread(wanted, spacing)
    assert (np.diff(places) >= spacing - 1e-12).all()
    assert places[0] >= -1e-12 and places[-1] <= 1 + 1e-12
    room = {"type": "ineq", "fun": lambda x: np.diff(x) - spacing}
    found = minimize(lambda x: ((x - wanted) ** 2).sum(), np.linspace(0, 1, len(wanted)),
                     bounds=[(0, 1)] * len(wanted), constraints=[room] * (len(wanted) > 1),
                     options={"ftol": 1e-14, "maxiter": 500})  # fmt: skip
    assert places == pytest.approx(found.x, abs=1e-5)


def test_places_of_nothing():
    assert spread(np.empty(0), 0.1).shape == (0,)


def test_the_largest_are_named_from_the_lowest_up():
    sizes = np.array([0.3, -0.2, 0.0, 0.05, -0.4])
    chosen, places = choose_names(sizes, 0.5, 0.02, 3)
    assert chosen == [4, 1, 0] and places == pytest.approx([0.1, 0.3, 0.8])
    everyone, _ = choose_names(sizes, 0.5, 0.02, 99)
    assert everyone == [4, 1, 3, 0]  # a line that ends at 0 has no name
    assert choose_names(np.zeros(3), 0.5, 0.02, 9)[0] == []
    assert choose_names(sizes, 0.5, 0.02, 0)[0] == [] == choose_names(sizes[:0], 0.5, 0.1, 9)[0]


def test_no_more_names_than_stand_one_above_the_other():
    sizes = np.linspace(0.1, 1.0, 10)
    assert len(choose_names(sizes, 0.0, 0.24, 99)[0]) == 4
    assert len(choose_names(sizes, 0.0, 0.26, 99)[0]) == 3
    assert choose_names(np.array([0.5]), 0.0, 1.5, 9)[0] == []


def test_names_that_would_stand_too_far_off_are_left_out():
    sizes = np.r_[np.full(20, 0.5) + 1e-3 * np.arange(20), 0.1]
    chosen, places = choose_names(sizes, 0.0, 0.05, 99)
    assert np.abs(places - sizes[chosen]).max() <= FARTHEST
    assert 20 in chosen and len(chosen) == 6  # 5 of those crowded: within 0.1 on either side
    assert {19, 18, 17, 16, 15} == set(chosen) - {20}  # the largest of them
    assert sizes[chosen].tolist() == sorted(sizes[chosen])


@pytest.mark.parametrize("m", [1, 6, 7, 8, 40])
def test_neighbours_differ_in_colour_and_the_large_are_solid(m):
    ends = RNG.normal(size=m)
    numbers = ranks(ends)
    assert len(set(numbers)) == m
    colours = numbers % len(COLOURS)
    order = np.argsort(ends)
    for k in range(m - len(COLOURS) + 1):
        assert len(set(colours[order[k : k + len(COLOURS)]])) == len(COLOURS)
    for c in set(colours):  # of one colour, the larger the smaller its number
        own = np.flatnonzero(colours == c)
        assert (np.diff(np.abs(ends[own])[np.argsort(numbers[own])]) <= 0).all()


def test_equal_ends_are_numbered_in_their_order():
    assert ranks(np.zeros(9)).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert ranks(np.empty(0)).tolist() == []


def test_colours_and_styles_by_number():
    assert line_colours([0, 6, 7, 15]) == [COLOURS[0], COLOURS[6], COLOURS[0], COLOURS[1]]
    assert line_styles([0, 6, 7, 27]) == [STYLES[0], STYLES[0], STYLES[1], STYLES[3]]
    assert line_styles([0, 7, 28]) == [STYLES[0]] * 3  # more than there are styles
    assert line_styles([]) == [] == line_colours([])


def test_named_lines_are_drawn_over_the_others():
    pytest.importorskip("matplotlib")
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_hex
    from matplotlib.figure import Figure

    from sparsesolve.results.pictures.line_names import PALE, name_lines

    ends, names = np.array([0.5, -1.0, 0.0, 2.0]), ["p", "q", "r", "s"]
    lines = [np.array([[0.0, 0.0], [1.0, end]]) for end in ends]
    for numbers in (None, np.array([3, 2, 1, 0])):
        ax = Figure(figsize=(6, 4)).add_subplot()
        ax.set_ylim(-2.0, 3.0)
        collection = LineCollection(lines)
        ax.add_collection(collection)
        name_lines(ax, collection, 1.0, ends, names, 2, numbers)
        drawn = [segment[-1, 1] for segment in collection.get_segments()]
        assert drawn == [0.5, 0.0, -1.0, 2.0]  # those without a name below
        colours = [to_hex(c).upper() for c in collection.get_colors()]
        wanted = [COLOURS[0], COLOURS[1]] if numbers is None else [COLOURS[2], COLOURS[0]]
        assert colours == [PALE, PALE, *wanted]
        assert collection.get_linewidths().tolist() == [0.8, 0.8, 1.3, 1.3]
        assert [text.get_text() for text in ax.texts] == ["q", "s"]
        assert [text.xy for text in ax.texts] == [(1.0, -1.0), (1.0, 2.0)]
        assert [text.xyann[1] for text in ax.texts] == pytest.approx([0.2, 0.8])
