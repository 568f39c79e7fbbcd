"""Families of K responses: working sets of features with a duality gap over all.

    minimise over B   F(eta) + lam sum_j v_j [alpha pen(B_j) + (1 - alpha) |B_j|_2^2 / 2],   eta = offset + ZB

Given: a standardised design Z, a penalty on its rows B_j of K coefficients (pen is the l1 norm, or grouped the l2 norm),
a loss F of K responses, an offset (K, n), an intercept or none, and a warm start.  Returned per lam: a gap over *all*
columns.  Every round solves over the working columns (response_descent), meets the others, and lets violators in.

The dual point is s u', where u' = u - F''(eta) Z_f C is orthogonal to the columns Z_f that nothing holds back, the
intercept's among them (a Newton step for these alone: u' stays in the domain of F*), and s <= 1 makes it feasible:

    gap = F(eta) + F*(-s u') + eta's u' + sum_j [lam Omega_j(B_j) + (lam Omega_j)*(s Z_j'u') - s B_j'Z_j'u'],

a sum of terms none of which is negative.
Reference: Bach et al. 2012, sections 1.4 and 6; Simon, Friedman and Hastie 2013 (grouped softmax).
"""

import numpy as np

from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.response_descent import ResponseDescent
from sparsesolve.solvers.response_newton import conjugate_gradients, rounding_floor

CONVERGED, MAX_ITER, STALLED = 0, 1, 2
ENOUGH = 0.03  # of the gap that columns outside will leave: no use in solving for the working ones better
PATIENCE = 4  # rounds of steps that bring neither the objective nor the gap down
LEAST = 1e-14  # fall of the objective, relative
NO_PENALTY = 1e-14  # beside gradients of the size of 1
VIOLATION = 1e-12  # relative


