"""Small random problems of every family, penalty and option, and what is wrong with an answer.

`problem(seed)` is a call of `path`; `judged` judges its result by certificates in float64, and
what looks wrong there in decimals.
"""

import decimal
import warnings
from dataclasses import dataclass

import claims
import glm_oracle
import group_oracle
import numpy as np
import numpy_losses
import response_oracle
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families, penalties

MADE = {"huber": families.huber(0.75), "squared_hinge": families.squared_hinge(),
        "gamma": families.gamma(), "negative_binomial": families.negative_binomial(1.5),
        "probit": families.probit(), "cloglog": families.cloglog(),
        "tweedie": families.tweedie(1.4)}  # fmt: skip
NO_FORMULA = {"probit", "cloglog", "tweedie", "cox"}  # of a conjugate
ONE = ["gaussian", "gaussian", "binomial", "binomial", "poisson", "huber", "squared_hinge",
       "gamma", "negative_binomial", "probit", "cloglog", "tweedie", "cox"]  # fmt: skip
SEVERAL = ["multinomial", "multigaussian"]
STORAGE = (np.ascontiguousarray, np.asfortranarray, sparse.csc_array, sparse.csr_array)
LONG, MANY = 0.02, 200  # share of the paths that have so many points
GROUPED = {"l2": penalties.GroupL2, "linf": penalties.GroupLinf, "sparse": penalties.SparseGroup}


@dataclass
class Call:
    """A problem: arguments of path, and the same for the judges."""

    family: str
    X: np.ndarray  # what was stored
    y: np.ndarray  # as the family takes it
    options: dict  # of the problem
    steer: dict  # of the way to the answer
    kind: str | None = None
    lists: list | None = None
    tau: float = 0.5
    stored: object = None

    def fit(self, **more):
        kinds = {"sparse": {"tau": self.tau}}.get(self.kind, {})
        penalty = GROUPED[self.kind](self.lists, **kinds) if self.kind else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ss.ConvergenceWarning)
            return ss.path(self.stored, self.y, family=MADE.get(self.family, self.family),
                           penalty=penalty, **self.options, **{**self.steer, **more})  # fmt: skip


