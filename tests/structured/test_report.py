"""Reports of tags against scikit-learn, and spans against conlleval's rules written down."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import structured

TAGS = ["O", "B-A", "I-A", "B-B", "I-B", "E-A", "S-B", "L-A", "U-B"]


def begins(before, tag):
    """The rules of conlleval, as a table of cases; a tag is (mark, type)."""
    return tag[0] in "BSU" or before[0] in "ESLUO" and tag[0] in "EIL" or (
        tag[0] != "O" and before[1] != tag[1])  # fmt: skip


def ends(before, tag):
    return before[0] in "ESLU" or before[0] in "BI" and tag[0] in "BSUO" or (
        before[0] != "O" and before[1] != tag[1])  # fmt: skip


def slow_spans(tags):
    out, before, first = [], ("O", ""), None
    for i, text in enumerate([*tags, "O"]):
        tag = tuple(text.split("-")) if text != "O" else ("O", "")
        if before[0] != "O" and ends(before, tag):
            out.append((first, i, before[1]))
        if begins(before, tag):
            first = i
        before = tag
    return set(out)


@pytest.mark.parametrize("seed", range(20))
def test_against_rules_written_down(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    y = [rng.choice(TAGS, size).tolist() for size in rng.integers(1, 9, 12)]
    found = [[tag if rng.random() < 0.7 else str(rng.choice(TAGS)) for tag in part] for part in y]
    report = structured.tag_report(y, found)
    true, seen = np.concatenate(y), np.concatenate(found)
    names = report.labels.tolist()
    theirs = metrics.precision_recall_fscore_support(true, seen, labels=names,
                                                     zero_division=np.nan)  # fmt: skip
    for ours, its in zip((report.precision, report.recall, report.f1, report.support), theirs,
                         strict=True):  # fmt: skip
        np.testing.assert_allclose(ours, its)
    assert report.overall["f1"] == pytest.approx(np.mean(true == seen))
    pairs = [(slow_spans(a), slow_spans(b)) for a, b in zip(y, found, strict=True)]
    right, ours, theirs = (sum(len(f(a, b)) for a, b in pairs) for f in (
        lambda a, b: a & b, lambda a, b: b, lambda a, b: a))  # fmt: skip
    assert report.spans.overall == {"precision": right / ours, "recall": right / theirs,
                                    "f1": 2 * right / (ours + theirs)}  # fmt: skip


def test_labels_that_are_no_spans_have_none_and_what_differs_is_told():
    X, y = np.eye(3)[[0, 1, 2, 0]], [3, 5, 7, 3]
    fit = ss.crf_path(X, y, lengths=[2, 2], lambdas=[1e-3])
    report = fit.report(X, y, [2, 2])
    assert report.labels.tolist() == [3, 5, 7] and report.spans is None
    assert report.f1.tolist() == [1.0] * 3 and "accuracy 1.0000>" in repr(report)
    with pytest.raises(ValueError, match="y has 2 labels and found 1"):
        structured.tag_report(["a", "b"], ["a"])
