"""The partial likelihood against its definition, term by term; its laws are in tests/laws."""

import decimal

import numpy as np
import pytest
from scipy.special import logsumexp

import sparsesolve as ss
from sparsesolve.losses import LOSSES
from sparsesolve.losses.cox import late

N = 70


def draw(rng, kind="late", n=N):
    """Responses (n, 4) and weights that sum to 1, one of them 0."""
    start = np.full(n, -np.inf)
    if kind == "late":
        start = np.round(6 * rng.random(n))
    elif kind == "split":  # short intervals, as of time-dependent covariates
        start = rng.integers(0, 12, n).astype(float)
    length = rng.integers(1, 2 if kind == "split" else 9, n)
    stop = np.where(np.isfinite(start), start, 0.0) + length
    y = np.column_stack([start, stop, rng.random(n) < 0.5, rng.integers(0, 3, n)])
    w = rng.uniform(0.2, 2.0, n)
    w[5] = 0.0
    return y, w / w.sum()


def terms(y, w, ties):
    """The terms of the likelihood: weight d, log factors of all samples (-inf: not at risk)."""
    start, stop, status, stratum = y.T
    dead = (status > 0) & (w > 0)
    for s, t in sorted(set(zip(stratum[dead], stop[dead], strict=True))):
        at_risk = (stratum == s) & (start < t) & (t <= stop) & (w > 0)
        now = dead & (stratum == s) & (stop == t)
        m = now.sum() if ties == "efron" else 1
        for k in range(m):
            with np.errstate(divide="ignore"):
                factors = np.log(np.where(at_risk, w * np.where(now, 1 - k / m, 1.0), 0.0))
            yield w[now].sum() / m, factors


