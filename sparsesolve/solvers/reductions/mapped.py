"""A penalty that is a sum over disjoint blocks in other coordinates: solved there, and led back.

    minimise over theta   F(o + b0 + (Z T) theta) + lam Psi(theta),     b = T theta

Given: a Problem whose penalty has a map T (``penalties/mapping.py``). Returned: the state of a
solver of that Problem. Invariant: its certificate is one of all columns. It is that of Z T, whose
duality gap is that of Z under Omega; or, if columns are formed one by one, the gap of b under
Omega itself.

If the columns of Z T fit into memory, or are columns of Z, any solver with working sets takes
them. If not, as the cumulated columns of a large sparse X, only the working ones are formed. The
solver works on these, and one pass Z'u, mapped by T', finds the others that must enter.

Reference: Bach et al. 2012, section 1.3, for penalties in other coordinates.
"""

from dataclasses import replace

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.factors.span import sum_rounding
from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.solvers.costs.reductions import (
    FILLED,
    FIRST_COLUMNS,
    MOST_FORMED_VALUES,
    SMALL_MAPPED,
)
from sparsesolve.solvers.costs.rounding import UNFELT
from sparsesolve.solvers.first_order.first_order import FirstOrder
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED

# Rounds in which columns enter at one lambda, half as many again in each.
ROUNDS = 50


def in_other_columns(problem, mapping, choose):
    """Return the state of a solver of `problem` by way of the map; `choose` makes one of a
    Problem.
    """
    n, q, design = problem.design.n, mapping.n_columns, problem.design
    if isinstance(design, DistributedDesign):
        raise ValueError(
            f"{problem.penalty.label} needs X in memory, not a dask array; choose solver='fista', "
            "which makes many passes over X, or pass X.compute() if it fits"
        )
    scattered = FILLED * design.stored < n * q and n * q > SMALL_MAPPED
    if not mapping.grouped and (n * q > MOST_FORMED_VALUES or scattered):
        return Generated(problem, mapping, choose)
    if mapping.grouped:
        columns = design.part(mapping.features.astype(np.intc))
    else:
        columns = formed(problem, mapping)
    penalty = mapping.penalty()
    if problem.n_responses is not None and mapping.grouped:
        penalty = penalty.repeated(problem.n_responses)
    inner = on_columns(problem, columns, penalty)
    return Mapped(choose(inner), inner, mapping)


def on_columns(problem, columns, penalty):
    """Return the Problem with these columns and that penalty in place of its own."""
    q = columns.p
    return replace(
        problem, design=columns, penalty=penalty, factor=np.ones(q),
        shift=np.zeros(q, dtype=np.int64), low=None, high=None, groups=None, grouped=False,
    )  # fmt: skip


def formed(problem, mapping):
    """Return the columns Z T as a Design; those that are rounding alone become zeros."""
    every = np.arange(problem.design.p, dtype=np.intc)
    columns = mapping.form(problem.design.unpacked(every).T).T
    sizes = np.sqrt(np.einsum("i,ik,ik->k", problem.weights, columns, columns))
    # No entry of a map that is formed exceeds 1, so that few columns need a closer look: their
    # terms summed at once lose fewer digits than sums of sums.
    p = problem.design.p
    for k in np.flatnonzero(sizes <= p * sum_rounding(p) * problem.norms.sum()):
        columns[:, k] = combined(problem, *mapping.sources(k))
    return standardised(problem, columns)


def combined(problem, which, values):
    """Return the combination (n,) of features with these values, zeros if it is rounding alone.

    Nothing else would keep the coefficient of such a column from growing.
    """
    made = problem.design.combination(which.astype(np.intc), values)
    size = np.sqrt(problem.weights @ np.square(made))
    terms = np.abs(values) @ problem.norms[which]
    return made if size > sum_rounding(len(which)) * terms else np.zeros_like(made)


def standardised(problem, columns):
    """Return a Design of columns (n, q), centred if those of the problem are."""
    made = Design(columns)
    made.moments(problem.weights)
    made.standardise(problem.centred, np.ones(made.p))
    if not problem.centred:
        spread = np.asarray(made.spread)
        spread[:] = np.maximum(spread, UNFELT * np.abs(made.mean))
    return made


