"""The start of a path, as users give it."""

import numpy as np

from sparsesolve.data import real_array, shown
from sparsesolve.penalties.columns import by_label
from sparsesolve.solvers.follow import Start


def read_start(start, lambdas, problem, names=None):
    """Return the Start that `start` means for a Problem, or None.

    The start from a fitted path is its solution at the first of `lambdas`. Raises ValueError or
    TypeError if it does not belong to the problem.
    """
    if start is None:
        return None
    if lambdas is None:
        raise ValueError(
            "start is given without lambdas: a grid made here begins where every coefficient is "
            "0; give lambdas, or leave start out"
        )
    if callable(getattr(start, "coef", None)) and callable(getattr(start, "intercept", None)):
        pair = start.coef(float(lambdas[0])), start.intercept(float(lambdas[0]))
    elif callable(getattr(start, "coef", None)) and hasattr(start, "intercept"):
        pair = start.coef(), start.intercept  # a single solution, such as an OnlineFit
    elif isinstance(start, (tuple, list)) and len(start) == 2:
        pair = start
    else:
        raise TypeError(
            "start must be a fitted path, an OnlineFit or a pair (coefficients, intercept), not "
            f"{shown(start)}"
        )
    K = problem.n_responses
    rows = () if K is None else (K,)
    return Start(
        _numbers("coefficients of start", _ordered(pair[0], names, problem.n_features),
                 (*rows, problem.n_features)),
        _numbers("intercept of start", pair[1], rows),
    )


def _ordered(coefficients, names, p):
    """Return coefficients in the order of the columns, those of a series by its labels."""
    if np.ndim(coefficients) == 2:
        return coefficients
    return by_label("start", coefficients, names, p, 0.0)


def _numbers(name, values, shape):
    """Return finite numbers of that shape, in double precision."""
    found = np.asarray(real_array(name, values), dtype=np.float64)
    if found.shape != shape:
        if found.size != int(np.prod(shape)) or found.ndim > len(shape) + 1:
            raise ValueError(f"The {name} have shape {found.shape}; this problem has {shape}")
        found = found.reshape(shape)
    if not np.isfinite(found).all():
        raise ValueError(f"The {name} hold nan or infinity; give finite numbers")
    return found
