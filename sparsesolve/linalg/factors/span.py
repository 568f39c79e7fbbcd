"""The span of some columns of a design, under weights: an orthonormal basis, and the way back."""

from threading import Thread

import numpy as np

LONG = 1000  # rows of a matrix from which Ctrl-C would wait for its eigenvalues
EPSILON = np.finfo(np.float64).eps
SHAKY = 1e-8  # eigenvalue of inner products, relative, from which on they err too much to be told


class Spans:
    """Of columns of a standardised design, each times `root_w`; the last ones are remembered."""

    def __init__(self, design, root_w, centred):
        self.design, self.root_w, self.centred = design, np.asarray(root_w), centred
        self._last = self._apart = None

    def of(self, which):
        """The Span of the columns `which` (m,)."""
        which = np.asarray(which, dtype=np.intc)
        if self._last is None or not np.array_equal(self._last.which, which):
            self._last = Span(self.design, which, self.root_w, self.centred)
        return self._last

    def along(self, directions):
        """The Span of combinations of columns, whose coefficients are `directions`, (p, k) csc."""
        parts = [directions[:, [k]].tocoo() for k in range(directions.shape[1])]
        columns = [
            self.design.combination(part.coords[0].astype(np.intc), part.data) for part in parts
        ]
        columns = np.reshape(columns, (-1, self.design.n)).T
        return Span(self.design, np.empty(0), self.root_w, self.centred, columns)

    def projection(self, which, r):
        """Length of the projection of r, (n,) or (K, n), on the columns."""
        return float(np.linalg.norm(np.asarray(r) @ self.of(which).Q))

    def plain(self, columns):
        """Columns (n, f) that were multiplied by the weights' roots, without these."""
        root_w = self.root_w[:, None]
        return np.divide(columns, root_w, out=np.zeros_like(columns), where=root_w > 0.0)

    def unweighted(self, which):
        """A basis that is orthonormal under the weights, (n, f)."""
        return self.plain(self.of(which).Q)

    def apart(self, which):
        """Columns of the same span that inner products tell apart, (n, f): these, as a rule."""
        which = np.asarray(which, dtype=np.intc)
        if self._apart is None or not np.array_equal(self._apart[0], which):
            columns = self.design.unpacked(which)
            heavy = self.root_w[:, None] * columns
            shaky = not told_apart(heavy.T @ heavy)
            self._apart = which, self.unweighted(which) if shaky else columns
        return self._apart[1]

    def apart_in_each(self, which, free):
        """The same where each of K responses has its own of them, told by free (K, m).

        A -1 in `which` is a constant, from which centred columns are apart. Returns columns for
        all responses and which of them are whose.
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
    """Of the columns `which` (m,) of a standardised design, each times sqrt(w).

    ``Q`` (n, f) is an orthonormal basis, f <= m; a combination Q c of it is that of the columns
    with coefficients ``back @ c``, the shortest where the columns depend on one another, but for
    ``error`` (n, f) @ c: what rounding makes of columns that nearly do. ``least`` is the least
    singular value of the columns, of length 1 each, that is not rounding. Other `columns` (n, m)
    may be given in their place.
    """

    def __init__(self, design, which, root_w, centred, columns=None):
        self.which = which.astype(np.intc)
        columns = design.unpacked(self.which) if columns is None else columns
        if centred:  # once more: of columns far from 0 the mean is rounded
            columns = columns - root_w**2 @ columns
        columns = root_w[:, None] * columns
        size = np.linalg.norm(columns, axis=0)
        size[size == 0.0] = 1.0
        Q, spectrum, turn = np.linalg.svd(columns / size, full_matrices=False)
        kept = spectrum > max(columns.shape) * EPSILON * spectrum.max(initial=0.0)
        self.Q, self.least = Q[:, kept], float(spectrum[kept].min(initial=np.inf))
        self.back = turn[kept].T / spectrum[kept] / size[:, None]
        self.error = columns @ self.back - self.Q

    def without(self, u):
        """u less its projection; twice, since once leaves rounding of the size of u."""
        for _ in range(2):
            u = u - self.Q @ (self.Q.T @ u)
        return u


def told_apart(inner):
    """Whether inner products (f, f) of columns tell these apart: their combinations, too."""
    size = np.sqrt(np.maximum(np.diag(inner), 0.0))
    size[size == 0.0] = 1.0
    level = np.linalg.eigvalsh(inner / np.outer(size, size))
    return len(level) == 0 or level[0] > SHAKY * level[-1]


def eigen(matrix):
    """Eigenvalues, none below what rounding leaves of a zero, and eigenvectors."""
    long = len(matrix) >= LONG
    spectrum, turn = heard(np.linalg.eigh, matrix) if long else np.linalg.eigh(matrix)
    return np.maximum(spectrum, len(spectrum) * EPSILON * spectrum.max(initial=1e-280)), turn


def heard(function, *arguments):
    """function(*arguments) in a thread, for whose end this one waits with an ear for Ctrl-C.

    LAPACK has none. After Ctrl-C the thread goes on by itself, and what it finds is dropped.
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
