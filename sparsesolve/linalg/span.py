"""The span of some columns of a design, under weights: an orthonormal basis, and the way back."""

import numpy as np

EPSILON = np.finfo(np.float64).eps


class Span:
    """Of the columns `which` (m,) of a standardised design, each times sqrt(w).

    ``Q`` (n, f) is an orthonormal basis, f <= m; a combination Q c of it is that of the columns
    with coefficients ``back @ c``, the shortest where the columns depend on one another.
    """

    def __init__(self, design, which, root_w):
        self.which = which.astype(np.intc)
        columns = root_w[:, None] * design.unpacked(self.which)
        size = np.linalg.norm(columns, axis=0)
        Q, spectrum, turn = np.linalg.svd(columns / size, full_matrices=False)
        kept = spectrum > max(columns.shape) * EPSILON * spectrum.max(initial=0.0)
        self.Q = Q[:, kept]
        self.back = turn[kept].T / spectrum[kept] / size[:, None]


def eigen(matrix):
    """Eigenvalues, none below what rounding leaves of a zero, and eigenvectors."""
    spectrum, turn = np.linalg.eigh(matrix)
    return np.maximum(spectrum, len(spectrum) * EPSILON * spectrum.max(initial=1e-280)), turn
