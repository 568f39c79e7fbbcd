"""Problems that are the same as a simpler one: equal rows, inner products, groups of one feature,
one response of several, and one-sided limits.

    minimise over b   F(o + b0 + Zb) + lam Omega(b)

Given: a Problem. Returned by each `forward`: the simpler Problem and the state that leads back, or
None. Invariant: both problems have the same objective at the coefficients that `back` returns, so
that the certificate of one holds for the other.

References: McCullagh, Nelder, "Generalized linear models" (1989), section 2.1, for grouped data;
Golub, Van Loan, "Matrix computations" (2013), section 5.3, for rows from inner products; Friedman,
Hastie, Tibshirani (2010), section 4.1, for the invariance of the softmax.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.equal_rows import class_means, of_rows, row_classes
from sparsesolve.linalg.factors.span import eigen
from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.state import Reduced
from sparsesolve.solvers.tolerances import MOST_COPIED_VALUES, ROUNDING

# Rows to a column from which a look at all rows for equal ones costs little compared with a path.
ROWS_TO_MERGE = 20


class EqualRows(Reduced):
    """One row for each different row: tables of few categorical features have few of them.

        sum_i w_i value(y_i, eta)  =  (sum_i w_i) value(mean of y, eta)     for rows that share eta

    if the loss is linear in y, as those of exponential families are. With a poisson loss offsets
    may differ, since exposures add up:

        sum_i w_i (exp(o_i + t) - y_i t)  =  sum_i w_i (exp(o + t) - y_i t),
        exp(o) sum_i w_i = sum_i w_i exp(o_i)
    """

    words = "equal rows are merged"

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return the Problem in classes of rows, unless these are not much fewer, or too large."""
        design, loss = problem.design, problem.loss
        if not (isinstance(design, Design) and getattr(loss, "linear_in_y", False)):
            return None
        if not ROWS_TO_MERGE * design.p <= design.n < 2**31:  # rows are numbered by 32 bits
            return None
        offsets = np.atleast_2d(problem.offset)[: 0 if loss.exposes else None]
        # merging pays if a tenth of the rows goes
        found = row_classes(design, np.ascontiguousarray(offsets), 0.9 * design.n)
        if found is None or design.stored / design.n * len(found[1]) > MOST_COPIED_VALUES:
            return None
        label, first = found
        offset = problem.offset[..., first]
        if loss.exposes:
            offset = _exposures(problem.offset, problem.weights, label, first)
        null = (offset.T + problem.null_intercept).T
        loss = loss.merged(label, first, null, problem.null_value)
        weights = np.array(loss.samples()[1])
        design = of_rows(design, first, weights)
        return replace(problem, design=design, weights=weights, loss=loss, offset=offset), cls


def _exposures(offset, w, label, first):
    """Return the log of the mean exposure of every class (m,); without weight, its first row's."""
    weighted, top = w > 0.0, np.full(len(first), -np.inf)
    np.maximum.at(top, label[weighted], offset[weighted])
    top = np.where(np.isfinite(top), top, offset[first])
    with np.errstate(under="ignore"):
        exposures = np.exp(np.where(weighted, offset - top[label], 0.0))
    mean, weight = class_means(label, first, exposures, w)
    return np.where(weight > 0.0, top + np.log(mean), top)


class Rows:
    """p + 1 rows A with A'A = gram: a design in memory, to be weighted by `weights`."""

    def __init__(self, gram):
        p = len(gram)
        self.spectrum, self.turn = eigen(gram)
        rows = np.zeros((p + 1, p), order="F")
        np.multiply(np.sqrt((p + 1) * self.spectrum)[:, None], self.turn.T, out=rows[:p])
        rows[:, np.diagonal(gram) == 0.0] = 0.0
        self.design, self.weights = Design(rows), np.full(p + 1, 1.0 / (p + 1))
        self.design.spread[:] = (np.diagonal(gram) > 0.0).astype(float)

    def response(self, cross, square=0.0):
        """Return c (p + 1,) with A'c = cross, and |c|^2 = square if that is not too small."""
        c = self.turn.T @ cross / np.sqrt(self.spectrum)
        left = np.sqrt(max(square - c @ c, 0.0))
        return np.append(c, left) * np.sqrt(len(self.weights))


