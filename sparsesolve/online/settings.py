"""Settings: the checked options of online learning, and the learners that they define."""

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
from sparsesolve.online.clock import Clock
from sparsesolve.online.grouped import Grouped
from sparsesolve.online.learner import Learner
from sparsesolve.online.proximal_leader import ProximalLeader, ShortLeader
from sparsesolve.online.shrinkage import Averaged, Shrinkage
from sparsesolve.online.variance_reduced import VarianceReduced
from sparsesolve.online.whole import Whole
from sparsesolve.paths.assembly import labels_of_groups
from sparsesolve.paths.in_turn import check_penalty, laid_out, over, scaled_factors
from sparsesolve.penalties.groups import held_weights
from sparsesolve.penalties.penalty import has_blocks
from sparsesolve.penalties.registry import named_penalty
from sparsesolve.solvers.baselines.subgradient import SCHEDULES

METHODS = ("ftrl", "rda", "fobos", "svrg")
PROX_STEPS = ("same", "next")
AVERAGES = ("suffix", "best", "random")
# What readers of the papers look for, and how it is asked for here.
CALLS = {
    "truncated_gradient": "method='fobos' with alpha=1.0",
    "projected_gradient": "method='fobos' with lam=0.0 and radius=",
    "projected_subgradient": "method='fobos' with lam=0.0 and radius=",
    "pegasos": "method='fobos' with family='hinge', alpha=0.0, schedule='inverse' and "
               "step=1 / lam",
    "sgd": "method='fobos' with lam=0.0",
    "subgradient": "method='fobos' with lam=0.0",
    "comid": "method='fobos'",
    "forward_backward": "method='fobos'",
    "online_proximal": "method='fobos' with penalty= a list",
    "dual_averaging": "method='rda'",
    "adagrad": "method='ftrl'",
    "ftrl_proximal": "method='ftrl'",
    "prox_svrg": "method='svrg'",
}  # fmt: skip
# Rates of FTRL are eta0 / sqrt(BETA^2 + sum g^2).
BETA = 0.01


