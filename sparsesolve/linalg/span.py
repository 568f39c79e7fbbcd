"""The span of some columns of a design, under weights: an orthonormal basis, and the way back."""

import numpy as np

EPSILON = np.finfo(np.float64).eps


class Span:
    """Of the columns `which` (m,) of a standardised design, each times sqrt(w).

    ``Q`` (n, f) is an orthonormal basis, f <= m; a combination Q c of it is that of the columns
    with coefficients ``back @ c``, the shortest where the columns depend on one another, but for
    ``error`` (n, f) @ c: what rounding makes of columns that nearly do.
    """

    def __init__(self, design, which, root_w, centred):
        self.which = which.astype(np.intc)
        columns = root_w[:, None] * design.unpacked(self.which)
        size = np.linalg.norm(columns, axis=0)
        Q, spectrum, turn = np.linalg.svd(columns / size, full_matrices=False)
        far = np.asarray(design.mean)[which] / np.asarray(design.spread)[which] if centred else 0.0
        rounding = EPSILON * np.hypot(1.0, far).max(initial=1.0)  # of a column far from 0, centred
        kept = spectrum > max(columns.shape) * rounding * spectrum.max(initial=0.0)
        self.Q = Q[:, kept]
        self.back = turn[kept].T / spectrum[kept] / size[:, None]
        self.error = columns @ self.back - self.Q


def eigen(matrix):
    """Eigenvalues, none below what rounding leaves of a zero, and eigenvectors."""
    spectrum, turn = np.linalg.eigh(matrix)
    return np.maximum(spectrum, len(spectrum) * EPSILON * spectrum.max(initial=1e-280)), turn
