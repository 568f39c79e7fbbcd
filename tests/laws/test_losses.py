"""Laws that every registered loss keeps: derivatives, conjugate, curvature, weights."""

from functools import partial

import numpy as np
import pytest
from cases import every
from scipy import optimize, special

from sparsesolve.families import read_family
from sparsesolve.losses import KINKED, LOSSES, PythonLoss

POINTS = 60


class Logistic:
    """The logistic loss, written as a user would."""

    def value(self, y, eta):
        return np.logaddexp(0.0, eta) - y * eta

    def gradient(self, y, eta):
        return special.expit(eta) - y

    def curvature(self, y, eta):
        return special.expit(eta) * special.expit(-eta)


class CertifiedLogistic(Logistic):
    """The same with its conjugate."""

    def conjugate(self, y, v):
        entropy = -special.entr(y + v) - special.entr(1.0 - y - v)
        return np.where(np.isfinite(entropy), entropy, np.inf)


def _real(rng):
    return 3 * rng.standard_normal(POINTS)


def _share(rng):
    return rng.choice([0.0, 1.0, 0.2, 0.75], POINTS)


def _count(rng):
    return rng.poisson(1.5, POINTS).astype(float)


def _positive(rng):
    return rng.gamma(2.0, 1.0, POINTS)


def _amount(rng):
    return _positive(rng) * (rng.random(POINTS) < 0.6)


def _survival(rng):
    """Start, stop, status and stratum, with ties and with samples that enter late."""
    start = rng.choice([-np.inf, 0.0, 1.0, 3.0], POINTS)
    stop = np.maximum(start, 0.0) + rng.integers(1, 6, POINTS)
    return np.column_stack([start, stop, rng.random(POINTS) < 0.6, rng.integers(0, 2, POINTS)])


def _sign(rng):
    return rng.choice([-1.0, 1.0], POINTS)


def _responses(rng):
    return 3 * rng.standard_normal((POINTS, 3))


def _shares(rng):
    """Four classes: members of one, and every third sample shared out."""
    shares = np.eye(4)[rng.integers(0, 4, POINTS)]
    shares[::3] = rng.dirichlet(np.ones(4), len(shares[::3]))
    shares[::6, 1] = 0.0
    return shares / shares.sum(axis=1, keepdims=True)


SAMPLES = {  # how to draw responses; one line a loss
    "binomial": _share,
    "cloglog": _share,
    "cox": _survival,
    "gamma": _positive,
    "gaussian": _real,
    "huber": _real,
    "multigaussian": _responses,
    "multinomial": _shares,
    "negative_binomial": _count,
    "poisson": _count,
    "probit": _share,
    "squared_epsilon_insensitive": _real,
    "squared_hinge": _sign,
    "tweedie": _amount,
}
OTHERS = {  # with options, or written in Python, and their responses
    "cox, efron": (read_family("cox(efron)").loss, _survival),
    "epsilon_insensitive": (partial(KINKED["epsilon_insensitive"], epsilon=0.125), _real),
    "hinge": (KINKED["hinge"], _sign),
    "quantile": (partial(KINKED["quantile"], q=0.3), _real),
    "python": (partial(PythonLoss, law=Logistic()), _share),
    "python with a conjugate": (partial(PythonLoss, law=CertifiedLogistic()), _share),
}
CASES = LOSSES | {name: loss for name, (loss, _) in OTHERS.items()}
SAMPLES |= {name: draw for name, (_, draw) in OTHERS.items()}

KINKS = {  # where a derivative jumps, so that no difference across it can tell it
    "epsilon_insensitive": lambda y: [y - 0.125, y + 0.125],
    "hinge": lambda y: [y],
    "huber": lambda y: [y - 1.0, y + 1.0],
    "quantile": lambda y: [y],
    "squared_epsilon_insensitive": lambda y: [y - 0.125, y + 0.125],
    "squared_hinge": lambda y: [y],
}


def _away_from_kinks(name, y, eta):
    """Linear predictors at least 0.05 from every kink, more than the differences below reach."""
    for kink in KINKS.get(name, lambda y: [])(y):
        eta = np.where(np.abs(eta - kink) < 0.05, kink + 0.1, eta)
    return eta


def _case(name):
    """A registered loss with weights, one of them 0, and linear predictors."""
    assert name in SAMPLES, f"add a line for the loss {name!r} to SAMPLES in this file"
    rng = np.random.default_rng(7)
    w = rng.uniform(0.5, 1.5, POINTS)
    w[3] = 0.0
    w /= w.sum()
    y = SAMPLES[name](rng)
    loss = CASES[name](y, w)
    shape = (POINTS,) if loss.n_responses == 1 else (loss.n_responses, POINTS)
    return loss, w, _away_from_kinks(name, y, 1.5 * rng.standard_normal(shape)), rng


def every_loss(test):
    """Decorate a test so that it runs on each registered loss, as given by `case`."""

    @every("name", sorted(CASES))
    def run(name):
        test(_case(name))

    run.__name__ = test.__name__
    return run


