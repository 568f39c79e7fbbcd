"""CVPath: the result of cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import by_rows
from sparsesolve.results import printing
from sparsesolve.results.coefficient_table import Named
from sparsesolve.results.feature_groups import FeatureGroups
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.interpolation import read_s
from sparsesolve.results.path import Path
from sparsesolve.results.pictures.axes import on_axes

CHOICES = ("lambda_min", "lambda_1se")


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidated(Frozen, Named):
    """A path of any kind with the scores of its lambdas on rows held out; see :class:`CVPath`."""

    lambdas: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    n_nonzero: np.ndarray
    fold_scores: np.ndarray
    fold_weights: np.ndarray
    lambda_min: float
    lambda_1se: float
    index_min: int
    index_1se: int
    measure: str
    larger_is_better: bool
    path: Any
    folds: np.ndarray | None

    def read_s(self, s: Any) -> Any:
        """Return the lambda for "lambda_min" or "lambda_1se", and anything else unchanged."""
        if isinstance(s, str):
            if s not in CHOICES:
                raise ValueError(f"s is {s!r}; give a lambda, 'lambda_1se' or 'lambda_min'")
            return getattr(self, s)
        return s

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw mean scores and their standard errors against lambda, as glmnet does.

        The empty model is on the left. Dotted lines mark lambda_1se and lambda_min; the count of
        what is selected stands along the top. A lambda must have a place on a logarithmic axis.
        """
        from sparsesolve.results.pictures.path import plot_cv  # matplotlib is optional

        return plot_cv(self, ax=ax)

    @property
    def class_names(self) -> np.ndarray | None:
        """The labels (K,), if y had classes."""
        return self.path.class_names

    @property
    def end_of_grid(self) -> str:
        """Return a sentence if lambda_min is the last lambda and the grid ended there, else ""."""
        last = len(self.lambdas) - 1
        whole = self.path.stop_reason.startswith("every lambda was solved")
        if not 0 < last == self.index_min or not whole:
            return ""
        return (
            "lambda_min is the last lambda: smaller ones may predict better; give a smaller "
            "lambda_min_ratio, or lambdas."
        )

    def __repr__(self):
        return (
            f"<{type(self).__name__} {self.path.family}: {len(self.fold_scores)} folds, "
            f"{self.measure} {self.mean[self.index_min]:.4g} at lambda_min = "
            f"{self.lambda_min:.4g}, {self.mean[self.index_1se]:.4g} at lambda_1se = "
            f"{self.lambda_1se:.4g}>"
        )

    def __str__(self):
        return printing.cv_table(self)


