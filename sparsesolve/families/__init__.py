"""Families: the loss, the reading of responses, and the predictions of each.

A family is named (``family="poisson"``) or made by a function here (``families.huber(1.5)``)::

    gaussian       real numbers; squared error / 2
    binomial       two classes: 0 and 1, booleans, or two labels of any type, of which the last in
                   sorted order is the target (for an ordered categorical of pandas and an Enum
                   of polars the last in its own order); shares in [0, 1]; or two columns of
                   counts, failures before successes; logistic loss
    multinomial    several classes: labels of any type, or a column of counts or shares for each;
                   symmetric softmax with a coefficient for each feature and class, which
                   path(..., grouped=True) ties; intercepts have mean 0, and each feature's
                   coefficients the shift over the classes with the least penalty
    poisson        numbers of at least 0, counts or rates; log link: an offset is log exposure
    cox            (time, status) or (start, stop, status): columns of an array, a frame, a dict or
                   a tuple; Breslow's partial likelihood, no intercept; cox(ties, strata)
    multigaussian  several columns of real numbers; squared error / 2; coefficients are tied
    huber(delta)                real numbers; squared errors, beyond delta absolute errors
    hinge(), squared_hinge()    two classes; support vector machines, the second smooth
    quantile(q)                 real numbers; their conditional quantiles, 0.5: absolute errors
    epsilon_insensitive(epsilon)    real numbers; absolute errors beyond epsilon
    probit(), cloglog()         two classes, shares or counts; other links
    gamma()                     positive numbers; log link
    negative_binomial(theta)    numbers of at least 0, of variance mu + mu^2 / theta; log link
    tweedie(power)              numbers of at least 0, of variance ~ mu^power; log link

Solutions are certified by the duality gap. glmnet's rule ends a path once a step gains less than
1e-5 of explained deviance (for gaussian 1e-5 of itself, for multigaussian 1e-5 of the rest, for
poisson 1e-4 of itself over 4 steps, for cox 1e-3 over 4), or more than 99.9% (cox 99%) is
explained. Steps in which limits keep all coefficients fixed do not end it: other features may
still enter.

A family can be written in Python: any object with the methods value, gradient and curvature,
which :func:`from_object` describes.
"""

from sparsesolve.data import Response  # noqa: F401  (for other rooms)
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
from sparsesolve.families.real import epsilon_insensitive, gaussian, huber, multigaussian, quantile
from sparsesolve.families.registry import FAMILIES, MAKERS, read_family  # noqa: F401  (for other rooms)
from sparsesolve.families.survival import cox
from sparsesolve.solvers.follow import StopRule  # noqa: F401  (for other rooms)

__all__ = [
    "Family", "binomial", "cloglog", "cox", "epsilon_insensitive", "from_object", "gamma",
    "gaussian", "hinge", "huber", "multigaussian", "multinomial", "negative_binomial", "poisson",
    "probit", "quantile", "squared_hinge", "tweedie",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
