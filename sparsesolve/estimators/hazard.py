"""Survival curves of Cox estimators; `fit` estimates the baseline hazard."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sparsesolve.data import read_strata, real_array
from sparsesolve.families import read_family
from sparsesolve.results.survival import baseline_of


class Hazard:
    """Mixin of Cox estimators: survival curves from ``baseline_``.

    Attributes
    ----------
    event_times_ : (T,)
        Times of events, at which survival functions decrease.
    strata_ : labels of the strata, one if none were given
    """

    def _keep_baseline(self, X, y, weights, strata):
        """Estimate the baseline hazard at the coefficients; y's last column holds codes of
        strata.

        `strata` are the user's labels, or None.
        """
        family = read_family(self._options()["family"])
        w = np.ones(len(y)) if weights is None else weights
        loss = family.loss(y, w / w.sum())
        self.baseline_ = baseline_of(loss, np.asarray(X @ self.coef_, dtype=float))
        self.event_times_ = np.unique(self.baseline_.times)
        codes = np.unique(y[:, 3])
        self.strata_ = codes if strata is None else read_strata(strata, len(y))[1]
        self._codes_of_strata = dict(zip(self.strata_.tolist(), codes.tolist(), strict=True))

    def predict_survival_function(self, X, times=None, strata=None):
        """Return the probabilities (n, T) of surviving each time.

        Parameters
        ----------
        X : array-like (n, p)
        times : array-like (T,), default None
            None means ``event_times_``.
        strata : label or array-like (n,) of labels, default None
            Strata of the rows, if the model was fitted with several.

        Returns
        -------
        survival : ndarray (n, T)
        """
        return np.exp(-self.predict_cumulative_hazard_function(X, times, strata))

    def predict_cumulative_hazard_function(self, X, times=None, strata=None):
        """Return the cumulative hazards (n, T) by the estimator of `ties`, Breslow's or Efron's.

        Parameters
        ----------
        X, times, strata
            As for :meth:`predict_survival_function`.

        Returns
        -------
        hazard : ndarray (n, T)
        """
        check_is_fitted(self)
        eta = self._link(X)
        return self.baseline_.cumulative_hazard(
            self._times(times), eta, self._codes(strata, len(eta))
        )

    def _times(self, times):
        if times is None:
            return self.event_times_
        values = np.atleast_1d(np.array(real_array("times", times), dtype=float))
        if values.ndim != 1 or np.isnan(values).any():
            raise ValueError("times must be one number or a flat list of them, none of them NaN")
        return values

    def _codes(self, strata, n):
        """Return the codes of the strata of rows."""
        if strata is None:
            if len(self.strata_) > 1:
                raise ValueError(
                    f"the model was fitted with {len(self.strata_)} strata, each of which has a "
                    "baseline hazard of its own; give those of the rows as strata="
                )
            return next(iter(self._codes_of_strata.values()))
        places, labels = read_strata(np.full(n, strata) if np.ndim(strata) == 0 else strata, n)
        known = self._codes_of_strata
        unknown = [label for label in labels.tolist() if label not in known]
        if unknown:
            raise ValueError(f"strata holds {unknown[0]!r}, which the fit did not know")
        return np.array([known[label] for label in labels.tolist()])[places]
