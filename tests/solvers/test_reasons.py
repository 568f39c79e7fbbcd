"""The log at debug level: solver and reason, reductions, points, restarts and ends."""

import logging

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.solvers import SOLVERS

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 300))
y = X[:, 0] - X[:, 1] + rng.normal(size=60)


@pytest.fixture
def said(caplog):
    """The messages of the package at debug level, each a string."""
    caplog.set_level(logging.DEBUG, logger="sparsesolve")
    return lambda: [r.getMessage() for r in caplog.records if r.name.startswith("sparsesolve")]


def test_a_path_tells_its_solver_its_points_and_its_end(said):
    fit = ss.path(X, y, n_lambdas=5, lambda_min_ratio=0.5)
    first, *points, end = said()
    why = SOLVERS["working_set"].why
    assert first == f"solver 'working_set' for 60 rows and 300 columns: {why}"
    assert len(points) == len(fit.lambdas)
    for k, (text, lam, df) in enumerate(zip(points, fit.lambdas, fit.df, strict=True)):
        assert text.startswith(f"lambda {k + 1} of 5 = {lam:.6g}: df {df}, ")
        assert text.endswith("converged")
    assert end == f"path ended after {len(points)} of 5 lambdas: {fit.stop_reason}"


@pytest.mark.parametrize(
    "options, solver",
    [
        ({"family": ss.families.quantile(0.5)}, "multipliers"),
        ({"penalty": penalties.Slope()}, "tangent_newton"),
        ({"alpha": 0.0}, "ridge"),
        ({"family": "multigaussian"}, "sufficient"),
        ({"solver": "panoc"}, "panoc"),
    ],
)
def test_the_solver_is_told_with_its_reason(said, options, solver):
    target = np.column_stack([y, -y]) if options.get("family") == "multigaussian" else y
    ss.path(X, target, n_lambdas=2, **options)
    why = SOLVERS[solver].why if "solver" not in options else "chosen by name"
    assert any(f"solver {solver!r}" in text and text.endswith(why) for text in said())


def test_restarts_and_approach_are_told(said):
    ss.path(X, y, lambdas=[0.01], solver="fista", max_iter=2000)
    assert any(text.startswith("momentum restarts at") for text in said())
    ss.path(rng.normal(size=(50, 400)), rng.normal(size=50), lambdas=[1e-3])
    assert any("is approached by" in text for text in said())


def test_equal_rows_are_told(said):
    table = rng.integers(2, size=(2000, 3)).astype(float)
    ss.path(table, table[:, 0] + rng.normal(size=2000) > 0.5, family="binomial", n_lambdas=3)
    assert "equal rows are merged: 2000 x 3 becomes 8 x 3" in said()


def test_cross_validation_knots_and_greedy_paths_are_told(said):
    ss.cv_path(X, y, n_folds=3, n_lambdas=3, seed=0)
    assert "4 fits: 3 folds and all rows, 1 alphas" in said()
    knots = ss.lars_path(X, y, max_steps=3)
    assert f"path of knots ended: {knots.stop_reason}" in said()
    greedy = ss.omp_path(X, y, n_nonzero=2)
    assert f"greedy path ended after 3 points: {greedy.stop_reason}" in said()


def test_nothing_is_said_and_nothing_changes_without_a_listener(caplog):
    caplog.set_level(logging.INFO, logger="sparsesolve")
    quiet = ss.path(X, y, n_lambdas=5)
    assert caplog.records == []
    caplog.set_level(logging.DEBUG, logger="sparsesolve")
    loud = ss.path(X, y, n_lambdas=5)
    assert (quiet.coefs != loud.coefs).nnz == 0 and (quiet.gaps == loud.gaps).all()


def test_kernels_chains_and_passes_are_told(said):
    K = [np.outer(x, x) for x in (X[:, :3] - X[:, :3].mean(axis=0)).T]
    ss.mkl_path(K, y, n_lambdas=2)
    assert "algorithm 'newton' of kernels: loss and norm 'l1' suit it" in said()
    ss.crf_path(X[:, :3], y > 0, lengths=[10] * 6, lambdas=[0.1], alpha=0.0)
    assert "chains of 60 rows, 3 features, 2 labels: Euclidean steps" in said()
    ss.crf_path(X[:, :3], y > 0, lengths=[10] * 6, lambdas=[0.1])
    assert "chains of 60 rows, 3 features, 2 labels: steps in the labels' curvatures" in said()
    ss.online(X, y, lam=0.1, passes=50, holdout=(X, -y), patience=1)
    passes = [text for text in said() if text.startswith("pass ")]
    assert passes[0].startswith("pass 1 of 50: 60 rows so far") and len(passes) < 50
    assert "passes ended: rows held out cease to gain" in said()