class Mapped:
    """The state of a solver of the Problem in other columns; its coefficients are T theta."""

    start_at = None  # The coefficients within belong to other columns.

    def __init__(self, state, inner, mapping):
        self.state, self.problem_of_grid, self.mapping = state, inner, mapping

    def __getattr__(self, name):
        return getattr(self.state, name)

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients."""
        return support(led_back(self.state, self.mapping))


class Generated:
    """The state of a solver whose columns are formed when they enter the working set.

    Parameters
    ----------
    problem : Problem with a penalty on whole vectors
    mapping : as ``penalties/mapping.py`` describes
    choose : callable (Problem) -> state
    """

    def __init__(self, problem, mapping, choose):
        self.problem, self.mapping, self.choose = problem, mapping, choose
        self.whole = FirstOrder(problem, 1)  # It certifies b under Omega.
        self.factors = np.asarray(mapping.penalty().l1)
        self.which = np.flatnonzero(self.factors == 0.0)
        self.columns, self.spent = {}, 0
        self._begin()

    @property
    def iterations(self):
        """Iterations spent so far, in all states."""
        return self.spent + self.state.iterations

    @property
    def loss_value(self):
        """F at the current point, less its least value."""
        return self.state.loss_value

    @property
    def intercept(self):
        """Intercept of the standardised problem."""
        return self.state.intercept

    def correlations(self):
        """Return z_j'u of every feature (p,)."""
        self._certify(1.0)
        return self.whole.correlations()

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients."""
        return support(self._led_back())

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        inner, last = 0.5 * target, np.inf
        for _ in range(ROUNDS):
            outcome, _ = self.state.solve(lam, inner, budget)
            gap = self._certify(lam)
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER:
                return MAX_ITER, gap
            entering = self._violators(lam)
            if len(entering):
                self.which = np.sort(np.concatenate([self.which, entering]))
                self._begin()
            elif not gap < 0.9 * last:
                return STALLED, gap
            else:
                inner *= 0.1
            last = gap
        return STALLED, gap

    def _begin(self):
        """Make a new state, with the columns of the working set."""
        self.spent += self.state.iterations if hasattr(self, "state") else 0
        for k in self.which:
            if k not in self.columns:
                self.columns[k] = combined(self.problem, *self.mapping.sources(k))
        columns = np.reshape([self.columns[k] for k in self.which], (-1, self.problem.design.n)).T
        net = ElasticNet(len(self.which), 1.0, self.factors[self.which])
        inner = on_columns(self.problem, standardised(self.problem, columns), net)
        self.state = self.choose(inner)

    def _led_back(self):
        which, values = self.state.coefficients()
        theta = np.zeros((*values.shape[:-1], self.mapping.n_columns))
        theta[..., self.which[which]] = values
        return self.mapping.times(theta)

    def _certify(self, lam):
        """Return the gap of b under Omega, over all features."""
        whole = self.whole
        c = np.zeros_like(whole.point.c)
        if whole.with_intercept:
            c[..., 0] = self.state.intercept
        whole.point = whole.at(self._led_back(), c)
        return whole.gap(lam)

    def _violators(self, lam):
        """Return columns whose products exceed their thresholds, the farthest if they are many."""
        whole = self.whole
        z = self.mapping.adjoint(whole.products(whole.dual_point(lam)[0]))
        over = np.abs(z) - lam * self.factors
        over = over.max(axis=0) if over.ndim == 2 else over
        over[self.which] = 0.0
        found = np.flatnonzero(over > 0.0)
        most = max(FIRST_COLUMNS, len(self.which) // 2)
        return found if len(found) <= most else found[np.argsort(-over[found])[:most]]


def led_back(state, mapping):
    """Return coefficients T theta of all features, (p,) or (K, p)."""
    which, values = state.coefficients()
    theta = np.zeros((*values.shape[:-1], mapping.n_columns))
    theta[..., which] = values
    return mapping.times(theta)


def support(b):
    """Features with a nonzero coefficient, ascending, and their coefficients."""
    which = np.flatnonzero(b.any(axis=0) if b.ndim == 2 else b).astype(np.intc)
    return which, np.ascontiguousarray(b[..., which])
