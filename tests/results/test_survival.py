"""Baseline hazard, survival curves and concordance against their definitions."""

import numpy as np
import pytest
from baselines import baseline_hazard
from sparsesolve.results.concordance import count_pairs

from sparsesolve.results.survival import concordance


def naive_hazard(y, eta, w, time, stratum, ties):
    """Cumulative hazard of a sample whose linear predictor is 0."""
    start, stop, status, strata = y.T
    total = 0.0
    for t in np.unique(stop[(status > 0) & (strata == stratum) & (stop <= time)]):
        at_risk = (strata == stratum) & (start < t) & (t <= stop)
        dead = at_risk & (stop == t) & (status > 0)
        m = dead.sum() if ties == "efron" else 1
        risk = w * np.exp(eta)
        for k in range(m):
            total += w[dead].sum() / m / (risk[at_risk].sum() - k / m * risk[dead].sum())
    return total


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_baseline_hazard_is_that_of_the_definition(sample, ties):
    y, eta, w = sample
    times = np.array([0.0, 0.5, 1.0, 3.0, 4.5, 6.0, 100.0])
    baseline = baseline_hazard(y, eta, w, ties)
    for stratum in (0, 1):
        wanted = [naive_hazard(y, eta, w, t, stratum, ties) for t in times]
        assert baseline.cumulative_hazard(times, 0.0, stratum)[0] == pytest.approx(wanted)
    new, where = np.array([-1.0, 0.5, 2.0]), np.array([1, 0, 1])
    curves = baseline.survival(times, new, where)
    for i in range(3):
        hazard = baseline.cumulative_hazard(times, 0.0, where[i])[0]
        assert curves[i] == pytest.approx(np.exp(-hazard * np.exp(new[i])))
    assert curves[:, 0].tolist() == [1.0, 1.0, 1.0]


def test_curves_fall_in_time(sample):
    y, eta, w = sample
    baseline = baseline_hazard(y, eta, w)
    times = np.unique(y[y[:, 2] > 0, 1])
    assert np.array_equal(np.unique(baseline.times), times)
    curves = baseline.survival(times, eta)
    assert (np.diff(curves, axis=1) <= 0).all()
    assert ((0 <= curves) & (curves <= 1)).all()


def test_hazard_counts_deaths(sample):
    """The estimated hazards of all samples over their times at risk sum to the deaths."""
    y, eta, w = sample
    baseline = baseline_hazard(y, eta, w)
    total = 0.0
    for i, (start, stop, _, stratum) in enumerate(y):
        before, after = baseline.cumulative_hazard([start, stop], eta[i], stratum)[0]
        total += w[i] * (after - before)
    assert total == pytest.approx(w @ y[:, 2])


def test_far_out_predictors_give_survival_of_0_or_1_and_no_nan(sample):
    y, eta, w = sample
    for shift in (-1e4, 1e4):
        near = baseline_hazard(y, eta, w).survival([3.0], eta)
        far = baseline_hazard(y, eta + shift, w).survival([3.0], eta + shift)
        assert far == pytest.approx(near, rel=1e-9)
    curves = baseline_hazard(y, eta).survival([3.0], [1e5, -1e5])
    assert curves[:, 0].tolist() == [0.0, 1.0]


def test_concordance_is_the_share_of_pairs_with_half_the_ties(sample):
    y, eta, w = sample
    counts = count_pairs(y, eta, w)
    c = (counts[0] + counts[2] / 2) / counts[:3].sum()
    assert concordance(y, eta, w) == pytest.approx(c, rel=1e-14)
    assert concordance(y, -eta, w) == pytest.approx(1 - c, rel=1e-14)


def test_concordance_by_hand():
    time, status = [1.0, 2.0, 3.0, 3.0], [1, 1, 0, 1]
    assert concordance((time, status), [3.0, 2.0, 0.0, 1.0]) == 1.0
    assert concordance((time, status), [0.0, 0.0, 0.0, 0.0]) == 0.5
    # the censored one outlives the death at 3; (1, 2) and (1, 3) are told wrong, (2, 3) right
    assert concordance(([1.0, 2.0, 3.0], [1, 1, 0]), [1.0, 3.0, 2.0]) == pytest.approx(1 / 3)
    assert np.isnan(concordance(([1.0, 2.0], [0, 1]), [1.0, 2.0]))


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="y has 2 rows"):
        concordance(([1.0, 2.0], [0, 1]), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="weights"):
        concordance(([1.0, 2.0], [0, 1]), [1.0, 2.0], [-1.0, 1.0])