def design(rng, n, p):
    """One of six kinds: plain, low rank, rounded, far from 0, badly scaled, repeated."""
    X = rng.standard_normal((n, p))
    kind = rng.integers(6)
    if kind == 1:
        rank = max(1, p // 2)
        X = X @ rng.standard_normal((p, rank)) @ rng.standard_normal((rank, p))
    elif kind == 2:
        X = np.round(X)
    elif kind == 3:
        X = X + 10.0 ** rng.integers(0, 9)
    elif kind == 4:
        X = X * 10.0 ** rng.uniform(-8, 8, p)
    elif kind == 5:
        X = X[:, rng.integers(0, p, p)] * rng.choice([-1, 1], p)
    return X * (rng.random((n, p)) < 0.4) if rng.random() < 0.3 else X


def model(rng, n, p):
    """Options that change the problem."""
    options = {}
    if rng.random() < 0.4:
        options["alpha"] = float(rng.choice([0, 1e-3, 0.3, 0.9, 1 - 1e-9]))
    if rng.random() < 0.4:
        weights = rng.choice([0, 1, 1, 1e-6, 3, 1e5], n).astype(float)
        options["weights"] = weights if weights.any() else np.ones(n)
    if rng.random() < 0.3:
        options["offset"] = rng.standard_normal(n)
    options["intercept"] = bool(rng.random() < 0.7)
    options["standardize"] = bool(rng.random() < 0.7)
    limited = rng.random() < 0.3
    if rng.random() < 0.4:
        options["penalty_factor"] = rng.choice(([] if limited else [0]) + [1, 2, 0.1, np.inf], p)
    if limited:
        options["lower"] = -rng.choice([0, 0.1, 1, np.inf], p)
        options["upper"] = rng.choice([0, 0.1, 1, np.inf], p)
    return options


def lasso(seed):
    """A lasso of at most 24 rows with any mix of options."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 25)), int(rng.integers(1, 20))
    X = design(rng, n, p)
    truth = rng.standard_normal(p) * (rng.random(p) < 0.4)
    y = X @ truth + 10.0 ** rng.uniform(-6, 1) * rng.standard_normal(n)
    call = Call("gaussian", X, y, model(rng, n, p), {"n_lambdas": 15, "stop": None})
    call.steer["solver"] = str(rng.choice(["auto", "working_set", "sufficient"]))
    call.steer["lambda_min_ratio"] = float(10.0 ** rng.uniform(-8, -1))
    call.stored = STORAGE[rng.integers(4)](X)
    return call


def problem(seed, quick=False):
    """One problem; a quick one is smaller and has fewer points, for when there are very many."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 13 if quick else 25)), int(rng.integers(1, 9 if quick else 16))
    X = design(rng, n, p)
    several = rng.random() < (0.07 if quick else 0.15)
    family = str(rng.choice(SEVERAL if several else ONE))
    unit = X / np.maximum(np.abs(X - X.mean(axis=0)).max(axis=0), 1e-300)
    unit = unit - unit.mean(axis=0)
    truth = rng.standard_normal(p) * (rng.random(p) < 0.4) * rng.choice([0.3, 1, 3])
    options = model(rng, n, p)
    call = Call(family, X, response(rng, family, unit @ truth), options, {})
    add_penalty(rng, call, several)
    if family in ("cox", *SEVERAL) or (family != "gaussian" and rng.random() < 0.5):
        options.pop("offset", None)
    if family == "cox":
        options.pop("intercept")
    low = -8 if family == "gaussian" else -4
    call.steer = {"n_lambdas": 4 if quick else 6, "stop": None,
                  "lambda_min_ratio": 10.0 ** rng.uniform(low, -1)}  # fmt: skip
    if rng.random() < 0.2:
        call.steer["tol"] = float(rng.choice([1e-3, 1e-5, 1e-9]))
    call.steer["max_iter"] = int(rng.choice([10, 30, 100] if quick else [30, 300, 1000]))
    named = 0.15 if quick else 0.3
    if call.kind and rng.random() < named:
        call.steer["solver"] = str(rng.choice(["bcd", "fista", "sparsa", "bcd_wright"]))
    elif not several and not call.kind and rng.random() < named:
        own = ["working_set", "sufficient"] if family == "gaussian" else ["fista", "sparsa"]
        call.steer["solver"] = str(rng.choice(own))
    call.stored = STORAGE[rng.integers(4)](X)
    if rng.random() < LONG:
        call.steer["n_lambdas"] = MANY
    return call


def add_penalty(rng, call, several):
    p, options = call.X.shape[1], call.options
    if several:
        options.pop("lower", None), options.pop("upper", None)
        if call.family == "multinomial":
            options["grouped"] = bool(rng.random() < 0.4)
    elif rng.random() < 0.35:
        call.kind = str(rng.choice(list(GROUPED)))
        label = rng.integers(max(1, p // 2), size=p)
        call.lists = [np.flatnonzero(label == g).tolist() for g in np.unique(label)]
        call.tau = float(rng.choice([0.1, 0.5, 0.9]))
        factors = options.pop("penalty_factor", None)
        if factors is not None:
            options["penalty_factor"] = np.asarray(factors)[: len(call.lists)]
        if rng.random() < 0.7:
            options.pop("lower", None), options.pop("upper", None)


def response(rng, family, signal):
    n, noise = len(signal), 10.0 ** rng.uniform(-6, 1)
    signal = np.clip(signal, -8, 8)
    chance = 1 / (1 + np.exp(-signal))
    if family in ("gaussian", "huber"):
        return signal + noise * rng.standard_normal(n)
    if family in ("binomial", "probit", "cloglog"):
        if rng.random() < 0.2 and family == "binomial":
            return np.round(chance, 2)
        return np.r_[0.0, 1.0, (chance > rng.random(n))[2:]]
    if family == "squared_hinge":
        return np.r_[-1.0, 1.0, np.where(chance > rng.random(n), 1.0, -1.0)[2:]]
    if family in ("poisson", "negative_binomial"):
        return np.r_[1.0, rng.poisson(np.exp(signal))[1:]]
    if family == "gamma":
        return np.exp(signal) * rng.gamma(2.0, 0.5, n) + 1e-3
    if family == "tweedie":
        return np.r_[1.0, (np.exp(signal) * rng.gamma(2.0, 0.5, n) * (rng.random(n) < 0.7))[1:]]
    if family == "cox":
        died = np.r_[1.0, (rng.random(n) < 0.7)[1:]]
        return np.column_stack([np.round(np.exp(-signal / 4), int(rng.integers(1, 6))) + 1, died])
    if family == "multinomial":
        K = int(rng.integers(2, 4))
        labels = (signal[:, None] * np.arange(K) + rng.gumbel(size=(n, K))).argmax(axis=1)
        return np.r_[0, K - 1, labels[2:]]
    return np.column_stack([signal, -signal]) + noise * rng.standard_normal((n, 2))


def judge(call, numbers=claims.FLOAT):
    """Of one response and no groups within limits, by claims."""
    return claims.Judge(call.X, call.y, family=call.family, kind=call.kind,
                        lists=call.lists or (), tau=call.tau, numbers=numbers,
                        **call.options)  # fmt: skip


def column(coefs, k):
    """Dense: slicing sparse matrices costs more than a certificate."""
    b, stored = np.zeros(coefs.shape[0]), slice(*coefs.indptr[k : k + 2])
    b[coefs.indices[stored]] = coefs.data[stored]
    return b


def point(fit, k):
    return fit.intercepts[k], column(fit.coefs, k), fit.lambdas[k]


class Gaps:
    """An independent gap and objective of points of a path, both relative to the null model."""

    digits = 0.0  # what rounding may add to them

    def __init__(self, call):
        self.judge = judge(call)
        at_null = self.judge.law.at(self.judge.y, self.judge.o + self.judge.null_b0)
        size = self.judge.w @ abs(at_null[0])
        own = self.judge.w @ (self.judge.y**2 + self.judge.o**2)
        # nothing to explain: what is left is rounding
        self.nothing = self.judge.null <= max(1e-13 * size, 1e-28 * own)
        self.call = call

    def gap(self, fit, k, enough=0.0):
        return float(self.judge.gap(*point(fit, k), enough))

    def objective(self, fit, k):
        return float(self.judge.objective(*point(fit, k)) / self.judge.null)

    def sharpen(self):
        """From here on in decimals, which the losses without a formula are not for."""
        if self.call.family not in NO_FORMULA:
            self.judge = judge(self.call, claims.DIGITS)


class OracleGaps:
    """The same of groups within limits, and of losses whose conjugate has no formula."""

    def __init__(self, call):
        loss = claims.LOSSES.get(call.family, "cox")
        options = dict(call.options)
        if call.family == "cox":
            options["intercept"] = False
        self.problem = group_oracle.problem(
            call.X, call.y, kind=call.kind or "l2", groups=call.lists or [None] * call.X.shape[1],
            loss=loss, tau=call.tau, **options)  # fmt: skip
        self.nothing, self.sharp = self.problem.null[1] <= 1e-10, False
        f = self.problem.f
        size = f.w @ np.abs(f.loss.value(f.y, f.o)) if call.family != "cox" else 1.0
        self.digits = 1e-15 * size / self.problem.null[1]

    def gap(self, fit, k, enough=0.0):
        return group_oracle.certificate(self.problem, *point(fit, k), sharp=self.sharp)

    def objective(self, fit, k):
        return group_oracle.objective(self.problem, *point(fit, k)) / self.problem.null[1]

    def sharpen(self):
        """From here on by the conjugate of cox itself, not a bound on it."""
        self.sharp = True


class SeveralGaps:
    """The same of several responses, by response_oracle on standardised columns."""

    def __init__(self, call):
        own = dict(call.options)
        grouped = own.pop("grouped", False) or call.family == "multigaussian"
        tied = call.family == "multigaussian"
        q = glm_oracle.form(call.X, call.y[:, 0] if tied else call.y, loss=numpy_losses.GAUSSIAN,
                            **own)  # fmt: skip
        weights = own.get("weights")
        kept = np.ones(len(call.y), dtype=bool) if weights is None else weights > 0
        Y = call.y if tied else (call.y[:, None] == np.unique(call.y)) * 1.0
        self.Y, self.form, s = Y[kept], q, q.q
        self.common = {
            "family": call.family, "grouped": grouped, "alpha": s.alpha, "w": q.w,
            "v": np.where(s.dead, 1.0, s.v), "offset": np.tile(q.o, (Y.shape[1], 1)),
            "intercept": q.intercept,
        }  # fmt: skip
        self.A = np.where(s.dead, 0.0, s.A)
        if tied:
            r = self.Y - q.o[:, None]
            self.null = 0.5 * (q.w @ (r - q.w @ r if q.intercept else r) ** 2).sum()
        else:
            share = q.w @ self.Y if q.intercept else np.full(Y.shape[1], 1 / Y.shape[1])
            self.null = -(q.w @ self.Y) @ np.log(np.where(share > 0, share, 1.0))
        size = (q.w @ np.abs(self.Y)).sum()
        self.nothing = self.null <= 1e-13 * size
        self.digits = 1e-15 * size / max(self.null, 1e-300)

    def _point(self, fit, k):
        B = np.array([column(c, k) for c in fit.coefs])
        return fit.lambdas[k], fit.intercepts[:, k] + B @ self.form.q.mean, B * self.form.q.scale

    def gap(self, fit, k, enough=0.0):
        return response_oracle.certificate(self.A, self.Y, *self._point(fit, k), **self.common
                                           ) / self.null  # fmt: skip

    def objective(self, fit, k):
        return response_oracle.objective(self.A, self.Y, *self._point(fit, k), **self.common
                                         ) / self.null  # fmt: skip

    def sharpen(self):
        pass


def gaps(call):
    """Whichever of the three judges the call."""
    if call.family in SEVERAL:
        return SeveralGaps(call)
    if call.family == "cox" or (call.kind and "lower" in call.options):
        return OracleGaps(call)
    return Gaps(call)


def judged(call, fit, most=None):
    """(claims, honest misses, false claims, undecided ones) of a path; the last two are lists.

    With `most` no more points than so many are judged, spread over the path, in float64 alone.

    A claim that an independent gap does not confirm is held against a path solved to a far
    smaller tolerance: with that one's own gap the objective tells what is really lost, in decimals
    where float64 does not.
    """
    own = gaps(call)
    claimed = [k for k in range(len(fit.lambdas)) if fit.status[k] == ss.Status.CONVERGED]
    counts = len(claimed), len(fit.lambdas) - len(claimed)
    if own.nothing:
        return *counts, [], []
    tol = call.steer.get("tol", 1e-7)
    enough = 1.1 * tol + rounding(call) + own.digits
    if most is not None:
        claimed = claimed[:: -(-len(claimed) // most)]
    doubted = [k for k in claimed if not own.gap(fit, k, enough) <= enough]
    if not doubted:
        return *counts, [], []
    better = call.fit(lambdas=fit.lambdas, tol=1e-12, max_iter=20_000, solver="auto")

    def lost(k):
        return own.objective(fit, k) - own.objective(better, k)

    doubted = [k for k in doubted if not abs(lost(k)) + own.gap(better, k) <= enough]
    false, undecided = [], []
    with decimal.localcontext(claims.ARITHMETIC) as context:
        context.traps[decimal.Overflow] = False  # a step that goes too far is shortened
        if most is None and doubted:
            own.sharpen()
        for k in (k for k in doubted if not own.gap(fit, k) <= enough):
            if lost(k) > enough:
                false.append((k, lost(k)))
            elif not lost(k) + own.gap(better, k) <= enough:
                undecided.append((k, lost(k)))
    return *counts, false, undecided


def _spread(call):
    weights = call.options.get("weights")
    w = np.ones(len(call.X)) if weights is None else weights
    w = w / w.sum()
    return np.sqrt(w @ (call.X - w @ call.X) ** 2)


def rounding(call):
    """What the last digits of columns far from 0 may cost: of the intercept, or of all."""
    spread = _spread(call)
    ratio = (np.abs(call.X).max(axis=0)[spread > 0] / spread[spread > 0]).max(initial=1.0)
    return 1e-13 * ratio if call.options.get("intercept", True) else 1e-14 * ratio**2
