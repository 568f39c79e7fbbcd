"""A chain as a problem of the package: its design is X for K labels, and indicators of
transitions.

    minimise over W, t   F(X W + 1 t_0', t)  +  lam (Omega_X(W) + Omega_T(t))

eta holds the scores of all positions, then transitions, start and stop scores, in the order of
ChainLog. The design is never formed: products with X take K columns at once, and the rest of t is
itself part of eta. t are the intercepts of the labels, transitions, start and stop scores, and
Omega_T is

    "ridge"  |t|^2 / 2    "l1"  |t|_1    "group"  d |t|_2    "free"  0 where |t_i| <= BOX, else inf

The best free score of a transition that never occurs is minus infinity, which no optimum attains.
So t is free within a box, and the certificate is that of the problem with the box. It
differs from the problem without it where that has no finite optimum:

    F(W, t) with t free:  if label b never follows a in the data, F falls for ever as t_ab falls,

or where the solution lies on the box; messages say so. Otherwise the optimum within
the box is that of the free problem, because both are convex.
"""

from copy import copy

import numpy as np
from scipy import sparse

from sparsesolve.losses.chain.log_loss import ChainLog
from sparsesolve.losses.chain.sequences import times
from sparsesolve.paths.penalty import no_penalty
from sparsesolve.penalties import ElasticNet, GroupL2
from sparsesolve.penalties.groups import one_by_one
from sparsesolve.penalties.penalty import has_blocks, missing_method
from sparsesolve.penalties.registry import named_penalty
from sparsesolve.results.status import Status, warn
from sparsesolve.solvers.certificate.unbounded import FAR
from sparsesolve.structured.sequences import (
    Rows,
    in_positions_of,
    packed,
    read_allowed,
    read_rows,
    read_tags,
    refuse_forbidden,
    sequence_weights,
)

# Bound on free scores. exp(20) is 5e8: a transition with that score is certain, or excluded.
BOX = 20.0
KINDS = ("ridge", "l1", "group", "free")


class ChainPenalty:
    """A penalty on whole vectors, of `n_penalised` coefficients of features and the rest.

    Parameters
    ----------
    features : ElasticNet or BlockPenalty
        Penalty on the coefficients of the features.
    n_penalised : int
        Their number, p K.
    n_tied : int
        Number of the other coefficients.
    kind : {"ridge", "l1", "group", "free"}
    weight : float
        d of "group".
    """

    def __init__(self, features, n_penalised, n_tied, kind, weight):
        self.features, self.cut = features, n_penalised
        self.normed = kind in ("group", "l1")  # True if t = 0 may be optimal
        if kind == "group":
            self.tied = GroupL2([0] * n_tied, [weight]).on(
                one_by_one(1, n_tied)._replace(labels=[0], n_named=1)
            )
        elif kind == "l1":
            self.tied = ElasticNet(n_tied)
        else:
            box = BOX if kind == "free" else np.inf
            self.tied = ElasticNet(n_tied, 0.0, None, np.full(n_tied, -box), np.full(n_tied, box),
                                   0.0 if kind == "free" else 1.0)  # fmt: skip

    def _parts(self, v):
        return (self.features, v[: self.cut]), (self.tied, v[self.cut :])

    def value(self, b, lam=1.0):
        """Return lam * Omega(b)."""
        return sum(part.value(x, lam) for part, x in self._parts(b))

    def prox(self, x, lam=1.0):
        """Return argmin_b |b - x|^2 / 2 + lam Omega(b)."""
        return np.concatenate([part.prox(v, lam) for part, v in self._parts(x)])

    def tied_prox(self, t, z, h, lam, L):
        """Return argmin_v -z'(v - t) + L sum_i h_i (v_i - t_i)^2 / 2 + lam Omega_T(v).

        A group uses its largest curvature for all its entries.
        """
        if isinstance(self.tied, GroupL2):
            h = np.full(len(t), h.max())
        r = L * h
        x = z + r * t
        if isinstance(self.tied, GroupL2):
            return self.tied.prox(x / r, lam / r[0])
        l1, l2 = lam * np.asarray(self.tied.l1), lam * np.asarray(self.tied.l2)
        v = np.sign(x) * np.maximum(np.abs(x) - l1, 0.0) / (r + l2)
        return np.clip(v, self.tied.lower, self.tied.upper)

    def polar(self, z):
        """Return the least lam with b = 0 optimal for -z'b, over the coefficients with a norm on
        them.
        """
        (features, v), (tied, t) = self._parts(z)
        return max(features.polar(v), tied.polar(t) if self.normed else 0.0)

    def entry_lambdas(self, z):
        """Return the least lam that keeps each group of features at zero against z."""
        levels = self.features.entry_lambdas(z[: self.cut])
        if not self.normed:
            return levels
        return np.append(levels, self.tied.entry_lambdas(z[self.cut :]))

    def conjugate(self, z, lam=1.0):
        """Return sup_b z'b - lam * Omega(b)."""
        return sum(part.conjugate(v, lam) for part, v in self._parts(z))

    def feasible_scale(self, z, lam=1.0):
        """Return the largest s <= 1 for which the conjugate of s z is finite."""
        return min(part.feasible_scale(v, lam) for part, v in self._parts(z))