class ResponseBlocks:
    """Solver state along a path.

    Parameters
    ----------
    design : Design
    net : ElasticNetRows
    loss : Loss
    offset : (K, n)
    intercept : bool
    n_threads : int
    """

    def __init__(self, design, net, loss, offset, intercept=True, n_threads=1):
        self.design, self.net, self.loss, self.n_threads = design, net, loss, n_threads
        self.descent = ResponseDescent(design, net, loss, np.array(offset, dtype=float))
        shut = (np.asarray(net.lower) == 0.0) & (np.asarray(net.upper) == 0.0)
        shut |= design.norms(np.full(design.n, 1.0 / design.n)) == 0.0
        free = (np.asarray(net.l1) == 0.0) & (np.asarray(net.l2) == 0.0) & ~shut
        first = np.flatnonzero(free).astype(np.intc)
        if intercept:
            first = np.append(np.intc(-1), first).astype(np.intc)
        self.descent.enter(first)
        self.outside = np.ones(design.p, dtype=bool)
        self.outside[first[first >= 0]] = False
        self.outside[shut] = False
        self.with_intercept = intercept
        self.opening = 0.0
        self.rounds = 0

    @classmethod
    def of(cls, problem, n_threads):
        """The state for a Problem of K responses, at its null model."""
        net = ElasticNetRows(problem.penalty, problem.grouped)
        state = cls(problem.design, net, problem.loss, problem.offset, problem.intercept, n_threads)
        if problem.intercept:
            state.descent.B[:, 0] = problem.null_intercept
            state.descent.refresh()
        return state

    @property
    def iterations(self):
        """Steps and steps of conjugate gradients so far."""
        return self.descent.iterations

    @property
    def loss_value(self):
        """F at the current point, less its least value."""
        return self.descent.value - self.loss.saturated

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients (K, count).

        Where only differences between responses count they are centred at their best, intercepts at mean 0.
        """
        which, B = self.descent.which, self.descent.centred()
        kept = np.flatnonzero((which >= 0) & B.any(axis=0))
        kept = kept[np.argsort(which[kept])]
        return which[kept], B[:, kept]

    @property
    def intercept(self):
        """Intercepts (K,) of the standardised design."""
        if not self.with_intercept:
            return np.zeros(self.loss.n_responses)
        return self.descent.centred()[:, 0].copy()

    def correlations(self):
        """Of every column the size of its products with the dual point: the largest, or their l2 norm, (p,)."""
        u = self._dual_point(0.0)
        return self.net.polar(self.design.response_products(u, None, self.n_threads))

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        goal, tries, limit = max(0.5 * target, ENOUGH * self.opening), 0, self.iterations + budget
        bare = lam * np.maximum(self.net.l1, self.net.l2) <= NO_PENALTY
        self._enter(np.flatnonzero(bare & self.outside))
        self.descent.refresh()
        self.descent.carry_on(lam)
        self.descent.level = lam
        first = True
        while True:
            outcome = self._settle(lam, goal, limit)
            self.rounds += 1
            gap, entering = self._certify(lam)
            if first:
                self.opening, first = gap, False
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER:
                return MAX_ITER, gap
            if len(entering):
                self._enter(entering)
                goal, tries = max(0.5 * target, ENOUGH * gap), 0
            elif goal > 0.5 * target:
                goal = 0.5 * target
            elif tries == 4:
                return STALLED, gap
            else:
                tries += 1
                goal *= 0.1

    def _enter(self, which):
        if len(which):
            self.descent.enter(which.astype(np.intc))
            self.outside[which] = False

    def _settle(self, lam, goal, limit):
        """Steps until the gap over the working columns is at most goal, about."""
        descent, best, last, patience = self.descent, np.inf, np.inf, PATIENCE
        while True:
            gap = self._working_gap(lam)
            if gap <= goal:
                return CONVERGED
            if descent.iterations >= limit:
                return MAX_ITER
            value = descent.objective(lam)
            fell = value < last - LEAST * max(abs(value), abs(descent.value))
            patience = PATIENCE if fell or gap < 0.5 * best else patience - 1
            if patience == 0:
                return STALLED
            best, last = min(gap, best), value
            outside, inside = descent.astray(lam)
            moved = outside > 0.1 * inside and descent.model_step(lam)
            moved |= descent.newton_step(lam, goal)
            if not moved and not descent.model_step(lam):
                return STALLED

    def _working_gap(self, lam):
        """The gap over the working columns, were the free ones solved: they add about what a step would gain."""
        d = self.descent
        free = d.net.unheld(d.B, d.g, lam)
        total = 0.0
        if free.any():
            scale = d.diagonal.sum() / (len(d.B) * d.h.sum())
            for row, g in zip(free, d.g, strict=True):
                at = np.flatnonzero(row)
                total += 0.5 * np.dot(g[at] ** 2, 1 / np.maximum(d.gram.diagonal()[at], 1e-300)) / scale
        scales = {d.net.feasible_scale(d.B, d.g, lam, strict) for strict in (False, True)}
        return total + min(
            self.loss.fenchel_young_at(d.eta, s * d.u) + d.net.excess(d.B, d.g, lam, s) for s in scales
        )

    def _dual_point(self, lam):
        """u less its part on the columns that nothing holds back, in the metric of the curvature."""
        d = self.descent
        free = d.net.unheld(d.B, d.g, lam)
        places = np.flatnonzero(free.any(axis=0))
        u = d.u
        if not len(places):
            return u
        free, part = free[:, places], d.columns.some(places)
        scales = np.maximum(d.diagonal.sum(axis=1) / d.h.sum(), 1e-300)
        precondition = d.free_preconditioner.separate(
            d.gram, places, free, scales, np.zeros(len(places))
        )

        enough = rounding_floor(free, scales, d.gram.diagonal()[places])

        def product(C):
            return free * part.correlate(self.loss.curvature_product(d.eta, part.combine(C)))

        for _ in range(2):  # the second time for what rounding left
            rest = free * part.correlate(u)
            C, count, flat = conjugate_gradients(product, precondition, rest, enough, 20 + 4 * free.sum())
            if not flat:
                u = u - self.loss.curvature_product(d.eta, part.combine(C))
        return u

    def _certify(self, lam):
        """The gap over all columns, and the columns outside that violate their bound."""
        d = self.descent
        u = self._dual_point(lam)
        C = d.columns.correlate(u)
        others = np.flatnonzero(self.outside).astype(np.intc)
        beyond = self.design.response_products(u, others, self.n_threads)
        net, zero = self.net.take(others), np.zeros_like(beyond)
        gaps = [self.loss.fenchel_young_at(d.eta, 0.0 * u) + d.net.value(d.B, lam)]
        for strict in (False, True):
            s = min(
                d.net.feasible_scale(d.B, C, lam, strict),
                net.feasible_scale(zero, beyond, lam, strict),
            )
            gaps.append(
                self.loss.fenchel_young_at(d.eta, s * u)
                + d.net.excess(d.B, C, lam, s)
                + net.excess(zero, beyond, lam, s)
            )
        violation = net.polar(beyond) > lam * np.asarray(net.l1) * (1 + VIOLATION)
        return min(gaps), others[violation]
