"""Numbers that spom takes: strength of the penalty, radius, first step size."""

import numpy as np

from sparsesolve.data import read_number

# Values that are tried for eta0, as in the paper.
RATES = (0.01, 0.1, 1.0, 10.0)
# Each trial takes this many epochs.
TRIAL_EPOCHS = 5


def first_rate(eta0, begin, N, epochs, seed, strong):
    """Return eta0; or 1 / strong if that is positive; or the best of RATES after some epochs."""
    if eta0 != "auto":
        return read_positive("eta0", eta0)
    if strong > 0.0:
        return 1.0 / strong
    epochs, found = min(TRIAL_EPOCHS, epochs), []
    for rate in RATES:
        learner, rng = begin(False), np.random.default_rng(seed)
        for _ in range(epochs):
            learner.epoch(rng.permutation(N), rate)
        found.append(learner.objective())
    return RATES[int(np.argmin(found))]


def read_lam(lam, C, N):
    """Return lam, or 1 / (C N); raise ValueError if both are given."""
    if lam is not None and C is not None:
        raise ValueError("lam is 1 / (C N); give one of them")
    if lam is not None:
        return read_positive("lam", lam)
    return 1.0 / (N * read_positive("C", 1.0 if C is None else C))


def read_positive(name, value):
    """Return a finite number above 0, or raise."""
    return read_number(name, value, 0, np.inf, open_low=True, open_high=True)
