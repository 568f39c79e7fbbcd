"""What Newton by passes keeps of the lambdas in progress, and what it asks of a pass.

Given: points and steps of items, each one lambda. Returned by PassPoints: the points of a pass,
what is asked of each, and whose they are. Invariant: K responses have coefficients (K f,), those
of one response after the other, and constants (K,).
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.penalties import GroupL2
from sparsesolve.solvers.first_order.block_pass import Ask


class Evaluation(NamedTuple):
    """A point, and what a pass returned there."""

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


class Hessians:
    """The inner products that are kept, by decreasing lambda."""

    def __init__(self):
        self.kept = []

    def keep(self, one):
        """Keep a Hessian in place of one at the same lambda."""
        others = [kept for kept in self.kept if kept.at != one.at]
        # four are around any lambda in progress
        self.kept = sorted([*others, one], key=lambda kept: -kept.at)[-4:]

    def around(self, at, needed):
        """Return the Hessian at ln lam, interpolated, and which are its sources; None where none
        has the columns of the mask `needed`.
        """
        has = [kept for kept in self.kept if needed.sum() == needed[kept.which].sum()]
        if not has:
            return None, None
        above = [kept for kept in has if kept.at >= at]
        below = [kept for kept in has if kept.at < at]
        if not (above and below) or len(above[-1].which) != len(below[0].which):
            nearest = min(has, key=lambda kept: abs(kept.at - at))
            return nearest, (nearest.at,)
        one, two = above[-1], below[0]
        t = (one.at - at) / (one.at - two.at)
        parts = zip(one[2:], two[2:], strict=True)
        mean = Hessian(at, one.which, *((1.0 - t) * a + t * b for a, b in parts))
        return mean, (one.at, two.at)


class Item:
    """A lambda in progress."""

    def __init__(self, lam, here):
        self.lam, self.here = lam, here
        self.gap, self.done, self.end = np.inf, False, None  # end: why it cannot go on
        self.scale, self.by = 1.0, None  # of the Hessian, and which Hessian that is of
        self.n_steps, self.rounds, self.idle = 0, 0, 0
        self.predicted_gap, self.least = np.inf, np.inf
        self.error = 1.0  # of the Hessian: relative error of the last slope that it predicted
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


class PassPoints:
    """Points of a pass, what is asked of them, and whose they are."""

    def __init__(self):
        self.b, self.c, self.asks, self.items = [], [], [], []

    def add(self, item, columns, which, scales):
        """Ask for the end of an item's step and, with scales, for its dual point."""
        plan, here, t, first = item.plan, item.here, item.t, len(self.asks)
        if item.end is not None:  # where it is
            t = 0.0
        end = self._point(here.b + t * plan.b, here.c + t * plan.c)
        self.asks.append(Ask(end, unpenalised=columns, which=which))
        if scales is not None:
            start, along = self._point(here.b, here.c), self._point(*item.direction)
            self.asks.append(Ask(start, along, end, scales, columns))
        self.items.append((item, first, None if scales is None else first + 1))

    def again(self, item, columns, which):
        """Ask for a Hessian at an item's point."""
        self.items.append((item, len(self.asks), None))
        point = self._point(item.here.b, item.here.c)
        self.asks.append(Ask(point, unpenalised=columns, which=which))

    def _point(self, b, c):
        self.b.append(b)
        self.c.append(c)
        return len(self.b) - 1


class ResponseVectors:
    """A penalty on arrays (K, p) as one on vectors (K p,), one response after the other."""

    has_blocks = True

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


def penalty_on(problem, which):
    """Return the penalty on some of the K f coefficients of a Problem."""
    net, K, f = problem.penalty, problem.n_responses or 1, problem.design.p
    if net.has_groups or not (K > 1 and problem.grouped):
        return net if net.has_groups else net.part(which % f)
    part = net.part(which[: len(which) // K])
    rows = GroupL2(np.arange(len(part.l1))).over(len(part.l1)).repeated(K)
    np.asarray(rows.weight)[:], np.asarray(rows.ridge)[:] = part.l1, part.l2
    return rows


def chord(known, s):
    """Return a bound at s of a convex function known at (t, value) of ascending t."""
    for (left, low), (right, high) in zip(known[:-1], known[1:], strict=True):
        if left <= s <= right:
            t = (s - left) / (right - left) if right > left else 1.0
            return low if t == 0.0 else high if t == 1.0 else (1.0 - t) * low + t * high
    return np.inf
