"""Draws of data whose best fits are known, and the pivots of tables at the truth.

Families other than gaussian have a known best fit on the features chosen where these hold all
that have an influence: draws that choose others are left out, which the laws allow, as they hold
given every choice.
"""

from contextlib import contextmanager

import numpy as np
from scipy import special

import sparsesolve as ss
from sparsesolve import inference
from sparsesolve.inference import polyhedral
from sparsesolve.inference.truncated import pivots

EFFECTS = np.array([0.6, -0.4, 0.4])
# Poisson and cox know as much of a row as a gaussian one; other families know less.
STRONGER = {"binomial": 2.0, "probit": 1.5, "cloglog": 1.5, "negative_binomial(2)": 1.5}


def drawn(rng, family, n, p, rho, sigma=1.0, scale=1.0):
    """Return (X, linear predictor, y) of AR(rho) features, of which three have an influence."""
    L = np.linalg.cholesky(rho ** np.abs(np.subtract.outer(np.arange(p), np.arange(p))))
    X = rng.normal(size=(n, p)) @ L.T
    eta = scale * (X[:, : len(EFFECTS)] @ EFFECTS)
    if family == "gaussian":
        return X, eta, eta + sigma * rng.normal(size=n)
    if family in ("binomial", "probit", "cloglog"):
        share = {"binomial": special.expit, "probit": special.ndtr,
                 "cloglog": lambda eta: -np.expm1(-np.exp(eta))}[family](eta)  # fmt: skip
        return X, eta, (rng.random(n) < share).astype(int)
    if family == "poisson":
        return X, eta, rng.poisson(np.exp(eta))
    if family == "negative_binomial(2)":
        return X, eta, rng.poisson(np.exp(eta) * rng.gamma(2.0, 0.5, n))
    return X, eta, np.column_stack([rng.exponential(np.exp(-eta)), rng.random(n) < 0.7])


@contextmanager
def recorded():
    """Collect the laws of the tables made inside."""
    laws, intervals = [], polyhedral.intervals

    def keep(law, level):
        laws.append(law)
        return intervals(law, level)

    polyhedral.intervals = keep
    try:
        yield laws
    finally:
        polyhedral.intervals = intervals


def best_fit(X, eta, features):
    """Return the coefficients of the features in the best linear fit of eta."""
    A = np.column_stack([np.ones(len(X)), X[:, features]])
    return np.linalg.lstsq(A, eta, rcond=None)[0][1:]


def table_of(method, family, X, y, lam, level, seed, sigma=1.0, **options):
    """Return the table of a method; the noise level `sigma` None is estimated."""
    known = {"sigma": sigma} if family == "gaussian" and sigma is not None else {}
    if method == "carve":
        return inference.carve(X, y, lam, family=family, level=level, seed=seed, **known,
                               **options)  # fmt: skip
    fit = ss.path(X, y, family=family, lambdas=[lam], **options)
    return inference.selective(fit, X, y, lam, level=level, **known) if fit.df[0] else None


class Coverage:
    """Intervals that cover, with draws as clusters: add(inside) of each draw, then `share`."""

    def __init__(self):
        self.counts = []

    def add(self, inside):
        self.counts.append([inside.sum(), len(inside)])

    @property
    def of(self):
        return int(np.sum(self.counts, axis=0)[1])

    @property
    def share(self):
        covered, of = np.sum(self.counts, axis=0)
        return covered / of

    @property
    def error(self):
        """Standard error of the share, with draws as clusters; that of `of` intervals at least."""
        covered, size = np.array(self.counts).T
        spread = np.sqrt(((covered - self.share * size) ** 2).sum()) / self.of
        return max(spread, np.sqrt(0.09 / self.of))


def tables(method, family, n, p, rho, lam, draws, *, level=0.9, key=31, sigma=1.0, scale=1.0,
           given=1.0, **options):  # fmt: skip
    """Yield (table, pivots, truth, (X, eta, y)) of each draw with a known best fit.

    `sigma` is the noise level of gaussian, `given` the one that the method is told.
    """
    for seed in range(draws):
        rng = np.random.default_rng([key, seed])
        X, eta, y = drawn(rng, family, n, p, rho, sigma, scale)
        with recorded() as laws:
            try:
                table = table_of(method, family, X, y, lam, level, seed, given, **options)
            except ValueError as error:
                if "cannot tell" not in str(error):
                    raise
                table = None  # too many features for the rows that took no part
        if table is None or not len(table.names):
            continue
        if family != "gaussian" and not {0, 1, 2} <= set(table.features):
            continue
        truth = best_fit(X, eta, table.features)
        units = table.estimates / laws[-1].x  # columns are scaled by powers of two
        yield table, pivots(laws[-1], truth / units), truth, (X, eta, y)
