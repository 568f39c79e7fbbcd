"""The span of some columns of a design under weights: an orthonormal basis and the map back."""

from threading import Thread

import numpy as np
from scipy import sparse

# An entry of an orthonormal column below this size is rounding of a 0.
HIDDEN_ENTRY = 8.0 * np.finfo(np.float64).eps
# A matrix with at least this many rows is decomposed in a thread of its own, because its
# eigenvalue decomposition would otherwise delay Ctrl-C noticeably.
LONG = 1000
# The machine epsilon, of which bounds on rounding errors are multiples.
EPSILON = np.finfo(np.float64).eps
# If an eigenvalue of the inner products is below this multiple of the largest, rounding errors
# make the columns indistinguishable by inner products.
SHAKY = 1e-8


class Spans:
    """Spans of columns of a standardised design, each times `root_w`; the last Span is cached."""

    def __init__(self, design, root_w, centred, norms=None):
        self.design, self.root_w, self.centred = design, np.asarray(root_w), centred
        self.norms = norms
        self._last = self._apart = None

    def of(self, which):
        """Return the Span of the columns `which` (m,)."""
        which = np.asarray(which, dtype=np.intc)
        if self._last is None or not np.array_equal(self._last.which, which):
            self._last = Span(self.design, which, self.root_w, self.centred)
        return self._last

    def along(self, directions):
        """Return the Span of combinations of columns with coefficients `directions`, (p, k) csc.
        """
        parts = [directions[:, [k]].tocoo() for k in range(directions.shape[1])]
        columns = [
            self.design.combination(part.coords[0].astype(np.intc), part.data) for part in parts
        ]
        columns = np.reshape(columns, (-1, self.design.n)).T
        columns[:, self.vanish(columns, directions)] = 0.0
        return Span(self.design, np.empty(0), self.root_w, self.centred, columns)

    def vanish(self, columns, directions):
        """Return which combinations, columns (n, k), are 0 but for rounding of their terms, (k,).

        Their coefficients are `directions`, (p, k) sparse. With K responses, one after the other,
        columns are (K n, k) and directions (K p, k). The norms of the columns must be known.
        """
        parts, n = abs(directions), self.design.n
        terms = parts.T @ np.tile(self.norms, parts.shape[0] // self.design.p)
        w = np.tile(np.square(self.root_w), len(columns) // n)
        sizes = np.sqrt(np.einsum("i,ik,ik->k", w, columns, columns))
        return sizes <= sum_rounding(np.diff(sparse.csc_array(parts).indptr)) * terms

    def projection(self, which, r):
        """Return the norm of the projection of r, (n,) or (K, n), on the span of the columns."""
        return float(np.linalg.norm(np.asarray(r) @ self.of(which).Q))

    def plain(self, columns):
        """Divide columns (n, f) by the square roots of the weights; rows of weight 0 become 0."""
        root_w = self.root_w[:, None]
        return np.divide(columns, root_w, out=np.zeros_like(columns), where=root_w > 0.0)

    def unweighted(self, which):
        """Return a basis of the span that is orthonormal under the weights, (n, f)."""
        return self.plain(self.of(which).Q)

    def apart(self, which):
        """Return columns (n, f) of the same span that can be told apart by their inner products.

        These are the columns themselves unless they are nearly collinear; then it is a basis.
        """
        which = np.asarray(which, dtype=np.intc)
        if self._apart is None or not np.array_equal(self._apart[0], which):
            columns = self.design.unpacked(which)
            weighted = self.root_w[:, None] * columns
            shaky = not told_apart(weighted.T @ weighted)
            self._apart = which, self.unweighted(which) if shaky else columns
        return self._apart[1]

    def apart_in_each(self, which, free):
        """Return columns that can be told apart if each of K responses uses its own subset.

        `free` (K, m) says which of the columns `which` each response uses. A -1 in `which` stands
        for the constant column, from which centred columns are always distinguishable. Returns
        the columns for all responses and a mask that says which response uses which of them.
        """
        which = np.asarray(which)
        real = which >= 0
        kinds, of = np.unique(free[:, real], axis=0, return_inverse=True)
        parts = [self.apart(which[real][kind]) for kind in kinds]
        ends = np.cumsum([part.shape[1] for part in parts])
        mine = np.searchsorted(ends, np.arange(ends[-1]), side="right") == of.reshape(-1, 1)
        constant = np.ones((self.design.n, len(which) - np.count_nonzero(real)))
        return np.hstack([constant, *parts]), np.hstack([free[:, ~real], mine])


class Span:
    """Span of the columns `which` (m,) of a standardised design, each times sqrt(w).

    ``Q`` (n, f) with f <= m is an orthonormal basis. A combination Q c equals the combination of
    the columns with coefficients ``back @ c``, up to ``error`` (n, f) @ c, the rounding error of
    nearly collinear columns. If the columns are collinear, these coefficients are the shortest
    ones. ``least`` is the smallest singular value of the columns, scaled to norm 1, that is not
    rounding error. Other `columns` (n, m) may be passed in place of those of the design.
    """

    def __init__(self, design, which, root_w, centred, columns=None):
        self.which = which.astype(np.intc)
        columns = design.unpacked(self.which) if columns is None else columns
        # Centre once more: the mean of a column far from 0 has a rounding error.
        if centred:
            columns = columns - root_w**2 @ columns
        columns = root_w[:, None] * columns
        size = np.linalg.norm(columns, axis=0)
        size[size == 0.0] = 1.0
        Q, spectrum, turn = np.linalg.svd(columns / size, full_matrices=False)
        kept = spectrum > max(columns.shape) * EPSILON * spectrum.max(initial=0.0)
        self.Q, self.least = Q[:, kept], float(spectrum[kept].min(initial=np.inf))
        # Rounding of a 0 would count as a row on which a direction has an effect, where those
        # that it has more effect on have no curvature.
        self.Q[np.abs(self.Q) <= HIDDEN_ENTRY] = 0.0
        self.back = turn[kept].T / spectrum[kept] / size[:, None]
        self.error = columns @ self.back - self.Q

    def without(self, u):
        """Return u minus its projection, subtracted twice: once leaves an error the size of
        rounding u.
        """
        for _ in range(2):
            u = u - self.Q @ (self.Q.T @ u)
        return u


def sum_rounding(terms):
    """Return how large a sum of so many columns may be if they cancel, relative to their sizes.

    Rounding errors grow with the square root of the number of terms. Sums that cancel exactly were
    at most 2.6 of these units long (identities, negated columns, compositions, one-hot columns of
    3,000 rows); a direction that is longer is real, however short, and may lower the loss.
    """
    return 8.0 * EPSILON * np.sqrt(terms)


def told_apart(inner):
    """Return True if the inner products (f, f) of columns determine all combinations of them."""
    size = np.sqrt(np.maximum(np.diag(inner), 0.0))
    size[size == 0.0] = 1.0
    level = np.linalg.eigvalsh(inner / np.outer(size, size))
    return len(level) == 0 or level[0] > SHAKY * level[-1]


def eigen(matrix):
    """Return eigenvalues, raised to the rounding error of a zero, and eigenvectors."""
    long = len(matrix) >= LONG
    spectrum, turn = heard(np.linalg.eigh, matrix) if long else np.linalg.eigh(matrix)
    return np.maximum(spectrum, len(spectrum) * EPSILON * spectrum.max(initial=1e-280)), turn


def heard(function, *arguments):
    """Return function(*arguments), computed in a thread so that Ctrl-C can interrupt the wait.

    LAPACK itself cannot be interrupted. After Ctrl-C the thread continues on its own and its
    result is dropped.
    """
    found, raised = [], []

    def work():
        try:
            found.append(function(*arguments))
        except Exception as error:
            raised.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    for error in raised:
        raise error
    return found[0]
