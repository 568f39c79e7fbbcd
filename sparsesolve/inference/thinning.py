"""Thinning: two independent responses from one, by the family's own convolution.

    family              y1 given y                       y1 ~                  y - y1 ~
    gaussian, sigma     N(e y, e (1 - e) sigma^2)        N(e mu, e sigma^2)    N(.., (1-e) sigma^2)
    poisson             Binomial(y, e)                   Poisson(e mu)         Poisson((1 - e) mu)
    binomial, m trials  Hypergeometric(y, m - y, m1)     Bin(m1, p)            Bin(m - m1, p)
    negative binomial,  Binomial(y, q), q of             NB(e r, e mu)         NB((1 - e) r, ..)
        size r          Beta(e r, (1 - e) r)
    gamma, shape a      y Beta(e a, (1 - e) a)           shape e a, mean e mu  shape (1 - e) a

Reference: Neufeld, Dharamshi, Gao, Witten (2024), "Data thinning for convolution-closed
distributions".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, read_number
from sparsesolve.data.vector import read_finite
from sparsesolve.families import negative_binomial, read_family
from sparsesolve.inference.splitting import own_stream
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.status import warn

ALONE = "{} has no two independent halves of one response; inference.split divides the rows"


@dataclass(frozen=True, eq=False)
class Thinned(Frozen):
    """One of two independent responses.

    Attributes
    ----------
    y : ndarray (n,), or (n, 2) of counts (failures, successes)
        For :func:`sparsesolve.path`.
    options : dict
        What goes with it there: ``family``, and ``offset`` (n,) where the mean is a share.
    sigma : float
        Standard deviation of y, for gaussian; else 1.
    share : float
        Share of the information.
    other : ndarray
        The other response.
    """

    y: np.ndarray
    options: dict
    sigma: float
    share: float
    other: np.ndarray

    def __repr__(self):
        return (f"<Thinned: {100 * self.share:g} % of the information of {len(self.y)} responses; "
                "path(X, first.y, **first.options) fits it>")  # fmt: skip

    def check(self, mu: ArrayLike) -> float:
        """Return the correlation of both halves around their means, and warn if it is not noise.

        Halves are independent only if the family, and its size or sigma, are right: counts with
        more variance than said are positively correlated.

        Parameters
        ----------
        mu : array-like (n,)
            Means of the whole response (of binomial, the probabilities), such as a fit of all
            features predicts.

        Returns
        -------
        correlation : float

        Warns
        -----
        UserWarning
            If it is beyond 3 / sqrt(n).
        """
        mu = read_finite("mu", mu, len(self.y), "row")
        left, right = (_residual(y, mu, share, self.options["family"]) for y, share in
                       ((self.y, self.share), (self.other, 1.0 - self.share)))  # fmt: skip
        found = float(np.corrcoef(left, right)[0, 1])
        if abs(found) > 3.0 / np.sqrt(np.size(mu)):
            kind = "overdispersed" if found > 0.0 else "underdispersed"
            warn(
                f"the halves have correlation {found:.2g}: y is {kind} for this family, so that "
                "the halves depend on each other; give its own size or sigma, or use "
                "inference.split", UserWarning,
            )  # fmt: skip
        return found


def _residual(y, mu, share, family):
    """Return Pearson residuals up to a factor."""
    name = str(getattr(family, "name", family)).split("(")[0]
    if name == "binomial":
        m = y.sum(axis=1)
        return (y[:, 1] - m * mu) / np.sqrt(m * mu * (1.0 - mu))
    if name == "gaussian":
        return y - mu
    scale = mu if name == "gamma" else np.sqrt(mu)
    return (y - share * mu) / scale


@answers_keywords()
def thin(
    y: Any,
    family: Any = "poisson",
    *,
    share: float = 0.5,
    sigma: float | None = None,
    shape: float | None = None,
    offset: ArrayLike | None = None,
    seed: int | np.random.Generator | None = 0,
) -> tuple[Thinned, Thinned]:
    """Divide each response into two independent ones, one to select and one to infer.

    All rows stay in both, which helps where rows are few or are not exchangeable. Selection on
    the first half is free: cross-validation, any penalty, a look at the data. The second is then
    fitted to the features chosen as if they had been chosen beforehand.

    Parameters
    ----------
    y : array-like
        Responses of the family; of binomial counts (n, 2) of failures and successes, with at
        least 2 trials.
    family : str or family, default "poisson"
        gaussian, poisson, binomial, negative_binomial(size) or gamma.
    share : float in (0, 1), default 0.5
        Share of the first half.
    sigma : float, default None
        Standard deviation of y, for gaussian. It must be right, as the
        method ``check`` of the result tests.
    shape : float, default None
        Shape of gamma, one over the dispersion.
    offset : array-like (n,), default None
        Offset that the options of both halves are to include.
    seed : int or numpy Generator, default 0
        Seed of the division.

    Returns
    -------
    first, second : Thinned
        Responses with their options: ``path(X, first.y, **first.options)``.

    Raises
    ------
    ValueError
        If the family cannot be thinned, as cox and yes or no; or its size is not given.

    References
    ----------
    Neufeld, Dharamshi, Gao, Witten (2024), "Data thinning for convolution-closed distributions".
    Leiner, Duan, Wasserman, Ramdas (2023), "Data fission: splitting a single data point".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 30))
    >>> y = rng.poisson(np.exp(1 + 0.5 * X[:, 0]))
    >>> first, second = ss.inference.thin(y, "poisson", seed=0)
    >>> chosen = ss.cv_path(X, first.y, seed=0, **first.options).nonzero()
    >>> fit = ss.path(X[:, chosen], second.y, lambdas=[0.0], **second.options)
    >>> bool(np.all(first.y + second.y == y)), 0 in chosen
    (True, True)
    """
    share = read_number("share", share, 0.0, 1.0, open_low=True, open_high=True)
    family = read_family(family)
    name, rng = family.name.split("(")[0], own_stream(seed)
    if name not in ("gaussian", "poisson", "binomial", "negative_binomial", "gamma"):
        raise ValueError(ALONE.format(f"family {family.name}"))
    values = np.asarray(y, dtype=float)
    family.read(y, len(values))  # refuses what the family does not take
    shift = np.zeros(len(values))
    shift = shift if offset is None else read_finite("offset", offset, len(values), "row")
    if name == "gaussian":
        return _gaussian(values, share, sigma, rng, offset, shift)
    if name == "binomial":
        return _binomial(values, share, rng, offset, shift)
    if name in ("poisson", "negative_binomial") and (values != np.floor(values)).any():
        raise ValueError(f"y of {name} holds fractions, which cannot be thinned; "
                         "inference.split divides the rows")  # fmt: skip
    families = [family, family]
    if name == "poisson":
        first = rng.binomial(values.astype(np.int64), share).astype(float)
    elif name == "gamma":
        if shape is None:
            raise ValueError("shape is not given; thinning a gamma response needs it")
        shape = read_number("shape", shape, 0.0, np.inf, open_low=True)
        first = values * rng.beta(share * shape, (1.0 - share) * shape, len(values))
    else:
        size = _size(family)
        part = rng.beta(share * size, (1.0 - share) * size, len(values))
        first = rng.binomial(values.astype(np.int64), part).astype(float)
        families = [negative_binomial(share * size), negative_binomial((1.0 - share) * size)]
    return _pair(first, values - first, share, families,
                 [shift + np.log(share), shift + np.log1p(-share)])  # fmt: skip


def _size(family):
    """Return the size of a negative binomial family."""
    return float(re.search(r"\((?:\w+=)?([^)]+)\)", family.name)[1])


def _pair(first, second, share, families, offsets, sigmas=(1.0, 1.0)):
    """Return both Thinned responses."""
    found = []
    for k, (y, other, part) in enumerate(((first, second, share), (second, first, 1.0 - share))):
        options = {"family": families[k]}
        options |= {} if offsets is None else {"offset": offsets[k]}
        found.append(Thinned(y=y, options=options, sigma=float(sigmas[k]), share=part,
                             other=other))  # fmt: skip
    return tuple(found)


def _gaussian(y, share, sigma, rng, offset, shift):
    if sigma is None:
        raise ValueError("sigma is not given; thinning a gaussian response needs it")
    sigma = read_number("sigma", sigma, 0.0, np.inf, open_low=True)
    noise = sigma * rng.standard_normal(len(y))
    first = y + np.sqrt((1.0 - share) / share) * noise  # already on the scale of y
    second = y - np.sqrt(share / (1.0 - share)) * noise
    return _pair(first, second, share, ["gaussian"] * 2, None if offset is None else [shift] * 2,
                 sigma / np.sqrt([share, 1.0 - share]))  # fmt: skip


def _binomial(y, share, rng, offset, shift):
    if y.ndim != 2 or y.shape[1] != 2 or (y != np.floor(y)).any():
        raise ValueError(ALONE.format("a response of yes or no"))
    trials = y.sum(axis=1).astype(np.int64)
    if (trials < 2).any():
        row = int(np.flatnonzero(trials < 2)[0])
        raise ValueError(f"row {row} has {trials[row]} trials; thinning needs 2 in each row, and "
                         "inference.split none")  # fmt: skip
    part = np.clip(np.rint(share * trials).astype(np.int64), 1, trials - 1)
    hits = rng.hypergeometric(y[:, 1].astype(np.int64), y[:, 0].astype(np.int64), part)
    first = np.column_stack([part - hits, hits]).astype(float)
    return _pair(first, y - first, share, ["binomial"] * 2,
                 None if offset is None else [shift] * 2)  # fmt: skip
