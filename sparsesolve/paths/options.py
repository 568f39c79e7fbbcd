"""The options of every path: its formula, its grid, its start, its end and its computation."""

from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from sparsesolve.data import (
    plain,
    read_choice,
    read_count,
    read_flag,
    read_lambdas,
    read_number,
    real_array,
    shown,
)
from sparsesolve.data.encoding import EncodedDesign, make_design
from sparsesolve.families import read_family
from sparsesolve.linalg.threads import thread_count
from sparsesolve.penalties.columns import by_label
from sparsesolve.penalties.penalty import missing_method
from sparsesolve.penalties.registry import named_penalty
from sparsesolve.solvers.follow import Start

# Default of `max_iter`. It is only a guard: the gap ends a solve long before.
MAX_ITER = 100_000
# Most values of X for a second try. With more, it would take longer than a user expects to wait.
MOST_VALUES = 4_000_000
# A gap of this size is usually rounding, whatever the tolerance; it starts no second try.
LITTLE = 1e-9
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


def read_path_options(options, solvers):
    """Check Options, as :func:`sparsesolve.path` describes them; return those that steer a path.

    `solvers` are the allowed names of `solver` besides "auto".
    """
    family, stop, ratio = read_family(options.family), options.stop, options.lambda_min_ratio
    read_flag("intercept", options.intercept)
    read_flag("progress", options.progress)
    if not (stop is None or callable(stop) or isinstance(stop, str) and stop == "deviance"):
        raise (ValueError if isinstance(stop, str) else TypeError)(
            f"stop must be 'deviance', None or a function of a point, not {shown(stop)}"
        )
    grid, most = read_lambdas(options.lambdas), options.max_iter
    dfmax, pmax = options.dfmax, getattr(options, "pmax", None)
    if stop == "deviance":
        stop = family.stop if grid is None else None
    return {
        "family": family,
        "lambdas": grid,
        "n_lambdas": len(grid) if grid is not None else read_count(
            "n_lambdas", options.n_lambdas, 1, MOST_LAMBDAS),
        "ratio": None if ratio is None else read_number(
            "lambda_min_ratio", ratio, 0, 1, open_low=True, open_high=True),
        "dfmax": None if dfmax is None else read_count("dfmax", dfmax, 0),
        "pmax": None if pmax is None else read_count("pmax", pmax, 0),
        "stop": stop,
        "tol": read_number("tol", options.tol, 0, np.inf),
        "max_iter": MAX_ITER if most is None else read_count("max_iter", most, 0),
        "solver": read_choice("solver", options.solver, ["auto", *solvers]),
        "n_threads": thread_count(options.n_threads),
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


F = TypeVar("F", bound=Callable[..., Any])


def takes_formula(function: F) -> F:
    """Decorate a function of X and y: a formula and `data` become an EncodedDesign and a response.

    A word for a penalty of groups, such as "group", takes those of an EncodedDesign: columns of
    the table, or terms of the formula.
    """

    @wraps(function)
    def call(X, y=None, *args, **options):
        data = options.pop("data", None)
        if isinstance(X, str):
            X, y = _read(X, y, data)
        elif data is not None:
            raise TypeError("data is the table of a formula; give a formula as X, or leave it out")
        elif y is None:
            raise TypeError(f"{function.__name__}() needs y, or a formula and data")
        if isinstance(X, EncodedDesign) and isinstance(options.get("penalty"), str):
            options["penalty"] = named_penalty(options["penalty"], X.groups)
        return function(X, y, *args, **options)

    made: Any = call
    # these are read where options are passed on
    made.__kwdefaults__ = {name: value for name, value in (function.__kwdefaults__ or {}).items()
                           if name != "data"}  # fmt: skip
    return made


def _read(formula, y, data):
    """Return the design and the response of a formula."""
    design = make_design(formula, data)
    if y is not None:
        raise TypeError("y and a formula are both given; leave y out and name it to the left of ~")
    if design.response is None:
        raise ValueError(f"formula {formula!r} has nothing to the left of ~; write 'y ~ ...'")
    return design, design.response
