"""Losses: functions of samples alone. A new one is a file here, a line in LOSSES and a test.

The contract is in base. Cox has a folder of its own, because its samples share risk sets.
"""

from sparsesolve.losses.base import Loss
from sparsesolve.losses.binomial import Binomial
from sparsesolve.losses.cloglog import Cloglog
from sparsesolve.losses.cox import Cox
from sparsesolve.losses.epsilon_insensitive import EpsilonInsensitive
from sparsesolve.losses.gamma import Gamma
from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.losses.hinge import Hinge
from sparsesolve.losses.huber import Huber
from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.losses.multinomial import Multinomial
from sparsesolve.losses.negative_binomial import NegativeBinomial
from sparsesolve.losses.poisson import Poisson
from sparsesolve.losses.probit import Probit
from sparsesolve.losses.python import PythonLoss
from sparsesolve.losses.quantile import Quantile
from sparsesolve.losses.squared_hinge import SquaredHinge
from sparsesolve.losses.tweedie import Tweedie

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
    "squared_hinge": SquaredHinge,
    "tweedie": Tweedie,
}

KINKED = {  # solvers take their Moreau envelopes: see kinked.pyx
    "epsilon_insensitive": EpsilonInsensitive,
    "hinge": Hinge,
    "quantile": Quantile,
}

__all__ = ["KINKED", "LOSSES", "Loss", "PythonLoss"]  # the last takes an object besides y and w
