"""The step size that predicts best is chosen, however bad the others are."""

import numpy as np
import pytest

import sparsesolve as ss


@pytest.mark.parametrize("radius", [None, 10.0])
def test_steps_that_were_far_too_long_are_not_taken_for_the_best(radius):
    """Losses of 1e300 in the first half once hid those of the second: their difference was 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 6))
    y = X[:, 0] + X[:, 1] + rng.normal(size=2000)
    fit = ss.online(X, y, lam=0.02, method="fobos", radius=radius)
    assert fit.eta0 < 1.0
    np.testing.assert_allclose(fit.coef(), [1, 1, 0, 0, 0, 0], atol=0.2)


@pytest.mark.parametrize("method", ["rda", "fobos", "ftrl"])
@pytest.mark.parametrize("mean", [100.0, 2000.0])
def test_steps_that_explode_in_between_are_not_chosen(method, mean):
    """Where y lies away from 0 they predict best once they have calmed down."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    y = mean + 10 * (X[:, 0] - 2 * X[:, 1] + rng.normal(size=2000))
    losses = ss.online(X, y, lam=0.1, method=method).losses[:, 1]
    assert losses.max() < 10 * mean**2 and losses[-1] < mean**2 / 10


@pytest.mark.parametrize(("method", "factor"), [("rda", 4.0), ("fobos", 4.0), ("ftrl", 2.0)])
def test_it_predicts_the_later_half_better_than_its_neighbours(method, factor):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2048, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    y = 3 * X[:, 0] + X[:, 1] + 20 * X[:, 4] + 0.3 * rng.normal(size=2048)
    best = ss.online(X, y, lam=0.02, method=method).eta0

    def later(step):
        rows, losses = ss.online(X, y, lam=0.02, method=method, step=step).losses.T
        return 2.0 * losses[-1] - losses[rows == 1024][0]

    assert later(best) < min(later(best / factor), later(best * factor))
