"""Proximal Newton by passes over rows, many lambdas at the same time.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam Omega(b)      for each lam of a batch

Given: a Problem of one response, or of K classes in blocks; rows may lie in blocks elsewhere. K
responses have K constants and coefficients (K f,). Returned per lam: the duality gap over all
columns. Invariant: of a loss that is a sum over rows no vector of n is here, nor goes to the
blocks or comes back; a pass takes points and returns sums (`block_pass.py`). Cox's loss couples
rows: two passes take the place of one, and linear predictors come here.

All lambdas of a batch start at the nearest solved point, by the quadratic model there. A pass then
evaluates all their points: F, the slope over all columns, and inner products under H at the least
lambda of the batch. Models in between have inner products interpolated in ln lam. Once a model
predicts a small gap at the end of its step d, the pass that evaluates that end certifies it: the
dual point is that of the model, v = u - H (Zd + d0), made orthogonal to what nothing penalises.
v differs from -F' at the end by much less than the step. The next batch starts while the last one
is finished. A step is halved where the objective does not fall.

Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014).
"""

from functools import partial

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign, chunk_rows
from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.penalties.rows import on_rows
from sparsesolve.solvers.certificate.dual_point import FAR, SMALL, Curvature
from sparsesolve.solvers.certificate.gap import blocks_gap, gap_of_terms, scales
from sparsesolve.solvers.first_order.block_pass import (
    Ask,
    Common,
    added,
    coupled_pass,
    make_parts,
    pass_over,
)
from sparsesolve.solvers.first_order.lambda_batch import (
    Evaluation,
    Hessian,
    Hessians,
    Item,
    PassPoints,
    Plan,
    ResponseVectors,
    chord,
    penalty_on,
    places_of,
)
from sparsesolve.solvers.newton.local_model import floors
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED, State, used
from sparsesolve.solvers.tolerances import ARMIJO, LAST_DIGITS, MOST_IDLE, PROGRESS, SLOW_STEP

# In the counts below: binomial, 50,000 x 80 in ten blocks, 100 lambdas, 12 passes as it is.
# A column whose correlation exceeds this share of lambda enters ahead of time: inner products of
# a column more cost less than another pass.
ENTER_AHEAD = 0.7
# Columns up to which a model has all of them. 20,000 x 400: 20 passes with 300, 12 with 600, in
# three quarters of the time; 5,000 x 600: 21 and 13.
MOST_COLUMNS = 600
# A model is solved to this share of the target gap: its inner products are in memory, and steps
# cost passes.
MODEL_SHARE = 0.1
# Lambdas of a batch at most: 6 take 20 passes, 24 take 10 and twice the images of a block.
BATCH_SIZE = 12
# A batch ends at this fraction of the lambda before it: .55 takes 18 passes, .09 takes 12.
BATCH_RATIO = 0.3
# Fenchel-Young is asked here too; chords between multiples of a dual point bound it (convexity).
SHRUNK = 1.0 - 1e-4
# Passes that correct a dual point at the ends of its domain, at most.
MOST_ROUNDS = 20
# Coefficients of K classes up to which a model has all of them.
MOST_COEFFICIENTS = 1500
# Parts of the event times in the bound of the Hessian of Cox's loss: 1 take 22 passes for 50
# lambdas of 5,000 x 30, 4 take 18, 8 take 16, 16 take 14; with a steeper loss 32, 26, 24 and 22.
TIME_PARTS = 8
# Curvature met, relative to that of the bound, below which the parts double: usually .8 to 1.1.
LOOSE_BOUND = 0.5
# Numbers of rows, up to 13 each for a lambda, that the client may hold of a coupled loss: 1 GB.
# Batches of 6 take 40 passes for 100 lambdas of 5,000 x 30, those of 12 take 24.
MOST_ROW_NUMBERS = 1 << 27
EPSILON = np.finfo(float).eps


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