@dataclass
class Settings:
    """The options of a fit."""

    family: Family  #: as read
    lam: float  #: in the units of path
    alpha: float
    grouped: bool
    penalty_factor: Any  #: as given, and once features are known an array
    method: str
    step: Any  #: "auto", a number or a callable
    schedule: str
    batch: int
    intercept: bool
    n_features: int | None  #: as given; None: as many as occur in the rows
    penalty: Any = None  #: as given; laid out once the number of features is known
    radius: float | None = None
    average: Any = False
    dtype: str = "float64"
    prox_step: str = "same"
    norm: float | None = None
    draw: int | None = None  #: seed of average="random"
    n_responses: int = 1
    laid_out: tuple | None = field(default=None, repr=False)  #: features, and their names
    factors: np.ndarray | None = field(default=None, repr=False)  #: (p,) or (G,), scaled
    # Number of each feature's factor, and the values of the factors.
    kinds: tuple = field(default_factory=lambda: (None, np.ones(1)), repr=False)

    @classmethod
    def read(cls, *, family, lam, alpha, grouped, penalty_factor, method, step, schedule, batch,
             intercept, n_features, penalty=None, radius=None, average=False, dtype="float64",
             prox_step="same", norm=None):
        """Check the options that :func:`sparsesolve.online` describes."""
        family = read_family(family)
        if not _by_sample(family):
            raise ValueError(
                f"the loss of family {family.name!r} is not a sum over rows, so that it cannot be "
                "learned row by row; use sparsesolve.path"
            )
        lam = read_number("lam", lam, 0, np.inf)
        alpha = read_number("alpha", alpha, 0, 1)
        grouped = read_flag("grouped", grouped) or family.name == "multigaussian"
        if grouped and not family.several:
            raise ValueError(f"grouped=True ties classes; leave it out for {family.name!r}")
        method = read_method(method, METHODS)
        schedule = read_choice("schedule", schedule, SCHEDULES)
        _check_step(step, method, schedule, lam * (1.0 - alpha), norm)
        norm = None if norm is None else read_number("norm", norm, 0, np.inf, open_low=True)
        penalty = named_penalty(penalty)
        check_penalty(penalty, grouped and family.name != "multigaussian")
        grouped = grouped and penalty is None
        if radius is not None:
            radius = read_number("radius", radius, 0, np.inf, open_low=True)
        average = (read_choice("average", average, AVERAGES) if isinstance(average, str)
                   else read_flag("average", average))  # fmt: skip
        if average == "best" and method != "fobos":
            raise ValueError("average='best' is for method='fobos'; leave it out")
        if method in ("ftrl", "svrg") and (radius is not None or average is not False):
            raise ValueError(
                f"{'average' if radius is None else 'radius'} is for method='fobos' and 'rda', "
                "which have one rate for all weights and shrinking steps"
            )
        prox_step = read_choice("prox_step", prox_step, PROX_STEPS)
        if prox_step != "same" and method != "fobos":
            raise ValueError(f"prox_step={prox_step!r} is for method='fobos'; leave it out")
        batch = read_count("batch", batch, 1)
        dtype = read_choice("dtype", dtype, ("float64", "float32"))
        if dtype == "float32" and (method != "ftrl" or family.several or batch > 1
                                   or penalty is not None):  # fmt: skip
            raise ValueError(
                "dtype='float32' is for method='ftrl' with one response, single rows and the "
                "elastic net; leave it out"
            )
        if method == "svrg" and (batch > 1 or penalty is not None):
            raise ValueError(
                "method='svrg' takes single rows and the elastic net; leave "
                f"{'batch' if penalty is None else 'penalty'} out, or use method='rda'"
            )
        return cls(
            family, lam, alpha, grouped, held_weights(penalty_factor), method, step,
            schedule, batch,
            read_flag("intercept", intercept),
            None if n_features is None else read_count("n_features", n_features, 1),
            penalty, radius, average, dtype, prox_step, norm,
        )  # fmt: skip

    def lay_out(self, n_features, n_responses, names=None):
        """Set the number of features (None: unknown) and of responses."""
        self.n_responses, self.laid_out = n_responses, (n_features, names)
        if n_features is None:
            for name in ("penalty_factor", "penalty", "radius"):
                if getattr(self, name) is not None:
                    raise ValueError(
                        f"{name} needs to know how many features there are; give n_features"
                    )
            if self.average is not False:
                raise ValueError("average needs room for all features; give n_features")
        if self.penalty is not None:
            self.penalty = over(self.penalty, n_features, names)
            several = isinstance(self.penalty, list)
            what = "a sequence of penalties" if several else type(self.penalty).__name__
            if self.method == "ftrl" and not has_blocks(self.penalty):
                raise ValueError(
                    f"method='ftrl' has a rate for each weight or group, and {what} is not a sum "
                    f"over groups; use method={'fobos' if several else 'rda'!r}"
                )
            if several and self.method == "rda":
                raise ValueError(
                    "method='rda' reads weights by the prox of all gradients at once, of which "
                    "operators in turn are none; use method='fobos'"
                )
        if has_blocks(self.penalty):
            labels = labels_of_groups(self.penalty.layout, names)
            self._scale(self.penalty.n_groups, "group", labels)
        elif self.penalty is not None and self.penalty_factor is not None:
            raise ValueError(
                f"penalty_factor is for features or groups, and {what} is "
                "of all together; leave it out"
            )
        elif self.penalty_factor is not None:
            self._scale(n_features, "column", names)
            values, kind = np.unique(self.factors, return_inverse=True)
            self.kinds = kind.astype(np.intc), values

    def _scale(self, count, per, labels):
        """Set the penalty factors, as given and scaled."""
        self.penalty_factor = read_penalty_factor(self.penalty_factor, count, per, labels)
        self.factors = scaled_factors(self.penalty_factor, count, per)

    def __setstate__(self, state):
        self.__dict__.update(state)
        if has_blocks(self.penalty) or isinstance(self.penalty, list):
            self.penalty = over(self.penalty, *self.laid_out)  # pickles have only the groups

    @property
    def eager(self):
        """True if every step updates all weights."""
        blocks = self.penalty is None or has_blocks(self.penalty)
        averaged = self.average in (True, "suffix") and self.penalty is not None
        averaged |= self.average == "best"
        return not blocks or self.radius is not None or averaged

    def laid(self, p):
        """Return the penalty on (K, p)."""
        v = np.ones(p) if self.factors is None else self.factors
        return laid_out(self.penalty, p, self.n_responses, self.alpha, v, self.grouped)

    def loss(self):
        """Return a Loss without samples, which is evaluated one row at a time."""
        K = self.n_responses
        return self.family.loss(np.empty((0, K) if self.family.several else 0), np.empty(0))

    def learner(self, eta0, n_features, features=None):
        """Return a Learner with this step size, for some features alone if given."""
        if self.eager:
            return self._eager(eta0, n_features)
        if self.penalty is not None:
            return self._grouped(eta0, n_features)
        kind, values = self.kinds
        grows = self.n_features is None and kind is None and features is None
        if features is not None:
            n_features, kind = len(features), None if kind is None else kind[features]
        shape = self.n_responses, n_features, self.with_intercept, kind
        if self.dtype == "float32":
            engine = ShortLeader(*shape[1:], eta0, BETA)
        elif self.method == "ftrl":
            engine = ProximalLeader(*shape, eta0, BETA, self.grouped)
        elif self.method == "svrg":
            l1, ridge = self.lam * self.alpha * values, self.lam * (1.0 - self.alpha) * values
            engine = VarianceReduced(*shape, eta0, l1, ridge, self.grouped)
        elif self.average in (True, "suffix"):
            suffix = self.average == "suffix"
            engine = Averaged(*shape, self.method == "rda", self.grouped, len(values), suffix)
        else:
            engine = Shrinkage(*shape, self.method == "rda", self.grouped)
        clock = self._clock(eta0, self.alpha, values)
        return Learner(engine, clock, self.loss(), self.batch, grows, self.draw)

    def _grouped(self, eta0, n_features):
        laid = self.laid(n_features)
        values, kind = np.unique(laid.sizes, return_inverse=True)
        shape = self.n_responses, n_features, self.with_intercept
        engine = Grouped(*shape, laid.blocks, laid.sizes, kind, self.method, eta0, BETA)
        return Learner(engine, self._clock(eta0, self.alpha, values), self.loss(), self.batch,
                       draw=self.draw)  # fmt: skip

    def _eager(self, eta0, n_features):
        engine = Whole(self.n_responses, n_features, self.with_intercept, self.laid(n_features),
                       self.method == "rda", self.radius,
                       False if self.average == "random" else self.average, self.lam)  # fmt: skip
        return Learner(engine, self._clock(eta0, 1.0, np.ones(1)), self.loss(), self.batch,
                       draw=self.draw)  # fmt: skip

    def _clock(self, eta0, alpha, values):
        schedule = self.step if callable(self.step) else self.schedule
        ahead = self.prox_step == "next"
        return Clock(self.method, schedule, eta0, self.lam, alpha, values, ahead)

    def strong_convexity(self, p):
        """Return the largest H with lam Omega(b) - H |b|^2 / 2 sure to be convex, for p features.
        """
        v = self.factors if self.penalty is None else self.laid(p).sizes
        return self.lam * (1.0 - self.alpha) * (1.0 if v is None else float(np.min(v)))

    @property
    def with_intercept(self):
        """True if there is an intercept."""
        return self.intercept and self.family.intercept


