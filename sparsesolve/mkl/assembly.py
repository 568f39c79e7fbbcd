"""Assembly: check the kernels and the data of a user, and make a KernelProblem of them."""

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
from sparsesolve.mkl.centred import level
from sparsesolve.mkl.problem import KernelProblem
from sparsesolve.solvers.problem.standardisation import null_model, null_models, scaled_response

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
    null = null_models if q > 1 or family.several else null_model
    start, value = null(loss, offset if family.several else offset[0], intercept)
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
