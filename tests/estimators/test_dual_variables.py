"""Dual variables from coefficients, at vertices where many rows lie on kinks."""

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("sklearn")
import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import dual_variables as module  # noqa: E402
from sparsesolve.losses import KINKED, LOSSES  # noqa: E402


@pytest.mark.parametrize("dense", [10**9, 0])
@pytest.mark.parametrize("repeated", [1, 4])
def test_they_explain_the_coefficients(monkeypatch, repeated, dense):
    """Repeated rows share a kink, so that their variables are not unique; any will do."""
    monkeypatch.setattr(module, "DENSE", dense)
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(25, 3)).round(1), repeated, axis=0)
    y = np.where(X[:, 0] + 0.5 * np.repeat(rng.normal(size=25), repeated) > 0, 1.0, -1.0)
    n, lam = len(y), 0.02
    fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, standardize=False, lambdas=[lam],
                  tol=1e-11)  # fmt: skip
    b, b0 = fit.coef(lam), float(fit.intercepts[0])
    loss = KINKED["hinge"](y, np.full(n, 1 / n))
    for store in (np.asarray, sparse.csc_array):
        u = lam * module.dual_variables(loss, store(X), b, b0, lam, fit.gaps[0], True)
        assert X.T @ u == pytest.approx(lam * b, abs=1e-7) and abs(u.sum()) < 1e-7
        assert (u * y >= -1e-12).all() and (u * y <= 1 / n + 1e-12).all()
        value = np.maximum(0, 1 - y * (X @ b + b0)).mean() + 0.5 * lam * b @ b
        assert value - (y @ u - (X.T @ u) @ (X.T @ u) / (2 * lam)) == pytest.approx(0, abs=1e-6)


def test_a_smooth_loss_has_them_in_closed_form():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 2)), np.resize([1.0, -1.0], 20)
    loss = LOSSES["squared_hinge"](y, np.full(20, 0.05))
    u = module.dual_variables(loss, X, np.array([0.1, -0.2]), 0.3, 0.5, 1.0, True)
    margins = y * (X @ [0.1, -0.2] + 0.3)
    assert u == pytest.approx(0.05 * y * np.maximum(0, 1 - margins) / 0.5)
