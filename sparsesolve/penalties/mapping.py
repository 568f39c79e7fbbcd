"""Maps to other coordinates, in which a penalty is a sum over disjoint blocks.

    Omega(b) = min {Psi(theta): b = T theta},    Psi a penalty on blocks

so that F(Xb) + lam Omega(b) is F(X T theta) + lam Psi(theta): the engines with working sets solve
it on the columns of X T, which no one has to form as a whole. A map answers

    n_columns            q
    times(theta)         T theta, (..., p) from (..., q)
    adjoint(z)           T'z, (..., q) from (..., p)
    form(rows)           the columns of X T as rows (q, n), from those of X (p, n)
    sources(k)           column k of X T: features (m,), ascending or not, and values (m,)
    penalty()            Psi on (q,): an object of this folder, for one response
"""

import numpy as np

from sparsesolve.penalties.elastic_net import ElasticNet


class Cumulated:
    """b along an order is a sum of jumps, begun again at each of some places.

    Parameters
    ----------
    order : (p,) the features, neighbours side by side
    begins : (p,) bool, along the order: where a new chain begins
    factors : (p,) what each theta is penalised by, along the order
    """

    grouped = False

    def __init__(self, order, begins, factors):
        self.order, self.factors, self.n_columns = order, factors, len(order)
        self.start = np.flatnonzero(begins)
        self.end = np.append(self.start[1:], len(order))
        self.stop = np.repeat(self.end, self.end - self.start)  # of the chain of each place

    def times(self, theta):
        """T theta: jumps summed up."""
        theta = np.asarray(theta)
        out = np.empty_like(theta, dtype=float)
        for a, b in zip(self.start, self.end, strict=True):
            out[..., self.order[a:b]] = np.cumsum(theta[..., a:b], axis=-1)
        return out

    def adjoint(self, z):
        """T'z: sums from a place to the end of its chain."""
        z = np.asarray(z)[..., self.order]
        out = np.empty_like(z, dtype=float)
        for a, b in zip(self.start, self.end, strict=True):
            out[..., a:b] = np.cumsum(z[..., a:b][..., ::-1], axis=-1)[..., ::-1]
        return out

    def form(self, rows):
        """Sums of columns."""
        rows = rows[self.order]
        for a, b in zip(self.start, self.end, strict=True):
            for k in range(b - 2, a - 1, -1):
                rows[k] += rows[k + 1]
        return rows

    def sources(self, k):
        """The features that are summed in column k, and ones."""
        which = self.order[k : self.stop[k]]
        return which, np.ones(len(which))

    def penalty(self):
        """The lasso on jumps."""
        return ElasticNet(self.n_columns, 1.0, self.factors)


class Copied:
    """b is a sum of latent vectors, each on the features of one group.

    Parameters
    ----------
    features : (q,) the feature of each copy, group by group
    n_features : int
    inner : penalty on blocks of the copies, laid out
    """

    grouped = True

    def __init__(self, features, n_features, inner):
        self.features, self.n_features, self.inner = features, n_features, inner
        self.n_columns = len(features)

    def times(self, theta):
        """T theta: copies of a feature added up."""
        theta = np.asarray(theta, dtype=float)
        out = np.zeros((*theta.shape[:-1], self.n_features))
        np.add.at(out.T, self.features, theta.T)
        return out

    def adjoint(self, z):
        """T'z: each copy has what its feature has."""
        return np.asarray(z, dtype=float)[..., self.features]

    def sources(self, k):
        """The feature of copy k."""
        return self.features[k : k + 1], np.ones(1)

    def penalty(self):
        """The group lasso on the copies."""
        return self.inner
