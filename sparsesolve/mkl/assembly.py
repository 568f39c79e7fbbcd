"""Assembly: check the kernels and the data of a user, and make a KernelProblem of them.

Kernels that are nearly constant are centred, as the constant hides the digits of the rest:

    K - m 1' - 1 m' + mean(m),   m the means of K's columns

With an intercept a dual vector u sums to 0. Then u'Ku is the same for the kernel and the centred
one, and so are the solutions. The functions f = K u differ by the constant m'u.
"""

import numpy as np

from sparsesolve.data import (
    less_offset,
    read_offset,
    read_offsets,
    read_shares,
    refuse_missing_class,
    refuse_missing_side,
)
from sparsesolve.data.array import real_array
from sparsesolve.losses import LOSSES
from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.problem import KernelProblem
from sparsesolve.mkl.reading import NEGATIVE
from sparsesolve.mkl.screening import LowRankCache, near_factors
from sparsesolve.mkl.symmetric import Symmetric
from sparsesolve.solvers.problem.standardisation import null_model, scaled_response

# A kernel is centred if constants are at least the share MOSTLY of its trace, and if what remains
# is more than rounding: more than the share LEFT of the trace, by the bytes of an entry.
MOSTLY = 0.97
LEFT = {4: 1e-2, 8: 1e-6}


def level(kernels):
    """Centre kernels that are mostly constant; return all kernels, and {m: column means (n,)}.

    Only dense kernels are centred, in copies of float64.
    """
    n = kernels.n
    dense = [m for m, item in enumerate(kernels.items) if isinstance(item, np.ndarray)]
    means = kernels.times(dense, np.full((1, n), 1.0 / n))[:, 0]
    found, items = {}, list(kernels.items)
    for m, mean in zip(dense, means, strict=True):
        trace = float(np.trace(items[m], dtype=np.float64))
        rest = trace - mean.sum()
        if LEFT[items[m].itemsize] * trace < rest < (1.0 - MOSTLY) * trace:
            part = mean - 0.5 * mean.mean()
            items[m], found[m] = items[m] - part[:, None] - part, mean
    if not found:
        return kernels, found
    copies, threads = [items[m] for m in found], kernels.n_threads
    bounds = kernels.bounds.copy()
    bounds[list(found)] = np.sqrt(Symmetric(copies).survey(threads)[:, 1])
    factors = {m: kernels.near.factor(m) for m in range(kernels.size)}
    allowed = [NEGATIVE[8] * float(np.trace(copy)) for copy in copies]
    factors.update(zip(found, near_factors(copies, allowed, threads), strict=True))
    near = LowRankCache(list(factors.values()), n)
    return Kernels(items, bounds, near, kernels.names, threads), found


SQUARED = ("gaussian", "multigaussian")


def read_problem(kernels, y, family, norm, *, kernel_weights, weights, offset, intercept):
    """Return (KernelProblem, class names, deviance of the null model).

    Parameters
    ----------
    kernels : Kernels
    The others are those of :func:`sparsesolve.mkl_path`, of which family and norm have been read;
    ValueError or TypeError says what is wrong with them.
    """
    n = kernels.n
    if not family.smooth and family.name != "hinge":
        raise ValueError(
            f"family={family.name!r} has kinks, which algorithms of kernels do not solve; use "
            "families.huber(), or path with penalties.GroupL2 on explicit features"
        )
    _refuse_length("y", y, n)
    response = family.read(y, n)
    norm.refuse(kernels.size, kernel_weights)
    share, (total, largest) = read_shares(weights, n, response.counts)
    if family.name in ("hinge", "squared_hinge"):
        refuse_missing_side(response.values, share, response.class_names)
    if family.name == "multinomial":
        refuse_missing_class(response.values, share, response.class_names)
    q = response.values.shape[1] if family.several else 1
    offset = _read_offset(offset, n, q, family.several, response.class_names)
    norm, loss, offset, mean, exponent, unit = _target(
        family, response, offset, share, intercept, norm
    )
    if loss.coupled:
        raise ValueError(
            f"family={family.name!r} ties the samples by its loss, which kernels are not made "
            "for; use a family whose loss is a sum over the samples"
        )
    joined = family.name == "multinomial"
    kernels, means = level(kernels) if joined and intercept else (kernels, {})
    start, value = null_model(loss, offset if family.several else offset[0], intercept)
    problem = KernelProblem(
        kernels=kernels, norm=norm, factors=_read_factors(kernel_weights, kernels.size),
        loss=loss, weights=share, offset=offset, intercept=intercept,
        null_intercept=np.atleast_1d(np.asarray(start, dtype=float)), null_value=value, unit=unit,
        mean=np.atleast_1d(mean), exponent=exponent, joined=joined, means=means,
    )  # fmt: skip
    with np.errstate(over="ignore"):
        deviance = float(np.ldexp(2.0 * value * total * largest, 2 * exponent))
    return problem, response.class_names, deviance


def _target(family, response, offset, w, intercept, norm):
    """Return the norm, the loss and their units.

    For squared error the response is y minus offset and mean, divided by a power of two.
    """
    y = response.values
    if family.name not in SQUARED:
        return norm, family.loss(y, w), offset, np.zeros(len(offset)), 0, 0
    shifted = less_offset(y, offset.T if family.several else offset[0])
    scaled, mean, exponent = scaled_response(shifted, w, intercept)
    norm, unit = norm.in_units(exponent)
    loss = LOSSES[family.name](scaled, w)
    return norm, loss, np.zeros(offset.shape), mean, exponent, unit


def _read_factors(kernel_weights, M):
    """Return d_m (M,), each positive; inf leaves a kernel out."""
    if kernel_weights is None:
        return np.ones(M)
    values = np.array(real_array("kernel_weights", kernel_weights), dtype=float)
    if values.shape != (M,):
        raise ValueError(
            f"kernel_weights has shape {values.shape}; give one per kernel, ({M},)"
        )
    bad = np.flatnonzero(~(values > 0.0))
    if len(bad):
        raise ValueError(
            f"kernel_weights holds {values[bad[0]]} at position {bad[0]}; every weight must be "
            "positive, inf to leave a kernel out"
        )
    return values


def _read_offset(offset, n, q, several, names):
    if offset is None:
        return np.zeros((q, n))
    _refuse_length("offset", offset, n)
    return read_offsets(offset, n, q, names) if several else read_offset(offset, n)[None]


def _refuse_length(name, value, n):
    """Refuse a wrong length with a message about kernels, where readers would speak of rows of X.
    """
    rows = len(value) if hasattr(value, "__len__") and not isinstance(value, (dict, str)) else n
    if rows != n and not (isinstance(value, tuple) and name == "y"):
        raise ValueError(f"{name} has {rows} rows but the kernels are of {n} samples")
