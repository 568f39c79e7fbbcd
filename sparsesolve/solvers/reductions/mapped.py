"""A penalty that is a sum over disjoint blocks in other coordinates: solved there, and led back.

    minimise over theta   F(o + b0 + (Z T) theta) + lam Psi(theta),     b = T theta

Given: a Problem whose penalty has a map T (``penalties/forms.py``). Returned: the state of a
solver of that Problem. Invariant: its certificate is one of all columns. It is that of Z T, whose
duality gap is that of Z under Omega; or, if columns are formed one by one, the gap of b under
Omega itself.

If the columns of Z T fit into memory, or are columns of Z, any solver with working sets takes
them. If not, as the cumulated columns of a large sparse X, only the working ones are formed. The
solver works on these, and one pass Z'u, mapped by T', finds the others that must enter.

Reference: Bach et al. 2012, section 1.3, for penalties in other coordinates.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.factors.span import sum_rounding
from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.solvers.first_order.first_order import FirstOrder
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED, Reduced, State, used
from sparsesolve.solvers.tolerances import MOST_COPIED_VALUES

# A sparse X is not filled in where all columns of Z T have more than this many values for one
# stored one, unless they are small (32 MB).
FILLED = 4
SMALL_MAPPED = 4_000_000


def forms_columns(problem):
    """Return True if the columns Z T of the penalty's map fit into memory, or are columns of Z."""
    mapping, n, design = problem.penalty.mapping(), problem.design.n, problem.design
    values = n * mapping.n_columns
    scattered = FILLED * design.stored < values > SMALL_MAPPED
    return mapping.grouped or not (values > MOST_COPIED_VALUES or scattered)


class Mapped(Reduced):
    """The state of a solver of the Problem in other columns; its coefficients are T theta."""

    words = "a penalty becomes one on blocks of other columns"
    start_at = State.start_at  # The coefficients within belong to other columns.

    @classmethod
    def forward(cls, problem, lambdas, n_threads):
        """Return the Problem in the columns Z T if these can be formed at once."""
        if not forms_columns(problem):
            return None
        mapping = problem.penalty.mapping()
        penalty = mapping.penalty()
        if not mapping.grouped:
            columns = formed(problem, mapping)
        else:
            columns = problem.design.part(mapping.features.astype(np.intc))
            if problem.n_responses is not None:
                penalty = penalty.repeated(problem.n_responses)
        small = on_columns(problem, columns, penalty)
        return small, partial(cls, grid_problem=small, mapping=mapping)

    def __init__(self, state, grid_problem, mapping):
        super().__init__(state)
        self.grid_problem, self.mapping = grid_problem, mapping

    def back(self, which, values):
        """Return the coefficients T theta."""
        return used(times(self.mapping, which, values))


class Generated(Reduced):
    """The state of a solver whose columns are formed when they enter the working set.

    Parameters
    ----------
    problem : Problem with a penalty on whole vectors
    choose : callable (Problem) -> state
    """

    start_at = State.start_at  # The coefficients within belong to other columns.

    def __init__(self, problem, choose):
        self.problem, self.choose = problem, choose
        self.mapping = mapping = problem.penalty.mapping()
        self.whole = FirstOrder(problem, 1)  # It certifies b under Omega.
        self.factors = np.asarray(mapping.penalty().l1)
        self.which = np.flatnonzero(self.factors == 0.0)
        self.columns = {}
        super().__init__(self._state())

    def correlations(self):
        """Return z_j'u of every feature (p,)."""
        self._certify(1.0)
        return self.whole.correlations()

    def back(self, which, values):
        """Return the coefficients T theta."""
        return used(times(self.mapping, self.which[which], values))

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        inner, last = 0.5 * target, np.inf
        # Rounds in which columns enter at one lambda, half as many again in each.
        for _ in range(50):
            outcome, _ = self.state.solve(lam, inner, budget)
            gap = self._certify(lam)
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER:
                return MAX_ITER, gap
            entering = self._violators(lam)
            if len(entering):
                self.which = np.sort(np.concatenate([self.which, entering]))
                self.spent, self.state = self.iterations, self._state()
            elif not gap < 0.9 * last:
                return STALLED, gap
            else:
                inner *= 0.1
            last = gap
        return STALLED, gap

    def _state(self):
        """Return a new state, with the columns of the working set."""
        for k in self.which:
            if k not in self.columns:
                self.columns[k] = combined(self.problem, *self.mapping.sources(k))
        columns = np.reshape([self.columns[k] for k in self.which], (-1, self.problem.design.n)).T
        net = ElasticNet(len(self.which), 1.0, self.factors[self.which])
        return self.choose(on_columns(self.problem, standardised(self.problem, columns), net))

    def _certify(self, lam):
        """Return the gap of b under Omega, over all features."""
        whole = self.whole
        c = np.zeros_like(whole.point.c)
        if whole.with_intercept:
            c[..., 0] = self.state.intercept
        which, values = self.state.coefficients()
        whole.point = whole.at(times(self.mapping, self.which[which], values), c)
        return whole.gap(lam)

    def _violators(self, lam):
        """Return columns whose products exceed their thresholds, the farthest if they are many."""
        whole = self.whole
        z = self.mapping.adjoint(whole.products(whole.dual_at(lam)[0]))
        over = np.abs(z) - lam * self.factors
        over = over.max(axis=0) if over.ndim == 2 else over
        over[self.which] = 0.0
        found = np.flatnonzero(over > 0.0)
        # Columns formed one by one of which so many may enter at once at least.
        most = max(20, len(self.which) // 2)
        return found if len(found) <= most else found[np.argsort(-over[found])[:most]]


def times(mapping, which, values):
    """Return coefficients T theta of all features, (p,) or (K, p)."""
    theta = np.zeros((*values.shape[:-1], mapping.n_columns))
    theta[..., which] = values
    return mapping.times(theta)


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
        # a smaller spread is rounding of the mean's square
        spread[:] = np.maximum(spread, (2.0**-30) * np.abs(made.mean))
    return made
