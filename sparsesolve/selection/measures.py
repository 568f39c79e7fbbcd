"""Measures: how well predictions agree with responses, with glmnet's definitions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import log
from typing import Any, NamedTuple

import numpy as np

from sparsesolve.data import read_choice
from sparsesolve.data.paragraphs import described_by
from sparsesolve.results import survival
from sparsesolve.results.coefficient_table import frame_of, text_of
from sparsesolve.results.pictures.axes import AXES, AXIS_LABELS, plot_curves
from sparsesolve.results.ranks import ranks

# Families whose responses are -1 and 1.
SIDED = ("hinge", "squared_hinge")

# Scores of scikit-learn and others, and the measure here that puts models in the same order.
ELSEWHERE = {
    "accuracy": "class", "roc_auc": "auc", "neg_log_loss": "deviance", "log_loss": "deviance",
    "rmse": "mse", "r2": "mse", "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "mse", "neg_mean_absolute_error": "mae", "concordance": "C",
    "c_index": "C",
}  # fmt: skip
KINKED = {"hinge": "hinge", "quantile": "pinball", "epsilon_insensitive": "epsilon_insensitive"}
# Probabilities in a deviance are kept this far from 0 and 1, as in glmnet.
LEAST_SHARE = 1e-5


class Measure(NamedTuple):
    """A number for each lambda, from responses and linear predictors of the same rows."""

    name: str
    label: str  # the name in tables and pictures
    of_rows: Callable  # (family, y, eta, w) -> (L,): y, w of m rows, eta (m, L) or (m, K, L)
    larger: bool = False  # True if larger is better
    # For cox: whether only deaths have weight, and held-out rows count by their contribution to
    # the sum over all rows minus that over the training rows.
    partial: bool = False
    whole: bool = False  # True if it also gets rows of weight 0, like a user's

    def score(self, family, y, eta, w):
        """Return the measure at each lambda, (L,); rows of weight 0 do not count.

        They are left out, because 0 times an infinite term is not 0. NaN if no row has weight.
        """
        if self.whole:
            return self.of_rows(family, y, eta, w)
        if not (w * y[:, 2] if self.partial else w).any():
            return np.full(eta.shape[-1], np.nan)
        used, w = w > 0.0, w / w.max()  # the unit of weights has no effect
        y, eta, w = (y, eta, w) if used.all() else (y[used], eta[used], w[used])
        return self.of_rows(family, y, eta, w)

    def weight(self, y, w):
        """Return the weight of the score of some rows, relative to that of others."""
        return float((w * y[:, 2] if self.partial else w).sum())


class Scores(dict):
    """Scores by name, as a dict: floats at one lambda, arrays (L,) at several.

    Attributes
    ----------
    lambdas : ndarray (L,) or None
        None if there is one lambda, or none.
    df : ndarray (L,) or None
        Degrees of freedom, for information criteria.
    """

    def __init__(self, scores: dict, lambdas: Any = None, df: Any = None, larger: tuple = ()):
        super().__init__(scores)
        self.lambdas, self.df, self.larger = lambdas, df, larger

    def best(self, name: str) -> float:
        """Return the lambda of the best score of this name, the first of equals."""
        if self.lambdas is None:
            raise ValueError("these are the scores of one model; there is no lambda to choose")
        values = np.asarray(self[read_choice("name", name, list(self))])
        sign = -1.0 if name in self.larger else 1.0
        return float(self.lambdas[np.nanargmin(sign * values)])

    def to_frame(self) -> Any:
        """Return a row for each lambda: a pandas frame, or a dict of arrays without pandas."""
        own = {"lambda": self.lambdas, "df": self.df}
        own = {name: values for name, values in own.items() if values is not None}
        return frame_of({**own, **{name: np.atleast_1d(values) for name, values in self.items()}})

    @described_by(AXES)
    def plot(self, name: str | None = None, ax: Any = None) -> Any:
        """Draw scores along lambda, with a dot at the best of each.

        Parameters
        ----------
        name : str, optional
            One of the names. Default: all on the scale of the first: every one but gcv of
            criteria, the first of ``assess``.

        Raises
        ------
        ValueError
            If there is one lambda only, or no such name.
        """

        if self.lambdas is None:
            raise ValueError("these are the scores of one model; a picture needs several lambdas")
        names = [name for name in self if name != "gcv"] if self.df is not None else [*self][:1]
        names = names if name is None else [read_choice("name", name, list(self))]
        places = {name: int(np.flatnonzero(self.lambdas == self.best(name))[0]) for name in names}
        with np.errstate(divide="ignore"):  # lambda = 0 has no place on its axis
            x = np.where(self.lambdas > 0.0, -np.log(self.lambdas), np.nan)
        curves = {name: np.asarray(self[name]) for name in names}
        word = names[0] if len(names) == 1 else "Criterion"
        return plot_curves(x, curves, (AXIS_LABELS["lambda"], word), ax, marks=places)

    def __repr__(self):
        if self.lambdas is None:
            return super().__repr__()
        ends = f"{self.lambdas[0]:.4g} to {self.lambdas[-1]:.4g}" if len(self.lambdas) else "none"
        return f"<{', '.join(self)} at {len(self.lambdas)} lambdas, {ends}>"

    def __str__(self):
        if self.lambdas is None:
            return super().__repr__()
        return text_of({"lambda": self.lambdas, **({} if self.df is None else {"df": self.df}),
                        **self})  # fmt: skip


def class_shares(family, y):
    """Return the shares (n, C) of the classes in each row of read responses; None without
    classes.
    """
    if family.classify is None or family.several:
        return None if family.classify is None else y
    success = (y + 1.0) / 2.0 if family.name in SIDED else y
    return np.column_stack([1.0 - success, success])


def known_measures(family):
    """Return the names of the measures that suit a family, its deviance first."""
    if family.name == "cox":
        return ["deviance", "C"]
    squares = [] if family.name in SIDED else ["mse", "mae"]
    own = [] if family.smooth else [KINKED[family.name.partition("(")[0]]]
    if family.classify is None:
        return ["deviance", *own, *squares]
    return ["deviance", "class", *own, *squares, *["auc"] * (not family.several)]


def read_measure(measure, family):
    """Return the Measure for a name, None, or a callable (y, prediction, weights) -> float."""
    if callable(measure):
        _refuse_other_arguments(measure)
        name = getattr(measure, "__name__", type(measure).__name__)
        return Measure(name, name, _of_callable(measure), whole=True)
    names = known_measures(family)
    here = ELSEWHERE.get(measure) if isinstance(measure, str) else None
    if here in names:
        raise ValueError(
            f"measure must be one of {', '.join(map(repr, names))}, not {measure!r}; {here!r} "
            "ranks models in the same way"
        )
    name = read_choice("measure", names[0] if measure is None else measure, names)
    if name == "deviance":
        label = DEVIANCES.get(family.name, f"{family.name} deviance")
        return Measure(name, label[:1].upper() + label[1:], deviance,
                       partial=family.name == "cox")  # fmt: skip
    return MEASURES[name]


def deviance(family, y, eta, w):
    """Return 2 sum_i w_i (f_i - least f_i) over the sum of weights; for cox over that of deaths.
    """
    if family.name in ("gaussian", "multigaussian"):
        return mse(family, y, eta, w)
    if family.name in ("binomial", "multinomial"):
        return _class_deviance(family, y, eta, w)
    total = w.sum()
    loss = family.loss(y, w / total)
    eta = np.moveaxis(eta, -1, 0)  # (L, m), or (L, K, m), the form of losses
    eta = eta.swapaxes(1, 2) if family.several else eta
    values = np.array([2.0 * (loss.at(column)[0] - loss.saturated) for column in eta])
    return values * total / (w @ y[:, 2] if family.name == "cox" else total)


def mean_loss(family, y, eta, w):
    """Return the mean of the family's loss, which has kinks: half its deviance."""
    return 0.5 * deviance(family, y, eta, w)


