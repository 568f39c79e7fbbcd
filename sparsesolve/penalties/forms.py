"""Forms of a penalty that solvers ask for: its tangent, its map to blocks, and its splitting.

A penalty is smooth along its pieces: the values of the pieces of total variation, the sizes of the
clusters of SLOPE, the factors of a matrix of low rank. ``tangent(b)`` offers them as directions:

    Omega(b + T d) = Omega(b) + gradient'd + d'C d / 2 + o(|d|^2)      near d = 0

Near a solution proximal steps no longer change the pieces, and Newton's method on the few
variables d finishes them (`solvers/first_order/tangent_newton.py`).

``mapping()`` offers other coordinates, in which the penalty is a sum over disjoint blocks:

    Omega(b) = min {Psi(theta): b = T theta},    Psi a penalty on blocks

so that F(Xb) + lam Omega(b) is F(X T theta) + lam Psi(theta). Solvers with working sets solve it
on the columns of X T, which are never formed all at once. A map answers

    n_columns            q
    times(theta)         T theta, (..., p) from (..., q)
    adjoint(z)           T'z, (..., q) from (..., p)
    form(rows)           the columns of X T as rows (q, n), from those of X (p, n)
    sources(k)           column k of X T: features (m,), ascending or not, and values (m,)
    penalty()            Psi on (q,): an object of this folder, for one response

``splitting()`` offers a simple penalty of linear images of the coefficients, for ADMM:

    Omega(b) = Psi(A b),     A sparse (q, p), Psi with a prox in closed form

    total variation      differences along edges, the weighted l1 norm
    overlapping groups   a copy of each group's coefficients, a norm of disjoint groups
    sums                 the images of the terms, stacked

For any other penalty A is the identity and Psi the penalty. On arrays B (K, p) of K responses A is
applied to the raveled array, and a penalty offers it by ``splitting_over(shape)``; there A'A is
the same (p, p) matrix for each response, and 0 between responses.
Reference: Bareilles, Iutzeler, Malick, "Newton acceleration on manifolds identified by proximal
gradient methods" (2023).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.penalties.norm import soft


class Tangent(NamedTuple):
    """Directions at b. Entries are meant row by row where b is an array (K, p)."""

    directions: sparse.csc_array  # T (b.size, s)
    gradient: np.ndarray  # (s,) of Omega along them
    # Maps z, of the shape of b, to (s, s): C minus the second-order part of z'b along the step;
    # None: 0.
    curvature: Callable[[np.ndarray], np.ndarray] | None = None
    # Maps d (s,) to the change of b, which is T d to first order; None: T d itself.
    retraction: Callable[[np.ndarray], np.ndarray] | None = None

    def step(self, d):
        """Return the change of b, raveled, that belongs to d (s,)."""
        return self.directions @ d if self.retraction is None else self.retraction(d)


def side_by_side(parts, size):
    """Return the tangent of a sum of penalties on disjoint sets of coefficients, `size` in all.

    parts : list of (which (m,) places of the coefficients, Tangent of them)
    """
    starts = np.cumsum([0, *(len(own.gradient) for _, own in parts)])
    columns = []
    for which, own in parts:
        T = sparse.coo_array(own.directions)
        shape = (size, T.shape[1])
        columns.append(sparse.csc_array((T.data, (which[T.coords[0]], T.coords[1])), shape))
    T = sparse.hstack(columns, format="csc")
    gradient = np.concatenate([own.gradient for _, own in parts])
    if all(own.retraction is None for _, own in parts):
        return Tangent(T, gradient)

    def curvature(z):
        C = np.zeros((len(gradient), len(gradient)))
        for (which, own), a, b in zip(parts, starts[:-1], starts[1:], strict=True):
            if own.curvature is not None:
                C[a:b, a:b] = own.curvature(z.ravel()[which])
        return C

    def retraction(d):
        out = np.zeros(size)
        for (which, own), a, b in zip(parts, starts[:-1], starts[1:], strict=True):
            out[which] = own.step(d[a:b])
        return out

    return Tangent(T, gradient, curvature, retraction)


def on_support(b, gradient, free=False):
    """Return the nonzero coefficients as directions; `gradient` (p,) is that of Omega.

    `free` (p,) marks the coefficients that do not change Omega; they are always directions.
    """
    which = np.flatnonzero((b != 0.0) | free)
    ones = np.ones(len(which))
    T = sparse.csc_array((ones, (which, np.arange(len(which)))), (len(b), len(which)))
    return Tangent(T, gradient[which])


def on_pieces(label, values, gradient):
    """Return one direction per piece, along which the coefficients of the piece move together.

    label : (p,) the piece of each coefficient, -1 for none; values : (p,) its part in the
    direction; gradient : (s,)
    """
    which = np.flatnonzero(label >= 0)
    shape = (len(label), len(gradient))
    return Tangent(sparse.csc_array((values[which], (which, label[which])), shape), gradient)


def on_clusters(b, gains):
    """Return clusters of equal nonzero sizes as directions, given what each size adds, (p,).

    gains : (p,) by falling size
    """
    size = np.abs(b)
    order = np.argsort(-size, kind="stable")[: np.count_nonzero(b)]
    starts = np.flatnonzero(np.diff(size[order], prepend=np.inf))
    label = np.full(len(b), -1)
    label[order] = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(order)]))
    gradient = np.add.reduceat(gains[: len(order)], starts) if len(order) else np.empty(0)
    return on_pieces(label, np.sign(b), gradient)


class Cumulated:
    """Coefficients along an order (p,) that are sums of jumps; each chain starts at 0.

    `begins` (p,) says where along the order a new chain begins; `factors` (p,) are the penalty
    factors of each theta, along the order.
    """

    grouped = False

    def __init__(self, order, begins, factors):
        self.order, self.factors, self.n_columns = order, factors, len(order)
        self.start = np.flatnonzero(begins)
        self.end = np.append(self.start[1:], len(order))
        self.stop = np.repeat(self.end, self.end - self.start)  # end of the chain of each place

    def times(self, theta):
        """Return T theta: the sums of jumps."""
        theta = np.asarray(theta)
        out = np.empty_like(theta, dtype=float)
        for a, b in zip(self.start, self.end, strict=True):
            out[..., self.order[a:b]] = np.cumsum(theta[..., a:b], axis=-1)
        return out

    def adjoint(self, z):
        """Return T'z: the sums from each place to the end of its chain."""
        z = np.asarray(z)[..., self.order]
        out = np.empty_like(z, dtype=float)
        for a, b in zip(self.start, self.end, strict=True):
            out[..., a:b] = np.cumsum(z[..., a:b][..., ::-1], axis=-1)[..., ::-1]
        return out

    def form(self, rows):
        """Return the sums of columns."""
        rows = rows[self.order]
        for a, b in zip(self.start, self.end, strict=True):
            for k in range(b - 2, a - 1, -1):
                rows[k] += rows[k + 1]
        return rows

    def sources(self, k):
        """Return the features that are summed in column k, and ones."""
        which = self.order[k : self.stop[k]]
        return which, np.ones(len(which))

    def penalty(self):
        """Return the lasso on jumps."""
        return ElasticNet(self.n_columns, 1.0, self.factors)


