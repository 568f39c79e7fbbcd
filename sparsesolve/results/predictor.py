"""Predictor: predictions and concordance of a path."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from sparsesolve.data import by_rows
from sparsesolve.data.keywords import answers_keywords
from sparsesolve.results import prediction, survival_prediction


class Predictor:
    """Mixin of Path for questions that need rows: predictions, and for cox how they are ranked."""

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
        responses; classes have no axis K. Survival: (n, T), or (n, T, S).

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
