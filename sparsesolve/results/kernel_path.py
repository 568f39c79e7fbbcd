"""MKLPath: the result of multiple kernel learning along a path, and its predictions.

Predictions read only the kernels that are active.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import by_rows
from sparsesolve.data.array import real_array
from sparsesolve.data.number import some_of
from sparsesolve.data.paragraphs import described_by
from sparsesolve.data.row_labels import kernels_alike
from sparsesolve.data.structure import verified
from sparsesolve.results.coefficient_table import Named
from sparsesolve.results.cv_path import CrossValidated
from sparsesolve.results.explored import View
from sparsesolve.results.frozen import Solved
from sparsesolve.results.interpolation import interpolator, read_s
from sparsesolve.results.pictures.axes import AXES
from sparsesolve.results.prediction import of_kind, path_family, refuse_kind, with_offset
from sparsesolve.results.predictor import NewRows, Predictor, refuse_lengths

KINDS = ("link", "response", "class")


@dataclass(frozen=True, eq=False, repr=False)
class MKLPath(Solved, Predictor, Named):
    """Solutions of multiple kernel learning at L values of lambda.

    :func:`sparsesolve.mkl_path` makes it. At each lambda the fitted function is

        b0 + sum_m kernel_weights[m] * K_m dual_coefs,

    where, for new samples, K_m is the kernel between these and the samples of the fit. Attributes
    and arrays cannot be changed. With K responses or classes `dual_coefs` is a list of K arrays
    and `intercepts` has K rows.

    Attributes
    ----------
    lambdas, dev_ratio, null_deviance, gaps, n_iters, status, stop_reason, family, class_names
        As in :class:`sparsesolve.Path`.
    norm : str
        Name of the norm, such as "l1".
    kernel_norms : ndarray (M, L)
        Norms ``||f_m||``.
    kernel_weights : ndarray (M, L)
        They sum to 1 if a kernel is active; otherwise all are 0.
    df : ndarray (L,)
        Number of active kernels.
    dual_coefs : ndarray (n, L), or list of K of them
    intercepts : ndarray (L,), or (K, L)
    kernel_names : ndarray (M,) or None
        Names of the kernels, if they had any.
    options : dict or None
        The keywords of the sparsesolve.mkl_path call that made it.
    grams : Grams or None
        Makes blocks for new samples, if Grams were passed; it holds no kernel.
    rows : pandas.Index or None
        The labels of the samples, if the kernels were frames; a model from a file has none.
    """

    lambdas: np.ndarray
    kernel_norms: np.ndarray
    kernel_weights: np.ndarray
    dual_coefs: np.ndarray | list
    intercepts: np.ndarray
    df: np.ndarray
    dev_ratio: np.ndarray
    null_deviance: float
    gaps: np.ndarray
    n_iters: np.ndarray
    status: np.ndarray
    stop_reason: str
    family: str
    norm: str
    kernel_names: np.ndarray | None = None
    class_names: np.ndarray | None = None
    options: dict | None = None
    grams: object | None = None
    rows: Any = None

    def _freeze(self):
        super()._freeze()
        for array in self.dual_coefs if self.several else []:
            array.flags.writeable = False

    @property
    def several(self) -> bool:
        """True if there are K responses or classes."""
        return isinstance(self.dual_coefs, list)

    @property
    def n_kernels(self) -> int:
        """Number of kernels, active or not."""
        return len(self.kernel_norms)

    @property
    def selectable(self) -> tuple[int, str]:
        """Return the number and the names of what `df` counts."""
        return self.n_kernels, "kernel"

    def active(self, s: float) -> np.ndarray:
        """Return the kernels of positive norm at a lambda.

        Parameters
        ----------
        s : float
            A lambda; between two lambdas of the path, kernels active at either count.

        Returns
        -------
        active : ndarray of int, ascending

        Raises
        ------
        ValueError
            If `s` is not one lambda.
        """
        at = read_s(s)
        if at.ndim:
            raise ValueError(f"s has shape {at.shape}; give one lambda")
        return np.flatnonzero((self.kernel_norms @ interpolator(self.lambdas, at))[:, 0])

    def _selected(self, s):
        return self.active(s)

    def _views(self):
        return [View("Kernel weight", self.kernel_names, sparse.csr_array(self.kernel_weights)),
                View("Norm of the kernel's function", self.kernel_names,
                     sparse.csr_array(self.kernel_norms))]  # fmt: skip

    @property
    def _family(self):
        return path_family(self)

    @property
    def _n_responses(self):
        return len(self.dual_coefs) if self.several else None

    def _new_rows(self, X, y, weights, s, lengths):
        refuse_lengths(self, lengths)
        blocks = blocks_at(self, X, s)
        return NewRows(blocks[0], blocks, y, weights)

    def _link(self, rows, s, offset):
        return linear_predictor(self, rows.data, s, offset)

    def _columns_at(self, s, zeros):
        """Return norms and weights of kernels at each s as arrays by name."""
        s = read_s(s)
        W = interpolator(self.lambdas, s)
        norms, weights = (self.kernel_norms @ W).T, (self.kernel_weights @ W).T
        L, which = np.nonzero(np.full(norms.shape, zeros) | (norms != 0.0))
        names = range(self.n_kernels) if self.kernel_names is None else self.kernel_names.tolist()
        columns = {"lambda": np.atleast_1d(s)[L]} if s.ndim else {}
        return {**columns, "kernel": np.array(list(names), dtype=object)[which],
                "norm": norms[L, which], "weight": weights[L, which]}  # fmt: skip

    @by_rows("offset", of="kernels")
    def predict(
        self,
        kernels: Any = None,
        s: ArrayLike | None = None,
        kind: str = "link",
        offset: ArrayLike | None = None,
    ) -> Any:
        """Return predictions for new samples.

        Parameters
        ----------
        kernels : (M, n_new, n) array, sequence or dict of M (n_new, n) blocks, or X
            Kernels between the new samples and those of the fit, in the order of the fit (a dict:
            by name). Kernels that are not active at s are not read and may be None. If the path
            was fitted to Grams of a table X, pass the new rows of X, (n_new, p). If X was an
            EncodedDesign, pass a raw table, which is encoded in the same way.
        s : float or array_like of float, shape (S,), optional
            Values of lambda. Between two lambdas of the path the fitted functions are
            interpolated linearly; beyond its ends the nearest ones are used. Default: every
            lambda.
        kind : {"link", "response", "class"}, default "link"
            The linear predictor; the mean; the most probable class, by its label.
        offset : array_like, shape (n_new,) or (n_new, K), optional
            Added to the linear predictor; required when the path was fitted with one.

        Returns
        -------
        prediction : ndarray, shape (n_new,) for one s, else (n_new, S); (n_new, K) or
            (n_new, K, S) with K responses; classes have no axis K.

        Raises
        ------
        ValueError
            If an active kernel's block is missing or not of this shape, the offset is missing
            where the fit had one, or `kind` is "class" and the family has no classes.
        """
        refuse_kind(self, kind, KINDS)
        s = self.lambdas if s is None else read_s(s)
        eta = linear_predictor(self, blocks_at(self, kernels, s), s, offset)
        return of_kind(self, eta, s, kind)

    @described_by(AXES)
    def plot(
        self,
        what: str = "weights",
        xvar: str = "lambda",
        label: bool | int = True,
        ax: Any = None,
    ) -> Any:
        """Draw a line for each kernel that is ever active.

        Parameters
        ----------
        what : {"weights", "norms"}, default "weights"
            Kernel weights, which sum to 1, or the norms of the kernels' functions.
        xvar : {"lambda", "dev"}, default "lambda"
            Minus the logarithm of lambda, or the explained deviance; the empty model is on the
            left.
        label : bool or int, default True
            Name the kernels at the right end of their lines: True as many as fit near it, an int
            at most that many. The other lines become grey.

        Raises
        ------
        ValueError
            If `what` or `xvar` is unknown or the path holds nothing to draw.
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("Agg")  # no screen
        >>> import numpy as np
        >>> import sparsesolve as ss
        >>> X = np.random.default_rng(0).normal(size=(50, 5))
        >>> kernels = {f"column {j}": np.outer(x, x) for j, x in enumerate(X.T)}
        >>> ss.mkl_path(kernels, X[:, 0], n_lambdas=10).plot(label=True).get_ylabel()
        'Kernel weight'
        """
        from sparsesolve.results.pictures.path import plot_kernels  # matplotlib is optional

        return plot_kernels(self, what=what, xvar=xvar, label=label, ax=ax)


@dataclass(frozen=True, eq=False, repr=False)
class MKLCrossValidation(CrossValidated):
    """A path of kernels with an estimate, at each lambda, of how well it predicts new samples.

    :func:`sparsesolve.cv_mkl_path` makes it. Attributes are those of
    :class:`sparsesolve.CVPath`: ``lambdas``, ``mean``, ``std``, ``lambda_min``, ``lambda_1se`` and
    others; ``path`` is an MKLPath, and ``n_nonzero`` counts active kernels.
    """

    prevalidated: np.ndarray | None = None
    fold_paths: tuple | None = None
    n_missed: np.ndarray | None = None

    @property
    def kernel_names(self) -> np.ndarray | None:
        """The names (M,) of the kernels, if they had any."""
        return self.path.kernel_names

    def active(self, s: float | str = "lambda_1se") -> np.ndarray:
        """Return the kernels of positive norm at `s`, as ``MKLPath.active``."""
        return self.path.active(self.read_s(s))

    @by_rows("offset", of="kernels")
    def predict(self, kernels: Any = None, s: ArrayLike | None = "lambda_1se",
                kind: str = "link", offset: ArrayLike | None = None) -> Any:
        """Return predictions of `path` for new samples at `s`, as ``MKLPath.predict``."""
        return self.path.predict(kernels, self.read_s(s), kind, offset)


def blocks_at(path, kernels, s):
    """Return what `new_blocks` does for the kernels that are active at any of s."""
    used = np.flatnonzero(np.diff(interpolator(path.lambdas, s).tocsr().indptr))
    return new_blocks(path, kernels, np.flatnonzero(path.kernel_weights[:, used].any(axis=1)))


def linear_predictor(path, blocks, s, offset):
    """Return offset, intercept and function at each s: (n_new, S), or (n_new, K, S)."""
    W = interpolator(path.lambdas, s)
    duals = np.stack(path.dual_coefs) if path.several else path.dual_coefs[None]  # (K, n, L)
    used = np.flatnonzero(np.diff(W.tocsr().indptr))
    weights, duals = path.kernel_weights[:, used], duals[:, :, used]
    (K, n, _), (rows, pairs) = duals.shape, blocks
    f = np.zeros((rows, K, len(used)))
    for m, block in pairs:
        coefs = np.ascontiguousarray(duals * weights[m]).transpose(1, 0, 2).reshape(n, -1)
        f += (block @ coefs).reshape(-1, K, len(used))
    f = f @ W.tocsr()[used].toarray()
    return with_offset(path, (f if path.several else f[:, 0]) + path.intercepts @ W, offset)


def new_blocks(path, kernels, which):
    """Return the number of new samples, and pairs (m, block) of the kernels `which`."""
    if kernels is None:
        raise ValueError("kernels is missing; give the kernels between new samples and the fit's")
    if path.grams is not None:
        rows, make = path.grams.for_new(kernels)
        return rows, ((m, make(m)) for m in which)
    n = len(path.dual_coefs[0]) if path.several else len(path.dual_coefs)
    kernels = by_name(kernels, path.kernel_names)
    if len(kernels) != path.n_kernels:
        raise ValueError(
            f"kernels holds {len(kernels)} blocks; the path was fitted to {path.n_kernels}: give "
            "blocks (n_new, n), as grams.between(X) makes them for a path from a file"
        )
    kernels = kernels_alike(kernels, [f"block {m}" for m in range(len(kernels))], path.rows)
    blocks = {m: read_block(kernels[m], m, n) for m in which}
    sizes = {len(block) if isinstance(block, np.ndarray) else block.shape[0]
             for block in blocks.values()}  # fmt: skip
    if not sizes:  # no kernel is active: any block gives the number of new samples
        sizes = {np.shape(block)[0] for block in kernels if block is not None}
    if len(sizes) != 1:
        raise ValueError(f"the blocks are of different numbers of new samples: {sorted(sizes)}")
    return sizes.pop(), blocks.items()


def by_name(blocks, names):
    """Return a sequence as it is; a dict in the order of names (M,), None for a missing one."""
    if not hasattr(blocks, "__len__") or sparse.issparse(blocks):
        raise TypeError(
            f"kernels is a {type(blocks).__name__}; give a block (n_new, n) for each kernel, in a "
            "list or a dict"
        )
    if not isinstance(blocks, dict):
        return blocks
    if names is None:
        raise ValueError("the path was fitted to kernels without names; pass a list of blocks")
    found = {str(name): block for name, block in blocks.items()}
    unknown = [name for name in found if name not in set(names)]
    if unknown:
        has = some_of([str(name) for name in names])
        raise ValueError(f"the path was not fitted to a kernel {unknown[0]!r}; it has {has}")
    return [found.get(name) for name in names]


def read_block(block, m, n):
    """Return the checked block of kernel m between new samples and the n of the fit."""
    if block is None:
        raise ValueError(f"the block of kernel {m} is missing, and the kernel is active")
    block = verified(block) if sparse.issparse(block) else real_array(
        f"the block of kernel {m}", block)  # fmt: skip
    if block.ndim != 2 or block.shape[1] != n:
        raise ValueError(
            f"the block of kernel {m} has shape {block.shape}; it must be (n_new, {n}), a row per "
            "new sample, a column per sample of the fit"
        )
    values = block.data if sparse.issparse(block) else block
    if not np.isfinite(values).all():
        raise ValueError(f"the block of kernel {m} holds NaN or infinity")
    return block
