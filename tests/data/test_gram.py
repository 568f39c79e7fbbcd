"""X'X, X'y and y'y: copied as they are, or refused with the reason."""

import numpy as np
import pytest

from sparsesolve.data import read_gram

X = np.array([[1.0, 2], [3, 4], [5, 7]])
GRAM, XTY = X.T @ X, X.T @ [1.0, 2, 4]


def test_they_come_back_fresh():
    gram = GRAM.astype(np.float32)
    G, cross, yty, names = read_gram(gram, list(XTY), 21)
    assert np.array_equal(G, GRAM) and np.array_equal(cross, XTY) and yty == 21.0
    assert G.dtype == np.float64 and not np.shares_memory(G, gram)
    assert read_gram(GRAM, XTY, None)[2] is None and names is None


def changed(i, j, value):
    gram = GRAM.copy()
    gram[i, j] = value
    return gram


@pytest.mark.parametrize(
    "gram, xty, yty, match",
    [
        (GRAM[:1], XTY, None, r"gram has shape \(1, 2\)"),
        (np.empty((0, 0)), [], None, "gram has shape"),
        (GRAM, XTY[:1], None, r"xty has shape \(1,\) but gram has 2 columns"),
        (GRAM, [1.0, np.nan], None, "xty holds nan at position 1"),
        (changed(0, 1, np.inf), XTY, None, "gram holds inf at row 0, column 1"),
        (changed(1, 1, -1.0), XTY, None, "gram has -1 at row 1, column 1"),
        (changed(0, 1, 1.0), XTY, None, "gram is not symmetric"),
        (np.array([[1.0, 2], [2, 1]]), [0, 0], None, "a product exceeds its columns' sizes"),
        ([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]], np.ones(3), None, "negative eigenvalue"),
        (np.eye(2), [1.0, 1.0], 1.5, "yty is 1.5, but .* the columns explain 2 of"),
        (np.zeros((2, 2)), XTY, None, "xty is 27 for column 0, which gram says is 0"),
        (GRAM, XTY, 1.0, "yty is 1, but gram and xty say that the columns explain 20.9"),
        (GRAM, XTY, -1.0, "yty must be at least 0"),
        ([["a"]], [1.0], None, "text"),
    ],
)
def test_what_cannot_be_is_refused(gram, xty, yty, match):
    with pytest.raises((ValueError, TypeError), match=match):
        read_gram(gram, xty, yty)


def test_names_in_another_order_are_put_into_that_of_the_columns():
    pandas = pytest.importorskip("pandas")
    gram = pandas.DataFrame(GRAM, index=["a", "b"], columns=["a", "b"])
    named = pandas.Series(XTY, ["a", "b"])
    for xty in (named, named[::-1], pandas.Series(XTY), XTY):
        for rows in (gram, gram[::-1]):
            G, cross, _, _ = read_gram(rows, xty, None)
            np.testing.assert_array_equal(G, GRAM)
            np.testing.assert_array_equal(cross, XTY)
    with pytest.raises(ValueError, match="xty names 'c', which is no column of gram"):
        read_gram(gram, named.rename({"b": "c"}), None)
