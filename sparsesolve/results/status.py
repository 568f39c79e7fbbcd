"""Status: the outcome of a solver at one lambda; and the warning that some missed the tolerance.
"""

import enum
import warnings
from contextlib import contextmanager
from contextvars import ContextVar

from sparsesolve.data.public_names import stack_level


class Status(enum.IntEnum):
    """The outcome of a solver at one lambda; ``sentence`` describes it."""

    def __new__(cls, code, sentence):
        member = int.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    CONVERGED = 0, "the certified gap is below the tolerance"
    MAX_ITER = 1, "stopped by max_iter before the tolerance was met"
    STALLED = 2, "the gap no longer falls: rounding, or a loose bound; another solver may go on"
    UNBOUNDED = 3, "no finite coefficients are best: the objective keeps falling as they grow"
    UNCERTIFIED = 4, "the method has no certificate"


class ConvergenceWarning(UserWarning):
    """Some lambdas missed the tolerance; the path's ``gaps`` hold their gaps."""


CATEGORY = ContextVar("CATEGORY", default=ConvergenceWarning)


@contextmanager
def warning_as(category):
    """Context in which :func:`warn` uses this category of ours."""
    token = CATEGORY.set(category)
    try:
        yield
    finally:
        CATEGORY.reset(token)


def warn(message, kind=None):
    """Warn at the line that called the package, by default with ConvergenceWarning."""
    kind = CATEGORY.get() if kind is None else kind
    warnings.warn(message, kind, stacklevel=stack_level())
