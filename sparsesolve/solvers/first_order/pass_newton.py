"""Proximal Newton by passes over rows, many lambdas at the same time.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam Omega(b)      for each lam of a batch

Given: a Problem of one response, or of K classes in blocks; rows may lie in blocks elsewhere. K
responses have K constants and coefficients (K f,). Returned per lam: the duality gap over all
columns. Invariant: of a loss that is a sum over rows no vector of n is here, nor goes to the
blocks or comes back; a pass takes points and returns sums (`block_pass.py`). Cox's loss couples
rows: two passes take the place of one, and linear predictors come here.

All lambdas of a batch start at the nearest solved point, by the quadratic model there. A pass then
evaluates all their points: F, the slope over all columns, and inner products under H at the least
lambda of the batch. Other lambdas have those of the nearest one that is known. Once a model
predicts a small gap at the end of its step d, the pass that evaluates that end certifies it: the
dual point is that of the model, v = u - H (Zd + d0), made orthogonal to what nothing penalises.
v differs from -F' at the end by much less than the step. The next batch starts while the last one
is finished. A step is halved where the objective does not fall.

Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014).
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.penalties import GroupL2
from sparsesolve.penalties.rows import on_rows
from sparsesolve.solvers.certificate.dual_point import FAR, SMALL, Curvature
from sparsesolve.solvers.certificate.gap import blocks_gap, gap_of_terms, scales
from sparsesolve.solvers.first_order.block_pass import (
    Ask,
    BlockPass,
    Evaluation,
    PassPoints,
    chord,
)
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, State, used
from sparsesolve.solvers.tolerances import (
    ARMIJO,
    LAST_DIGITS,
    MODEL_FRACTION,
    MOST_IDLE,
    PROGRESS,
    SLOW_STEP,
)

# A column whose correlation exceeds this fraction of lambda enters ahead of time: inner products
# of a column more cost less than another pass. 500 x 650, 15 lambdas: 18 passes, 20 with 1.
ENTER_AHEAD = 0.7
# Columns up to which a model has all of them. 20,000 x 400: 20 passes with 300, 12 with 600, in
# three quarters of the time; 5,000 x 600: 21 and 13.
MOST_COLUMNS = 600
# Lambdas of a batch at most: binomial, 50,000 x 80 in ten blocks, 100 lambdas, 6 take 20 passes,
# 12 take 12, 24 take 10 and twice the images of a block.
BATCH_SIZE = 12
# A batch ends at this fraction of the lambda before it. .3, .1 and 0 take 8, 6 and 6 passes for 50
# lambdas of 1,500 x 50 (binomial), 20, 14 and 14 for Cox's loss, 18, 17 and 21 for 500 x 650.
BATCH_RATIO = 0.1
# Coefficients of K classes up to which a model has all of them.
MOST_COEFFICIENTS = 1500


def suits(problem, lambdas):
    """Return True for one response or, for rows out of memory, several classes: with few
    coefficients in groups, with limits if all are penalised.
    """
    if not problem.has_blocks:
        return False
    if problem.n_responses is None:
        return True
    if not (isinstance(problem.design, DistributedDesign) and problem.loss.by_sample):
        return False
    if problem.has_groups:
        return problem.n_responses * problem.design.p <= MOST_COEFFICIENTS and not problem.limited
    penalised = np.add(problem.penalty.l1, problem.penalty.l2).all()
    return not problem.limited or (penalised and (lambdas is None or lambdas[-1] > 0.0))


class Hessian(NamedTuple):
    """Inner products at the solution of a lambda."""

    at: float  # ln lam
    which: np.ndarray  # (S,)
    gram: np.ndarray  # (S, S)
    mixed: np.ndarray  # (f, S) with the constant and the unpenalised columns
    inner: np.ndarray  # (f, f)


class Plan(NamedTuple):
    """The step d of a model."""

    b: np.ndarray  # (K f,) of d
    c: np.ndarray  # (K,)
    slope: float  # of the objective along d
    curvature: float  # d'H d by the model
    dual: np.ndarray  # (p,) products of the model's dual point


class Item:
    """A lambda in progress."""

    def __init__(self, lam, here):
        self.lam, self.here = lam, here
        self.gap, self.done, self.end = np.inf, False, None  # end: why it cannot go on
        self.scale, self.by = 1.0, None  # of the Hessian, and which Hessian that is of
        self.n_steps, self.rounds, self.idle = 0, 0, 0
        self.predicted_gap, self.least = np.inf, np.inf
        self.plan, self.dual, self.t, self.slow, self.direction = None, None, 1.0, False, None


class PassNewton(State):
    """A solver state, see solvers/state.py; an iteration is a pass over the rows."""

    unit = "passes"

    def __init__(self, problem, n_threads):
        self.problem, self.rows, self.penalty = problem, BlockPass(problem), problem.penalty
        K, f, self.several = self.rows.K, self.rows.f, problem.n_responses is not None
        self.loss, self.K, self.f, self.p = self.rows.loss, K, f, K * f
        if self.several:
            self.penalty = on_rows(problem.penalty, problem.grouped)
        self.alive = np.tile(np.asarray(problem.design.spread) > 0.0, K)
        self._find_unpenalised()
        self.batch_size = min(BATCH_SIZE, self.rows.most_lambdas)
        self.iterations, self.grid, self.items, self.hessians = 0, [], {}, []
        few = MOST_COLUMNS if K == 1 else MOST_COEFFICIENTS
        self.whole = problem.has_groups or self.p <= few  # whether a model has all columns
        self.which = np.arange(f if self.whole else 0)
        self.current = Evaluation(np.zeros(self.p), self.rows.null_intercept, None)

    def _find_unpenalised(self):
        """Find the columns that nothing restrains, and those that limits may."""
        one, nowhere, mask = np.ones(self.p), np.zeros(self.p), self._unrestrained
        self.unpenalised = mask(FAR * one, one) & mask(-FAR * one, -one)
        without = mask(nowhere, one) | mask(nowhere, -one)
        self.one_sided = without & ~self.unpenalised
        # The model of several responses does not know which limits exclude.
        self.excluded = ~np.tile(self.problem.open_columns, self.K) if self.K > 1 else ~self.alive

    def _unrestrained(self, b, z, lam=1.0):
        """Return the coefficients (K f,) that nothing restrains at b where products are z."""
        mask = self.penalty.unpenalised(self._shaped(b), self._shaped(z), lam)
        return np.tile(mask, self.K) & self.alive

    def _shaped(self, b):
        """Return coefficients or products (K f,) as the penalty takes them."""
        return b.reshape(self.K, self.f) if self.several else b

    # What the path asks for.

    @property
    def loss_value(self):
        """F at the current point, less its least value."""
        b, c, sums = self.current  # without sums before the first lambda
        return (sums or self.rows.sums(b, c, [Ask(0)])[0]).value - self.loss.saturated

    @property
    def intercept(self):
        """Intercept of the standardised problem, whose columns are centred under the weights."""
        return self.current.c if self.several else float(self.current.c[0])

    def coefficients(self):
        """Return features with a nonzero coefficient, ascending, and their coefficients."""
        return used(self._shaped(self.current.b))

    def correlations(self):
        """Return z_j'u of every column (p,), with u orthogonal to the unpenalised ones.

        With K responses these are what the penalty's `entry_lambdas` takes.
        """
        return self._sizes(np.where(self.unpenalised, 0.0, self.dual_products))

    def _sizes(self, z):
        return self.penalty.sizes(self._shaped(z)) if self.several else z

    def look_ahead(self, grid):
        """Take the lambdas of the path, decreasing."""
        self.grid = list(grid)

    def start_at(self, which, values, intercept):
        """Continue from the coefficients `values` (m,) of features `which` (m,)."""
        b = np.zeros(self.p)
        b.reshape(self.K, self.f)[:, which] = values
        self.items, self.hessians = {}, []
        self.current = Evaluation(b, np.ones(self.K) * intercept * self.rows.intercept, None)

    def restart(self):
        """Continue from the coefficients after the loss has changed."""
        self.items, self.hessians = {}, []
        self.current = self.current._replace(sums=None)
        self.rows.place_rows()

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        self.target, limit = target, self.iterations + budget
        self.items = {key: item for key, item in self.items.items() if key <= lam}
        begun = self._begin(lam) if self.current.sums is None else None
        item = self._started(lam)
        if item.done and not item.gap <= target:
            item.done, item.idle, item.end, item.rounds = False, 0, None, 0
        if begun is not None:
            item.gap = self._checked(item, *begun, item.here)
        while not item.done:
            if self.iterations >= limit:
                item.end = MAX_ITER
                if item.gap < np.inf:
                    break
            self._start_batch(item)
            self._make_pass()
        self.current, self.dual_products = item.here, item.dual
        return CONVERGED if item.gap <= target else item.end, item.gap

    # Batches of lambdas.

    def _begin(self, lam):
        """Evaluate the point where the path begins; return what was asked and found."""
        which = self.which if self.whole else None
        ask = Ask(0, scales=(1.0,), unpenalised=self._maybe_unpenalised(lam), which=which)
        (sums,) = self.rows.sums(self.current.b, self.current.c, [ask])
        self.current = self.current._replace(sums=sums)
        z = np.where(self.unpenalised | ~self.alive, 0.0, self._z(sums))
        entry = self.problem.penalty.entry_lambdas(self._sizes(z)).max(initial=0.0)
        if which is not None:
            self._keep_hessian(np.log(max(entry, 1e-300)), ask, self.current)
        return ask, sums

    def _started(self, lam):
        """Return the item of a lambda, which begins at the nearest solved point."""
        if lam not in self.items:
            near = [item for item in self.items.values() if item.lam > lam and item.n_steps]
            nearest = min(near, key=lambda item: item.lam, default=None)
            self.items[lam] = Item(lam, self.current if nearest is None else nearest.here)
        return self.items[lam]

    def _start_batch(self, asked):
        """Start the next lambdas of the path once the least of the last batch has made a step."""
        ahead = [lam for lam in self.grid if lam < min(self.items)]
        end = self.items[min(self.items)]
        ready = asked is end or end.done or end.n_steps
        if asked.lam not in self.grid or not ready or len(self.items) > 2 * self.batch_size:
            return
        for lam in ahead[: self.batch_size]:
            if lam < BATCH_RATIO * end.lam:
                break
            self._started(lam)

    def _make_pass(self):
        """Make one pass for all lambdas in progress."""
        in_progress = sorted((item for item in self.items.values() if not item.done),
                             key=lambda item: -item.lam)  # fmt: skip
        batch, unplanned, grams = PassPoints(), [], 0
        for item in in_progress:
            if item.plan is None:
                self._plan(item)
            if item.plan is None:  # no Hessian has its columns
                unplanned.append(item)
                continue
            stale = item.slow or (item is in_progress[-1] and not item.n_steps)
            # Two Hessians a pass at most: with one or four there are as many passes.
            refresh = item.end is None and stale and grams < 2
            grams += refresh
            # Checked from 50 or 200 targets on, a path takes as many passes.
            check = item.end is not None or item.predicted_gap <= 100.0 * self.target
            item.direction = self._orthogonal(item) if check else None
            gram = self._columns([item]) if refresh else None
            multiples = self._scales(item) if check else None
            batch.add(item, self._maybe_unpenalised(item.lam), gram, multiples)
        if unplanned:
            least = unplanned[-1]
            batch.again(least, self._maybe_unpenalised(least.lam), self._columns(unplanned))
        found = self.rows.sums(np.array(batch.b), np.array(batch.c), batch.asks)
        self.iterations += self.rows.n_passes
        for item, first, check in batch.items:
            ask = batch.asks[first]
            evaluation = Evaluation(batch.b[ask.point], batch.c[ask.point], found[first])
            gap = np.inf
            if check is not None:
                gap = self._checked(item, batch.asks[check], found[check], evaluation)
            self._update(item, ask, evaluation, gap)

    def _maybe_unpenalised(self, lam):
        """Return the columns that nothing restrains at some points of this lambda."""
        mask = self.alive if lam < SMALL else self.unpenalised | self.one_sided
        return np.flatnonzero(mask.reshape(self.K, self.f).any(axis=0))

    def _z(self, sums):
        """Return the products (K f,) of v with the columns."""
        return sums.products[0][self.rows.at_b]

    def _columns(self, items):
        """Return the working columns, after those that these lambdas need."""
        if not self.whole:
            needed = np.any([self._needed(item, ENTER_AHEAD) for item in items], axis=0)
            self.which = np.union1d(self.which, np.flatnonzero(needed))
        return self.which

    def _needed(self, item, fraction):
        """Return a mask (f,) of the features used or with products over a fraction of lambda."""
        bar = fraction * item.lam * np.asarray(self.problem.penalty.l1)
        near = np.abs(self._sizes(self._z(item.here.sums))) > bar
        near |= item.here.b.reshape(self.K, -1).any(axis=0)
        return near & (self.alive & ~self.unpenalised)[: self.f]

    # Models.

    def _keep_hessian(self, at, ask, evaluation):
        """Keep the inner products that a pass returned at a point."""
        rows, places = self.rows.places(np.flatnonzero(self.unpenalised), ask.unpenalised)
        count = self.K * (len(ask.unpenalised) + self.rows.intercept)
        which = np.add.outer(self.f * np.arange(self.K), ask.which).ravel()
        own = evaluation.sums.products[-count:][np.array(rows, dtype=int) - 1]
        mixed, inner = own[:, self.rows.at_b[which]], own[:, places]
        kept = [one for one in self.hessians if one.at != at]
        kept.append(Hessian(at, which, evaluation.sums.gram, mixed, inner))
        # four are around any lambda in progress
        self.hessians = sorted(kept, key=lambda one: -one.at)[-4:]

    def _plan(self, item):
        """Make the step of the model at an item's point, if a Hessian has its columns."""
        needed = item.here.b != 0.0 if self.whole else np.tile(self._needed(item, 1.0), self.K)
        at, has = np.log(max(item.lam, 1e-300)), needed.sum()
        own = [one for one in self.hessians if has == needed[one.which].sum()]
        if not own:
            return
        kept = min(own, key=lambda one: abs(one.at - at))
        if kept.at != item.by:
            item.by, item.scale = kept.at, 1.0
        scale, which, here = item.scale, kept.which, item.here
        products = here.sums.products[0]
        columns = self._maybe_unpenalised(1.0)
        places = self.rows.places(np.flatnonzero(self.unpenalised), columns)[1]
        inverse, q = np.linalg.pinv(kept.inner, hermitian=True), products[places]
        gram = kept.gram - kept.mixed.T @ inverse @ kept.mixed
        fixed = (self.unpenalised | self.excluded)[which]
        if item.lam >= NULL_LAMBDA:
            fixed |= ~self.one_sided[which]
        gram[fixed] = gram[:, fixed] = 0.0
        z = products[self.rows.at_b[which]] - kept.mixed.T @ inverse @ q
        change = self._minimiser(item, gram, which, np.where(fixed, 0.0, z), fixed)
        free = inverse @ (q / scale - kept.mixed @ change)
        d = np.zeros(self.p + self.K)
        d[self.rows.at_b[which]] = change
        d[places] = free
        step, c = d[self.rows.at_b], d[self.rows.at_c]
        moved = scale * (kept.gram @ change + free @ kept.mixed)
        curvature = change @ moved + scale * (free @ (kept.mixed @ change + kept.inner @ free))
        before, after = (self._penalty(b, item.lam) for b in (here.b, here.b + step))
        slope, dual = after - before - products @ d, products[self.rows.at_b]
        dual[which] -= moved
        item.plan = Plan(step, c, slope, curvature, dual)
        ratio = np.abs(moved).max(initial=0.0) / item.lam if item.lam > 0.0 else 0.0
        predicted_gap = 0.5 * curvature + min(ratio, 1.0) * after
        slow = predicted_gap > SLOW_STEP * item.predicted_gap
        item.slow = item.n_steps > 1 and slow and item.t == 1.0
        item.predicted_gap, item.t = predicted_gap, 1.0

    def _minimiser(self, item, gram, which, z, fixed):
        """Return the model's step (S,)."""
        start, change = item.here.b[which], np.zeros(len(which))
        if len(which) == 0:
            return change
        scale = item.scale
        model = InnerModel(np.ascontiguousarray(gram), penalty_on(self.problem, which))
        square = item.here.sums.square
        if self.loss.coupled:  # u'H^-1 u is that of the diagonal, which may be less
            square = max(square, z @ np.linalg.pinv(gram, hermitian=True) @ z)
        model.set_gradient(start, z / scale, np.array([np.sqrt(max(square, 0.0)) / scale]))
        goal = max(MODEL_FRACTION * self.target, 1e-13 * self.problem.null_value)
        # 1,000 steps within a model, which is replaced by the next.
        model.solve(item.lam / scale, 0.0 if item.idle else goal / scale, 1000)
        at, values = model.coefficients()
        found = np.zeros(len(which))
        found[at] = values
        return np.where(fixed, 0.0, found - start)

    def _update(self, item, ask, evaluation, gap):
        """Take a new point of that gap, or halve the step if the objective does not fall."""
        if ask.which is not None:
            self._keep_hessian(np.log(max(item.lam, 1e-300)), ask, evaluation)
        plan = item.plan
        if plan is None or item.done or item.end is not None:
            item.here = evaluation
            return
        item.n_steps += 1
        before, reached = self._objective(item, item.here), self._objective(item, evaluation)
        rounding = LAST_DIGITS * (abs(self.loss.saturated) + abs(before))
        if not reached <= before + ARMIJO * item.t * plan.slope + rounding:
            item.t *= 0.5
            item.slow = True
            if item.t < 2.0**-30:  # of a step: moves no coefficient by more than rounding
                item.end = STALLED
            return
        old, new = item.here.sums.products[0], evaluation.sums.products[0]
        along = (old - new) @ self.rows.joined(plan.b, plan.c)
        if plan.curvature > 0.0 and along > 0.0:
            least = 0.1 if item.t == 1.0 else 2.0
            ratio = along / (item.t * plan.curvature)
            item.scale *= max(ratio, least)
            self.rows.curvature_ratio = min(self.rows.curvature_ratio, ratio)
        falls = reached < before - rounding or item.predicted_gap < PROGRESS * item.least
        item.idle = 0 if falls else item.idle + 1
        item.least = min(item.least, item.predicted_gap)
        item.here, item.plan, item.direction, item.gap = evaluation, None, None, gap
        item.end = STALLED if item.idle > MOST_IDLE else None

    def _objective(self, item, evaluation):
        """Return F less its least value, plus the penalty."""
        loss = evaluation.sums.value - self.loss.saturated
        return loss + self._penalty(evaluation.b, item.lam)

    def _penalty(self, b, lam):
        return self.penalty.value(self._shaped(b), lam)

    # The certificate.

    def _unpenalised_at(self, item):
        """Return the columns (p,) that nothing restrains at an item's point."""
        if item.lam >= SMALL and not self.one_sided.any():
            return self.unpenalised
        z = self._z(item.here.sums)
        return self._unrestrained(item.here.b, z, item.lam)

    def _basis(self, item):
        """Return the places of what nothing restrains among products, and their columns."""
        columns = self._maybe_unpenalised(item.lam)
        return self.rows.places(np.flatnonzero(self._unpenalised_at(item)), columns)

    def _orthogonal(self, item):
        """Return the direction ((p,), ()) to a dual point orthogonal to what nothing restrains.

        It is that of the model's dual point or, where an item ends as it is, of u.
        """
        rows, places = self._basis(item)
        products, plan = item.here.sums.products, item.plan
        if item.rounds:
            return item.direction
        d = self.rows.joined(plan.b, plan.c) * (item.t if item.end is None else 0.0)
        if rows:
            left = products[0][places] - products[rows] @ d
            d[places] += Curvature(products[np.ix_(rows, places)]).solve(left)
        return d[self.rows.at_b], d[self.rows.at_c]

    def _scales(self, item):
        """Return multiples of the dual point that its products by the model suggest."""
        z = np.where(self._unpenalised_at(item), 0.0, item.plan.dual)
        found = scales(self.penalty, self._shaped(z), item.lam)
        # a little less, too: chords between multiples bound Fenchel-Young, which is convex
        return (*found, (1.0 - 1e-4) * min(found))

    def _checked(self, item, ask, sums, end):
        """Return the gap of the end of an item's step at the dual point of a pass."""
        rows, places = self._basis(item)
        v, missing = sums.products[0], 0.0
        left, norms = v[places], np.tile(np.append(1.0, self.problem.norms), self.K)[places]
        if rows:
            curvature = Curvature(sums.products[np.ix_(rows, places)])
            missing = curvature.missing(left)
            if not (np.abs(left) <= norms * np.sqrt(sums.rounding)).all():
                missing = np.inf
        gap = self._gap(item, ask, sums, missing, end)
        item.dual = self._z(sums)
        if gap <= self.target or item.end is not None:
            item.gap, item.done = min(gap, item.gap), True
        if missing == np.inf and item.end is not None and item.rounds < 20:
            # Rows at the ends of the domain of F* left it to the others to be orthogonal.
            item.rounds, item.done = item.rounds + 1, False
            d = self.rows.joined(*item.direction)
            d[places] += curvature.solve(left)
            item.direction = d[self.rows.at_b], d[self.rows.at_c]
        return gap

    def _gap(self, item, ask, sums, missing, end):
        """Return the duality gap of `end` at multiples of the dual point of these sums."""
        free = self._unpenalised_at(item)
        z, b = (self._shaped(np.where(free, 0.0, v)) for v in (self._z(sums), end.b))
        penalty = self.penalty.value(b, item.lam)
        value = abs(end.sums.value - self.loss.saturated)
        gap = value + penalty
        if missing < np.inf:
            bounds = [(0.0, value), *sorted(zip(ask.scales, sums.excess, strict=True))]
            for s in scales(self.penalty, z, item.lam):
                s = min(s, bounds[-1][0])
                blocks = blocks_gap(self.penalty, item.lam, penalty, b, s * z)
                gap = gap_of_terms(chord(bounds, s), blocks, missing, gap)
        return gap + 2.0**-52 * abs(self.loss.saturated)


def penalty_on(problem, which):
    """Return the penalty on some of the K f coefficients of a Problem."""
    net, K, f = problem.penalty, problem.n_responses or 1, problem.design.p
    if net.has_groups or not (K > 1 and problem.grouped):
        return net if net.has_groups else net.part(which % f)
    part = net.part(which[: len(which) // K])
    rows = GroupL2(np.arange(len(part.l1))).over(len(part.l1)).repeated(K)
    np.asarray(rows.weight)[:], np.asarray(rows.ridge)[:] = part.l1, part.l2
    return rows
