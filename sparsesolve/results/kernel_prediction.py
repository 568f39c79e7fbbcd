"""Predictions of an MKLPath for new samples, which read only the active kernels."""

import numpy as np
from scipy import sparse

from sparsesolve.data.array import real_array
from sparsesolve.data.number import some_of
from sparsesolve.data.row_labels import kernels_alike
from sparsesolve.data.structure import verified
from sparsesolve.results.interpolation import interpolator, read_s
from sparsesolve.results.prediction import of_kind, refuse_kind, with_offset

KINDS = ("link", "response", "class")


def predict(path, kernels, s, kind, offset):
    """Return the predictions that :meth:`MKLPath.predict` describes."""
    refuse_kind(path, kind, KINDS)
    s = path.lambdas if s is None else read_s(s)
    blocks = blocks_at(path, kernels, s)
    return of_kind(path, linear_predictor(path, blocks, s, offset), s, kind)


def blocks_at(path, kernels, s):
    """Return the Blocks of the kernels that are active at any of s, from the user's argument."""
    used = np.flatnonzero(np.diff(interpolator(path.lambdas, s).tocsr().indptr))
    return new_blocks(path, kernels, np.flatnonzero(path.kernel_weights[:, used].any(axis=1)))


def linear_predictor(path, blocks, s, offset):
    """Return offset, intercept and function at each s: (n_new, S), or (n_new, K, S)."""
    W = interpolator(path.lambdas, s)
    duals = np.stack(path.dual_coefs) if path.several else path.dual_coefs[None]  # (K, n, L)
    used = np.flatnonzero(np.diff(W.tocsr().indptr))
    weights, duals = path.kernel_weights[:, used], duals[:, :, used]
    K, n, _ = duals.shape
    f = np.zeros((blocks.rows, K, len(used)))
    for m, block in blocks:
        coefs = np.ascontiguousarray(duals * weights[m]).transpose(1, 0, 2).reshape(n, -1)
        f += (block @ coefs).reshape(-1, K, len(used))
    f = f @ W.tocsr()[used].toarray()
    return with_offset(path, (f if path.several else f[:, 0]) + path.intercepts @ W, offset)


class Blocks:
    """The kernels between new samples and those of the fit, one after the other."""

    def __init__(self, rows, pairs):
        self.rows, self.pairs = rows, pairs

    def __iter__(self):
        return iter(self.pairs)


def new_blocks(path, kernels, which):
    """Return the blocks of the kernels `which`, from the user's argument."""
    if kernels is None:
        raise ValueError("kernels is missing; give the kernels between new samples and the fit's")
    if path.grams is not None:
        rows, make = path.grams.for_new(kernels)
        return Blocks(rows, ((m, make(m)) for m in which))
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
    return Blocks(sizes.pop(), blocks.items())


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