def naive(y, w, eta, ties):
    """F, its gradient and its second derivative."""
    dead = y[:, 2] > 0
    value, gradient, second = -np.sum((w * eta)[dead]), -w * dead, np.zeros((len(w), len(w)))
    for d, factors in terms(y, w, ties):
        total = logsumexp(factors + eta)
        share = np.exp(factors + eta - total)
        value += d * total
        gradient = gradient + d * share
        second += d * (np.diag(share) - np.outer(share, share))
    return value, gradient, second


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("kind", ["plain", "late", "split"])
@pytest.mark.parametrize("size", [0.0, 1.0, 30.0, 400.0])
def test_value_and_derivatives_are_those_of_the_definition(kind, ties, size):
    rng = np.random.default_rng(3)
    y, w = draw(rng, kind)
    loss = LOSSES["cox"](y, w, ties)
    for _ in range(3):
        eta, v = size * rng.standard_normal(N), rng.standard_normal(N)
        value, gradient, second = naive(y, w, eta, ties)
        mine, u = loss.at(eta)
        assert mine == pytest.approx(value, rel=1e-13, abs=1e-14)
        assert u == pytest.approx(-gradient, rel=1e-11, abs=1e-14)
        assert loss.curvature_at(eta) == pytest.approx(np.diag(second), rel=1e-11, abs=1e-14)
        assert loss.curvature_product(eta, v) == pytest.approx(second @ v, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_small_risk_sets_keep_their_digits_beside_huge_ones(ties):
    """Those who enter late have risks e^700 and more below the rest of their stratum, or above."""
    rng = np.random.default_rng(11)
    y, w = draw(rng, "late")
    eta = rng.standard_normal(N)
    for jump in (-900.0, -100.0, 100.0, 700.0, 1e4):
        moved = eta + np.where(y[:, 0] >= 3, jump, 0.0)
        value, gradient, second = naive(y, w, moved, ties)
        mine, u = (loss := LOSSES["cox"](y, w, ties)).at(moved)
        assert mine == pytest.approx(value, rel=1e-12)
        assert u == pytest.approx(-gradient, rel=1e-9, abs=1e-14)
        assert loss.curvature_at(moved) == pytest.approx(np.diag(second), rel=1e-9, abs=1e-14)
        product = loss.curvature_product(moved, eta)
        assert product == pytest.approx(second @ eta, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_saturated_is_the_limit_along_falling_risks(ties):
    """Who dies earlier is infinitely more at risk; deaths at one time are equals."""
    y, w = draw(np.random.default_rng(2))
    loss = LOSSES["cox"](y, w, ties)
    eta = np.where(y[:, 2] > 0, -60.0 * y[:, 1], -3000.0)
    assert loss.at(eta)[0] == pytest.approx(loss.saturated, rel=1e-13)
    gap = loss.fenchel_young_at(eta / 60, 0 * eta)
    assert gap == pytest.approx(loss.at(eta / 60)[0] - loss.saturated, rel=1e-12)


def test_without_an_event_nothing_is_to_be_learnt():
    y = np.array([[-np.inf, 1.0, 0.0, 0.0], [0.0, 2.0, 1.0, 0.0]])
    loss = LOSSES["cox"](y, np.array([1.0, 0.0]))
    value, u = loss.at(np.array([3.0, 1.0]))
    assert value == loss.saturated == 0.0
    assert u.tolist() == [0.0, 0.0]
    assert loss.curvature_at(np.zeros(2)).tolist() == [0.0, 0.0]


def test_answers_do_not_depend_on_what_was_asked_before():
    rng = np.random.default_rng(4)
    y, w = draw(rng)
    etas = rng.standard_normal((3, N))
    kept = LOSSES["cox"](y, w, "efron")
    questions = ("hazard_at", "curvature_at", "at", "hazard_at", "at", "curvature_at")
    for i, question in zip((0, 1, 1, 0, 2, 0), questions, strict=True):
        fresh = LOSSES["cox"](y, w, "efron")
        for ask in (question, "curvature_at"):
            mine, other = (np.hstack(getattr(loss, ask)(etas[i])) for loss in (kept, fresh))
            assert mine.tolist() == other.tolist()
        mine, other = (loss.curvature_product(etas[i], w) for loss in (kept, fresh))
        assert mine.tolist() == other.tolist()


@pytest.mark.parametrize("size", [1.0, 8.0, 300.0])
def test_root_is_one_of_the_second_derivative(size):
    """L L' = F'' where nobody enters late; Efron's ties are given Breslow's."""
    rng = np.random.default_rng(6)
    y, w = draw(rng, "plain")
    y[7] = [20.0, 21.0, 0.0, 1.0]  # between events, at risk at none
    eta = size * rng.standard_normal(N)
    second = naive(y, w, eta, "breslow")[2]
    for ties in ("breslow", "efron"):
        loss = LOSSES["cox"](y, w, ties)
        L = loss.root_at(eta, 1e-12)
        assert sorted(L.order) == np.flatnonzero(w > 0).tolist()
        columns = np.where(w > 0, np.eye(N), 0.0)
        transposed = np.array([L.product(z) for z in columns]).T
        assert transposed.T @ transposed == pytest.approx(second, abs=1e-12)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("kind", ["late", "split"])
@pytest.mark.parametrize("size", [1.0, 300.0])
def test_root_with_late_entries_is_one_of_the_second_derivative_itself(kind, ties, size):
    rng = np.random.default_rng(6)
    y, w = draw(rng, kind)
    eta = size * rng.standard_normal(N)
    L = LOSSES["cox"](y, w, ties).root_at(eta, 1e-10, dense=True)
    second = naive(y, w, eta, ties)[2] + 1e-10 * np.diag(w)
    transposed = np.array([L.product(z) for z in np.where(w > 0, np.eye(N), 0.0)]).T
    assert transposed.T @ transposed == pytest.approx(second, abs=1e-13)
    u = np.where(w > 0, rng.standard_normal(N), 0.0)
    assert L.product(L.solution(u, transposed=True)) == pytest.approx(u, rel=1e-6, abs=1e-6)
    transposed[w == 0, w == 0] = 1.0
    assert transposed.T @ L.solution(u) == pytest.approx(u, rel=1e-6, abs=1e-6)


def test_there_is_no_cheap_root_with_late_entries():
    rng = np.random.default_rng(6)
    y, w = draw(rng, "late")
    assert LOSSES["cox"](y, w).root_at(np.zeros(N)) is None
    y, w = draw(rng, "plain")
    y[:, 0] = np.where(y[:, 1] > y[y[:, 2] > 0, 1].min(), 0.0, -np.inf)  # before any event
    assert LOSSES["cox"](y, w).root_at(np.zeros(N)) is not None


@pytest.mark.parametrize("kind", ["split", "late"])
def test_a_capped_excess_is_exact_near_eta_and_never_too_small(kind):
    """Solvers, which have the dual point 0, are told infinity where the search looks hopeless."""
    rng = np.random.default_rng(5)
    y, w = draw(rng, kind)
    loss = LOSSES["cox"](y, w)
    for distance in (0.0, 1e-4, 1e-2, 1.0, 30.0):
        other = rng.standard_normal(N)
        eta = other + distance * rng.standard_normal(N)
        u = loss.at(other)[1]
        exact, capped = late.excess(loss, eta, u), late.excess(loss, eta, u, capped=True)
        assert capped in (exact, np.inf)
        assert capped == exact or distance >= 1.0


def test_slopes_that_no_risks_have_are_outside_the_domain():
    rng = np.random.default_rng(6)
    y, w = draw(rng, "plain")
    loss = LOSSES["cox"](y, w)
    eta = rng.standard_normal(N)
    u = loss.at(eta)[1]
    survivor = np.flatnonzero((y[:, 2] == 0) & (u < 0))[0]
    for change in ({survivor: 1.0}, {survivor: 1.0, 0: -1.0}, {np.argmin(w): 1e-3}):
        moved = u.copy()
        for i, by in change.items():
            moved[i] += by
        assert loss.fenchel_young_at(eta, moved) == np.inf


def test_an_exception_in_the_search_for_late_entries_comes_out_once(monkeypatch):
    """It is asked for where none can come out, and a number in its place would pass for a gap."""
    rng = np.random.default_rng(7)
    y, w = draw(rng, "late")
    loss = LOSSES["cox"](y, w)
    eta, X = rng.standard_normal(N), rng.standard_normal((N, 4))
    u = loss.at(0.5 * eta)[1]

    def interrupted(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(late, "_newton", interrupted)
        with pytest.raises(KeyboardInterrupt):
            loss.fenchel_young_at(eta, u)
        for solver in ("proximal_newton", "fista"):
            with pytest.raises(KeyboardInterrupt):
                ss.path(X, (y[:, 0], y[:, 1], y[:, 2]), family="cox", solver=solver)
    assert 0 < loss.fenchel_young_at(eta, u) < np.inf


@pytest.mark.parametrize("eta", [-5.0, -0.5, 0.0, 3.0])
def test_a_sum_of_risks_near_one_has_its_last_digit(eta):
    """Three deaths of one risk each beside a survivor of hardly any weight, by hand."""
    y = np.array([[-np.inf, 2.0, 0, 0], *[[-np.inf, 1.0, 1, 0]] * 3])
    w = np.array([1e-6, 1.0, 1.0, 1.0]) / 3.000001
    loss = LOSSES["cox"](y, w)
    value, _ = loss.at(np.array([eta, 0.0, 0.0, 0.0]))
    exact = (1 - w[0]) * np.log1p(w[0] / (1 - w[0]) * np.exp(eta))
    assert value - loss.saturated == pytest.approx(exact, rel=0, abs=1e-15)


def test_one_giant_predictor_takes_no_digits_from_the_others():
    """Against decimals: sums of risks a factor exp(1e11) apart, as separated data make them."""
    exact = decimal.Context(prec=60, Emax=10**15, Emin=-(10**15))
    time, w = [5.0, 4.0, 3.0, 2.0, 1.0], np.array([0.6, 0.2, 0.1, 0.1 - 1e-11, 1e-11])
    y = np.column_stack([np.full(5, -np.inf), time, [1, 0, 1, 1, 1], np.zeros(5)])
    loss = LOSSES["cox"](y, w)
    for low in (-2.0001, 126.3, 127.9):
        eta = np.array([low, low + 1.1, 1e5 + 0.7, 3.5e6, 1.00006e11])
        with decimal.localcontext(exact):
            far, own = [decimal.Decimal(x) for x in eta], [decimal.Decimal(x) for x in w]
            terms = []
            for i in (0, 2, 3, 4):  # at risk are the first i + 1
                total = sum(own[j] * (far[j] - far[i]).exp() for j in range(i + 1))
                terms.append(own[i] * total.ln())
            expected = float(sum(terms))
        own_digits = np.finfo(float).eps * (w @ np.abs(eta))  # 1e-10; it was 1e-5
        assert loss.at(eta)[0] == pytest.approx(expected, abs=own_digits)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("kind", ["plain", "late"])
def test_few_rows_bound_the_hessian_and_all_are_it(kind, ties):
    rng = np.random.default_rng(3)
    y, w = draw(rng, kind)
    loss, eta = LOSSES["cox"](y, w, ties), 2.0 * rng.standard_normal(N)
    second = naive(y, w, eta, ties)[2]
    above = []
    for most in (1, 4, 10**6):
        h, C = loss.curvature_bound(eta, most)
        assert len(C) <= most and (C >= 0.0).all() and (h[w == 0.0] == 0.0).all()
        above.append(np.diag(h) - C.T @ C - second)
        assert np.linalg.eigvalsh(above[-1]).min() >= -1e-12
    assert np.trace(above[0]) > np.trace(above[1]) > 1.5 * np.trace(above[2])
    if ties == "breslow":
        np.testing.assert_allclose(above[2], 0.0, atol=1e-12)
