"""A fixture of tests of survival times."""

import numpy as np
import pytest


@pytest.fixture
def sample():
    """Responses with late entries, ties and two strata; linear predictors with ties; weights."""
    rng, N = np.random.default_rng(9), 60
    start = np.where(rng.random(N) < 0.5, -np.inf, rng.integers(0, 5, N))
    stop = np.maximum(start, 0) + rng.integers(1, 7, N)
    y = np.column_stack([start, stop, rng.random(N) < 0.6, rng.integers(0, 2, N)])
    return y, np.round(rng.standard_normal(N), 1), rng.integers(1, 4, N).astype(float)
