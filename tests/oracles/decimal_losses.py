"""Losses of one sample in decimals: what the last digits of a gap are compared with.

Doubles are taken as they are. A loss is a function of (y, eta) that gives its value, slope and
second derivative, and perhaps the place where its slope is v, as a function of (y, v); else that
is looked for by Newton's steps in a bracket.
"""

from decimal import Decimal, localcontext
from functools import lru_cache

DIGITS = 60  # beyond those that may cancel


def gap(name, y, eta, v):
    """How far the loss lies at eta above the line of slope v that touches it; by how much that
    changes with eta, with v and with the value at eta as parts of themselves. None where no line
    of that slope touches it."""
    function, contact = LOSSES[name]
    digits = DIGITS + int(abs(eta)) if contact else 4 * DIGITS + int(eta * eta / 4)
    with localcontext(prec=digits, Emin=-(10**9), Emax=10**9):
        y, eta, v = Decimal(y), Decimal(eta), Decimal(v)
        try:
            t = contact(y, v) if contact else _touch(function, y, eta, v)
            touched, there, _ = function(y, t)
            value, slope, _ = function(y, eta)
            if abs(there - v) > Decimal(10) ** -20 * abs(v):
                return None
            moved = abs(eta * (slope - v)), abs(v * (t - eta)), abs(value) + abs(eta * slope)
            return value - touched - v * (eta - t), *map(float, moved)
        except ArithmeticError:
            return None


def multinomial_gap(y, eta, u):
    """The same of K classes, as a divergence, and by how much it changes with eta and u."""
    with localcontext(prec=DIGITS + 20):
        y, eta, u = ([Decimal(x) for x in xs] for xs in (y, eta, u))
        total = sum(e.exp() for e in eta)
        p = [e.exp() / total for e in eta]
        s = [a - b for a, b in zip(y, u, strict=True)]
        logs = [(a / b).ln() for a, b in zip(s, p, strict=True)]
        parts = zip(s, p, logs, eta, u, strict=True)
        terms = [(a * d - a + b, abs(e * (a - b)) + abs(v * d)) for a, b, d, e, v in parts]
        return sum(t[0] for t in terms), float(sum(t[1] for t in terms))


def _touch(function, y, t, v):
    low = high = None
    start = t
    while abs(t - start) < 15:
        _, slope, bend = function(y, t)
        low, high = (t, high) if slope < v else (low, t)
        step = (v - slope) / bend
        if abs(step) < Decimal(10) ** -(DIGITS // 2):  # doubles with the next
            return t + step
        step = max(min(step, 4), -4)
        inside = (low is None or low < t + step) and (high is None or t + step < high)
        t = t + step if inside else (low + high) / 2
    raise ArithmeticError(f"no slope in reach is {v}")


def _binomial(y, eta):
    p = 1 / (1 + (-eta).exp())
    return (1 + eta.exp()).ln() - y * eta, p - y, p * (1 - p)


def _poisson(y, eta):
    mean = eta.exp()
    return mean - y * eta, mean - y, mean


def _gamma(y, eta):
    ratio = y * (-eta).exp()
    return ratio + eta, 1 - ratio, ratio


def _square(y, eta):
    return (eta - y) ** 2 / 2, eta - y, 1


def _squared_hinge(y, eta):
    lack = max(1 - y * eta, Decimal(0))
    return lack**2 / 2, -y * lack, int(lack > 0)


def huber(delta):
    delta = Decimal(delta)

    def function(y, eta):
        r = eta - y
        value = delta * (abs(r) - delta / 2) if abs(r) > delta else r * r / 2
        return value, max(min(r, delta), -delta), int(abs(r) <= delta)

    return function, lambda y, v: y + v


def _squared_insensitive(y, eta):
    """max(|y - eta| - epsilon, 0)^2 / 2 at epsilon = 1 / 8."""
    r, epsilon = eta - y, Decimal("0.125")
    beyond = r - max(min(r, epsilon), -epsilon)
    return beyond**2 / 2, beyond, 1


def negative_binomial(theta):
    """Of size theta; its logarithm moves eta."""
    theta = Decimal(theta)

    def function(y, eta):
        p, size = 1 / (1 + theta * (-eta).exp()), y + theta
        value = size * (1 + eta.exp() / theta).ln() - y * eta
        return value, size * p - y, size * p * (1 - p)

    return function, lambda y, v: (theta * (y + v) / (theta - v)).ln()


def _cloglog(y, eta):
    mean = eta.exp()
    miss = (-mean).exp()
    odds = mean * miss / (1 - miss)
    return ((1 - y) * mean - y * (1 - miss).ln(), (1 - y) * mean - y * odds,
            (1 - y) * mean + y * odds * (odds + mean - 1))  # fmt: skip


def _tweedie(y, eta):
    """Of power 1.5."""
    up, down = (eta / 2).exp(), y * (-eta / 2).exp()
    return 2 * (up - 1) + 2 * (down - y), up - down, (up + down) / 2


def _probit(y, eta):
    low, high, density = _normal(eta)
    up, down = density / low, density / high
    return (-y * low.ln() - (1 - y) * high.ln(), (1 - y) * down - y * up,
            y * up * (up + eta) + (1 - y) * down * (down - eta))  # fmt: skip


def _normal(x):
    """Phi(x), Phi(-x) and the density, by a series of terms of one sign."""
    with localcontext() as context:
        tiny, density = Decimal(10) ** -context.prec, (-x * x / 2).exp() / _root_of_two_pi()
        total, term, k = Decimal(0), x, 1
        while abs(term) > tiny:
            total, k = total + term, k + 2
            term *= x * x / k
        return Decimal("0.5") + density * total, Decimal("0.5") - density * total, density


@lru_cache(maxsize=1)
def _root_of_two_pi(digits=1500):
    """By Machin's formula."""
    with localcontext(prec=digits):
        total = Decimal(0)
        for factor, n in ((16, 5), (-4, 239)):
            term, k = Decimal(factor) / n, 1
            while abs(term) > Decimal(10) ** -digits:
                total += term / k if k % 4 == 1 else -term / k
                term, k = term / (n * n), k + 2
        return (2 * total).sqrt()


LOSSES = {
    "binomial": (_binomial, lambda y, v: ((y + v) / (1 - y - v)).ln()),
    "cloglog": (_cloglog, None),
    "gamma": (_gamma, lambda y, v: (y / (1 - v)).ln()),
    "gaussian": (_square, lambda y, v: y + v),
    "huber": huber(1),
    "negative_binomial": negative_binomial(1),
    "poisson": (_poisson, lambda y, v: (y + v).ln()),
    "probit": (_probit, None),
    "squared_epsilon_insensitive": (
        _squared_insensitive, lambda y, v: y + v + Decimal("0.125").copy_sign(v)),
    "squared_hinge": (_squared_hinge, lambda y, v: y + v),
    "tweedie": (_tweedie, None),
}