def over_labels(penalty, K, alpha):
    """Return a penalty on groups of p features as one on their p K coefficients."""
    layout = penalty.layout
    member = (np.asarray(layout.member)[:, None] * K + np.arange(K)).ravel()
    flat = layout._replace(
        start=(K * np.asarray(layout.start)).astype(np.intc), member=member.astype(np.intc),
        of=np.repeat(layout.of, K).astype(np.intc),
    )  # fmt: skip
    bound = penalty.on(flat)
    G, p = bound.n_groups, len(member)
    none = np.zeros(G, dtype=bool)
    return bound.under(alpha, np.ones(G), none, np.full(p, -np.inf), np.full(p, np.inf), 1.0)


def score_names(labels, intercept):
    """Return the names of intercepts, transitions, starts and stops, in the order of t."""
    names = [str(label) for label in labels]
    alone = names if intercept else []
    pairs = [f"{a} -> {b}" for a in names for b in names]
    return [*alone, *pairs, *(f"start -> {a}" for a in names), *(f"{a} -> stop" for a in names)]


def never_taken(problem):
    """Return which entries of t the data never use though the model may: (number of t,) bool."""
    K, cut = problem.K, problem.n * problem.K
    seen, expected = problem.counts, problem.counts - problem.null_slope[cut:]
    if problem.intercept:
        u = problem.null_slope[:cut].reshape(-1, K)
        mean = problem.loss.label_weights()
        seen, expected = np.append(mean, seen), np.append(mean - u.sum(axis=0), expected)
    return (seen == 0.0) & (expected > 1e-12 * expected.max(initial=0.0))


def marked(points, problem, labels):
    """Return the status of each point, and the names of scores without a best value, or None."""
    cut = problem.p * problem.K
    never = never_taken(problem)
    found, status = never.copy(), []
    for point in points:
        t = np.zeros(len(never))
        tied = point.which >= cut
        t[point.which[tied] - cut] = point.values[tied]
        at_box = np.abs(t) >= BOX
        found |= at_box
        endless = never.any() or at_box.any()
        status.append(Status.UNBOUNDED if endless else point.status)
    if not found.any():
        return status, None
    names = score_names(labels, problem.intercept)
    return status, [names[i] for i in np.flatnonzero(found)]


def tells_all(problem, point):
    """Return True if coefficients without a penalty tell every label: F falls for ever as they
    grow.
    """
    if point.lam > 0.0 or not len(point.which):
        return False
    b = np.zeros(problem.n_coefficients)
    b[point.which] = point.values
    near, far = (problem.loss.at(problem.scores(c * b))[0] for c in (1.0, FAR))
    return bool(far <= near + 1e-9 * problem.null_value)  # but for rounding


def warn_unbounded(path):
    """Warn once, naming the free scores without a best value, or lambda = 0."""
    if path.unbounded is None:
        if (path.status == Status.UNBOUNDED).any():
            warn(
                "No finite coefficients are best at lambda = 0: features tell every label with "
                "certainty, and the objective keeps falling as coefficients grow; what is "
                "returned depends on tol. Choose a larger lambda"
            )
        return
    names = path.unbounded
    more = ", ..." if len(names) > 5 else ""
    one = len(names) == 1
    shown = ", ".join(repr(name) for name in names[:5])
    warn(
        f"No finite {'score is' if one else 'scores are'} best for {shown}{more}: the data never "
        f"take {'it' if one else 'them'}, or tell with certainty, and the objective keeps "
        f"falling. What is returned and certified is the best within -{BOX:g} to {BOX:g}; forbid "
        "such transitions by allowed, or take transitions='ridge'"
    )