@every("name", sorted(set(CASES) - {"cox", "cox, efron"}))
def test_one_sample_by_itself(name):
    """`sample` needs no other rows, and says what the sum over all is made of, from 0 on."""
    rng = np.random.default_rng(7)
    y, w = SAMPLES[name](rng), rng.dirichlet(np.ones(POINTS))
    loss, alone = CASES[name](y, w), CASES[name](y[:0], w[:0])
    eta = rng.standard_normal((POINTS,) if y.ndim == 1 else y.T.shape)
    value, u = loss.at(eta)
    found = [alone.sample_at(y[i], eta[..., i]) for i in range(POINTS)]
    from_zero = [alone.sample_at(y[i], 0.0 * eta[..., i])[0] for i in range(POINTS)]
    parts = np.array([part for part, _ in found]) - from_zero
    assert np.dot(w, parts) == pytest.approx(value - loss.at(0.0 * eta)[0], rel=1e-12, abs=1e-12)
    slopes = -w * np.array([slope for _, slope in found]).T
    np.testing.assert_allclose(slopes.reshape(u.shape), u, rtol=1e-10, atol=1e-14)


def _difference(function, eta, direction, h=1e-3):
    """Derivative along a direction by fourth-order central differences."""
    near = function(eta + h * direction) - function(eta - h * direction)
    far = function(eta + 2 * h * direction) - function(eta - 2 * h * direction)
    return (8 * near - far) / (12 * h)


@every_loss
def test_residual_is_minus_the_derivative_of_the_value(case):
    loss, _, eta, rng = case
    for _ in range(5):
        v = rng.standard_normal(eta.shape)
        numeric = _difference(lambda e: loss.at(e)[0], eta, v)
        assert -np.sum(loss.at(eta)[1] * v) == pytest.approx(numeric, rel=1e-8, abs=1e-9)


@every_loss
def test_curvature_times_is_the_derivative_of_the_gradient(case):
    loss, _, eta, rng = case
    for _ in range(5):
        v = rng.standard_normal(eta.shape)
        numeric = _difference(lambda e: -loss.at(e)[1], eta, v)
        assert loss.curvature_product(eta, v) == pytest.approx(numeric, rel=1e-6, abs=1e-8)


@every_loss
def test_curvature_is_at_least_the_diagonal_of_the_second_derivative(case):
    loss, w, eta, _ = case
    h = loss.curvature_at(eta)
    assert (h >= 0).all()
    for place in [(0,), (3,), (POINTS - 1,)]:
        unit = np.zeros(eta.shape)
        unit[(0, *place) if eta.ndim == 2 else place] = 1.0
        diagonal = np.sum(unit * loss.curvature_product(eta, unit))
        assert np.sum(h * unit) >= diagonal * (1 - 1e-12) - 1e-15


@every_loss
def test_fenchel_and_young_with_equality_at_the_gradient(case):
    loss, _, eta, rng = case
    u = loss.at(eta)[1]
    assert loss.fenchel_young_at(eta, u) == pytest.approx(0.0, abs=1e-14)
    for _ in range(20):  # u of another eta is in the domain
        other = 1.5 * rng.standard_normal(eta.shape)
        assert loss.fenchel_young_at(other, u) >= -1e-15


@every_loss
def test_fenchel_young_is_the_excess_over_the_supporting_line(case):
    """F*(-u) for u = -F'(eta) is -eta'u - F(eta), so F(other) + F*(-u) + other'u is known."""
    loss, _, eta, rng = case
    value, u = loss.at(eta)
    other = 1.5 * rng.standard_normal(eta.shape)
    expected = loss.at(other)[0] - value + np.sum((other - eta) * u)
    assert loss.fenchel_young_at(other, u) == pytest.approx(expected, rel=1e-9, abs=1e-13)


@every_loss
def test_shrunk_residuals_stay_in_the_domain(case):
    """Certificates scale u: s u must be dual feasible for the samples wherever u is."""
    loss, _, eta, _ = case
    u = loss.at(eta)[1]
    for scale in (0.0, 0.3, 0.999):
        assert 0.0 <= loss.fenchel_young_at(eta, scale * u) + 1e-15 < np.inf


@every_loss
def test_value_is_convex_along_chords_and_at_least_saturated(case):
    loss, _, eta, rng = case
    for _ in range(10):
        other = 3 * rng.standard_normal(eta.shape)
        ends = loss.at(eta)[0], loss.at(other)[0]
        assert loss.at((eta + other) / 2)[0] <= sum(ends) / 2 + 1e-12
        assert min(ends) >= loss.saturated - 1e-14


