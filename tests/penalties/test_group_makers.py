"""Windows, intervals and rectangles: how many there are, and what is refused."""

import pytest

from sparsesolve import penalties as P


def test_counts_and_refusals():
    assert len(P.interval_groups(5)) == 8 and P.interval_groups(1) == [[0]]
    assert len(P.rectangle_groups((3, 4))) == 2 * 2 + 2 * 3
    assert P.rectangle_groups((1, 1)) == [[0]]
    assert len(P.window_groups((5, 6), (2, 3))) == 4 * 4
    assert P.window_groups((3, 3), 3) == [list(range(9))]
    with pytest.raises(ValueError, match="size 4 is larger than shape 3"):
        P.window_groups(3, 4)
    with pytest.raises(ValueError, match="n_features must be at least 1"):
        P.interval_groups(0)
    with pytest.raises(TypeError, match=r"shape\[1\] must be a whole number"):
        P.rectangle_groups((2, 2.5))
    with pytest.raises(ValueError, match="size must be a pair"):
        P.window_groups((3, 3), (1, 1, 1))
