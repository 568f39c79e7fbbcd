"""Sweeps over rows: each step is an exact maximisation, and what is kept stays true."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.solvers.margin.row_sweeps import RowSweeps

RNG = np.random.default_rng(0)
N, K = 25, 6
A = RNG.normal(size=(N, K)) * (RNG.random((N, K)) < 0.5)
CENTRE = RNG.normal(size=K)
TARGET = RNG.normal(size=N)
LOW, HIGH = -RNG.random(N), RNG.random(N)
LOW[:5], HIGH[5:10], LOW[10], HIGH[10] = 0.0, 0.0, 0.0, 0.0


def made(width, seed=1, bend=0.0):
    rows = Design(sparse.csc_array(A.T))
    return RowSweeps(rows, CENTRE, TARGET, LOW, HIGH, np.full(N, bend), width, seed)


def objective(u, lam, b0, rho, width, bend=0.0):
    z = u @ (A - CENTRE)
    value = u @ (TARGET - b0) - width * np.abs(u).sum() - 0.5 * bend * u @ u
    return value - z @ z / (2 * lam) - 0.5 * rho * u.sum() ** 2


@pytest.mark.parametrize("bend", [0.0, 2.0])
@pytest.mark.parametrize("width", [0.0, 0.3])
@pytest.mark.parametrize("rho", [0.0, 0.7])
def test_sweeps_never_lower_the_dual_and_end_at_its_maximum(width, rho, bend):
    sweeps, lam, b0 = made(width, bend=bend), 0.4, 0.2
    sweeps.set(np.clip(0.1 * RNG.normal(size=N), LOW, HIGH))
    last = objective(sweeps.dual_point(), lam, b0, rho, width, bend)
    for _ in range(400):
        if sweeps.active == 0:
            sweeps.take_all()
        gain = sweeps.sweep(lam, b0, rho)
        value = objective(sweeps.dual_point(), lam, b0, rho, width, bend)
        assert value >= last + 0.999 * gain - 1e-14
        last = value
        sweeps.take_all()
    u = sweeps.dual_point()
    assert (u >= LOW).all() and (u <= HIGH).all() and u[10] == 0.0
    assert np.isclose(sweeps.total, u.sum())
    for _ in range(200):  # concave: no step within the bounds is better
        trial = np.clip(u + 10.0 ** RNG.uniform(-6, 0) * RNG.normal(size=N), LOW, HIGH)
        assert objective(trial, lam, b0, rho, width, bend) <= last + 1e-9


def test_squares_are_those_of_centred_rows():
    assert made(0.0).squares() == pytest.approx(((A - CENTRE) ** 2).sum(axis=1))


def test_the_same_seed_gives_the_same_bits():
    found = []
    for seed in (1, 1, 2):
        sweeps = made(0.1, seed)
        for _ in range(3):
            sweeps.sweep(0.5, 0.0, 0.1)
        found.append(sweeps.dual_point())
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])
