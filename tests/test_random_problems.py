"""No CONVERGED where an independent certificate, or a better point, says otherwise."""

import decimal

import claims
import loss_excess
import medium_problems
import numpy as np
import numpy_losses
import pytest
import random_problems

import sparsesolve as ss

# Seeds that once found a false claim, a NaN that passed for a gap, or a crash.
SEEN_WRONG = [312, 1119, 3107, 11479, 13959, 15099, 19771, 21629,
              25079, 26205, 40915, 102133]  # fmt: skip
SEEN_WRONG_QUICK = [1440, 8236, 206708, 210711, 212457, 230711, 234153, 243940, 383128, 396992,
                    398098, 421515, 424700, 504847, 505302, 138887, 157767, 158621, 173300,
                    199143, 359762, 369413, 383437, 443939, 651001, 916293, 144343, 150120,
                    454398, 565561, 729756, 958869, 203944, 463291, 3003303,
                    77009983]  # fmt: skip
SEEN_WRONG_LASSO = [122, 236, 251, 344, 388, 446, 465, 534, 543, 569, 658, 841, 846, 853]


@pytest.mark.parametrize("seed", [*range(120), *SEEN_WRONG_LASSO])
def test_claims_of_lassos_hold_in_decimals(seed):
    """And every intercept is the best for its coefficients."""
    call = random_problems.lasso(seed)
    fit = call.fit()
    with decimal.localcontext(claims.ARITHMETIC):
        truth = random_problems.judge(call, claims.DIGITS)
        magnitude = max(*abs(truth.y), *abs(truth.o))
        if truth.null <= decimal.Decimal(1e-28) * magnitude**2:
            return  # what is left of y is rounding
        rounding = 16 * np.finfo(float).eps * float(truth.cancellation())
        level = abs(truth.w @ (truth.y - truth.o))
        for k in range(len(fit.lambdas)):
            b0, b, lam = random_problems.point(fit, k)
            if call.options["intercept"]:
                short = truth.intercept_short_of(b0, b)
                size = level + abs(truth.mean * claims.decimals(b)).sum()
                slack = decimal.Decimal(1e-6) * truth.spread + decimal.Decimal(1e-14) * size
                assert abs(short) <= slack, f"point {k}"
                b0 = claims.decimals(b0) + short
            if fit.status[k] == ss.Status.CONVERGED:
                assert truth.gap(b0, b, lam) <= max(2e-7, 2 * fit.gaps[k], rounding), f"point {k}"


@pytest.mark.parametrize("seed, quick", [
    *((seed, False) for seed in (*range(150), *SEEN_WRONG)),
    *((seed, True) for seed in SEEN_WRONG_QUICK)])  # fmt: skip
def test_claims_hold_in_every_family(seed, quick):
    call = random_problems.problem(seed, quick)
    fit = call.fit()
    assert np.isfinite(fit.gaps[fit.status == 0]).all()
    with np.errstate(all="ignore"):  # of the judges, on coefficients that are honestly missed
        _, _, false, _ = random_problems.judged(call, fit)
    assert not false


@pytest.mark.parametrize("family", ["probit", "cloglog", "tweedie", "cox"])
def test_gaps_without_a_formula_bound_what_is_lost(family):
    """Against a far better solution; and they are those of the formula where there is one."""
    checked = 0
    for seed in range(150):
        call = random_problems.problem(seed)
        if call.family != family:
            continue
        fit = call.fit(max_iter=300)
        better = call.fit(lambdas=fit.lambdas, tol=1e-11, max_iter=20_000, solver="auto")
        boxed = call.kind and "lower" in call.options
        own = (random_problems.OracleGaps if family == "cox" or boxed else
               random_problems.Gaps)(call)  # fmt: skip
        if own.nothing:
            continue
        for k in np.flatnonzero(better.status == 0):
            lost = own.objective(fit, k) - own.objective(better, k)
            assert own.gap(fit, k) >= lost - 1e-11
            checked += 1
    assert checked > 15


def test_a_search_finds_the_conjugates_that_have_a_formula():
    rng = np.random.default_rng(0)
    y, eta, w = rng.integers(2, size=50) * 1.0, 3 * rng.standard_normal(50), rng.random(50)
    for loss in (numpy_losses.BINOMIAL, numpy_losses.POISSON, numpy_losses.GAUSSIAN):
        for s in (0.0, 0.3, 1.0):
            u = -s * w * loss.slope(y, 0.9 * eta)
            formula = w @ (loss.value(y, eta) + loss.conjugate(y, -u / w)) + u @ eta
            found = loss_excess.separable(loss, y, w, eta, u)
            np.testing.assert_allclose(found, formula, rtol=1e-9, atol=1e-12)


def test_the_judges_tell_right_from_wrong():
    """Shrunken solutions are caught by all three judges, the claims of the path are not."""
    caught = set()
    for seed in range(40):
        call = random_problems.problem(seed)
        call.options.pop("lower", None), call.options.pop("upper", None)
        fit = call.fit(max_iter=300, tol=1e-9)
        several = isinstance(fit.coefs, list)
        if fit.status.any() or not (fit.coefs[0] if several else fit.coefs).nnz:
            continue
        own = (random_problems.SeveralGaps if several else
               random_problems.OracleGaps if call.family == "cox" else
               random_problems.Gaps)(call)  # fmt: skip
        k = len(fit.lambdas) - 1
        with np.errstate(all="ignore"):
            if own.nothing or own.gap(fit, k) > 1e-7:
                continue
            coefs = [0.9 * part for part in fit.coefs] if several else 0.9 * fit.coefs
            object.__setattr__(fit, "coefs", coefs)
            if own.gap(fit, k) > 1e-6:
                caught.add(call.family)
    assert len(caught) >= 10


@pytest.mark.parametrize("seed", range(14))
def test_claims_hold(seed):
    call = medium_problems.problem(seed)
    _, _, false, _ = random_problems.judged(call, call.fit(), medium_problems.JUDGED)
    assert not false