def _class_deviance(family, y, eta, w):
    """Return the deviance with probabilities kept off 0 and 1: a certain and wrong one would be
    inf.
    """
    shares = class_shares(family, y)
    if family.several:
        logs = np.log(np.clip(family.mean(eta), LEAST_SHARE, 1.0 - LEAST_SHARE))
        fitted = np.einsum("ik,ikl->il", shares, logs)
    else:
        bound = log(1.0 / LEAST_SHARE - 1.0)
        eta = np.clip(eta, -bound, bound)
        fitted = shares[:, 1:] * eta - np.logaddexp(0.0, eta)
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.where(shares > 0.0, shares * np.log(shares), 0.0).sum(axis=1)
    return _mean(2.0 * (best[:, None] - fitted), w)


def mse(family, y, eta, w):
    """Return squares of y minus its mean, summed over responses or classes (both of two)."""
    return _mean(_over_columns(family, y, eta, np.square), w)


def mae(family, y, eta, w):
    """Return absolute differences, summed likewise."""
    return _mean(_over_columns(family, y, eta, np.abs), w)


def misclassified(family, y, codes, w):
    """Return the share of rows whose class is not the chosen one, from its number (n, L)."""
    return _mean(1.0 - np.take_along_axis(class_shares(family, y), codes, axis=1), w)


