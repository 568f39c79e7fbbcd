"""Links: from linear predictors to means, and to the most likely class."""

from math import log

import numpy as np

# The eta at which 1 - exp(-exp(eta)) is 1/2.
CLOGLOG_HALF = log(log(2.0))


def identity(eta):
    """Return eta itself."""
    return eta


def exp(eta):
    """Return the mean under a log link, infinite where it overflows."""
    with np.errstate(over="ignore"):
        return np.exp(eta)


def expit(eta):
    """Return the probability under the logit link."""
    # The import would double the time of importing the package.
    from scipy import special

    return special.expit(eta)


def ndtr(eta):
    """Return the probability under the probit link."""
    from scipy import special

    return special.ndtr(eta)


def one_minus_exp_minus_exp(eta):
    """Return the probability under the complementary log-log link."""
    return -np.expm1(-exp(eta))


def softmax(eta):
    """Return the probabilities of classes along axis 1."""
    from scipy import special

    return special.softmax(eta, axis=1)


def above_zero(eta):
    """Return 1 if the second class is the more likely under a symmetric link, else 0."""
    return (eta > 0.0).astype(np.intp)


def above_log_log_two(eta):
    """Return 1 where the second class is the likelier under this link, else 0."""
    return (eta > CLOGLOG_HALF).astype(np.intp)


def largest(eta):
    """Return the most likely of the classes along axis 1."""
    return eta.argmax(axis=1)
