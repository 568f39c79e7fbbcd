"""Knots that rounding has made inaccurate: from there on, the path is solved at many lambdas.

    minimise over b   |y - A b|^2 / 2 + lam sum_j v_j |b_j|       for lams below the last good knot

A homotopy goes from knot to knot with the active columns alone. If these nearly depend on one
another, it may take a wrong turn, which certificates reveal. A solver of one lambda has no such
memory. Given: Batches of knots, with gaps of the knots and of the pieces above them. Returned:
Batches in which every knot below the last good one is the solver's point if that has a smaller
gap. More points are inserted until linear interpolation meets the tolerance at the middle of each
piece.
"""

from dataclasses import replace

import numpy as np

from sparsesolve.paths.options import MAX_ITER
from sparsesolve.solvers.choice import choose
from sparsesolve.solvers.homotopy.knot_certificate import Batch

# A gap of this size is usually rounding, whatever the tolerance; it starts no second try.
LITTLE = 1e-9
# Most values of X for a second try. With more, it would take longer than a user expects to wait.
MOST_VALUES = 4_000_000
# At most this many lambdas are inserted, however large the gaps between them remain.
MOST_POINTS = 400
# Ratio of two lambdas between which no other is inserted.
NEAR = 1.0001


def solved_again(problem, batches, tol, n_threads):
    """Return the Batches; those below the first knot that misses tol are replaced where better."""
    enough = max(tol, LITTLE)
    first = next((k for k, one in enumerate(batches) if not (one.gaps <= enough).all()), None)
    if first is None or problem.design.n * problem.design.p > MOST_VALUES:
        return batches
    at = int(np.argmax(~(batches[first].gaps <= enough)))
    points = Points(problem, n_threads)
    below = []
    for k, batch in enumerate(batches[first:]):
        below += [points.nearer(batch, row) for row in range(at if k == 0 else 0, len(batch.lams))]
    above = _cut(batches[first], at)
    before = [*batches[:first], above] if at else batches[:first]
    last = points.as_point(before[-1], len(before[-1].lams) - 1) if before else below.pop(0)
    below = [point for point in _filled(points, last, below, enough)]
    return [*before, points.batch(below if before else [last, *below])]


class Points:
    """Solutions (lam, b (p,), gap, events) of a Problem of squared error, one by one."""

    def __init__(self, problem, n_threads):
        self.problem, self.n_threads = problem, n_threads
        self.state = choose(problem, "auto", None, n_threads)
        self.null = max(problem.null_value, 1e-300)

    def as_point(self, batch, row):
        """Return a knot of a Batch as a point."""
        b = np.zeros(self.problem.design.p)
        np.add.at(b, batch.features, batch.B[row])
        return float(batch.lams[row]), b, float(batch.gaps[row]), int(batch.n_events[row])

    def nearer(self, batch, row):
        """Return a knot of a Batch, or the solver's point there if that has a smaller gap."""
        knot = self.as_point(batch, row)
        point = self.at(knot[0], knot[3])
        return point if point[2] < knot[2] else knot

    def at(self, lam, events=0):
        """Return the solver's point. If it misses the tolerance, columns replace inner products.
        """
        point = self._solved(self.state, lam, events)
        if point[2] <= LITTLE:
            return point
        other = choose(self.problem, "working_set", None, self.n_threads)
        return min(point, self._solved(other, lam, events), key=lambda found: found[2])

    def _solved(self, state, lam, events):
        """Return the point of a state."""
        _, gap = state.solve(lam, 1e-12 * self.null, MAX_ITER)
        which, values = state.coefficients()
        b = np.zeros(self.problem.design.p)
        b[which] = values
        return lam, b, (gap + self.problem.rounding_cost(which, values, 0.0)) / self.null, events

    def excess(self, point, b):
        """Return the objective at b minus that of a point, over the null objective."""
        lam, best, *_ = point
        (there, _), (here, _) = self.loss(b), self.loss(best)
        penalty = self.problem.penalty
        return (there - here + penalty.value(b, lam) - penalty.value(best, lam)) / self.null

    def loss(self, b):
        """Return (squared error at b, |y - A b|^2)."""
        which = np.flatnonzero(b).astype(np.intc)
        r = self.problem.response - self.problem.design.combination(which, b[which])
        square = float(self.problem.weights @ r**2)
        return 0.5 * square, square

    def batch(self, points):
        """Return points as a Batch of all features."""
        lams, B, gaps, events = (np.array(part) for part in zip(*points, strict=True))
        squares = np.array([self.loss(b)[1] for b in B])
        return Batch(lams, np.arange(B.shape[1], dtype=np.intc), B, squares, gaps, events)


def _filled(points, last, below, enough):
    """Return the points below `last`, with others inserted where interpolation misses `enough`.

    Where no other can be inserted, the gap of the lower point includes the error of
    interpolation.
    """
    filled, waiting = [], below[::-1]
    while waiting:
        lam, b, *_ = last
        low = waiting[-1]
        middle = points.at(0.5 * (lam + low[0]))
        excess = max(points.excess(middle, 0.5 * (b + low[1])), 0.0)
        room = lam > NEAR * low[0] and len(filled) + len(waiting) < MOST_POINTS
        if room and excess > max(enough, middle[2]):
            # The ratio of lambdas may be large; half of it is nearer to the place that is
            # missing.
            waiting.append(points.at(np.sqrt(lam * low[0])) if low[0] > 0.0 else middle)
            continue
        last = waiting.pop()
        if last[2] <= enough:  # else the knot misses in any case
            last = *last[:2], max(last[2], excess + middle[2]), last[3]
        filled.append(last)
    return filled


def _cut(batch, count):
    """Return the first `count` knots of a Batch."""
    return replace(batch, **{name: getattr(batch, name)[:count] for name in (
        "lams", "B", "squares", "gaps", "n_events")})  # fmt: skip
