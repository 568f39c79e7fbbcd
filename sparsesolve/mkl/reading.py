"""Checks of the user's kernels: one sentence names the kernel that cannot be used.

A kernel must be finite, square, symmetric and positive semidefinite, all up to rounding of the
type it is stored in. Dense kernels with contiguous rows are used in place.
"""

import numpy as np
from scipy import sparse

import sparsesolve.linalg.factors.tiled_cholesky as tiled_cholesky
from sparsesolve.data.array import real_array, refuse_overflow, storage_dtype
from sparsesolve.data.row_labels import kernels_alike
from sparsesolve.data.structure import verified
from sparsesolve.mkl.kernels import Kernels, LowRank, Rows, item_times
from sparsesolve.mkl.screening import LowRankCache, near_factors
from sparsesolve.mkl.symmetric import Symmetric
from sparsesolve.results.status import warn

# A kernel may be asymmetric by at most this share of its trace, by the bytes of an entry.
ASYMMETRY = {4: 1e-6, 8: 1e-10}
# An eigenvalue may lie below 0 by this share of the trace, by the bytes of an entry.
NEGATIVE = {4: 1e-6, 8: 1e-8}
# More kernels than MANY, with more samples than LARGE, are tested by Lanczos steps alone.
MANY, LARGE = 100, 500
# With a larger ratio of two traces, sizes alone decide which kernel enters, and a warning
# follows.
APART = 1e8
# Squares of a smaller trace, or some of a smaller sum of squares, underflow.
LEAST = 1e-250
# The Lanczos method takes at most this many steps.
STEPS = 40


def read_kernels(kernels, n_threads, trusted=None, compare=True):
    """Return Kernels.

    Parameters
    ----------
    kernels : (M, n, n) array or memory map, sequence or dict of kernels
        Each an (n, n) array, a sparse matrix, LowRank or Rows.
    n_threads : int
    trusted : sequence of bool, or None for none
        Which kernels are known to be positive semidefinite, such as those of functions of this
        package.
    compare : bool
        Whether to warn of kernels of very different sizes, which are not to be scaled.
    """
    given, names = _sequence(kernels)
    items = [_read_one(item, name) for item, name in zip(given, names, strict=True)]
    trusted = [False] * len(items) if trusted is None else trusted
    n = items[0].shape[0]
    for item, name in zip(items, names, strict=True):
        if item.shape[0] != n:
            raise ValueError(
                f"{name} is {item.shape[0]} x {item.shape[0]} but {names[0]} is {n} x {n}; all "
                "kernels must be of the same samples"
            )
    if n == 0:
        raise ValueError("kernels are 0 x 0; at least one sample is needed")
    bounds = np.empty(len(items))
    dense = [m for m, item in enumerate(items) if isinstance(item, np.ndarray)]
    stack = Symmetric([items[m] for m in dense])
    for m, seen in zip(dense, stack.survey(n_threads), strict=True):
        bounds[m] = _judge_dense(items[m], names[m], seen)
    if compare:
        _warn_of_sizes(items, names)
    factors = [None] * len(items)
    allowed = [0.0 if isinstance(item, LowRank) else
               NEGATIVE[_itemsize(item)] * _trace(item) for item in items]  # fmt: skip
    found = near_factors([items[m] for m in dense], [allowed[m] for m in dense], n_threads)
    for m, factor in zip(dense, found, strict=True):
        factors[m] = factor
    exact = len(items) <= MANY or n <= LARGE
    pairs = zip(trusted, factors, strict=True)
    untrusted = [not sure and factor is None for sure, factor in pairs]
    room = np.empty((n, n)) if exact and any(untrusted[m] for m in dense) else None
    for m, item in enumerate(items):
        if not isinstance(item, np.ndarray):
            bounds[m] = _judge_other(item, names[m])
        if untrusted[m]:
            _refuse_indefinite(item, names[m], allowed[m], room, n_threads)
    labels = [str(key) for key in kernels] if isinstance(kernels, dict) else None
    return Kernels(items, np.sqrt(bounds), LowRankCache(factors, n), labels, n_threads)