def _by_sample(family):
    """Return True if a family's loss is a sum over rows, each determined by its own y."""
    kind = getattr(family.loss, "func", family.loss)  # the class behind a partial
    return getattr(kind, "by_sample", False)


def read_method(method, methods):
    """Return the method; refuse others, and say how those with a name elsewhere are asked for."""
    key = "_".join(method.lower().replace("-", " ").split()) if isinstance(method, str) else ""
    if key in CALLS:
        raise ValueError(f"method must be one of {', '.join(map(repr, methods))}; {method!r} is "
                         f"{CALLS[key]}")  # fmt: skip
    return read_choice("method", method, methods)


def _check_step(step, method, schedule, ridge, norm):
    """Raise unless `step` is a step size."""
    if norm is not None and (not isinstance(step, str) or step != "theory"):
        raise ValueError("norm is for step='theory'; leave it out")
    if callable(step):
        if method in ("ftrl", "svrg"):
            why = "finds a rate for each weight" if method == "ftrl" else "makes constant steps"
            raise ValueError(
                f"method={method!r} {why}; give step= a number that multiplies them, or 'auto'"
            )
    elif isinstance(step, str):
        if read_choice("step", step, ["auto", "theory"]) == "theory":
            _check_theory(method, schedule, ridge, norm)
    elif isinstance(step, (bool, type(None))):
        raise TypeError(f"step must be 'auto', a number or a callable, not {shown(step)}")
    else:
        read_number("step", step, 0, np.inf, open_low=True)


def _check_theory(method, schedule, ridge, norm):
    """Raise unless a theorem gives the step sizes."""
    for broken, why in (
        (method != "fobos", "is for method='fobos'"),
        (schedule == "constant", "is for schedule='sqrt' and 'inverse'; constant steps depend on "
         "the number T of steps: give step=D / (G * sqrt(T))"),
        (schedule == "inverse" and ridge == 0.0, "with schedule='inverse' is 1 / H, H = lam (1 - "
         "alpha); give lam > 0 and alpha < 1"),
        (schedule == "sqrt" and norm is None, "needs norm=, a bound of the optimum's length: for "
         "example log(2) / lam for family='binomial' and alpha=1"),
    ):
        if broken:
            raise ValueError(f"step='theory' {why}")
