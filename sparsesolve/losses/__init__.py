"""Losses: functions of samples alone. A new one is a file here, a line in LOSSES and a test."""

from sparsesolve.losses.gaussian import Gaussian

LOSSES = {"gaussian": Gaussian}
