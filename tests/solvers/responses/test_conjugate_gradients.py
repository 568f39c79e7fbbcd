"""Conjugate gradients and their preconditioners against dense linear algebra."""

import numpy as np
import pytest

from sparsesolve.solvers.responses.direction import (
    Preconditioner,
    by_diagonal,
    conjugate_gradients,
)


def spd(size, seed):
    A = np.random.default_rng(seed).standard_normal((size, 2 * size))
    return A @ A.T / size


class Metric:
    """Inner products of columns, as `SharedCurvature` gives them."""

    def __init__(self, gram):
        self.gram, self.squares = gram, gram.diagonal()

    def among(self, which):
        return self.gram[which][:, which]


def test_the_system_is_solved_and_a_good_preconditioner_takes_one_step():
    A, rhs = spd(12, 0), np.random.default_rng(1).standard_normal((3, 4))

    def product(x):
        return (A @ x.ravel()).reshape(3, 4)

    x, steps, flat = conjugate_gradients(product, lambda r: r.copy(), rhs, 1e-24, 100)
    assert product(x) == pytest.approx(rhs) and not flat and steps <= 16
    inverse = np.linalg.inv(A)
    solve = lambda r: (inverse @ r.ravel()).reshape(3, 4)  # noqa: E731
    assert conjugate_gradients(product, solve, rhs, 1e-20, 100)[1] <= 2


def test_a_direction_that_does_not_bend_is_told():
    A = np.diag([1.0, 0.0])
    step, _, flat = conjugate_gradients(lambda x: A @ x, lambda r: r.copy(), np.array([0.0, 2.0]),
                                        0.0, 10)  # fmt: skip
    assert flat and step.tolist() == [0.0, 2.0]


@pytest.mark.parametrize("single", [False, True])
def test_separate_factors_invert_each_response_on_its_own_columns(single):
    gram, ridge, scales = spd(6, 2), np.linspace(0.1, 0.6, 4), np.array([1.0, 0.3])
    which, mask = np.array([0, 2, 3, 5]), np.array([[1, 1, 0, 1], [0, 1, 1, 1]], dtype=bool)
    x = np.random.default_rng(3).standard_normal((2, 4)) * mask
    out = Preconditioner(single).separate(Metric(gram), which, mask, scales, ridge)(x)
    for k in range(2):
        part = which[mask[k]]
        A = scales[k] * gram[np.ix_(part, part)] + np.diag(ridge[mask[k]])
        assert out[k, mask[k]] == pytest.approx(np.linalg.solve(A, x[k, mask[k]]), rel=1e-4)
        assert not out[k, ~mask[k]].any()


def test_grouped_factors_are_symmetric_and_positive():
    """What preconditions conjugate gradients must be, whatever it approximates."""
    rng, gram, which = np.random.default_rng(4), spd(5, 5), np.arange(5)
    unit = rng.standard_normal((3, 5))
    unit /= np.sqrt((unit**2).sum(axis=0))
    kept = Preconditioner()
    for renew in (True, False):
        apply = kept.grouped(Metric(gram), which, np.array([0.2, 0.5, 0.3]), unit, np.full(5, 0.1),
                             rng.uniform(size=5), renew)  # fmt: skip
        M = np.array([apply(e.reshape(3, 5)).ravel() for e in np.eye(15)])
        assert pytest.approx(M.T) == M
        assert np.linalg.eigvalsh(M).min() > 0


def test_the_diagonal_preconditions_rows_along_their_directions_and_across():
    rng = np.random.default_rng(6)
    ridge, bent, x = rng.uniform(size=4), rng.uniform(size=4), rng.standard_normal((3, 4))
    unit = rng.standard_normal((3, 4))
    unit /= np.sqrt((unit**2).sum(axis=0))
    alike = np.tile(rng.uniform(1, 2, 4), (3, 1))  # the inverse, where responses are alike
    out = by_diagonal(alike, unit, ridge, bent)(x)
    across = out - unit * (unit * out).sum(axis=0)
    assert out * (alike + ridge) + across * bent == pytest.approx(x)
    apply = by_diagonal(rng.uniform(1, 2, (3, 4)), unit, ridge, bent)
    M = np.array([apply(e.reshape(3, 4)).ravel() for e in np.eye(12)])
    assert pytest.approx(M.T) == M
    assert np.linalg.eigvalsh(M).min() > 0
