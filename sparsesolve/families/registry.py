"""The table of families, and the one that a user means."""

from sparsesolve.data import read_choice, shown
from sparsesolve.families.amounts import gamma, negative_binomial, poisson, tweedie
from sparsesolve.families.classes import (
    binomial,
    cloglog,
    hinge,
    multinomial,
    probit,
    squared_hinge,
)
from sparsesolve.families.family import Family
from sparsesolve.families.python import from_object
from sparsesolve.families.quantiles import epsilon_insensitive, quantile
from sparsesolve.families.real import gaussian, huber, multigaussian
from sparsesolve.families.survival import cox

NAMED = (gaussian, binomial, multinomial, poisson, cox(), multigaussian)
FAMILIES = {family.name: family for family in NAMED}

MADE = (
    huber, hinge, squared_hinge, quantile, epsilon_insensitive, probit, cloglog, cox, gamma,
    negative_binomial, tweedie,
)  # fmt: skip
MAKERS = {maker.__name__: maker for maker in MADE}

# Other packages use these names for the same families.
ELSEWHERE = {
    "mgaussian": "'multigaussian'",
    "normal": "'gaussian'",
    "logistic": "'binomial'",
    "logit": "'binomial'",
    "softmax": "'multinomial'",
    "multiclass": "'multinomial'",
    "squared_error": "'gaussian'",
    "coxph": "'cox'",
    "survival": "'cox'",
    "svm": "families.hinge(...)",
}


def read_family(family):
    """Return the Family for a name, a Family or a user's object."""
    if isinstance(family, Family):
        return family
    if isinstance(family, str):
        here = ELSEWHERE.get(family, f"families.{family}(...)" if family in MAKERS else family)
        if family not in FAMILIES and here != family:
            raise ValueError(
                f"family must be one of {', '.join(map(repr, FAMILIES))}, not {family!r}, which "
                f"is {here} here"
            )
        return FAMILIES[read_choice("family", family, list(FAMILIES))]
    if any(family is maker for maker in MAKERS.values()):
        name = family.__name__
        raise TypeError(f"family is the function {name}; call it: family=families.{name}(...)")
    if isinstance(family, type) or hasattr(family, "value"):
        return from_object(family)
    listed = ", ".join(map(repr, FAMILIES))
    raise TypeError(
        f"family must be one of {listed}, or one made by sparsesolve.families, not "
        f"{shown(family)}"
    )
