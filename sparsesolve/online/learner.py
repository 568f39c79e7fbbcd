"""Learner: an Engine with its Clock, which learns blocks of rows of any size.

However the rows are divided into blocks, the same steps are made in the same order, so that
weights are the same to the bit. Rows of weight 0 are left out before steps are counted. With
batch > 1 the rows of an incomplete step wait for the next ones.
"""

import numpy as np

from sparsesolve.online.rows import joined

# At first there is memory for this many features.
LEAST = 64


class Learner:
    """A learner of one method with one step size.

    Parameters
    ----------
    engine : Engine
    clock : Clock
    loss : Loss
    batch : int
        Rows in a step.
    grows : bool
        Whether rows may have features without memory yet.
    draw : int or None
        Seed: the weights are those before a random step, each step being as likely.
    """

    def __init__(self, engine, clock, loss, batch=1, grows=False, draw=None):
        self.draw = None if draw is None else np.random.default_rng(draw)
        self.drawn, self.steps = None, 0  # weights drawn; number of steps made
        self.next = 1  # step of the next draw
        self.engine, self.clock, self.loss = engine, clock, loss
        self.batch, self.grows = batch, grows
        self.waiting = None  # rows of an incomplete step
        self.rows = 0  # number of learned rows
        self.weight = self.total = 0.0  # their weights, and their losses before each was learned
        self.curve = []  # (rows, mean loss) whenever the number of rows has doubled
        self.spent = 0.0  # sum of rate times |g|^2
        self.last = self.heaviest = 0.0  # weight u of the last step, and the largest so far
        self.rising = False  # whether a step weighed more than the one before it
        self.turns = 0.0  # 1 / eta_1, and by how much 1 / eta rose from there in all
        self.lengthened = False  # whether a step was longer than the one before it

    def kept(self):
        """Return what has been learned, apart from the settings."""
        state = {name: value for name, value in vars(self).items() if name != "loss"}
        return {**state, "engine": self.engine.state()}

    def go_on(self, kept):
        """Continue from what another learner of the same settings has learned."""
        self.engine.restore(kept["engine"])
        self.__dict__.update({name: value for name, value in kept.items() if name != "engine"})

    def measure(self, blocks):
        """Compute the mean gradient of rows, all of positive weight, for an engine that needs it.
        """
        self.engine.begin()
        for rows in blocks:
            self._make_room(rows)
            self.engine.measure(self.loss, *rows)
        if self.engine.measured:
            self.engine.end_measure()

    def _make_room(self, rows):
        """Allocate memory for features that have none yet."""
        if self.grows and len(rows.columns):
            needed = int(rows.columns.max()) + 1
            if needed > self.engine.n_features:
                self.engine.grow(max(needed, 2 * self.engine.n_features, LEAST))

    def learn(self, rows):
        """Learn rows, all of positive weight."""
        if self.waiting is not None:
            rows, self.waiting = joined([self.waiting, rows]), None
        full = rows.n // self.batch * self.batch
        if full < rows.n:
            self.waiting = rows.part(full, rows.n)
            rows = rows.part(0, full)
        if not full:
            return
        self._make_room(rows)
        first = 0
        while first < full:
            first += self._run(rows if first == 0 else rows.part(first, full))

    def _run(self, rows):
        """Learn as many rows as the clock and the next draw allow; return their number."""
        if self.draw is not None:
            rows = self._until_draw(rows)
        steps = np.arange(0, rows.n + 1, self.batch, dtype=np.intp)
        u = rows.w if self.batch == 1 else np.add.reduceat(rows.w, steps[:-1]) / self.batch
        earlier = self.clock.rate, self.clock.t
        times = self.clock.run(u)
        made = len(times["rate"])
        n = int(steps[made])
        self.steps += made
        with np.errstate(all="ignore"):
            part = rows.part(0, n)
            losses, squares = self.engine.run(self.loss, times, *part, steps[: made + 1])
        self._count(losses, squares, rows.w[:n], times, u[:made], earlier)
        if self.clock.full:
            self.engine.refold(self.clock.now())
            self.clock.restart()
        return n

    def _until_draw(self, rows):
        """Draw the weights before this step if it is due; return the rows before the next draw.

        Step t replaces the weights drawn before with probability 1 / t, so that the draw after
        that of step t is later than m with probability t / m.
        """
        if self.steps + 1 == self.next:
            self.drawn = self.engine.weights(*self.clock.now(), None)
            self.next = int(self.next / (1.0 - self.draw.random())) + 1
        return rows.part(0, min(rows.n, (self.next - 1 - self.steps) * self.batch))

    def _count(self, losses, squares, w, times, u, earlier):
        """Update the progressive loss, and the sums for a bound of the regret."""
        totals = np.cumsum(np.append(self.total, losses * w))[1:]
        weights = np.cumsum(np.append(self.weight, w))[1:]
        if not np.isfinite(totals[-1]):
            row = self.rows + int(np.flatnonzero(~np.isfinite(totals))[0])
            raise ValueError(
                f"the loss of row {row} (counted from 0) is {losses[row - self.rows]}: the steps "
                "were too long; use a smaller step, or scale X"
            )
        mark = 1 << max(self.rows.bit_length(), 0)
        while mark <= self.rows + len(w):
            k = mark - self.rows - 1
            self.curve.append((mark, totals[k] / weights[k]))
            mark *= 2
        self.rows += len(w)
        self.total, self.weight = totals[-1], weights[-1]
        eta, begun = times["eta"], earlier[1] > 0.0
        before = np.append(earlier[0] if begun else eta[0], eta[:-1])
        # With RDA the weights of a step were read with the beta before it.
        read = before if self.clock.method == "rda" else eta
        self.spent = float(np.cumsum(np.append(self.spent, read * u * u * squares))[-1])
        self.rising |= bool((np.diff(u, prepend=self.last if begun else u[0]) > 0.0).any())
        self.last, self.heaviest = float(u[-1]), max(self.heaviest, float(u.max()))
        turns = np.maximum(1.0 / eta - 1.0 / before, 0.0)
        self.turns = float(np.cumsum(np.append(self.turns if begun else 1.0 / eta[0], turns))[-1])
        self.lengthened |= bool((eta > before).any())

    @property
    def mean_loss(self):
        """Return the mean loss of all rows so far, each before it was learned."""
        return self.total / self.weight if self.weight > 0.0 else np.nan

    def weights(self, features=None):
        """Return W (K, p), or of some features alone (K, m), and intercepts (K,)."""
        if self.drawn is not None:
            W, b = self.drawn
            return (W if features is None else W[:, features]), b
        return self.engine.weights(*self.clock.now(), features)