def _sequence(kernels):
    """Return the kernels one by one, and their names in messages."""
    if isinstance(kernels, dict):
        names = [f"kernel {key!r}" for key in kernels]
        kernels = list(kernels.values())
    elif isinstance(kernels, (list, tuple)):
        names = [f"kernel {m}" for m in range(len(kernels))]
    else:
        if sparse.issparse(kernels) or isinstance(kernels, LowRank) or np.ndim(kernels) == 2:
            raise ValueError("kernels is one matrix; give a list of kernels, [K] for a single one")
        kernels = real_array("kernels", kernels)
        if kernels.ndim != 3:
            raise ValueError(
                f"kernels has shape {kernels.shape}; give M kernels on n samples, (M, n, n)"
            )
        names = [f"kernel {m}" for m in range(len(kernels))]
    if not len(kernels):
        raise ValueError("kernels is empty; give at least one")
    return kernels_alike(kernels, names), names


def _read_one(item, name):
    if isinstance(item, LowRank):
        return LowRank(_factor(item.Z, name))
    if isinstance(item, Rows):
        return item
    if sparse.issparse(item):
        _refuse_shape(item.shape, name)
        return sparse.csr_array(verified(item))
    array = real_array(name, item)
    _refuse_shape(array.shape, name)
    return _stored(array, name)


def _stored(array, name):
    """Return float64 or float32 with contiguous rows; a symmetric matrix is its own transpose."""
    dtype = storage_dtype(array.dtype)
    if array.dtype == dtype and array.strides[0] == dtype.itemsize and len(array) > 1:
        array = array.T
    if array.dtype == dtype and array.strides[1] == dtype.itemsize and array.flags.aligned:
        return array
    with np.errstate(over="ignore"):
        # the copy also has strides in order
        stored = np.array(array, dtype=dtype, order="C", copy=True)
    refuse_overflow(name, array, stored)
    return stored


def _factor(Z, name):
    Z = real_array(f"the factor of {name}", Z)
    if Z.ndim != 2:
        raise ValueError(f"the factor of {name} has shape {Z.shape}; it must be (n, rank)")
    stored = np.ascontiguousarray(Z, dtype=storage_dtype(Z.dtype))
    if not np.isfinite(stored).all():
        raise ValueError(f"the factor of {name} holds NaN or infinity; kernels must be finite")
    return stored


def _refuse_shape(shape, name):
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"{name} has shape {tuple(shape)}; a kernel is square, (n, n)")


def _warn_of_sizes(items, names):
    """Warn of kernels so much smaller than others that no lambda can make them enter."""
    traces = np.array([0.0 if isinstance(item, LowRank) else _trace(item) for item in items])
    held = np.flatnonzero(traces > 0.0)
    if len(held) < 2 or traces[held].max() <= APART * traces[held].min():
        return
    small, large = held[traces[held].argmin()], held[traces[held].argmax()]
    warn(
        f"the trace of {names[small]} is {traces[small]:.3g} and that of {names[large]} "
        f"{traces[large]:.3g}: a kernel enters by its size, so that the smaller one may never; "
        "give mkl.precomputed(kernels, scale='trace'), or kernel_weights",
        UserWarning,
    )


def _judge_dense(K, name, seen):
    """Raise if a dense matrix cannot be a kernel; return a bound of the largest eigenvalue."""
    apart, bound, trace, least, squares = seen
    if not np.isfinite(squares):
        bad = np.argwhere(~np.isfinite(K))
        where = f" at row {bad[0][0]}, column {bad[0][1]}" if len(bad) else ""
        if not len(bad):
            raise ValueError(f"{name} holds numbers whose squares overflow; rescale it")
        raise ValueError(f"{name} holds {K[tuple(bad[0])]}{where}; kernels must be finite")
    if least < 0.0:
        i = int(np.argmin(np.diagonal(K)))
        raise ValueError(
            f"{name} is not positive semidefinite: entry {i} of its diagonal is {K[i, i]:.3g}"
        )
    if 0.0 < trace < LEAST:
        raise ValueError(f"the trace of {name} is {trace:.3g}, too small for floats; rescale it")
    if apart > ASYMMETRY[K.itemsize] * trace:
        i, j = np.unravel_index(int(np.argmax(np.abs(K - K.T))), K.shape)
        raise ValueError(
            f"{name} is not symmetric: entry ({i}, {j}) is {K[i, j]:.6g} but ({j}, {i}) is "
            f"{K[j, i]:.6g}; pass (K + K.T) / 2 if that is meant"
        )
    return bound if squares > LEAST else trace  # the trace loses no squares to underflow


