"""Moments of rows that enter and leave are those of the dense rows, centred or not."""

import numpy as np
import pytest
from scipy import sparse
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers.margin.ridge_dual import RidgeDual
from sparsesolve.solvers.margin.rows_newton import CHANGES_BEFORE_SUMS, Moments


@pytest.mark.parametrize("stored", ["dense", "sparse"])
def test_sums_follow_the_mask(stored):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 6)) * (rng.random((150, 6)) < 0.6) + 1.0 * (stored == "dense")
    w = rng.random(150)
    problem = problem_of(sparse.csc_array(X) if stored == "sparse" else np.asfortranarray(X),
                         np.where(rng.random(150) < 0.5, -1.0, 1.0), ss.families.hinge(),
                         weights=w, alpha=0.0)  # fmt: skip
    dual = RidgeDual(problem, 1)
    A, w = problem.design.unpacked(dual.which) / dual.root_v, np.asarray(problem.weights)
    moments, mask = Moments(dual, w), rng.random(150) < 0.7
    kept = 0
    for k in range(CHANGES_BEFORE_SUMS + 10):
        flip = rng.random(150) < (0.9 if k == 5 else 0.03)
        mask = mask ^ flip
        gram, first, total = moments.of(mask)
        kept = max(kept, moments.changes)
        inside = A[mask]
        np.testing.assert_allclose(gram, inside.T @ (w[mask, None] * inside), atol=1e-12)
        np.testing.assert_allclose(first, inside.T @ w[mask], atol=1e-12)
        assert total == pytest.approx(w[mask].sum())
    assert 10 < kept <= CHANGES_BEFORE_SUMS  # both ways were taken
