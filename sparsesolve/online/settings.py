"""Settings: the options of online learning, checked, and the learners that they ask for."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparsesolve.data import (
    read_choice,
    read_count,
    read_flag,
    read_number,
    read_penalty_factor,
    shown,
)
from sparsesolve.families import read_family
from sparsesolve.families.family import Family
from sparsesolve.online.clock import SCHEDULES, Clock
from sparsesolve.online.learner import Learner
from sparsesolve.online.proximal_leader import ProximalLeader
from sparsesolve.online.shrinkage import Shrinkage

METHODS = ("ftrl", "rda", "fobos")
BETA = 0.01  # where rates of FTRL start: eta0 / sqrt(BETA^2 + sum g^2)


@dataclass
class Settings:
    """What a fit was asked for."""

    family: Family  #: as read
    lam: float  #: in the units of the batch path
    alpha: float
    grouped: bool
    penalty_factor: np.ndarray | None  #: (p,) scaled to sum p
    method: str
    step: Any  #: "auto", a number or a callable
    schedule: str
    batch: int
    intercept: bool
    n_features: int | None  #: as given; None: as many as the rows have
    n_responses: int = 1
    kinds: tuple = field(default=(None, None), repr=False)  #: numbers and values of the factors

    @classmethod
    def read(cls, *, family, lam, alpha, grouped, penalty_factor, method, step, schedule, batch,
             intercept, n_features):
        """Check the options that :func:`sparsesolve.online` describes."""
        family = read_family(family)
        if not _by_sample(family):
            raise ValueError(
                f"the loss of family {family.name!r} is no sum over rows, so that it cannot be "
                "learned row by row; use sparsesolve.path"
            )
        lam = read_number("lam", lam, 0, np.inf)
        alpha = read_number("alpha", alpha, 0, 1)
        grouped = read_flag("grouped", grouped) or family.name == "multigaussian"
        if grouped and not family.several:
            raise ValueError(f"grouped=True ties classes; leave it out for {family.name!r}")
        method = read_choice("method", method, METHODS)
        _check_step(step, method)
        return cls(
            family, lam, alpha, grouped, None if penalty_factor is None else
            np.array(penalty_factor, dtype=float), method, step,
            read_choice("schedule", schedule, SCHEDULES), read_count("batch", batch, 1),
            read_flag("intercept", intercept),
            None if n_features is None else read_count("n_features", n_features, 1),
        )  # fmt: skip

    def lay_out(self, n_features, n_responses):
        """Say how many features (None: not known) and responses there are."""
        self.n_responses = n_responses
        if self.penalty_factor is None:
            self.kinds = None, np.ones(1)
            return
        if n_features is None:
            raise ValueError(
                "penalty_factor needs to know how many features there are; give n_features"
            )
        v = read_penalty_factor(self.penalty_factor, n_features)
        if np.isinf(v).any():
            raise ValueError(
                f"penalty_factor excludes column {int(np.isinf(v).argmax())}; leave it out"
            )
        v = v * (n_features / v.sum()) if v.any() else v
        values, kind = np.unique(v, return_inverse=True)
        self.kinds = kind.astype(np.intc), values

    def loss(self):
        """A Loss without samples, which is asked for one row at a time."""
        K = self.n_responses
        return self.family.loss(np.empty((0, K) if self.family.several else 0), np.empty(0))

    def learner(self, eta0, n_features, features=None):
        """A Learner with this step size; of some features alone, where given."""
        kind, values = self.kinds
        grows = self.n_features is None and kind is None and features is None
        if features is not None:
            n_features, kind = len(features), None if kind is None else kind[features]
        schedule = self.step if callable(self.step) else self.schedule
        clock = Clock(self.method, schedule, eta0, self.lam, self.alpha, values)
        shape = self.n_responses, n_features, self.intercept and self.family.intercept, kind
        if self.method == "ftrl":
            engine = ProximalLeader(*shape, eta0, BETA, self.grouped)
        else:
            engine = Shrinkage(*shape, self.method == "rda", self.grouped)
        return Learner(engine, clock, self.loss(), self.batch, grows)


def _by_sample(family):
    """Whether a family's loss is a sum over rows, each known by its own y."""
    kind = getattr(family.loss, "func", family.loss)  # of a partial
    return getattr(kind, "by_sample", False)


def _check_step(step, method):
    """Refuse what is no step size."""
    if callable(step):
        if method == "ftrl":
            raise ValueError(
                "method='ftrl' finds a rate for each weight; give step= a number that multiplies "
                "them, or 'auto'"
            )
    elif isinstance(step, str):
        read_choice("step", step, ["auto"])
    elif isinstance(step, (bool, type(None))):
        raise TypeError(f"step must be 'auto', a number or a callable, not {shown(step)}")
    else:
        read_number("step", step, 0, np.inf, open_low=True)
