"""The baseline hazard of survival data at linear predictors, as predictions of cox make it."""

import numpy as np

from sparsesolve.data import read_survival
from sparsesolve.losses import LOSSES
from sparsesolve.results.survival import baseline_of


def baseline_hazard(y, eta, weights=None, ties="breslow"):
    """Of y (n, 4) or what families.cox reads, linear predictors (n,) and weights (n,)."""
    w = np.ones(len(eta)) if weights is None else weights
    return baseline_of(LOSSES["cox"](read_survival(y, len(eta)), w / w.sum(), ties), eta)
