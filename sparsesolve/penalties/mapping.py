"""Maps to other coordinates in which a penalty is a sum over disjoint blocks.

    Omega(b) = min {Psi(theta): b = T theta},    Psi a penalty on blocks

so that F(Xb) + lam Omega(b) is F(X T theta) + lam Psi(theta). Solvers with working sets solve it
on the columns of X T, which are never formed all at once. A map answers

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
    """Coefficients along an order that are sums of jumps; each chain starts at 0.

    Parameters
    ----------
    order : (p,) the features, neighbours next to each other
    begins : (p,) bool, along the order: where a new chain begins
    factors : (p,) penalty factor of each theta, along the order
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
