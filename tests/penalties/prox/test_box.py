"""Projection on a box and a hyperplane: closed forms, optimality, and what is refused."""

import numpy as np
import pytest

from sparsesolve.penalties.prox import box_hyperplane, project_simplex

RNG = np.random.default_rng(15)


def test_without_bounds_it_is_the_projection_on_the_hyperplane():
    m, a = RNG.standard_normal((2, 6))
    expected = m + a * (1.5 - a @ m) / (a @ a)
    assert box_hyperplane(m, -np.inf, np.inf, a, 1.5) == pytest.approx(expected, abs=1e-12)


def test_the_simplex_is_a_special_case():
    m = RNG.standard_normal(9)
    assert box_hyperplane(m, 0.0, np.inf, 1.0, 1.0) == pytest.approx(project_simplex(m), abs=1e-12)


def test_a_normal_of_0_leaves_the_box_alone():
    x = box_hyperplane([3.0, -3.0, 0.5], -1.0, 1.0, [1.0, 0.0, 0.0], -0.25)
    assert x.tolist() == [-0.25, -1.0, 0.5]


@pytest.mark.parametrize("n", [1, 3, 40])
def test_the_conditions_of_optimality(n):
    """d^2 (x - m) is a multiple of a where no bound holds x, and points outwards at a bound."""
    for _ in range(20):
        m, a = 2.0 * RNG.standard_normal((2, n))
        lower, upper = -RNG.uniform(0.0, 1.0, n), RNG.uniform(0.0, 1.0, n)
        d, inside = RNG.uniform(0.5, 2.0, n), RNG.uniform(0.2, 0.8, n)
        z = a @ (lower + inside * (upper - lower))
        x = box_hyperplane(m, lower, upper, a, z, d)
        assert a @ x == pytest.approx(z, abs=1e-11)
        assert (x >= lower).all() and (x <= upper).all()
        pull, free = d**2 * (x - m), (x > lower) & (x < upper)
        if free.any():
            t = (pull[free] / a[free])[np.abs(a[free]).argmax()]
            assert pull[free] == pytest.approx(t * a[free], abs=1e-9)
            rest = pull - t * a
            assert (rest[x == lower] >= -1e-9).all() and (rest[x == upper] <= 1e-9).all()


def test_levels_at_the_ends_of_the_box():
    m, a = np.zeros(3), np.array([1.0, -2.0, 1.0])
    assert box_hyperplane(m, -1.0, 1.0, a, 4.0).tolist() == [1.0, -1.0, 1.0]
    with pytest.raises(ValueError, match="missed by 0.5"):
        box_hyperplane(m, -1.0, 1.0, a, 4.5)


@pytest.mark.parametrize("change, sentence", [
    ({"m": [[1.0]]}, "^m has 2 dimensions"),
    ({"m": [np.nan, 0.0]}, "^m .*nan"),
    ({"lower": [0.0]}, r"^lower has shape \(1,\)"),
    ({"lower": 2.0}, "^lower is 2 above upper, 1, at 0"),
    ({"a": [np.inf, 1.0]}, "^a is infinite at 0"),
    ({"d": [1.0, 0.0]}, "^d is 0 at 1"),
    ({"z": np.inf}, "^z is inf"),
])  # fmt: skip
def test_what_is_refused(change, sentence):
    given = {"m": [0.0, 0.0], "lower": 0.0, "upper": 1.0, "a": [1.0, 1.0], "z": 1.0, **change}
    with pytest.raises(ValueError, match=sentence):
        box_hyperplane(**given)