def of_most_likely(family, y, eta, w):
    """Return the share of rows whose class is not the most likely one."""
    return misclassified(family, y, family.classify(eta).astype(np.intp), w)


def auc(family, y, eta, w):
    """Return P(a row of the second class ranks above one of the first); ties count half."""
    failures, successes = (w[:, None] * class_shares(family, y)).T
    areas = []
    for column in eta.T:
        rank = ranks(column)[0]
        negative, positive = np.bincount(rank, failures), np.bincount(rank, successes)
        below = np.cumsum(negative) - 0.5 * negative
        pairs = negative.sum() * positive.sum()
        areas.append(below @ positive / pairs if pairs > 0.0 else np.nan)
    return np.array(areas)


def concordance(family, y, eta, w):
    """Return Harrell's C, within strata."""
    if not y[:, 2].any():  # without deaths there is no pair
        return np.full(eta.shape[1], np.nan)
    return np.array([survival.concordance(y, column, w) for column in eta.T])


def _over_columns(family, y, eta, cost):
    """Return the sum over the columns of the cost of y minus its mean, (m, L)."""
    mean = family.mean(eta)
    both = 1.0 if family.classify is None or family.several else 2.0
    with np.errstate(over="ignore"):  # an infinite score is never chosen
        costs = cost(y[..., None] - mean)
        return costs.sum(axis=1) if family.several else both * costs


def _mean(values, w):
    return w @ values / w.sum()


def _refuse_other_arguments(measure):
    try:
        signature = inspect.signature(measure)
    except ValueError:  # some compiled functions have no signature
        return
    try:
        signature.bind(None, None, None)
    except TypeError:
        raise TypeError(
            f"measure takes {signature}; it must take (y, prediction, weights)"
        ) from None


def _of_callable(measure):
    """Return a user's measure at each lambda."""

    def score(family, y, eta, w):
        mean = np.moveaxis(family.mean(eta), -1, 0)
        return np.array([_one_number(measure(y, column, w)) for column in mean])

    return score


def _one_number(found):
    shape = np.shape(found)
    if shape:
        raise ValueError(f"measure returned an array of shape {shape}; return one number")
    try:
        return float(found)
    except (TypeError, ValueError):
        raise TypeError(f"measure returned {found!r}; return one number") from None


MEASURES = {
    "mse": Measure("mse", "Mean squared error", mse),
    "mae": Measure("mae", "Mean absolute error", mae),
    "class": Measure("class", "Misclassification error", of_most_likely),
    "auc": Measure("auc", "AUC", auc, larger=True),
    "hinge": Measure("hinge", "Hinge loss", mean_loss),
    "pinball": Measure("pinball", "Pinball loss", mean_loss),
    "epsilon_insensitive": Measure("epsilon_insensitive", "Error beyond epsilon", mean_loss),
    "C": Measure("C", "C-index", concordance, larger=True),
}
DEVIANCES = {
    "gaussian": "mean squared error",
    "multigaussian": "mean squared error",
    "cox": "partial likelihood deviance",
}
