"""The options of every path: its grid, its end, its accuracy and its computation."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from sparsesolve.data import (
    plain,
    read_choice,
    read_count,
    read_flag,
    read_lambdas,
    read_number,
    shown,
)
from sparsesolve.families import read_family
from sparsesolve.linalg.threads import thread_count
from sparsesolve.penalties.penalty import missing_method
from sparsesolve.penalties.registry import named_penalty

# Default of `max_iter`. It is only a guard: the gap ends a solve long before.
MAX_ITER = 100_000
# More lambdas than this are refused, since they are probably a mistake.
MOST_LAMBDAS = 1_000_000


class Options(SimpleNamespace):
    """The arguments of one function, whose docstring describes them, carried by name to where
    they are read.
    """

    @classmethod
    def of(cls, given, *data):
        """Return the options among the arguments of a function, from its ``locals()``.

        The arguments `data` are none.
        """
        return cls(**{name: value for name, value in given.items() if name not in data})

    def plain(self, **changed):
        """Return the options with numpy numbers as Python numbers, and with these changes."""
        given = {name: plain(value) for name, value in vars(self).items()}
        return type(self)(**{**given, **changed})

    def kept(self, **changed):
        """Return the options as the dict that a path keeps, with these changes; see
        `kept_options`.
        """
        return {**kept_options({**vars(self), **dict.fromkeys(changed)}), **changed}


class PathOptions(Options):
    """The options of :func:`sparsesolve.path`."""

    checkpoint: Any = None

    def __init__(self, **options):
        super().__init__(**{**options, "penalty": named_penalty(options["penalty"])})


def read_path_options(*, family, intercept, lambdas, n_lambdas, lambda_min_ratio, stop, tol,
                      max_iter, solver, n_threads, progress, solvers, dfmax=None, pmax=None):
    """Check the options, as :func:`sparsesolve.path` describes them; return those that steer a
    path.

    `solvers` are the allowed names of `solver` besides "auto".
    """
    family = read_family(family)
    read_flag("intercept", intercept)
    read_flag("progress", progress)
    if not (stop is None or callable(stop) or isinstance(stop, str) and stop == "deviance"):
        raise (ValueError if isinstance(stop, str) else TypeError)(
            f"stop must be 'deviance', None or a function of a point, not {shown(stop)}"
        )
    grid = read_lambdas(lambdas)
    if stop == "deviance":
        stop = family.stop if grid is None else None
    return {
        "family": family,
        "lambdas": grid,
        "n_lambdas": len(grid) if grid is not None else read_count(
            "n_lambdas", n_lambdas, 1, MOST_LAMBDAS),
        "ratio": None if lambda_min_ratio is None else read_number(
            "lambda_min_ratio", lambda_min_ratio, 0, 1, open_low=True, open_high=True),
        "dfmax": None if dfmax is None else read_count("dfmax", dfmax, 0),
        "pmax": None if pmax is None else read_count("pmax", pmax, 0),
        "stop": stop,
        "tol": read_number("tol", tol, 0, np.inf),
        "max_iter": MAX_ITER if max_iter is None else read_count("max_iter", max_iter, 0),
        "solver": read_choice("solver", solver, ["auto", *solvers]),
        "n_threads": thread_count(n_threads),
    }  # fmt: skip


def kept_options(options):
    """Return options as a path keeps them: numbers as Python numbers, arrays copied, callables
    left out.

    Arrays are copied because the user may change them; few callables can be pickled."""
    return {name: _kept(value) for name, value in options.items()}


def _kept(value):
    value = plain(value)
    if value is None or np.isscalar(value):
        return value
    if missing_method(value) is None:  # a penalty does not change
        return value
    if callable(value):
        return None
    kept = np.array(value)
    kept.flags.writeable = False
    return kept