class Copied:
    """Coefficients that are sums of latent vectors, each on the features of one group.

    `features` (q,) are those of the copies, group by group; `inner` is a penalty on their blocks.
    """

    grouped = True

    def __init__(self, features, n_features, inner):
        self.features, self.n_features, self.inner = features, n_features, inner
        self.n_columns = len(features)

    def times(self, theta):
        """Return T theta: the sum of the copies of each feature."""
        theta = np.asarray(theta, dtype=float)
        out = np.zeros((*theta.shape[:-1], self.n_features))
        np.add.at(out.T, self.features, theta.T)
        return out

    def adjoint(self, z):
        """Return T'z: each copy gets the entry of its feature."""
        return np.asarray(z, dtype=float)[..., self.features]

    def sources(self, k):
        """Return the feature of copy k, and a one."""
        return self.features[k : k + 1], np.ones(1)

    def penalty(self):
        """Return the group lasso on the copies."""
        return self.inner


class Splitting(NamedTuple):
    """Omega(b) = psi(matrix @ b)."""

    matrix: sparse.csr_array  # A (q, p)
    psi: Any  # value(s) and prox(s, t) for s (q,)
    # Makes from multipliers y (q,) in the dual ball of psi a start for `polar_near`; or None.
    parts: Any = None


class WeightedL1:
    """Psi(s) = sum_i w_i |s_i|."""

    def __init__(self, weights):
        self.weights = weights

    def value(self, s):
        return float(self.weights @ np.abs(s))

    def prox(self, s, t):
        return soft(s, t * self.weights)


class Raveled:
    """Psi of raveled arrays, from a penalty on arrays of that shape."""

    def __init__(self, penalty, shape):
        self.penalty, self.shape = penalty, shape

    def value(self, s):
        return float(self.penalty.value(s.reshape(self.shape)))

    def prox(self, s, t):
        return self.penalty.prox(s.reshape(self.shape), t).ravel()


class Side:
    """The sum of penalties of parts of s that stand one after the other."""

    def __init__(self, parts, sizes):
        self.parts, self.ends = parts, np.cumsum(sizes)[:-1]

    def value(self, s):
        pieces = np.split(s, self.ends)
        return sum(float(own.value(x)) for own, x in zip(self.parts, pieces, strict=True))

    def prox(self, s, t):
        pieces = np.split(s, self.ends)
        return np.concatenate([own.prox(x, t) for own, x in zip(self.parts, pieces, strict=True)])


def splitting_of(penalty, n_features):
    """Return the penalty's own splitting, or that by the identity."""
    own = getattr(penalty, "splitting", None)
    if own is not None:
        return own()
    return Splitting(sparse.eye_array(n_features, format="csr"), penalty)


def splitting_over(penalty, shape):
    """Return the splitting of a penalty on arrays of that shape (K, p), of the raveled array."""
    own = getattr(penalty, "splitting_over", None)
    if own is not None:
        return own(shape)
    return by_identity(penalty, shape)


def by_identity(penalty, shape):
    """Return the splitting by the identity of a penalty on arrays of that shape, raveled."""
    return Splitting(sparse.eye_array(int(np.prod(shape)), format="csr"), Raveled(penalty, shape))


def stacked(found, shape):
    """Return the splitting of a sum of penalties from those of the terms.

    Its `parts` are the images A_k'y_k of the terms, arrays of `shape`.
    """
    sizes = [own.matrix.shape[0] for own in found]
    matrix = sparse.vstack([own.matrix for own in found], format="csr")
    back = [own.matrix.T.tocsr() for own in found]

    def parts(y):
        pieces = np.split(y, np.cumsum(sizes)[:-1])
        return [(own @ x).reshape(shape) for own, x in zip(back, pieces, strict=True)]

    return Splitting(matrix, Side([own.psi for own in found], sizes), parts)


def copies(n_features, features):
    """Return the matrix A that copies the coefficients `features` (q,)."""
    q = len(features)
    return sparse.csr_array((np.ones(q), (np.arange(q), features)), (q, n_features))
