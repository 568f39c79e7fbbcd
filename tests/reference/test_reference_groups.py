"""Group lasso paths against numbers of adelie (tests/reference/groups.py made them)."""

from functools import lru_cache

import group_oracle
import numpy as np
import numpy_losses
import pytest
from glmnet_tables import rows_of
from scipy import sparse

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, SparseGroup

P, SIZES = 20, [1, 4, 2, 5, 3, 5]
LABELS = np.repeat(np.arange(6), SIZES).tolist()
LOSSES = {"gaussian": numpy_losses.GAUSSIAN, "binomial": numpy_losses.BINOMIAL,
          "poisson": numpy_losses.POISSON}  # fmt: skip
GIVEN = [1.0, 0.5, 0.0, 3.0, 1.0, 2.0]


@lru_cache
def settings():
    """Name -> (family, X, y, weights of the groups, options); the same table as in groups.py."""
    rows = rows_of("gaussian_data.csv")
    X = np.array([[float(row[f"x{j + 1}"]) for j in range(P)] for row in rows])
    y, w, o = (np.array([float(row[k]) for row in rows]) for k in ("y", "weight", "offset"))
    binary, counts = (y > np.median(y)) * 1.0, np.round(np.abs(y))
    return {
        "plain": ("gaussian", X, y, None, {}),
        "weights": ("gaussian", X, y, None, {"weights": w}),
        "offset": ("gaussian", X, y, None, {"offset": o}),
        "net": ("gaussian", X, y, None, {"alpha": 0.6}),
        "given": ("gaussian", X, y, GIVEN, {}),
        "origin": ("gaussian", X, y, None, {"intercept": False}),
        "binomial": ("binomial", X, binary, None, {}),
        "binomial_all": ("binomial", X, binary, None, {"weights": w, "offset": o, "alpha": 0.7}),
        "poisson": ("poisson", X, counts, None, {}),
    }


@lru_cache
def reference(name):
    """lambdas (L,), standardised coefficients (L, p), intercepts there."""
    rows = [row for row in rows_of("groups_paths.csv") if row["setting"] == name]
    b = np.array([[float(row[f"b{j + 1}"]) for j in range(P)] for row in rows])
    return np.array([float(row["lambda"]) for row in rows]), b, [
        float(row["intercept"]) for row in rows]


@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", sorted(settings()))
def test_coefficients_agree_with_adelie(name, store):
    family, X, y, d, options = settings()[name]
    lambdas, expected, intercepts = reference(name)
    w = options.get("weights", np.ones(len(y)))
    mean = np.average(X, axis=0, weights=w)
    scale = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w))
    for penalty in (GroupL2(LABELS, d), SparseGroup(LABELS, 0.0, d)):
        fit = ss.path(store(X), y, family=family, penalty=penalty, lambdas=lambdas, tol=1e-13,
                      **options)  # fmt: skip
        b = fit.coefs.toarray().T
        assert b * scale == pytest.approx(expected, rel=2e-6, abs=2e-6)
        moved = b @ mean if options.get("intercept", True) else 0.0
        assert fit.intercepts + moved == pytest.approx(intercepts, rel=2e-6, abs=2e-6)
    assert ss.path(store(X), y, family=family, penalty=penalty, n_lambdas=1, **options).lambdas[
        0] == pytest.approx(lambdas[0] / 0.7, rel=1e-8)  # fmt: skip


@pytest.mark.parametrize("name", sorted(settings()))
def test_the_oracle_agrees_with_adelie(name):
    """The slow solver's certificate knows the same conventions."""
    family, X, y, d, options = settings()[name]
    lambdas, expected, intercepts = reference(name)
    q = group_oracle.problem(X, y, kind="l2", groups=LABELS, group_weights=d,
                             loss=LOSSES[family], **options)  # fmt: skip
    for k, lam in enumerate(lambdas):
        b = expected[k] / q.f.q.scale
        moved = q.f.q.mean @ b
        gap = group_oracle.certificate(q, intercepts[k] - moved, b, lam)
        assert gap <= 3e-8, k  # adelie stops on the size of its steps


@pytest.mark.parametrize("name", ["plain", "given", "binomial_all"])
def test_the_slow_solver_arrives_there_by_itself(name):
    family, X, y, d, options = settings()[name]
    lambdas, expected, _ = reference(name)
    q = group_oracle.problem(X, y, kind="l2", groups=LABELS, group_weights=d,
                             loss=LOSSES[family], **options)  # fmt: skip
    b = group_oracle.solve(q, lambdas[2])[1]
    assert b * q.f.q.scale == pytest.approx(expected[2], abs=2e-5)
