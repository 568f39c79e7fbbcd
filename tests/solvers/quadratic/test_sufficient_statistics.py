"""Sufficient statistics of groups: the working set's answers, however columns lie and are held."""

import numpy as np
import pytest
import scipy.sparse as sp

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

RNG = np.random.default_rng(12)
N, P = 90, 21
X = RNG.standard_normal((N, P)) * (RNG.random((N, P)) < 0.6)
X[:, [4, 11]] = 0.0
X[:, 7] = X[:, 3]  # dependent columns
Y = X[:, :6] @ RNG.standard_normal(6) + RNG.standard_normal(N)
GROUPS = RNG.permutation(np.arange(P) // 3)  # side by side nowhere
GROUPS[[4, 11]] = 7  # a group of zeros alone
OPTIONS = {
    "plain": {},
    "weights": {"weights": RNG.uniform(0.0, 2.0, N), "offset": RNG.standard_normal(N)},
    "limits": {"lower": -0.3, "upper": np.where(np.arange(P) == 5, 0.0, 1.0)},
    "factors": {"penalty_factor": [1, np.inf, 2, 0, 1, 1, 1, 3]},
    "ridge": {"alpha": 0.3, "intercept": False},
}


@pytest.mark.parametrize("store", [np.asfortranarray, sp.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("penalty", [
    GroupL2(GROUPS), GroupLinf(GROUPS), SparseGroup(GROUPS, tau=0.4),
    GroupL2(GROUPS, weights=[1.0, 0.0, np.inf, 2.0, 1.0, 1.0, 0.5, 1.0]),
], ids=["l2", "linf", "sparse", "weighted"])  # fmt: skip
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_of_groups_they_are_the_working_set(options, penalty, store):
    common = {"penalty": penalty, "stop": None, "tol": 1e-11, "lambda_min_ratio": 0.01,
              "n_lambdas": 12, **options}  # fmt: skip
    ours, theirs = (
        ss.path(store(X), Y, solver=name, **common) for name in ("sufficient", "working_set")
    )
    assert not ours.status.any() and (ours.gaps <= 1e-11).all()
    assert ours.lambdas == pytest.approx(theirs.lambdas, rel=1e-9)
    etas = [X @ fit.coefs.toarray() + fit.intercepts for fit in (ours, theirs)]
    assert etas[0] == pytest.approx(etas[1], abs=2e-4)
    assert ours.dev_ratio == pytest.approx(theirs.dev_ratio, abs=1e-5)


@pytest.mark.parametrize("seed", [1, 4])
def test_gaps_see_what_rounding_hides_along_a_short_direction(seed):
    """Products with columns of length 1e5 are known to 1e-11, of which columns of 1e-7 gain."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(10, 4)) * [1.4e5, 4e-6, 4e-7, 2e4], rng.normal(size=10)
    fit = ss.path(X, y, penalty=ss.penalties.TrendFilter(1), standardize=False, n_lambdas=2,
                  tol=1e-11, stop=None)  # fmt: skip
    lam = fit.lambdas[0]
    A, t = X.astype(np.longdouble), y.astype(np.longdouble)
    A, t = A - A.mean(axis=0), t - t.mean()
    r = t - A @ fit.coef(lam)
    bent = A @ [0.0, 2.0, 1.0, 0.0]  # of second differences -3 and 0: costs 3 lambda a unit
    over = max(abs(bent @ r) / 10 - 3 * lam, 0.0)
    gain = over**2 / (2 * (bent @ bent) / 10) / ((t @ t) / 20)
    assert gain <= fit.gaps[0]
