"""The linear system of a Newton step with a sum of kernels.

    (H^-1 + K)^-1 x,   K = sum_m eta_m K_m,   H = F''

Given: x (k, q, n) for q responses; H^-1 is infinite where H is 0. Returned: the product. For one
response it is R (I + R K R)^-1 R x with R = sqrt(H), which is stable for any scale of K and H.
With several responses K is the same for each. A diagonal H gives q such systems, or one if all
rows of H are equal. For the softmax, H = D - D 1 (1'D 1)^-1 1'D for each sample, and one more
system of size n joins the others:

    E = (D^-1 + K)^-1,   (H^-1 + K)^-1 = E - E 1 (sum_k E_k)^-1 1'E.

Reference: Rasmussen and Williams (2006), "Gaussian processes for machine learning", algorithms 3.1
and 3.3.
"""

import numpy as np
from scipy.linalg import lapack

import sparsesolve.linalg.factors.tiled_cholesky as tiled_cholesky
from sparsesolve.mkl.symmetric import Symmetric


class System:
    """Factors of the system for one K and one H.

    Parameters
    ----------
    kernels : Kernels
    which, scale : (k,)
        The kernels of the sum, and their eta > 0.
    curvature : (q, n)
        H's diagonal, or D if `joined`.
    joined : bool
        Whether H is that of the softmax.
    """

    def __init__(self, kernels, which, scale, curvature, joined=False):
        self.n_threads, self.shape = kernels.n_threads, curvature.shape
        self.total = None  # lower triangle of K
        self.curvature, self.root = curvature, np.sqrt(curvature)
        self.joined = joined
        self.factors, self.bridge = None, None
        if len(which):
            self.total = np.empty((kernels.n, kernels.n))
            kernels.total(which, scale, self.total)

    def kernel_times(self, x):
        """Return K x for x (q, n); only before `inverse` is first called."""
        if self.total is None:
            return np.zeros(x.shape)
        return Symmetric([self.total]).times([0], x, self.n_threads)[0]

    def inverse(self, x):
        """Return (H^-1 + K)^-1 x for x (k, q, n)."""
        if self.total is None:
            x = self.curvature * x
            if self.joined:
                share = self.curvature / np.maximum(self.curvature.sum(axis=0), 1e-300)
                x = x - share * x.sum(axis=1, keepdims=True)
            return x
        if self.factors is None:
            self._factorise()
        x = self._apart(x)
        if self.joined:
            middle = np.ascontiguousarray(x.sum(axis=1))
            tiled_cholesky.solve(self.bridge, middle, self.n_threads)
            x = x - self._apart(np.repeat(middle[:, None], self.shape[0], axis=1))
        return x

    def _apart(self, x):
        """Return E x, response by response."""
        out = np.empty(x.shape)
        for k, root in enumerate(self.root):
            rows = np.ascontiguousarray(x[:, k] * root)
            tiled_cholesky.solve(self.factors[min(k, len(self.factors) - 1)], rows, self.n_threads)
            out[:, k] = rows * root
        return out

    def _factorise(self):
        same = bool((self.root == self.root[0]).all()) and not self.joined
        roots = self.root[:1] if same else self.root
        self.factors = []
        for k, root in enumerate(roots):
            last = k == len(roots) - 1
            matrix = self.total if last else self.total.copy()
            tiled_cholesky.scale(matrix, root, 1.0, self.n_threads)
            if not tiled_cholesky.factorise(matrix, self.n_threads):
                raise np.linalg.LinAlgError(
                    "the kernels are so large that I + K is not positive definite in 64-bit "
                    "floats; centre them, or divide them by their traces"
                )
            self.factors.append(matrix)
        if self.joined:
            self._join()

    def _join(self):
        """Factorise sum_k E_k; a sample without weight has the row of the identity."""
        n = self.shape[1]
        self.bridge = np.zeros((n, n))
        for root, factor in zip(self.root, self.factors, strict=True):
            # Our lower triangle, row by row, is LAPACK's upper one; the other triangle is not
            # set.
            inverse = np.tril(lapack.dpotri(factor.T)[0].T)
            self.bridge += root[:, None] * inverse * root
        diagonal = np.einsum("ii->i", self.bridge)
        diagonal[self.curvature.sum(axis=0) <= 0.0] = 1.0
        diagonal *= 1.0 + 1e-14
        if not tiled_cholesky.factorise(self.bridge, self.n_threads):
            raise np.linalg.LinAlgError("the sum over the classes is not positive definite")
