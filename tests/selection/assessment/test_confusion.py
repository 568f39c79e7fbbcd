"""Confusion against counts of predictions."""

import pytest
from assessed_fits import BINOMIAL, ETA, KIND, MULTINOMIAL, NEW, SICK, W, X

import sparsesolve as ss


def test_confusion_counts():
    table = ss.confusion(MULTINOMIAL, X[NEW], KIND[NEW], s=0.05)
    predicted = MULTINOMIAL.predict(X[NEW], s=0.05, kind="class")
    expected = [[((KIND[NEW] == t) & (predicted == p)).sum() for p in "abc"] for t in "abc"]
    assert table.counts.tolist() == expected
    assert table.accuracy == pytest.approx((KIND[NEW] == predicted).mean())
    lines = str(table).splitlines()
    assert lines[0].split()[-4:] == ["a", "b", "c", "total"] and lines[-1].endswith("% correct")
    assert lines[2].split() == ["b", *map(str, expected[1]), str(sum(expected[1]))]
    weighted = ss.confusion(BINOMIAL, X[NEW], SICK[NEW], weights=W)
    assert len(weighted) == 3 and weighted[0].counts.sum() == pytest.approx(W.sum())


def test_numbers_have_no_classes():
    with pytest.raises(ValueError, match="A gaussian fit has no classes"):
        ss.confusion(ss.path(X, ETA), X, ETA)
