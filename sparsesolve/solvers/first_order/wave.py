"""What Newton by passes keeps of the lambdas in flight, and what it asks of a pass.

Given: points and steps of items, each one lambda. Returned by a Batch: the points of a pass, what
is asked of each, and whose they are. Invariant: K responses have coefficients (K f,), those of one
response after the other, and constants (K,).
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.solvers.first_order.block_pass import Ask


class Seen(NamedTuple):
    """A point at which a pass has looked."""

    b: np.ndarray  # (K f,), those of one response after the other
    c: np.ndarray  # (K,) constants
    sums: object  # Sums of block_pass, with v = u


class Hessian(NamedTuple):
    """Inner products at the solution of a lambda."""

    at: float  # ln lam
    which: np.ndarray  # (S,)
    gram: np.ndarray  # (S, S)
    mixed: np.ndarray  # (f, S) with the constant and the unpenalised columns
    inner: np.ndarray  # (f, f)


class Item:
    """A lambda in flight."""

    def __init__(self, lam, here):
        self.lam, self.here = lam, here
        self.gap, self.settled, self.end = np.inf, False, None  # end: why it cannot go on
        self.scale, self.by = 1.0, None  # of the Hessian, and which Hessian that is of
        self.looks, self.rounds, self.idle, self.least, self.hope = 0, 0, 0, np.inf, np.inf
        self.error = 1.0  # of the Hessian: relative error of the last slope that it promised
        self.plan, self.dual, self.t, self.slow, self.direction = None, None, 1.0, False, None

    target = 0.0


class Plan(NamedTuple):
    """The step d of a model."""

    b: np.ndarray  # (K f,) of d
    c: np.ndarray  # (K,)
    slope: float  # of the objective along d
    curvature: float  # d'H d by the model
    change: np.ndarray  # (S,) by how much the model says that the slope changes along d
    which: np.ndarray  # (S,)
    dual: np.ndarray  # (p,) products of the model's dual point


class Batch:
    """Points of a pass, what is asked of them, and whose they are."""

    def __init__(self):
        self.b, self.c, self.asks, self.items = [], [], [], []

    def add(self, item, loose, which, scales):
        """Ask for the end of an item's step and, with scales, for its dual point."""
        plan, here, t, first = item.plan, item.here, item.t, len(self.asks)
        if item.end is not None:  # where it is
            t = 0.0
        end = self._point(here.b + t * plan.b, here.c + t * plan.c)
        self.asks.append(Ask(end, loose=loose, which=which))
        if scales is not None:
            start, along = self._point(here.b, here.c), self._point(*item.direction)
            self.asks.append(Ask(start, along, end, scales, loose))
        self.items.append((item, first, None if scales is None else first + 1))

    def again(self, item, loose, which):
        """Ask for a Hessian at an item's point."""
        self.items.append((item, len(self.asks), None))
        self.asks.append(Ask(self._point(item.here.b, item.here.c), loose=loose, which=which))

    def _point(self, b, c):
        self.b.append(b)
        self.c.append(c)
        return len(self.b) - 1


class Flat:
    """A view of a penalty on arrays (K, p) as one on vectors (K p,)."""

    def __init__(self, rows, K):
        self.rows, self.K = rows, K

    def __getattr__(self, name):
        asked = getattr(self.rows, name)
        return lambda *vectors: asked(*(
            v.reshape(self.K, -1) if isinstance(v, np.ndarray) else v for v in vectors
        ))  # fmt: skip

    def unpenalised(self, *vectors):
        """Return a mask (K p,) of the features without a penalty."""
        return np.tile(self.__getattr__("unpenalised")(*vectors), self.K)

    has_blocks = True


def chord(known, s):
    """Return a bound at s of a convex function known at (t, value) of ascending t."""
    for (left, low), (right, high) in zip(known[:-1], known[1:], strict=True):
        if left <= s <= right:
            t = (s - left) / (right - left) if right > left else 1.0
            return low if t == 0.0 else high if t == 1.0 else (1.0 - t) * low + t * high
    return np.inf
