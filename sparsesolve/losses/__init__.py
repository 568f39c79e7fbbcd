"""Losses: functions of samples alone. A new one is a class, a line in LOSSES and a test.

The contract is in base. Cox has a folder of its own, because its samples share risk sets.
"""

import sys

from sparsesolve.losses import classes
from sparsesolve.losses.amounts import Gamma, NegativeBinomial, Poisson, Tweedie
from sparsesolve.losses.base import Loss
from sparsesolve.losses.classes import Binomial, Cloglog, Multinomial, Probit, SquaredHinge
from sparsesolve.losses.cox import Cox
from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.losses.huber import Huber, SquaredInsensitive
from sparsesolve.losses.kinked import EpsilonInsensitive, Hinge, Quantile
from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.losses.python import PythonLoss

LOSSES = {
    "binomial": Binomial,
    "cloglog": Cloglog,
    "cox": Cox,
    "gamma": Gamma,
    "gaussian": Gaussian,
    "huber": Huber,
    "multigaussian": Multigaussian,
    "multinomial": Multinomial,
    "negative_binomial": NegativeBinomial,
    "poisson": Poisson,
    "probit": Probit,
    "squared_epsilon_insensitive": SquaredInsensitive,
    "squared_hinge": SquaredHinge,
    "tweedie": Tweedie,
}

KINKED = {  # solvers take their Moreau envelopes: see kinked.pyx
    "epsilon_insensitive": EpsilonInsensitive,
    "hinge": Hinge,
    "quantile": Quantile,
}

__all__ = ["KINKED", "LOSSES", "Loss", "PythonLoss"]  # the last takes an object besides y and w

sys.modules[f"{__name__}.multinomial"] = classes  # as pickles of older versions call it
