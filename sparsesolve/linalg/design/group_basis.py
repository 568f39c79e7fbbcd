"""Orthonormal bases of groups of columns, and the map back to coefficients of the columns.

    Z_g = (X_g - 1 m_g') S_g^-1 T_g,   Z_g'WZ_g = I,   b_g = S_g^-1 T_g c_g

with means m and standard deviations S under the weights W. T_g comes from a singular value
decomposition, so among all coefficients with the same fit b_g has the least |S_g b_g|_2.

Reference: Breheny and Huang, "Group descent algorithms for nonconvex penalized linear and
logistic regression models with grouped predictors" (2015), section 2.1.
"""

import numpy as np
from scipy import sparse

# Singular values below this multiple of the largest one count as 0. The key says whether X is
# stored as float32.
RANK = {True: 1e-5, False: 1e-8}
# A singular value below this multiple of the largest one is rounding error.
ROUNDED = 64 * np.finfo(np.float64).eps
# Coefficients are refused if conversion to the user's units loses more than this relative amount
# of the largest coefficient of the group.
LOST = 1e-9


class GroupBasis:
    """Orthonormal bases of all groups, one after another.

    Parameters
    ----------
    design : Design
        After ``moments(weights)``; constant columns are left out.
    weights : (n,) summing to 1
    groups : sequence of (p_g,) features
        A partition of the features.
    centred : bool
        True if the columns of the bases are centred; otherwise the means are added back.
    single : bool
        True if X is stored in single precision.

    Attributes
    ----------
    columns : (n, q)
        q is the sum of the ranks; a group of rank 0 has one column of zeros.
    reduced : list of (p_g,) features
        Groups that lost a direction whose size rounding does not explain.
    start : (G + 1,)
        Group g has the columns start[g] to start[g + 1].
    """

    def __init__(self, design, weights, groups, centred, single):
        spread, root = np.asarray(design.spread), np.sqrt(weights)[:, None]
        self._unit = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0)
        self._power, self._far = np.array(design.exponent), np.array(design.mean) * self._unit
        design.standardise(True, self._unit)
        columns, turns, self.start = np.empty((design.p, design.n)), [], [0]
        self.reduced, rounding = [], ROUNDED * (2.0**29 if single else 1.0)
        for which in groups:
            own = design.unpacked(which)
            turn, lost = _turn(root * own, RANK[single], rounding * (1.0 + self._largest(which)))
            if lost:
                self.reduced.append(np.asarray(which))
            own = own @ turn
            if not centred:
                own += self._far[which] @ turn
            self.start.append(self.start[-1] + turn.shape[1])
            columns[self.start[-2] : self.start[-1]] = own.T
            turns.append(turn)
        self.columns = columns[: self.start[-1]].T
        self.start = np.array(self.start, dtype=np.intc)
        self._turn = _placed(turns, groups, design.p)

    def _largest(self, which):
        """Return the largest mean of these features, in standard deviations."""
        return float(np.abs(self._far[which]).max(initial=0.0))

    def features_of(self, columns):
        """Return the features that contribute to these columns, ascending."""
        return np.unique(self._turn[:, columns].indices)

    def to_features(self, which, values):
        """Convert `values` (k,) or (K, k) of the columns `which` to coefficients of the features.

        Returns the features (m,), their coefficients (m,) or (K, m), and the amount by which the
        means shift the intercept. Returns None if floats cannot hold the coefficients.
        """
        c = np.zeros((self._turn.shape[1], *values.shape[:-1]))
        c[which] = values.T
        turned = self._turn @ c
        far = self._far @ turned
        power = self._power.reshape(-1, *[1] * (c.ndim - 1))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            scaled = (turned.T * self._unit).T
            b = np.ldexp(scaled, -power)
            lost = np.abs(np.ldexp(b, power) - scaled).T / np.where(scaled.T, self._unit, 1.0)
        if not lost.max(initial=0.0) <= LOST * np.abs(turned).max(initial=0.0):
            return None
        kept = np.flatnonzero(b.any(axis=1) if b.ndim == 2 else b)
        return kept, np.ascontiguousarray(b[kept].T), far


def _turn(A, least, rounding):
    """Return T (m, rank) such that the columns of A T are orthonormal, and if more is left out.

    The second value is True if a direction left out exceeds rounding error. If A = 0, T is a
    column of zeros.
    """
    size = np.linalg.norm(A, axis=0)
    if not size.any():
        return np.zeros((A.shape[1], 1)), False
    if A.shape[1] == 1:
        return np.ones((1, 1)), False
    _, spectrum, right = np.linalg.svd(A, full_matrices=False)
    kept = spectrum > least * spectrum[0]
    lost = bool((~kept & (spectrum > rounding * spectrum[0])).any())
    return right[kept].T / spectrum[kept], lost


def _placed(turns, groups, p):
    """Return the block matrix (p, q) with T_g in the rows of group g and in its own columns."""
    rows = [np.tile(which, turn.shape[1]) for turn, which in zip(turns, groups, strict=True)]
    counts = [np.full(turn.shape[1], len(turn)) for turn in turns]
    values = np.concatenate([turn.T.ravel() for turn in turns])
    start = np.append(0, np.cumsum(np.concatenate(counts)))
    return sparse.csc_array((values, np.concatenate(rows), start), shape=(p, len(start) - 1))
