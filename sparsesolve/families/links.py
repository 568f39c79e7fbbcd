"""From linear predictors to means, and to the likeliest class."""

from math import log

import numpy as np

CLOGLOG_HALF = log(log(2.0))  # where 1 - exp(-exp(eta)) is 1/2


def identity(eta):
    """eta itself."""
    return eta


def exp(eta):
    """The mean under a log link, infinite where it overflows."""
    with np.errstate(over="ignore"):
        return np.exp(eta)


def expit(eta):
    """The probability under the logit link."""
    from scipy import special  # not at import: half of what importing the package would cost

    return special.expit(eta)


def ndtr(eta):
    """The probability under the probit link."""
    from scipy import special

    return special.ndtr(eta)


def one_minus_exp_minus_exp(eta):
    """The probability under the complementary log-log link."""
    return -np.expm1(-exp(eta))


def softmax(eta):
    """The probabilities of classes along axis 1."""
    from scipy import special

    return special.softmax(eta, axis=1)


def above_zero(eta):
    """1 for the second class where a symmetric link makes it the likelier, else 0."""
    return (eta > 0.0).astype(np.intp)


def above_log_log_two(eta):
    """The same under the complementary log-log link."""
    return (eta > CLOGLOG_HALF).astype(np.intp)


def largest(eta):
    """The likeliest of the classes along axis 1."""
    return eta.argmax(axis=1)
