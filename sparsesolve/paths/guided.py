"""Paths of X by way of another problem: its features are made of X, and its answers go back to X.

The other problem is solved and certified by `path`. What is returned has coefficients in the
columns of X, and fits again, where it is continued, by the function that made it.
"""

from dataclasses import replace

import numpy as np
import scipy.sparse

from sparsesolve.data import refuse_unknown
from sparsesolve.paths.options import PathOptions, kept_options
from sparsesolve.paths.path import path, solve_path
from sparsesolve.paths.wrapping import with_encoder
from sparsesolve.results.fitted_data import explained

# Options of path that are of single coefficients of its own problem.
OF_COEFFICIENTS = ("penalty", "grouped", "lower", "upper", "start", "checkpoint")


def inner_options(called, options, own=(), refused=OF_COEFFICIENTS, **fixed):
    """Return the PathOptions of the other problem; raise for options that it does not take.

    `own` are the other arguments of the function `called`; `fixed` are the same for all users.
    """
    defaults = path.__kwdefaults__
    refuse_unknown(called, options, [*own, *defaults], "function")
    for name in (*refused, *fixed):
        given = options.get(name, defaults[name])
        if given is not defaults[name] and given is not fixed.get(name):
            raise ValueError(f"{called} sets {name} itself, or has no use for it; leave it out")
    return PathOptions(**{**defaults, **options, **fixed})


def in_columns_of(X, y, found, matrix, coefs, intercepts, fitter, **given):
    """Return a path of the other problem with coefficients in the columns of X.

    Parameters
    ----------
    X, y : the data as users gave them
    found : Path of the other problem
    matrix : X as `read_design` returned it
    coefs : (p, L), or a list of K
    intercepts : (L,) or (K, L)
    fitter : callable that makes the returned path from X, y and its options
    **given : options that users gave otherwise than the other problem has them
    """
    several = isinstance(coefs, list)
    each = [scipy.sparse.csc_array(part) for part in (coefs if several else [coefs])]
    for part in each:
        part.eliminate_zeros()
    df = np.diff(scipy.sparse.csc_array(sum(abs(part) for part in each)).indptr)
    options = {**found.options, **dict.fromkeys(OF_COEFFICIENTS), "grouped": False,
               **kept_options(given)}  # fmt: skip
    null = {name: options[name] for name in ("family", "weights", "offset", "intercept")}
    null = PathOptions(**{**path.__kwdefaults__, **null, "lambdas": [1.0]})
    made = replace(
        found, coefs=each if several else each[0], intercepts=np.asarray(intercepts), df=df,
        null_deviance=solve_path(np.zeros((matrix.shape[0], 1)), y, null).null_deviance,
        fitter=fitter, options=options, groups=None,
    )  # fmt: skip
    return with_encoder(explained(made, matrix, y), X)
