"""Survival with the proportional hazards model: baseline hazard, curves, concordance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsesolve.data import read_survival, read_weights
from sparsesolve.results.concordance import count_pairs
from sparsesolve.results.ranks import ranks


@dataclass(frozen=True, eq=False)
class Baseline:
    """The steps of the cumulative hazard of a sample whose linear predictor is 0."""

    times: np.ndarray  # (m,) times of events, ascending within strata
    strata: np.ndarray  # (m,) codes of their strata, ascending
    log_steps: np.ndarray  # (m,) log of the step at each time: the step itself may exceed floats

    def cumulative_hazard(self, times, eta=0.0, stratum=0):
        """Return the cumulative hazard (n, T) at times (T,) of samples with linear predictors
        eta.

        `stratum` is one code for all samples, or one for each.
        """
        times = np.atleast_1d(np.asarray(times, dtype=float))
        eta, stratum = np.broadcast_arrays(np.atleast_1d(np.asarray(eta, dtype=float)), stratum)
        result = np.zeros((len(eta), len(times)))
        for code in np.unique(stratum):
            rows = stratum == code
            steps = self.strata == code
            with np.errstate(over="ignore"):
                sums = np.logaddexp.accumulate(np.append(-np.inf, self.log_steps[steps]))
                logs = sums[np.searchsorted(self.times[steps], times, side="right")]
                result[rows] = np.exp(logs + eta[rows, None])
        return result

    def survival(self, times, eta=0.0, stratum=0):
        """Return the probabilities (n, T) of surviving each of the times: exp(-hazard)."""
        return np.exp(-self.cumulative_hazard(times, eta, stratum))


def baseline_of(loss, eta):
    """Return the baseline hazard of a fit: Breslow's estimator, or Efron's with ties="efron".

    The Cox `loss` holds responses, weights and ties; `eta` (n,) are linear predictors of the
    samples, offsets included.
    """
    return Baseline(loss.sets.times, loss.sets.strata, loss.hazard_at(eta))


def concordance(y, eta, weights=None):
    """Return Harrell's C: the share of pairs whose order of death the linear predictors predict.

    Pairs are compared within strata and then pooled. Ties of eta count half, pairs of deaths at
    one time do not count. NaN if no pair can be compared. A sample censored at the time of a
    death outlives it, and one that enters late is compared only with deaths after its start.
    """
    eta = np.asarray(eta, dtype=float).ravel()
    weights = read_weights(weights, len(eta))
    weights = np.ones(len(eta)) if weights is None else weights
    y = read_survival(y, len(eta), censored=True)
    if not len(eta):
        return np.nan
    concordant, discordant, tied, *_ = count_pairs(y, ranks(eta)[0], weights / weights.max())
    compared = concordant + discordant + tied
    return float((concordant + tied / 2) / compared) if compared > 0 else np.nan
