"""The check of a user's penalty: what contradicts itself is refused, and with which words."""

import numpy as np
import pytest
from python_penalties import Largest, SquaredL1, Steps

from sparsesolve.penalties.definition import check_definition


@pytest.mark.parametrize("penalty", [Largest(), SquaredL1(), Steps(6)])
def test_penalties_that_are_right_pass(penalty):
    check_definition(penalty, 6, "it")


class Scaled(Largest):
    def __init__(self, **factors):
        self.factors = factors

    def __getattribute__(self, name):
        factors = object.__getattribute__(self, "__dict__").get("factors", {})
        method = object.__getattribute__(self, name)
        if name in factors:
            return lambda *arguments: factors[name](method(*arguments), *arguments)
        return method


@pytest.mark.parametrize("factors, kind, sentence", [
    ({"value": lambda found, b: 2 * found}, ValueError, "prox does not belong to value"),
    ({"prox": lambda found, v, t: 0.9 * found}, ValueError, "polar.v - prox.* correct polar or"),
    ({"polar": lambda found, z: 0.5 * found}, ValueError, "polar"),
    ({"value": lambda found, b: found + 1}, ValueError, "value is 1 at b = 0"),
    ({"value": lambda found, b: found + 1j}, TypeError, "value returned .* a real number"),
    ({"prox": lambda found, v, t: found[:-1]}, TypeError, r"prox returned an array of shape \(5,"),
    ({"prox": lambda found, v, t: found * np.nan}, ValueError, "prox returned NaN"),
    ({"prox": lambda found, v, t: v}, ValueError, "prox returned its argument"),
])  # fmt: skip
def test_what_contradicts_itself_is_refused(factors, kind, sentence):
    with pytest.raises(kind, match=sentence):
        check_definition(Scaled(**factors), 6, "it")


def test_a_kernel_that_is_seen_is_refused():
    class Wrong(Steps):
        def kernel(self):
            return np.eye(6)[:, :1]

    with pytest.raises(ValueError, match=r"value goes from .* along kernel\(\)"):
        check_definition(Wrong(6), 6, "Wrong")
    Wrong.kernel = lambda self: np.ones(6)
    with pytest.raises(TypeError, match="kernel returned an array of shape"):
        check_definition(Wrong(6), 6, "Wrong")


def test_a_kernel_that_is_kept_back_is_refused():
    class Silent(Steps):
        kernel = None

    penalty = Silent(6)
    with pytest.raises(ValueError, match="polar"):
        check_definition(penalty, 6, "Silent")