class InnerProducts(Reduced):
    """Squared error on distributed rows, as p + 1 rows with the same inner products.

        |c - A b|^2 / 2 = sum_i w_i (y_i - (Zb)_i)^2 / 2  for every b

    With Z'WZ = V S V' these are A = S^(1/2) V' and c = S^(-1/2) V' Z'Wy, and a row of zeros for
    what no column explains. K responses have the same A, and what no column explains of all of
    them stands with the first.
    """

    words = "inner products replace rows"

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return the Problem in few rows if its design has formed gram and cross."""
        design, factor = problem.design, problem.factor
        if getattr(design, "gram", None) is None:
            return None
        mean = np.zeros(design.p) if problem.intercept else design.mean
        gram = (design.gram + np.outer(mean, mean)) * factor * factor[:, None]
        cross = (design.cross + np.multiply.outer(design.response_mean, mean)) * factor
        cross = np.ldexp(cross, design.response_power - problem.exponent)
        rows = Rows(gram)
        few = replace(problem, design=rows.design, weights=rows.weights,
                      factor=np.sqrt(np.diagonal(gram)), intercept=False)  # fmt: skip
        if problem.n_responses is None:
            return replace(few, response=rows.response(cross, 2.0 * problem.null_value)), cls
        found = np.stack([rows.response(one) for one in cross], axis=1)
        left = 2.0 * problem.null_value - rows.weights @ np.square(found).sum(axis=1)
        found[-1, 0] = np.sqrt(max(left, 0.0) * len(found))
        return replace(
            few, loss=Multigaussian(found, rows.weights), offset=np.zeros(found.T.shape),
            null_intercept=np.zeros(len(cross)),
        ), cls  # fmt: skip


class GroupsOfOne(Reduced):
    """Groups of one feature each: a norm of one number is a multiple of its size.

        sum_j v_j [alpha N_j(b_j) + (1 - alpha) d_j b_j^2 / 2] = sum_j l1_j |b_j| + l2_j b_j^2 / 2

    For K responses b_j is a row of K coefficients. Its l2 norm is that of grouped rows.
    """

    words = "groups of one become features"

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return the Problem with features in place of its groups of one."""
        penalty, p, K = problem.penalty, problem.design.p, problem.n_responses
        if not problem.has_groups or penalty.n_groups != p:
            return None
        if K is not None and (problem.limited or not penalty.all_round()):
            return None  # Grouped rows know only lengths.
        of = np.asarray(penalty.of)[:p]
        weight, l1, l2 = (np.asarray(a)[of] for a in (penalty.weight, penalty.l1, penalty.ridge))
        ones = np.zeros((K or 1, p))
        ones[0] = 1.0
        ones = ones.ravel()
        value = penalty.unlimited(np.ones(len(ones), dtype=bool)).value(ones)
        if not abs(value - np.sum(weight + l1 + 0.5 * l2)) <= ROUNDING * value:
            return None  # Another multiple of |b|, which is not known here.
        limits = problem.limits if K is None else (None, None)
        net = ElasticNet(p, penalty.alpha, (weight + l1) / (penalty.alpha or 1.0), *limits)
        np.asarray(net.l1)[:], np.asarray(net.l2)[:] = weight + l1, l2
        small = replace(problem, penalty=net, grouped=problem.grouped or K is not None)
        return small, partial(cls, n_responses=K or 1)

    def __init__(self, state, n_responses):
        super().__init__(state)
        self.n_responses = n_responses

    def correlations(self):
        """Return Z'u (K p,) as groups need it: rows of the same length, along the first response.
        """
        lengths = self.state.correlations()
        return np.concatenate([lengths, np.zeros((self.n_responses - 1) * len(lengths))])


class OneResponse(Reduced):
    """One real response of "several", without groups or limits: a row of one coefficient has the
    size of that coefficient. The response is u / w for u = -F' at the offset.
    """

    words = "several responses, of which there is one, become one"

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return the Problem of one response."""
        if problem.n_responses != 1 or problem.has_groups or problem.limited:
            return None
        u = problem.loss.at(problem.offset + problem.null_intercept[:, None])[1].reshape(-1)
        w = problem.weights
        response = np.divide(u, w, out=np.zeros_like(u), where=w > 0.0)
        small = replace(problem, loss=None, response=response, offset=None, null_intercept=0.0,
                        mean=float(problem.mean[0]), grouped=False)  # fmt: skip
        return small, partial(cls, null_intercept=problem.null_intercept)

    def __init__(self, state, null_intercept):
        super().__init__(state)
        self.null_intercept = np.asarray(null_intercept)

    @property
    def intercept(self):
        """Intercept, (1,)."""
        return self.null_intercept + self.state.intercept

    def back(self, which, values):
        """Return the coefficients as rows of one, (1, count)."""
        return which, values[None]

    def correlations(self):
        """Return the level (p,) of each row."""
        return np.abs(self.state.correlations())

    def start_at(self, which, values, intercept):
        """Move to the coefficients `values` (1, m)."""
        self.state.start_at(which, values[0], 0.0)


class OneSided(Reduced):
    """A softmax without the one-sided limits of unpenalised coefficients, which restrain nothing.

        softmax(eta_1 + t, ..., eta_K + t) = softmax(eta_1, ..., eta_K)      for every t

    A constant added to a feature's coefficients in all classes changes no softmax. If it changes
    no penalty either, enough of it keeps a limit on one side, whatever the differences between the
    classes. A solver that kept the limit would find everything flat in the direction in which it
    has to move. So it is given the problem without such limits, and its solution is shifted, no
    further than necessary.
    """

    words = "limits that restrain nothing are left out"

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return the Problem without such limits."""
        K = problem.n_responses
        if not problem.limited or K is None or not problem.loss.symmetric:
            return None
        low, high = np.isfinite(problem.limits)
        which = problem.unpenalised(lambdas) & (low != high)
        if problem.has_groups:  # Whole groups alone: within one all have limits or none.
            of = np.asarray(problem.penalty.of)[: problem.design.p]
            which &= ~np.isin(of, of[low & high])
        if not which.any():
            return None
        free = np.tile(which, K) if problem.has_groups else which
        small = replace(problem, penalty=problem.penalty.unlimited(free))
        return small, partial(cls, limits=problem.limits, which=which)

    def __init__(self, state, limits, which):
        super().__init__(state)
        self.limits, self.which = limits, which

    def back(self, which, values):
        """Return the coefficients (K, count), shifted into their limits."""
        moved = np.flatnonzero(self.which[which])
        low, high = self.limits[:, which[moved]]
        rows = values[:, moved]
        over = np.maximum(rows.max(axis=0, initial=-np.inf) - high, 0.0)
        under = np.minimum(rows.min(axis=0, initial=np.inf) - low, 0.0)
        values = values.copy()
        values[:, moved] = np.clip(rows - (over + under), low, high)
        kept = values.any(axis=0)
        return which[kept], np.ascontiguousarray(values[:, kept])