@every_loss
def test_the_value_comes_as_near_to_saturated_as_asked(case):
    """Deviances are measured from `saturated`, the infimum of F, which need not be attained."""
    loss, _, eta, _ = case

    def value_and_gradient(e):
        value, u = loss.at(e.reshape(eta.shape))
        return value, -u.ravel()

    if not loss.smooth:  # which that method may not minimise: their least value is 0, at the kink
        assert loss.saturated == 0.0
        assert loss.at(loss.pieces[0])[0] == 0.0
        return
    found = optimize.minimize(value_and_gradient, eta.ravel(), jac=True, method="L-BFGS-B",
                              options={"maxiter": 5000, "ftol": 0, "gtol": 1e-10})  # fmt: skip
    assert found.fun == pytest.approx(loss.saturated, abs=1e-7)


@every_loss
def test_shift_invariance_is_as_promised(case):
    loss, _, eta, _ = case
    value, u = loss.at(eta)
    moved, shifted = loss.at(eta + 0.7)
    if loss.shift_invariant:
        assert moved == pytest.approx(value, rel=1e-13)
        assert shifted == pytest.approx(u, abs=1e-15)
        assert u.sum() == pytest.approx(0.0, abs=1e-15)
    else:
        assert abs(moved - value) > 1e-6


@every_loss
def test_samples_of_weight_zero_take_no_part(case):
    loss, _, eta, _ = case
    moved = eta.copy()
    moved[..., 3] += 5.0
    assert loss.at(moved)[0] == loss.at(eta)[0]
    assert (loss.at(moved)[1][..., 3] == 0.0).all()


@every_loss
def test_far_out_nothing_overflows_to_nan(case):
    loss, _, eta, _ = case
    for size in (1e2, 1e3, 1e5):
        value, u = loss.at(size * np.sign(eta))
        assert not np.isnan(value) and not np.isnan(u).any()
        assert not np.isnan(loss.curvature_at(size * np.sign(eta))).any()


@every_loss
def test_pooled_samples_have_the_same_loss(case):
    loss, w, eta, rng = case
    if not getattr(loss, "linear_in_y", False):
        return
    first = np.array([0, 1, 3, 7], dtype=np.intc)  # 3 has no weight, nor has another of its class
    label = np.append(np.arange(8), rng.integers(0, 8, POINTS - 8)).astype(np.intc)
    label = np.array([0, 1, 0, 2, 1, 1, 0, 3])[label].astype(np.intc)
    label[(label == 2) & (w > 0.0)] = 1
    for at in (eta[..., :4], 3.0 * eta[..., 4:8]):
        value, u = loss.at(at[..., label])
        excess = value - loss.saturated
        pooled = loss.merged(label, first, at, excess)
        assert pooled.at(at)[0] == pytest.approx(value, rel=1e-14)
        assert pooled.at(at)[0] - pooled.saturated == pytest.approx(excess, rel=1e-12)
        assert pooled.at(at)[1] == pytest.approx(_by_class(label, u), rel=1e-12, abs=1e-15)
        h = _by_class(label, loss.curvature_at(at[..., label]))
        assert pooled.curvature_at(at) == pytest.approx(h, rel=1e-12)


def _by_class(label, values):
    """Sums over the last axis."""
    sums = [np.bincount(label, row) for row in np.atleast_2d(values)]
    return np.reshape(sums, (*values.shape[:-1], -1))


@every_loss
def test_slopes_lie_between_their_ends_and_come_to_those_that_are_finite(case):
    loss, w, eta, rng = case
    if loss.ends is None:
        return
    low, high = loss.ends
    for predictors in (eta, 30.0 * rng.standard_normal(POINTS)):
        u = loss.at(predictors)[1]
        assert (u >= low - 1e-14 * w).all() and (u <= high + 1e-14 * w).all()
    for end, far, out in ((low, 600.0, -0.1), (high, -600.0, 0.1)):
        finite = np.isfinite(end)
        for i in np.flatnonzero(finite & (w > 0.0))[:5]:  # beyond it no line has that slope
            beyond = np.where(np.arange(POINTS) == i, end + out * w, loss.at(eta)[1])
            assert loss.fenchel_young_at(eta, beyond) == np.inf
        assert loss.at(np.full(POINTS, far))[1][finite] == pytest.approx(end[finite], abs=1e-12)
        assert (np.abs(loss.at(np.full(POINTS, far))[1][~finite]) > 100.0 * w[~finite]).all()


@pytest.mark.parametrize("name", [*KINKED, "squared_epsilon_insensitive", "squared_hinge"])
def test_pieces_make_the_loss(name):
    """f = max over s in [l, h] of s (eta - c) - width |s| - bend s^2 / 2, on a fine grid of s."""
    y = np.resize([1.0, -1.0], 8)
    loss = {**KINKED, **LOSSES}[name](y, np.full(8, 1 / 8))
    centre, low, high = loss.pieces
    s = np.linspace(np.maximum(low, -20.0), np.minimum(high, 20.0), 40_001)
    for eta in np.random.default_rng(0).normal(scale=3.0, size=(20, 8)):
        lines = s * (eta - centre) - loss.width * np.abs(s) - 0.5 * loss.bend * s**2
        assert loss.at(eta)[0] == pytest.approx(lines.max(axis=0).mean(), abs=1e-6)
