"""Pragam against its theorem at every iteration, and against path."""

import numpy as np
import pytest

from sparsesolve.paths import bundle


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 60)), int(rng.integers(1, 15))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-2, 2)
    y = np.where(X[:, 0] + X.std() * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    return X, y, 10.0 ** rng.uniform(-4, 0) * (X**2).sum(axis=1).mean()


def test_weights_are_repeated_rows():
    X, y, lam = drawn(3)
    counts = 1 + np.arange(len(y)) % 3
    given = bundle.pragam(X, y, lam, 20, weights=counts)
    again = bundle.pragam(np.repeat(X, counts, axis=0), np.repeat(y, counts), lam, 20)
    assert given.objectives[0] == pytest.approx(again.objectives[0])
    assert given.bounds.max() <= again.objectives.min() + 1e-12


@pytest.mark.parametrize(("options", "message"), [
    ({"L": "fixed"}, "L must be a number, 'true' or 'backtracking'"), ({"L": 0.0}, "L must be"),
    ({"lam": 0.0}, "lam must be"), ({"bias": 1.5}, "bias must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused(options, message):
    X, y, lam = drawn(0)
    with pytest.raises((ValueError, TypeError), match=message):
        bundle.pragam(X, y, **{"lam": lam, **options})
