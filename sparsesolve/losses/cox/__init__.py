"""Cox's partial likelihood: Breslow's and Efron's ties, (start, stop] intervals, strata."""

from sparsesolve.losses.cox.likelihood import Cox

__all__ = ["Cox"]
