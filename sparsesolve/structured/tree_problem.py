"""Dependency trees as a problem of the package: arcs are samples, values of templates features.

    minimise over b   F(X b)  +  lam Omega(b)
    F(eta) = sum_s w_s [log sum_trees exp(score_s(tree)) - score_s(tree_s)]

eta holds the scores of all pairs (h, m) of all sentences, (L + 1)^2 of a sentence of L words; X is
binary and has no entries where there is no arc. -F' = w (y - mu): arcs minus their marginals. With
u = -s F'(eta) and 0 <= s <= 1 the dual point is (1 - s) y + s mu, a mixture of trees. By concavity
of the entropy H, with H(y) = 0,

    F*(-u) <= -s sum_s w_s H(mu_s),   H(mu) = log Z - <score, mu>,
    so   F(eta) + F*(-u) + eta'u <= (1 - s) F(eta),

as for chains, see log_loss.pyx. The solver is that of chains without its metric.
References: Koo, Globerson, Carreras, Collins (2007), "Structured prediction models via the
matrix-tree theorem"; Smith, Smith (2007), "Probabilistic models of nonprojective dependency
trees".
"""

import numpy as np
from scipy import sparse

from sparsesolve.structured.problem import Coupled
from sparsesolve.structured.tree import TreeSums

# u counts as a multiple of -F' if it differs from one by at most this fraction of the largest |u|.
SAME = 1e-9


class TreeLog:
    """F of all sentences, with the methods of a Loss that solvers of whole vectors call.

    Parameters
    ----------
    gold : list of (L,) arrays, the heads of each sentence
    w : (N,) weights that sum to 1
    single_root : bool
    """

    saturated = 0.0

    def __init__(self, gold, w, single_root):
        self.w, self.single_root = w, single_root
        self.sizes = np.array([len(heads) + 1 for heads in gold])
        self.ptr = np.concatenate([[0], np.cumsum(self.sizes**2)])
        self.n, self.last = int(self.ptr[-1]), None
        arcs = [start + heads * (len(heads) + 1) + np.arange(1, len(heads) + 1)
                for start, heads in zip(self.ptr, gold, strict=False)]  # fmt: skip
        #: (number of words,) place of each true arc
        self.arcs = np.concatenate(arcs)

    def at(self, eta):
        """Return F(eta) and -F'(eta)."""
        if self.last is not None and np.array_equal(self.last[0], eta):
            return self.last[1:]
        value, u = 0.0, np.zeros(self.n)
        u[self.arcs] = np.repeat(self.w, self.sizes - 1)
        for s, (size, w) in enumerate(zip(self.sizes, self.w, strict=True)):
            own = slice(self.ptr[s], self.ptr[s + 1])
            sums = TreeSums(eta[own].reshape(size, size), self.single_root)
            u[own] -= w * sums.marginals.ravel()
            value += w * sums.log_partition
        value = max(value - float(eta[self.arcs] @ np.repeat(self.w, self.sizes - 1)), 0.0)
        self.last = eta.copy(), value, u
        return value, u

    def fenchel_young_at(self, eta, u):
        """Return (1 - s) F(eta), an upper bound, where u is s times -F'(eta); infinity if it is
        not.
        """
        value, own = self.at(eta)
        down = float(own @ own)
        s = float(u @ own) / down if down > 0.0 else 1.0
        off = float(np.abs(u - s * own).max(initial=0.0))
        if off > SAME * float(np.abs(own).max(initial=0.0)) or s < 0.0 or s > 1.0 + SAME:
            return np.inf
        return max(1.0 - s, 0.0) * value

    def raise_pending(self):
        """Do nothing: no method keeps an exception."""


class TreeProblem(Coupled):
    """The methods that a path needs of a problem.

    Parameters
    ----------
    X : csr_array (number of pairs, p)
    loss : TreeLog
    penalty : Penalty on vectors (p,)
    """

    def __init__(self, X, loss, penalty):
        self.rows, self.columns = X, sparse.csr_array(X.T)
        self.loss, self.penalty, self.p = loss, penalty, X.shape[1]
        self.n_coefficients = self.p
        self.null_value, _ = loss.at(np.zeros(loss.n))

    def scores(self, b, n_threads=1):
        """Return eta for coefficients b."""
        return self.rows @ b

    def products(self, u, n_threads=1):
        """Return the products of the columns with u."""
        return self.columns @ u


def arc_features(work, arcs, ptr, every):
    """Return X, the codes of its columns (p,) in order, and the template of each (p,).

    Parameters
    ----------
    work : ArcPass
    arcs : (number of words,) places of the true arcs
    ptr : (N + 1,) where the pairs of a sentence begin
    every : bool
        Whether values count that occur at no true arc.
    """
    values = [work.values(s).reshape(-1, work.n_templates) for s in range(len(ptr) - 1)]
    values = np.concatenate(values)
    keys, first = np.unique(values if every else values[arcs], return_index=True)
    owners = first % work.n_templates
    kept = keys != 0
    keys, owners = keys[kept], owners[kept]
    at = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
    known = (keys[at] == values) & (values != 0)
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    columns = at[known].astype(np.int32)
    X = sparse.csr_array((np.ones(len(columns)), columns, starts), shape=(len(values), len(keys)))
    X.sort_indices()
    return X, keys, owners
