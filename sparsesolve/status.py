"""Status: how a solver left one lambda; and the warning that some missed the tolerance."""

import enum


class Status(enum.IntEnum):
    """How the solver left one lambda; ``sentence`` says it in words."""

    def __new__(cls, code, sentence):
        member = int.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    CONVERGED = 0, "the certified gap is below the tolerance"
    MAX_ITER = 1, "stopped by max_iter before the tolerance was met"
    STALLED = 2, "rounding keeps the gap above the tolerance"


class ConvergenceWarning(UserWarning):
    """Some lambdas missed the tolerance; their gaps stand in the path's ``gaps``."""