@dataclass(frozen=True, eq=False, repr=False)
class CVPath(CrossValidated):
    """A path with an estimate, at each of its lambdas, of how well it predicts new rows.

    :func:`sparsesolve.cv_path` makes it, and has an example. Attributes and arrays cannot be
    changed.

    Attributes
    ----------
    lambdas : ndarray (L,)
        The lambdas of `path`.
    mean : ndarray (L,)
        Mean of the fold scores, weighted by `fold_weights`.
    std : ndarray (L,)
        Standard error of the mean.
    lower : ndarray (L,)
        `mean` - `std`.
    upper : ndarray (L,)
        `mean` + `std`.
    n_nonzero : ndarray (L,)
        Features with a nonzero coefficient in `path`.
    fold_scores : ndarray (K, L)
        Score on the rows that each fold holds out; repeats stand one after the other.
    fold_weights : ndarray (K,)
        Sum of the held-out weights; for the deviance of cox, of the held-out deaths.
    lambda_min : float
        The largest lambda with the best mean.
    lambda_1se : float
        The largest lambda whose mean is within one std of the best.
    index_min : int
        Place of lambda_min in `lambdas`.
    index_1se : int
        Place of lambda_1se.
    measure : str
        Name of the scores.
    larger_is_better : bool
        True for "auc" and "C".
    path : Path
        The path fitted to all rows.
    folds : ndarray (repeats, n) or None
        The fold that held out each row; None if folds overlap.
    prevalidated : ndarray (n, L) or (n, K, L) or None
        Linear predictor of each row when it was held out.
    fold_paths : tuple or None
        The K paths of the folds, with keep=True.
    alpha : float
        The elastic-net mixing of `path`.
    gamma : float
        Weight of `path` against its refit; 1 if nothing is relaxed.
    candidates : tuple
        A CVPath for each pair of `alphas` and `gammas`.
    n_missed : ndarray (L,) or None
        The number of fits behind the score of each lambda, of all rows or of folds, that miss
        `tol`. It is not saved.
    """

    prevalidated: np.ndarray | None = None
    fold_paths: tuple | None = None
    alpha: float = 1.0
    gamma: float = 1.0
    candidates: tuple = ()
    n_missed: np.ndarray | None = None

    @property
    def feature_names(self) -> np.ndarray | None:
        """The names (p,) of the features, if X had names or they were given."""
        return self.path.feature_names

    @property
    def groups(self) -> FeatureGroups | None:
        """The groups of `path` by name, with a group penalty."""
        return self.path.groups

    @property
    def coefs(self) -> Any:
        """The coefficients (p, L) of `path`, or a list of K such matrices."""
        return self.path.coefs

    @property
    def gaps(self) -> np.ndarray:
        """The certified duality gaps (L,) of `path`, relative to the null objective."""
        return self.path.gaps

    def coef(self, s: ArrayLike | None = "lambda_1se", **options: Any) -> Any:
        """Return coefficients at `s`: "lambda_1se", "lambda_min", or as in :meth:`Path.coef`."""
        return self.path.coef(self.read_s(s), **options)

    def intercept(self, s: ArrayLike | None = "lambda_1se", **options: Any) -> Any:
        """Return intercepts at `s`, as in :meth:`coef`."""
        return self.path.intercept(self.read_s(s), **options)

    @by_rows("offset", "strata")
    def predict(
        self,
        X: Any = None,
        s: ArrayLike | None = "lambda_1se",
        kind: str = "link",
        offset: ArrayLike | None = None,
        **options: Any,
    ) -> Any:
        """Return predictions of `path` for new rows at `s`; see :meth:`Path.predict`."""
        return self.path.predict(X, self.read_s(s), kind, offset, **options)

    @by_rows("y")
    def dual(self, s: float | str, X: Any, y: Any) -> np.ndarray:
        """Return a dual point of `path` at `s`; see :meth:`Path.dual`."""
        return self.path.dual(self.read_s(s), X, y)

    def nonzero(self, s: ArrayLike | None = "lambda_1se") -> Any:
        """Return the features with a nonzero coefficient at `s`."""
        return self.path.nonzero(self.read_s(s))

    def nonzero_groups(self, s: ArrayLike | None = "lambda_1se") -> Any:
        """Return the names of the groups with a nonzero coefficient at `s`."""
        return self.path.nonzero_groups(self.read_s(s))


def path_of(fit: Any) -> Path:
    """Return the fit if it is a Path, or the path of a CVPath."""
    path = getattr(fit, "path", fit)
    if not isinstance(path, Path):
        raise TypeError(f"fit is a {type(fit).__name__}; give a Path or a CVPath")
    return path


def one_lambda(fit: Any, s: Any) -> float:
    """Return the one lambda that `s` names; None is lambda_1se of a CVPath."""
    if isinstance(fit, CVPath):
        s = fit.read_s("lambda_1se" if s is None else s)
    if s is None or read_s(s).ndim:
        raise ValueError("s is missing or a list; give one lambda")
    return float(s)


def choose(mean, std, larger):
    """Return the places of lambda_min and lambda_1se on a decreasing grid, the first of equals."""
    loss = -mean if larger else mean
    if np.isnan(loss).all():
        raise ValueError("no fold could be scored; give folds that hold out more rows")
    if not np.isfinite(loss).any():
        raise ValueError("every score is beyond the largest float; rescale y")
    best = int(np.nanargmin(loss))
    error = 0.0 if np.isnan(std[best]) else std[best]
    return best, int(np.flatnonzero(loss <= loss[best] + error)[0])


def summary(scores, weights, passes):
    """Return mean and standard error (L,) of fold scores (K, L), NaN where a fold has no score.

    std^2 = sum_k W_k (m_k - mean)^2 / sum_k W_k / (K - 1), where K counts the folds of one pass
    over the rows: repeats average over random folds, but add no data.
    """
    W = np.where(np.isnan(scores), 0.0, weights[:, None])
    known = np.where(W > 0.0, scores, 0.0)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = (W * known).sum(axis=0) / W.sum(axis=0)
        spread = (W * (known - mean) ** 2).sum(axis=0) / W.sum(axis=0)
        return mean, np.sqrt(spread / ((W > 0.0).sum(axis=0) / passes - 1.0))
