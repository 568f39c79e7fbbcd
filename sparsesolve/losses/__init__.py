"""Losses: functions of samples alone. A new one is a file here, a line in LOSSES and a test."""

from sparsesolve.losses.base import Loss
from sparsesolve.losses.binomial import Binomial
from sparsesolve.losses.gaussian import Gaussian

__all__ = ["LOSSES", "Loss"]

LOSSES = {"binomial": Binomial, "gaussian": Gaussian}
