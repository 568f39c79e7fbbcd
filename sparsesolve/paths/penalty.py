"""The penalty of a path: checks what a user passed, and converts it to the units of the Problem.
"""

import numpy as np

from sparsesolve.data import shown
from sparsesolve.penalties import L1, ElasticNet
from sparsesolve.penalties.definition import check_definition
from sparsesolve.penalties.nonconvex import ConcavePenalty
from sparsesolve.penalties.nonnegative import Nonnegative
from sparsesolve.penalties.penalty import NEEDED, has_blocks, is_scale_free, missing_method
from sparsesolve.penalties.whole import WholePenalty
from sparsesolve.solvers.problem.problem import ADVICE

SIGNATURES = {"value": "value(b)", "prox": "prox(v, t)", "polar": "polar(z)"}
OURS = "sparsesolve."


def read_penalty(penalty):
    """Raise unless `penalty` is None or keeps the contract of a penalty."""
    if penalty is None:
        return
    missing = "class" if isinstance(penalty, type) else missing_method(penalty)
    if missing in NEEDED and any(callable(getattr(penalty, name, None)) for name in NEEDED):
        raise TypeError(
            f"{type(penalty).__name__} has no method {SIGNATURES[missing]}, which a penalty needs"
        )
    if missing or isinstance(penalty, ElasticNet):
        raise TypeError(no_penalty(penalty))


def no_penalty(penalty):
    """Return the message for something that is not a penalty."""
    if isinstance(penalty, type):
        name = penalty.__name__
        return f"penalty is the class {name}; pass an object of it, as {name}(...) makes it"
    return (
        f"penalty is {shown(penalty)}; give an object of sparsesolve.penalties, or None for the "
        "elastic net"
    )


def is_concave(penalty):
    """Return True if the penalty is concave in sizes, so that paths are stationary points."""
    return getattr(penalty, "concave", False)


def for_features(penalty, n_features, names, grouped):
    """Return the penalty for `n_features` features; check the definition of a user's own penalty.
    """
    name = type(penalty).__name__
    if grouped:
        raise ValueError(
            f"grouped=True ties single features across the classes, and penalty={name} ties its "
            "groups of features across them by itself; leave grouped out"
            if has_blocks(penalty) else
            f"grouped=True belongs to the elastic net, not to penalty={name}; leave it out"
        )  # fmt: skip
    if hasattr(penalty, "over"):
        penalty = penalty.over(n_features, names)
    if not has_blocks(penalty) and not type(penalty).__module__.startswith(OURS):
        check_definition(penalty, n_features, name)
    return penalty


def refuse_blocks_only(penalty, penalty_factor, limits, standardize, design):
    """Raise ValueError for options that a penalty without disjoint blocks does not support."""
    name = type(penalty).__name__
    if penalty_factor is not None:
        advice = "use penalties.Separate for features without it"
        if isinstance(penalty, L1):
            advice = "leave penalty out, which is the lasso"
        elif is_concave(penalty):
            advice = "give its weights"
        elif hasattr(penalty, "conjugate"):  # no norm, and Separate takes norms alone
            advice = "it penalises every feature; leave penalty_factor out"
        raise ValueError(
            "penalty_factor is for the elastic net and norms of disjoint groups, not for "
            f"penalty={name}; {advice}"
        )
    if limits is not None:
        raise ValueError(
            "lower and upper are for the elastic net and norms of disjoint groups, not for "
            f"penalty={name}; leave them out"
        )
    if standardize is True and not is_scale_free(penalty):
        constant = np.flatnonzero(np.asarray(design.spread) == 0.0)
        if len(constant):
            raise ValueError(
                f"Column {constant[0]} (counted from 0) is constant and cannot be standardised, "
                f"and {name} compares its coefficient with others; drop it, or use "
                "standardize=False"
            )


def at_least_zero(penalty, limits):
    """Return the penalty and the limits; lower=0 for all becomes part of a norm of sizes.

    Raises ValueError if a feature has no penalty: along it nothing but the limit would hold.
    """
    if limits is None or not getattr(penalty, "absolute", False):
        return penalty, limits
    low, high = limits
    if (low != 0.0).any() or (high < np.inf).any():
        raise ValueError(
            f"{type(penalty).__name__} takes lower=0 for all features, and no other limits; leave "
            "them out, or give lower=0"
        )
    if penalty.kernel() is not None:
        raise ValueError(
            f"lower=0 needs a penalty on every feature, and {type(penalty).__name__} has features "
            "whose weights are all 0; give them a weight"
        )
    return Nonnegative(penalty), None


def penalty_maker(penalty, alpha, factors, limits, n_responses):
    """Return a function that makes the penalty in the units of `assemble`; None: elastic net."""
    factors, excluded = factors
    if is_concave(penalty) and not alpha > 0.0:
        raise ValueError(
            f"alpha = 0 leaves nothing of {type(penalty).__name__}; leave penalty out for ridge "
            "regression, or give an alpha above 0"
        )

    def make(ridge_power, factor, shift):
        p, low, high = len(factor), -np.inf, np.inf
        with np.errstate(over="ignore", under="ignore"):
            ridge_unit = float(np.ldexp(1.0, ridge_power))
            if limits is not None:
                unit = np.where(factor > 0, factor, 1.0)
                low, high = (np.ldexp(limit / unit, -shift) for limit in limits)
        if alpha < 1 and not 0.0 < ridge_unit < np.inf:
            raise ValueError(f"X and y differ too much in size for alpha < 1; {ADVICE}")
        if is_concave(penalty):
            return ConcavePenalty(penalty, ridge_power, alpha)
        if penalty is not None and not has_blocks(penalty):
            return WholePenalty(penalty, p, alpha, ridge_power, n_responses)
        own = factors / ridge_unit if alpha == 0.0 else factors  # then lambda has its unit
        if penalty is not None:
            low, high = np.broadcast_to(low, p), np.broadcast_to(high, p)
            bound = penalty.under(alpha, own, excluded, low, high, ridge_unit)
            return bound if n_responses is None else bound.repeated(n_responses)
        low, high = np.where(excluded, 0.0, low), np.where(excluded, 0.0, high)
        return ElasticNet(p, alpha, own, low, high, ridge_unit)

    return make
