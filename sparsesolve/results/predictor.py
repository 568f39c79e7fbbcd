"""The contract of a predictor: what `assess`, `roc`, `confusion` and `calibration` ask of a fit.

A result that predicts responses is a Predictor and answers:

    lambdas                 (L,) decreasing, or None for one model
    class_names             (K,) labels of the classes, or None
    _family                 the Family of its responses
    _n_responses            K linear predictors, or None for one
    _new_rows(X, y, weights, s, lengths)
                            NewRows: X as read and checked, and y and weights of its n rows. s is
                            the lambdas to be asked for, or None; lengths are those of sequences
    _link(rows, s, offset)  linear predictors, (n, S), or (n, K, S) with K of them; None where a
                            model chooses classes without probabilities
    _codes(rows, s, eta)    numbers of the chosen classes, (n, S): by default from eta
    _fit_of(X, y, weights, offset, lengths)
                            FitOf, for `criteria`: how well a path of maximum likelihood fits its
                            own data. By default this is refused
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import by_rows
from sparsesolve.data.keywords import answers_keywords
from sparsesolve.results import prediction, survival_prediction
from sparsesolve.results.fitted_data import FittedData, with_rows


class NewRows(NamedTuple):
    """Rows with known responses, as a predictor has read them."""

    n: int
    data: Any  # X, in the form that `_link` takes
    y: Any
    weights: Any


class FitOf(NamedTuple):
    """How well each lambda of a path fits its data, and with how many parameters."""

    deviance: np.ndarray  # (L,)
    df: np.ndarray  # (L,)
    n: float  # number of independent observations
    squares: bool  # True for squared error, whose variance is unknown


class Predictor:
    """Base of results that predict responses; the head of this file is the contract."""

    class_names: Any = None
    _n_responses: int | None = None

    def _new_rows(self, X, y, weights, s, lengths):
        raise NotImplementedError

    def _link(self, rows, s, offset):
        raise NotImplementedError

    def _codes(self, rows, s, eta):
        return self._family.classify(eta)

    def _fit_of(self, X, y, weights, offset, lengths):
        raise ValueError(
            f"criteria count the coefficients of a likelihood at its optimum, which "
            f"{type(self).__name__} does not have; choose by cross-validation, or by assess on "
            "other rows"
        )


def predictor_of(fit: Any, s: Any) -> tuple[Any, Any]:
    """Return the Predictor of a fit, and s with the default of a cross-validation."""
    found = getattr(fit, "path", fit)
    if not isinstance(found, Predictor):
        raise TypeError(
            f"fit is a {type(fit).__name__}; give a Path or a CVPath, or another fit that "
            "predicts responses: of kernels, of chains, or learned online"
        )
    if found is not fit:
        s = fit.read_s("lambda_1se" if s is None else s)
    if s is not None and found.lambdas is None:
        raise ValueError(f"{type(fit).__name__} is one model, without a path; leave s out")
    return found, s


def refuse_lengths(fit: Any, lengths: Any) -> None:
    """Raise ValueError if lengths of sequences are given to a fit that has none."""
    if lengths is not None:
        raise ValueError(f"{type(fit).__name__} has no sequences; leave lengths out")


class PathPredictor(Predictor):
    """Mixin of Path for questions that need rows: predictions, and for cox how they are ranked."""

    @property
    def _family(self):
        return prediction.path_family(self)

    @property
    def _n_responses(self):
        return len(self.coefs) if isinstance(self.coefs, list) else None

    def _new_rows(self, X, y, weights, s, lengths):
        refuse_lengths(self, lengths)
        matrix = prediction.read_rows(self, X, in_blocks=True)
        return NewRows(matrix.shape[0], matrix, y, weights)

    def _link(self, rows, s, offset):
        return prediction.linear_predictor(self, rows.data, s, offset)

    def _fit_of(self, X, y, weights, offset, lengths):
        refuse_lengths(self, lengths)
        if (self.options or {}).get("alpha", 1.0) == 0.0:
            raise ValueError("A ridge path selects nothing, so its coefficients cannot be counted")
        path = with_rows(self, weights, offset)
        data = FittedData(path, X, y, in_blocks=True)
        data.refuse_others()
        intercepts = 0
        if (path.options or {}).get("intercept", True) and data.family.intercept:
            # A constant added to all intercepts of multinomial has no effect.
            intercepts = (self._n_responses or 1) - (data.family.name == "multinomial")
        deviance = 2.0 * np.maximum(data.excess(path.lambdas), 0.0) * data.n_observed()
        squares = self.family in ("gaussian", "multigaussian")
        return FitOf(deviance, self.degrees + intercepts, data.n_informative(), squares)

    @answers_keywords()
    @by_rows("offset", "strata")
    def predict(
        self,
        X: Any = None,
        s: ArrayLike | None = None,
        kind: str = "link",
        offset: ArrayLike | None = None,
        *,
        times: ArrayLike | None = None,
        strata: Any = None,
        data: tuple[Any, Any] | None = None,
    ) -> Any:
        """Return predictions for new rows.

        Parameters
        ----------
        X : array_like, sparse matrix or frame, shape (n, p)
            Rows to predict, with the columns of the fit. In an array or a sparse matrix only
            columns with a nonzero coefficient are read. Not needed for ``kind="nonzero"``.
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in :meth:`coef`. Default: every lambda of the path.
        kind : {"link", "response", "class", "nonzero", "survival"}, default "link"
            The linear predictor; the mean (a probability, a rate, for cox the relative risk); the
            most probable class, by its label; the result of :meth:`nonzero`; or, for cox, the
            probabilities of surviving each of `times`.
        offset : array_like, shape (n,) or (n, K), optional
            Added to the linear predictor; required if the path was fitted with one.
        times : float or array_like of float, shape (T,), optional
            For ``kind="survival"``. Default: all times of events, ascending.
        strata : label or array_like of labels, shape (n,), optional
            For ``kind="survival"``: strata of the rows, if the path was fitted with several.
        data : tuple (X, y)
            For ``kind="survival"``: the data of the fit, from which the baseline hazard is
            estimated (a path does not keep them): by Breslow's estimator, or Efron's with
            ties="efron".

        Returns
        -------
        prediction : ndarray, shape (n,) for one s, else (n, S); (n, K) or (n, K, S) with K
        responses; classes have no axis K. Survival: (n, T), or (n, T, S), an array that knows its
        ``times`` and has ``to_frame()`` and ``plot()``.

        Raises
        ------
        ValueError
            If X has other columns than the fit, a NaN where it matters, or kind does not suit.
        """
        if kind == "survival":
            return survival_prediction.predict_survival(self, X, s, offset, times, strata, data)
        return prediction.predict(self, X, s, kind, offset)

    @by_rows("y", "weights", "offset", "strata")
    def concordance(
        self,
        X: Any,
        y: Any,
        s: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        strata: Any = None,
    ) -> Any:
        """Return Harrell's C of a cox path: the share of pairs whose order of death it predicts.

        Parameters
        ----------
        X, y : array_like
            Rows, new ones or those of the fit, and their survival times.
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in :meth:`coef`. Default: every lambda of the path.
        weights, offset : array_like, shape (n,), optional
            For these rows; the offset is required if the path was fitted with one.
        strata : array_like of labels, shape (n,), optional
            Pairs are compared within strata; without it all pairs are, also for a stratified
            path.

        Returns
        -------
        concordance : float, or ndarray of shape (S,)
            Ties of the linear predictor count half; NaN if no pair can be compared.
        """
        return survival_prediction.concordance(self, X, y, s, weights, offset, strata)
