"""Many small steps of lambda: what a point hands on to the next must not add up its rounding.

A start carried on in a straight line from two points carries on their rounding too, doubled.
"""

import numpy as np
import pytest
import random_problems

import sparsesolve as ss

STEPS, TOL = 400, 1e-9
JUDGED = [*range(50, STEPS, 50), STEPS - 1]
ONE = sorted(set(random_problems.ONE))


def _call(family, kind, store=np.asfortranarray, n=60, p=20):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    X[rng.random(X.shape) < 0.2] = 0.0
    signal = X @ (rng.standard_normal(p) * (rng.random(p) < 0.5)) / 2
    y = random_problems.response(rng, family, signal)
    if family in ("gaussian", "multigaussian"):
        y = y + rng.standard_normal(y.shape)
    lists = [list(range(j, min(j + 4, p))) for j in range(0, p, 4)] if kind else None
    return random_problems.Call(family, X, y, {}, {}, kind, lists, 0.5, store(X))


def _hold(call, **more):
    fit = call.fit(**more, n_lambdas=STEPS, lambda_min_ratio=1e-3, tol=TOL, stop=None)
    own = random_problems.gaps(call)
    assert all(fit.status[k] == ss.Status.CONVERGED for k in JUDGED)
    enough = 1.1 * TOL + random_problems.rounding(call) + own.digits
    gaps = [own.gap(fit, k, enough) for k in JUDGED]
    if more.get("solver") != "pass_newton":
        assert max(gaps) <= enough
        return
    # Its dual point is that of a model and not -F' of the point, so the objective decides.
    _, _, false, undecided = random_problems.judged(call, fit, 2 * len(JUDGED))
    assert not false and not undecided and max(gaps) <= 10 * enough


@pytest.mark.parametrize("family", [*ONE, *random_problems.SEVERAL])
def test_points_of_a_long_path_are_what_they_claim(family, store):
    _hold(_call(family, None, store))


@pytest.mark.parametrize("family, kind, shape, options", [
    *((family, kind, {}, {}) for family in ("gaussian", "binomial", "poisson", "cox", "huber")
      for kind in sorted(random_problems.GROUPED)),
    *((family, "l2", {}, {"solver": solver}) for family in ("binomial", "poisson")
      for solver in ("pass_newton", "bcd")),
    *((family, kind, {"n": 40, "p": 120}, {}) for family in ("gaussian", "binomial", "poisson")
      for kind in (None, "l2")),
], ids=str)  # fmt: skip
def test_with_groups_by_other_solvers_and_on_wide_data(family, kind, shape, options):
    _hold(_call(family, kind, **shape), **options)
