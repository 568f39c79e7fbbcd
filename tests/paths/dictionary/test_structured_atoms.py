"""Atoms with a penalty: closed forms, descent, and the compiled twin without a penalty."""

import numpy as np
import pytest
from sparsesolve.paths.dictionary.coding import update_atoms

from sparsesolve.paths.dictionary.atoms import update_structured_atoms
from sparsesolve.penalties import L1, OverlapLinf

RNG = np.random.default_rng(17)


def sums(m=6, p=4, n=30):
    codes, Y = RNG.standard_normal((p, n)), RNG.standard_normal((m, n))
    D = np.asfortranarray(RNG.standard_normal((m, p)))
    D /= np.linalg.norm(D, axis=0)
    return D, np.asfortranarray(codes @ codes.T), np.asfortranarray(Y @ codes.T)


def objective(D, A, B, omega, level):
    loss = 0.5 * np.sum((D.T @ D) * A) - np.sum(D * B)
    return loss + level * sum(omega.value(np.ascontiguousarray(d)) for d in D.T)


@pytest.mark.parametrize("square, level", [(2.0, 0.7), (0.1, 0.7)])
def test_one_atom_is_soft_thresholding_within_the_ball(square, level):
    b = np.array([[3.0], [-1.0], [0.2]])
    D = np.asfortranarray(np.zeros((3, 1)))
    update_structured_atoms(D, np.array([[square]]), b, L1().over(3), level)
    expected = np.sign(b) * np.maximum(np.abs(b) - level, 0.0) / square
    assert pytest.approx(expected / max(np.linalg.norm(expected), 1.0)) == D


@pytest.mark.parametrize("omega", [L1(), OverlapLinf([[0, 1, 2], [2, 3], [3, 4, 5]])])
def test_the_objective_never_rises_and_atoms_stay_in_the_ball(omega):
    (D, A, B), omega = sums(), omega.over(6)
    values = [objective(D, A, B, omega, 2.0)]
    for _ in range(8):
        update_structured_atoms(D, A, B, omega, 2.0)
        values.append(objective(D, A, B, omega, 2.0))
        assert np.linalg.norm(D, axis=0).max() <= 1.0 + 1e-12
    assert (np.diff(values) <= 1e-10).all() and values[-1] < values[0]


def test_level_0_is_the_compiled_update():
    D, A, B = sums()
    other = D.copy(order="F")
    update_structured_atoms(D, A, B, L1().over(6), 0.0, sweeps=3)
    update_atoms(other, A, B, False, 3)
    assert pytest.approx(other, abs=1e-12) == D


def test_an_atom_without_codes_becomes_0():
    D, A, B = sums()
    A[1] = A[:, 1] = B[:, 1] = 0.0
    update_structured_atoms(D, A, B, L1().over(6), 0.1)
    assert not D[:, 1].any() and D[:, [0, 2, 3]].any(axis=0).all()
