"""A chain as a problem of the package: its design is X for K labels, and indicators of
transitions.

    minimise over W, t   F(X W + 1 t_0', t)  +  lam Omega(W, t)

eta holds the scores of all positions, then transitions, start and stop scores, in the order of
ChainLog. The design is never formed: products with X take K columns at once, and the rest of t is
itself part of eta.
"""

from copy import copy

import numpy as np
from scipy import sparse

from sparsesolve.losses.chain.log_loss import ChainLog
from sparsesolve.losses.chain.sequences import times
from sparsesolve.paths.penalty import no_penalty
from sparsesolve.penalties import ElasticNet, GroupL2
from sparsesolve.penalties.penalty import has_blocks, missing_method
from sparsesolve.penalties.registry import named_penalty
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
from sparsesolve.structured.transitions import ChainPenalty, over_labels


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