def _judge_other(item, name):
    if isinstance(item, LowRank):
        Z = np.asarray(item.Z, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            small = Z.T @ Z if Z.shape[1] <= Z.shape[0] else None
            bound = float(np.sum(Z * Z) if small is None else np.linalg.norm(small))
        if not np.isfinite(bound):
            raise ValueError(f"{name} holds numbers whose squares overflow; rescale its factor")
        return bound
    if sparse.issparse(item):
        seen = abs(item)
        if not np.isfinite(item.data).all():
            raise ValueError(f"{name} holds NaN or infinity; kernels must be finite")
        trace = float(item.diagonal().sum())
        if item.diagonal().min() < 0.0:
            raise ValueError(f"{name} is not positive semidefinite: its diagonal is not")
        if abs(item - item.T).max() > ASYMMETRY[item.dtype.itemsize] * trace:
            raise ValueError(f"{name} is not symmetric; pass (K + K.T) / 2 if that is meant")
        frobenius = float(np.sqrt(np.sum(item.data.astype(float) ** 2)))
        return min(frobenius, float(seen.sum(axis=1).max()))
    if not np.isfinite(item.diagonal).all() or item.diagonal.min() < 0.0:
        raise ValueError(f"{name} has a diagonal that is not finite and at least 0")
    return float(item.diagonal.sum())


def _itemsize(item):
    return 8 if isinstance(item, Rows) else item.dtype.itemsize


def _trace(item):
    if isinstance(item, Rows):
        return float(item.diagonal.sum())
    return float(item.trace() if sparse.issparse(item) else np.trace(item, dtype=np.float64))


def _refuse_indefinite(item, name, allowed, room, n_threads):
    """Raise if an eigenvalue is below -allowed; the test is exact with room (n, n) for a dense
    one.
    """
    if isinstance(item, LowRank):
        return
    exact = isinstance(item, np.ndarray) and room is not None
    if exact:
        Symmetric([item]).total([0], np.ones(1), room, n_threads)
        np.einsum("ii->i", room)[:] += allowed + 1e-300
        if tiled_cholesky.factorise(room, n_threads):
            return
    least = _least_ritz_value(item, n_threads)
    if least < -allowed or exact:
        raise ValueError(
            f"{name} is not positive semidefinite: an eigenvalue is at most {least:.3g}, where "
            f"the trace is {_trace(item):.3g}; add a multiple of the identity or drop it"
        )


def _least_ritz_value(item, n_threads):
    """Return the least eigenvalue that Lanczos steps find; it is never below the true one."""
    n = item.shape[0]
    stack = Symmetric([item]) if isinstance(item, np.ndarray) else None
    basis = np.zeros((min(STEPS, n), n))
    projected = np.zeros((len(basis), len(basis)))
    v = np.random.default_rng(0).normal(size=n)
    for k in range(len(basis)):
        for _ in range(2):
            v = v - (basis[:k] @ v) @ basis[:k]
        length = np.linalg.norm(v)
        if length <= 1e-10 * np.sqrt(n):
            return float(np.linalg.eigvalsh(projected[:k, :k])[0])
        basis[k] = v / length
        row = basis[k : k + 1]
        v = stack.times([0], row, n_threads)[0, 0] if stack else item_times(item, row)[0]
        projected[k, : k + 1] = basis[: k + 1] @ v
        projected[: k + 1, k] = projected[k, : k + 1]
        v = v / max(np.linalg.norm(v), 1e-300) * np.sqrt(n)
    return float(np.linalg.eigvalsh(projected)[0])
