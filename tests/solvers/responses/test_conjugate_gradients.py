"""Conjugate gradients and their preconditioner against dense linear algebra."""

import numpy as np
import pytest

from sparsesolve.solvers.responses.direction import by_diagonal, conjugate_gradients


def spd(size, seed):
    A = np.random.default_rng(seed).standard_normal((size, 2 * size))
    return A @ A.T / size


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
