"""The arithmetic of a cross-validation: means, standard errors, and which lambdas they choose."""

import numpy as np
import pytest

from sparsesolve.results.cv_path import choose, summary

SCORES = np.array([[3.0, 1.0, 2.0], [5.0, 2.0, 2.0], [4.0, 6.0, 2.0]])
WEIGHTS = np.array([1.0, 2.0, 1.0])


def test_means_are_weighted_and_errors_are_of_the_mean():
    mean, std = summary(SCORES, WEIGHTS, 1.0)
    assert mean.tolist() == [4.25, 2.75, 2.0]
    # (1 (3 - 4.25)^2 + 2 (5 - 4.25)^2 + 1 (4 - 4.25)^2) / 4 / 2
    assert std[0] == pytest.approx(np.sqrt((1.5625 + 1.125 + 0.0625) / 8)) and std[2] == 0.0


def test_folds_without_a_score_count_for_nothing():
    scores = np.vstack([SCORES, [np.nan, np.nan, np.nan]])
    for ours, theirs in zip(summary(scores, np.append(WEIGHTS, 9.0), 1.0),
                            summary(SCORES, WEIGHTS, 1.0), strict=True):  # fmt: skip
        assert np.array_equal(ours, theirs)
    mean, std = summary(np.array([[1.0, np.nan]]), np.ones(1), 1.0)
    assert mean[0] == 1.0 and np.isnan(mean[1]) and np.isnan(std).all()


def test_a_second_pass_over_the_rows_adds_no_fold():
    once, twice = summary(SCORES, WEIGHTS, 1.0), summary(
        np.vstack([SCORES, SCORES]), np.tile(WEIGHTS, 2), 2.0)  # fmt: skip
    assert twice[0] == pytest.approx(once[0]) and twice[1] == pytest.approx(once[1])


@pytest.mark.parametrize("mean, std, larger, places", [
    ([3.0, 2.0, 1.0, 1.0], [0, 0, 0.5, 0], False, (2, 2)),  # the largest lambda of several best
    ([3.0, 2.0, 1.0, 1.5], [9, 9, 1.0, 9], False, (2, 1)),  # within the error of the best, <=
    ([0.5, 0.7, 0.9, 0.8], [0, 0, 0.2, 0], True, (2, 1)),
    ([np.nan, 2.0, 1.0, 1.0], [0, 0, 1.0, 0], False, (2, 1)),
    ([3.0, 2.0, 1.0, 1.0], [np.nan] * 4, False, (2, 2)),
])  # fmt: skip
def test_the_two_lambdas(mean, std, larger, places):
    assert choose(np.array(mean), np.array(std), larger) == places


def test_nothing_to_choose_from():
    with pytest.raises(ValueError, match="no fold could be scored"):
        choose(np.full(3, np.nan), np.full(3, np.nan), False)