class Coupled:
    """A problem whose loss couples the rows of X; the units of the solver are the user's."""

    n_responses, limited, grouped, concave = None, False, False, False
    design = None  # the loss couples the rows of X; see `scores` and `products`

    def inner_lambda(self, lam):
        """Return the solver's lambda for the user's; they are equal."""
        return lam

    def user_lambdas(self, levels):
        """Return the user's lambdas for the solver's; they are equal."""
        return levels

    def rounding_cost(self, which, values, intercept):
        """Return 0: converting to the user's units adds nothing to the gap."""
        return 0.0

    def to_user(self, which, values, intercept):
        """Return the coefficients as they are; the user's units are the solver's."""
        return which, values, intercept


class ChainProblem(Coupled):
    """The methods that a path needs of a problem.

    Parameters
    ----------
    rows : Rows
    loss : ChainLog
    penalty : ChainPenalty
    intercept : bool
        Whether every label has an intercept.
    """

    def __init__(self, rows, loss, penalty, intercept):
        self.rows, self.loss, self.penalty, self.intercept = rows, loss, penalty, intercept
        self.K, (self.n, self.p) = loss.K, rows.rows.shape
        self.n_coefficients = (self.p + intercept) * self.K + self.K * self.K + 2 * self.K
        self.null_value, self.null_slope = loss.at(np.zeros(loss.n))
        self.counts = loss.counts()

    def part(self, which, penalty):
        """Return the problem of some features alone, in this order, with their penalty."""
        few, columns = copy(self), packed(self.rows.columns[which])
        few.rows = Rows(packed(sparse.csr_array(columns.T)), columns, self.rows.ptr, None)
        few.penalty, few.p = penalty, len(which)
        few.n_coefficients = self.n_coefficients - (self.p - few.p) * self.K
        return few

    def scores(self, b, n_threads=1):
        """Return eta for flat coefficients b."""
        K, cut = self.K, self.p * self.K
        x = self.rows.rows
        S = times(x.indptr, x.indices, x.data, b[:cut].reshape(self.p, K), n_threads)
        if self.intercept:
            S += b[cut : cut + K]
            cut += K
        return np.concatenate([S.ravel(), b[cut:]])

    def products(self, u, n_threads=1):
        """Return the products of the design with u, one for each coefficient."""
        K, cut = self.K, self.n * self.K
        x, U = self.rows.columns, u[:cut].reshape(self.n, K)
        parts = [times(x.indptr, x.indices, x.data, U, n_threads).ravel()]
        if self.intercept:
            parts.append(U.sum(axis=0))
        return np.concatenate([*parts, u[cut:]])


def read_chain_problem(X, y, lengths, groups, penalty, alpha, transitions, intercept, allowed,
                       weights, threads):
    """Check the data; return (ChainProblem, labels, mask, penalty as read or None)."""
    y = in_positions_of(X, y)
    rows = read_rows(X, lengths)
    codes, labels = read_tags(y, rows.ptr)
    K, p, N = len(labels), rows.rows.shape[1], len(rows.ptr) - 1
    mask = read_allowed(allowed, K, labels)
    refuse_forbidden(codes, rows.ptr, mask, labels)
    w = sequence_weights(weights, N)
    w = w / w.max()
    bound = _read_penalty(groups, penalty, p, rows.names)
    if bound is not None:
        features = over_labels(bound, K, alpha)
    else:
        features = ElasticNet(p * K, alpha)
    n_tied = K * intercept + K * K + 2 * K
    both = ChainPenalty(features, p * K, n_tied, transitions, np.sqrt(K + 2.0 + intercept))
    loss = ChainLog(codes, w / w.sum(), rows.ptr, K, mask, threads)
    return ChainProblem(rows, loss, both, bool(intercept)), labels, mask, bound


def _read_penalty(groups, penalty, p, names):
    """Return the penalty on groups of p features after reading it; None for the elastic net."""
    if penalty is not None and groups is not None:
        raise ValueError("groups is short for penalty=penalties.GroupL2(groups); give one of them")
    if groups is not None:
        penalty = GroupL2(groups)
    if penalty is None:
        return None
    penalty = named_penalty(penalty)
    if isinstance(penalty, type) or missing_method(penalty) and not has_blocks(penalty):
        raise TypeError(no_penalty(penalty))
    if not has_blocks(penalty):
        raise TypeError(
            f"penalty={type(penalty).__name__} is not a sum over disjoint groups of features, "
            "which chains need; give GroupL2, GroupLinf or SparseGroup, or None for the elastic "
            "net"
        )
    return penalty.over(p, names)