class PassNewton(State):
    """A solver state, see solvers/state.py; an iteration is a pass over the rows."""

    unit = "passes"

    def __init__(self, problem, n_threads):
        self.problem, K, f = problem, problem.n_responses or 1, problem.design.p
        self.K, self.f, self.p = K, f, K * f
        # Places among (1 + f) K numbers: of each response its constant and its coefficients.
        place = np.arange(self.p + K).reshape(K, 1 + f)
        self.at_c, self.at_b = place[:, 0], place[:, 1:].ravel()
        flat, own = problem.n_responses is not None, problem.penalty
        self.penalty = ResponseVectors(on_rows(own, problem.grouped), K) if flat else own
        gaussian = problem.loss is None
        self.loss = Gaussian(problem.response, problem.weights) if gaussian else problem.loss
        self.offset = np.zeros(problem.design.n) if gaussian else np.asarray(problem.offset)
        self.intercepted = problem.intercept and not gaussian
        self.alive = np.tile(np.asarray(problem.design.spread) > 0.0, K)
        self._places = partial(places_of, self.K, f, int(self.intercepted))
        self._find_unpenalised()
        self.n_parts, self.loose_bound, self.batch_size = TIME_PARTS, False, BATCH_SIZE
        if not self.loss.by_sample:
            self.batch_size = min(max(MOST_ROW_NUMBERS // (13 * problem.design.n), 1), BATCH_SIZE)
        self.iterations, self.grid, self.items, self.hessians = 0, [], {}, Hessians()
        few = MOST_COLUMNS if K == 1 else MOST_COEFFICIENTS
        self.whole = problem.has_groups or self.p <= few  # whether a model has all columns
        self.which = np.arange(f if self.whole else 0)
        c = np.ones(K) * problem.null_intercept * self.intercepted
        eta = self.offset + (c[:, None] if K > 1 else c)
        self.curvature = self.loss.curvature_at(eta).sum() / K
        self.current = Evaluation(np.zeros(self.p), c, None)
        self._place_rows()

    def _find_unpenalised(self):
        """Find the columns that nothing restrains, and those that limits may."""
        one, nowhere, mask = np.ones(self.p), np.zeros(self.p), self.penalty.unpenalised
        self.unpenalised = mask(FAR * one, one) & mask(-FAR * one, -one) & self.alive
        without = (mask(nowhere, one) | mask(nowhere, -one)) & self.alive
        self.one_sided = without & ~self.unpenalised
        # of rows of responses the model does not see that limits exclude them
        self.shut = ~np.tile(self.problem.open_columns, self.K) if self.K > 1 else ~self.alive

    def _place_rows(self):
        """Bring the rows of the loss to their blocks."""
        design, loss = self.problem.design, self.loss
        self.blocks = isinstance(design, DistributedDesign)
        if not (self.blocks and loss.by_sample):
            self.parts = [(loss, np.asarray(self.problem.weights), self.offset)]
            return
        (y, w), rest = loss.samples(), loss.parameters()
        cut = design.cut(np.asarray(y).T, np.asarray(w), self.offset)
        arguments = [(type(loss), (y.T, w, *rest), offset, chunk_rows(self.f))
                     for y, w, offset in cut]  # fmt: skip
        self.parts = design.standing(make_parts, arguments)

    # What the path asks for.

    @property
    def loss_value(self):
        """F at the current point, less its least value."""
        here = self.current  # without sums before the first lambda
        return (here.sums or self._pass(here.b, here.c, [Ask(0)])[0]).value - self.loss.saturated

    @property
    def intercept(self):
        """Intercept of the standardised problem, whose columns are centred under the weights."""
        return float(self.current.c[0]) if self.problem.n_responses is None else self.current.c

    def coefficients(self):
        """Return features with a nonzero coefficient, ascending, and their coefficients."""
        b = self.current.b
        return used(b if self.problem.n_responses is None else b.reshape(self.K, self.f))

    def correlations(self):
        """Return z_j'u of every column (p,), with u orthogonal to the unpenalised ones.

        With K responses these are what the penalty's `entry_lambdas` takes.
        """
        return self._sizes(np.where(self.unpenalised, 0.0, self.dual_products))

    def _sizes(self, z):
        return z if self.problem.n_responses is None else self.penalty.sizes(z)

    def look_ahead(self, grid):
        """Take the lambdas of the path, decreasing."""
        self.grid = list(grid)

    def start_at(self, which, values, intercept):
        """Continue from the coefficients `values` (m,) of features `which` (m,)."""
        b = np.zeros(self.p)
        b.reshape(self.K, self.f)[:, which] = values
        self.items, self.hessians = {}, Hessians()
        self.current = Evaluation(b, np.ones(self.K) * intercept * self.intercepted, None)

    def restart(self):
        """Continue from the coefficients after the loss has changed."""
        self.items, self.hessians = {}, Hessians()
        self.current = self.current._replace(sums=None)
        self._place_rows()

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        limit = self.iterations + budget
        self.items = {level: item for level, item in self.items.items() if level <= lam}
        begun = self._begin(lam) if self.current.sums is None else None
        item = self._started(lam)
        if item.settled and not item.gap <= target:
            item.settled, item.idle, item.end = False, 0, None
        for each in self.items.values():
            each.target = target
        if begun is not None:
            gap = self._checked(item, *begun, item.here)
            item.gap, item.settled = gap, gap <= target
        while not item.settled:
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
        ask = Ask(0, scales=(1.0,), loose=self._loose(lam), which=which)
        (sums,) = self._pass(self.current.b, self.current.c, [ask])
        self.current = self.current._replace(sums=sums)
        z = np.where(self.unpenalised | ~self.alive, 0.0, self._z(sums))
        entry = self.problem.penalty.entry_lambdas(self._sizes(z)).max(initial=0.0)
        self.first = max(entry, 1e-300)
        if which is not None:
            self._keep_hessian(np.log(self.first), ask, self.current)
        return ask, sums

    def _started(self, lam):
        """Return the item of a lambda, which begins at the nearest solved point."""
        if lam not in self.items:
            near = [item for item in self.items.values() if item.lam > lam and item.n_steps]
            nearest = min(near, key=lambda item: item.lam, default=None)
            target = max((item.target for item in self.items.values()), default=0.0)
            self.items[lam] = Item(lam, self.current if nearest is None else nearest.here)
            self.items[lam].target = target
        return self.items[lam]

    def _start_batch(self, asked):
        """Start the next lambdas of the path once the least of the last batch has made a step."""
        ahead = [lam for lam in self.grid if lam < min(self.items)]
        in_progress = [item for item in self.items.values() if item.n_steps or item is not asked]
        end = min(self.items.values(), key=lambda item: item.lam)
        ready = asked is end or end.settled or end.n_steps
        enough = not (ahead and ready) or len(in_progress) > 2 * self.batch_size
        if asked.lam not in self.grid or enough:
            return
        start = asked.lam if asked is end and not asked.n_steps else end.lam
        for lam in ahead[: self.batch_size]:
            if lam < BATCH_RATIO * start:
                break
            self._started(lam)

    # The pass.

    def _make_pass(self):
        """Make one pass for all lambdas in progress."""
        in_progress = sorted((item for item in self.items.values() if not item.settled),
                             key=lambda item: -item.lam)  # fmt: skip
        batch, unplanned, grams = PassPoints(), [], 0
        if self.loose_bound:
            most = max(MOST_ROW_NUMBERS // (8 * self.problem.design.n), TIME_PARTS)
            self.n_parts, self.loose_bound = min(2 * self.n_parts, most), False
        for item in in_progress:
            if item.plan is None:
                self._plan(item)
            if item.plan is None:  # no Hessian has its columns
                unplanned.append(item)
                continue
            loose, gram = self._loose(item.lam), None
            far = item is in_progress[-1] and not item.n_steps
            # Two Hessians a pass at most: with one or four there are as many passes.
            if item.end is None and (far or item.slow) and grams < 2:
                grams, gram = grams + 1, self._columns([item])
            # Checked from 50 or 200 targets on, a path takes as many passes.
            check = item.end is not None or item.predicted_gap <= 100.0 * item.target
            item.direction = self._orthogonal(item) if check else None
            batch.add(item, loose, gram, self._scales(item) if check else None)
        if unplanned:
            batch.again(unplanned[-1], self._loose(unplanned[-1].lam), self._columns(unplanned))
        found = self._pass(np.array(batch.b), np.array(batch.c), batch.asks)
        self.iterations += 1 + (not self.loss.by_sample)
        for item, first, check in batch.items:
            ask = batch.asks[first]
            evaluation = Evaluation(batch.b[ask.point], batch.c[ask.point], found[first])
            gap = np.inf
            if check is not None:
                gap = self._checked(item, batch.asks[check], found[check], evaluation)
            self._update(item, ask, evaluation, gap)

    def _pass(self, b, c, asks):
        """Return the Sums of all rows for each Ask, at points b (m, K f) and c (m, K)."""
        design, b, c = self.problem.design, b.reshape(-1, self.K, self.f), c.reshape(-1, self.K)
        common = Common(b, c, self.intercepted, floors(self.curvature), asks)
        if not self.loss.by_sample:
            common = common._replace(n_parts=self.n_parts)
            return coupled_pass(design, self.parts[0], common, self.blocks)
        if not self.blocks:
            return pass_over(design, self.parts, None, None, common)
        arguments = [(part, design.read, design.frame, common) for part in self.parts]
        return design.gather(pass_over, arguments, added)

    def _loose(self, lam):
        """Return the columns that nothing restrains at some points of this lambda."""
        mask = self.alive if lam < SMALL else self.unpenalised | self.one_sided
        return np.flatnonzero(mask.reshape(self.K, self.f).any(axis=0))

    def _z(self, sums):
        """Return the products (K f,) of v with the columns."""
        return sums.products[0][self.at_b]

    def _spread(self, which):
        """Return the places of these features of all responses among K f coefficients."""
        return (self.f * np.arange(self.K)[:, None] + which).ravel()

    def _columns(self, items):
        """Return the working columns, after those that these lambdas need."""
        if not self.whole:
            needed = np.any([self._needed(item, ENTER_AHEAD) for item in items], axis=0)
            self.which = np.union1d(self.which, np.flatnonzero(needed))
        return self.which

    def _needed(self, item, share):
        """Return a mask (f,) of the features used, or whose products exceed a share of lambda."""
        sizes, used = np.abs(self._sizes(self._z(item.here.sums))), item.here.b.reshape(self.K, -1)
        near = (sizes > share * item.lam * np.asarray(self.problem.penalty.l1)) | used.any(axis=0)
        return near & (self.alive & ~self.unpenalised)[: self.f]

    # Models.

    def _keep_hessian(self, at, ask, evaluation):
        """Keep the inner products that a pass returned at a point."""
        rows, places = self._places(np.flatnonzero(self.unpenalised), ask.loose)
        products, which = evaluation.sums.products, self._spread(ask.which)
        count = self.K * (len(ask.loose) + self.intercepted)
        own = products[len(products) - count :][np.array(rows, dtype=int) - 1]
        mixed, inner = own[:, self.at_b[which]], own[:, places]
        self.hessians.keep(Hessian(at, which, evaluation.sums.gram, mixed, inner))

    def _hessian(self, item):
        """Return (Hessian, which are its sources) at a lambda, or None without its columns."""
        needed = item.here.b != 0.0 if self.whole else np.tile(self._needed(item, 1.0), self.K)
        return self.hessians.around(np.log(max(item.lam, 1e-300)), needed)

    def _plan(self, item):
        """Make the step of the model at an item's point."""
        kept, by = self._hessian(item)
        if kept is None:
            return
        if by != item.by:
            item.by, item.scale = by, 1.0
        scale, which, here = item.scale, kept.which, item.here
        products = here.sums.products[0]
        places = self._places(np.flatnonzero(self.unpenalised), self._loose(1.0))[1]
        inverse, q = np.linalg.pinv(kept.inner, hermitian=True), products[places]
        gram = kept.gram - kept.mixed.T @ inverse @ kept.mixed
        fixed = (self.unpenalised | self.shut)[which]
        gram[fixed] = gram[:, fixed] = 0.0
        z = products[self.at_b[which]] - kept.mixed.T @ inverse @ q
        change = self._minimiser(item, gram, which, np.where(fixed, 0.0, z), fixed)
        free = inverse @ (q / scale - kept.mixed @ change)
        d = self._joined(np.zeros(self.p), np.zeros(self.K))
        d[self.at_b[which]] = change
        d[places] = free
        step, c = d[self.at_b], d[self.at_c]
        moved = scale * (kept.gram @ change + free @ kept.mixed)
        curvature = change @ moved + scale * (free @ (kept.mixed @ change + kept.inner @ free))
        before, after = (self.penalty.value(b, item.lam) for b in (here.b, here.b + step))
        slope, dual = after - before - products @ d, products[self.at_b]
        dual[which] -= moved
        item.plan = Plan(step, c, slope, curvature, moved, which, dual)
        level = np.abs(moved).max(initial=0.0) / item.lam if item.lam > 0.0 else 0.0
        predicted_gap = item.error * (0.5 * item.error * curvature + min(level, 1.0) * after)
        slow = predicted_gap > SLOW_STEP * item.predicted_gap
        item.slow = item.n_steps > 1 and slow and item.t == 1.0
        item.predicted_gap, item.t = predicted_gap, 1.0

    def _minimiser(self, item, gram, which, z, fixed):
        """Return the model's step (S,)."""
        start, change = item.here.b[which], np.zeros(len(which))
        if len(which) == 0 or item.lam >= 1e19:
            return change
        scale = item.scale
        penalty = penalty_on(self.problem, which)
        model = InnerModel(np.ascontiguousarray(gram), penalty)
        square = item.here.sums.square
        if self.loss.coupled:  # u'H^-1 u is that of the diagonal, which may be less
            square = max(square, z @ np.linalg.pinv(gram, hermitian=True) @ z)
        size = np.sqrt(max(square, 0.0))
        model.aim(start, z / scale, np.array([size / scale]))
        goal = max(MODEL_SHARE * item.target, 1e-13 * self.problem.null_value)
        goal = goal if item.idle == 0 else 0.0
        # Steps within a model, which is replaced by the next.
        model.solve(item.lam / scale, goal / scale, 1000)
        at, values = model.coefficients()
        found = np.zeros(len(which))
        found[at] = values
        return np.where(fixed, 0.0, found - start)

    def _update(self, item, ask, evaluation, gap):
        """Take a new point of that gap, or halve the step if the objective does not fall."""
        if ask.which is not None:
            self._keep_hessian(np.log(max(item.lam, 1e-300)), ask, evaluation)
        plan = item.plan
        if plan is None or item.settled or item.end is not None:
            item.here = evaluation
            return
        item.n_steps += 1
        before, reached = self._objective(item, item.here), self._objective(item, evaluation)
        bar = before + ARMIJO * item.t * plan.slope + self._rounding(before)
        if not reached <= bar:
            item.t *= 0.5
            item.slow = True
            if item.t < 2.0**-30:  # of a step: moves no coefficient by more than rounding
                item.end = STALLED
            return
        old, new = item.here.sums.products[0], evaluation.sums.products[0]
        along = (old - new) @ self._joined(plan.b, plan.c)
        if plan.curvature > 0.0 and along > 0.0:
            least = 0.1 if item.t == 1.0 else 2.0
            share = along / (item.t * plan.curvature)
            item.scale *= max(share, least)
            self.loose_bound |= share < LOOSE_BOUND
        moved = (old - new)[self.at_b[plan.which]]
        size = np.abs(plan.change).max(initial=0.0)
        off = np.abs(moved - item.t * plan.change).max(initial=0.0)
        item.error = min(off / (item.t * size), 1.0) if size > 0.0 else 0.0
        falls = reached < before - self._rounding(before)
        falls = falls or item.predicted_gap < PROGRESS * item.least
        item.idle = 0 if falls else item.idle + 1
        item.least = min(item.least, item.predicted_gap)
        item.here, item.plan, item.direction, item.gap = evaluation, None, None, gap
        item.end = STALLED if item.idle > MOST_IDLE else None

    def _objective(self, item, evaluation):
        """Return F less its least value, plus the penalty."""
        penalty = self.penalty.value(evaluation.b, item.lam)
        return evaluation.sums.value - self.loss.saturated + penalty

    def _rounding(self, objective):
        """Return the change of an objective that rounding alone may cause."""
        return LAST_DIGITS * (abs(self.loss.saturated) + abs(objective))

    # The certificate.

    def _free(self, item):
        """Return the columns (p,) that nothing restrains at an item's point."""
        if item.lam >= SMALL and not self.one_sided.any():
            return self.unpenalised
        z = self._z(item.here.sums)
        return self.penalty.unpenalised(item.here.b, z, item.lam) & self.alive

    def _basis(self, item):
        """Return the places of what nothing restrains among products, and their columns."""
        return self._places(np.flatnonzero(self._free(item)), self._loose(item.lam))

    def _orthogonal(self, item):
        """Return the direction ((p,), ()) to a dual point orthogonal to what nothing restrains.

        It is that of the model's dual point or, where an item ends as it is, of u.
        """
        rows, places = self._basis(item)
        products, plan = item.here.sums.products, item.plan
        if item.rounds:
            return item.direction
        d = self._joined(plan.b, plan.c) * (item.t if item.end is None else 0.0)
        if rows:
            left = products[0][places] - products[rows] @ d
            d[places] += Curvature(products[np.ix_(rows, places)]).solve(left)
        return d[self.at_b], d[self.at_c]

    def _joined(self, b, c):
        """Return coefficients and constants in the order of products, (K (1 + f),)."""
        out = np.empty(self.p + self.K)
        out[self.at_b], out[self.at_c] = b, c
        return out

    def _scales(self, item):
        """Return multiples of the dual point that its products by the model suggest."""
        z = np.where(self._free(item), 0.0, item.plan.dual)
        found = scales(self.penalty, z, item.lam)
        return (*found, SHRUNK * min(found))

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
        if gap <= item.target or item.end is not None:
            item.gap, item.settled = min(gap, item.gap), True
        if missing == np.inf and item.end is not None and item.rounds < MOST_ROUNDS:
            # Rows at the ends of the domain of F* left it to the others to be orthogonal.
            item.rounds, item.settled = item.rounds + 1, False
            d = self._joined(*item.direction)
            d[places] += curvature.solve(left)
            item.direction = d[self.at_b], d[self.at_c]
        return gap

    def _gap(self, item, ask, sums, missing, end):
        """Return the duality gap of `end` at multiples of the dual point of these sums."""
        free = self._free(item)
        z, b = np.where(free, 0.0, self._z(sums)), np.where(free, 0.0, end.b)
        charge = self.penalty.value(b, item.lam)
        value = abs(end.sums.value - self.loss.saturated)
        gap = value + charge
        if missing < np.inf:
            bounds = [(0.0, value), *sorted(zip(ask.scales, sums.excess, strict=True))]
            for s in scales(self.penalty, z, item.lam):
                s = min(s, bounds[-1][0])
                blocks = blocks_gap(self.penalty, item.lam, charge, b, s * z)
                gap = gap_of_terms(chord(bounds, s), blocks, missing, gap)
        return gap + EPSILON * abs(self.loss.saturated)
