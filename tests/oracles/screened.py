"""Standardised columns, and a path whose bounds are judged by products with all of them."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design

from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers import SOLVERS


def standardised(X, w, scaled=True):
    """The Design of X, centred, of spread 1 where `scaled`, and its columns in numpy."""
    design = Design(X if sparse.issparse(X) else np.asfortranarray(X))
    assert design.moments(w)
    factor = 1.0 / np.asarray(design.spread) if scaled else np.ones(design.p)
    design.standardise(True, factor)
    columns = X.toarray() if sparse.issparse(X) else X.astype(float)
    return design, (columns - design.mean) * factor


def products_along_a_path(design, Z, y, w, least, count):
    """How many products with columns bounds took down to a share `least` of the first lambda.

    At every lambda products with all of Z, the columns in numpy, certify what was left out.
    """
    problem = SimpleNamespace(design=design, penalty=ElasticNet(Z.shape[1]), weights=w,
                              response=y, loss=None, null_value=1.0, centred=True,
                              intercept=False, offset=None, null_intercept=0.0)  # fmt: skip
    state = SOLVERS["working_set"].state(problem, 1)
    top = np.abs(state.correlations()).max()
    assert top == pytest.approx(np.abs(Z.T @ (w * y)).max(), rel=1e-9)
    null, before = 0.5 * w @ y**2, state.inactive.multiplied
    for lam in np.geomspace(top, least * top, count):
        outcome, gap = state.solve(lam, 1e-9 * null, 10_000)
        assert outcome == 0 and gap <= 1e-9 * null
        which, values = state.coefficients()
        r = y - Z[:, which] @ values
        most = np.abs(Z.T @ (w * r)).max()
        assert most <= lam * (1 + 1e-6)
        u = min(1.0, lam / most) * r
        dual = 0.5 * w @ y**2 - 0.5 * w @ (y - u) ** 2
        assert 0.5 * w @ r**2 + lam * np.abs(values).sum() - dual <= 1.1e-9 * null + 1e-13
    return state.inactive.multiplied - before
