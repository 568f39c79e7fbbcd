"""Cox's proportional hazards model, for times of events that may be censored."""

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsesolve.data import read_strata, read_survival, real_array
from sparsesolve.families import cox, read_family
from sparsesolve.results.survival import baseline_of, concordance

from .base import TYPES, Net, fitted_matrix, read_sample_weight
from .chosen import Chosen


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


class Cox(Hazard, Net):
    """Base class of models of relative risks exp(x'b), by the partial likelihood."""

    def _read(self, X, y, sample_weight, strata=None):
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        X = fitted_matrix(self, X)
        X = validate_data(self, X, accept_sparse="csc", dtype=TYPES, order="F")
        weights = read_sample_weight(sample_weight, X.shape[0])
        return X, _read_times(y, X.shape[0], strata), weights

    def _options(self):
        return {**super()._options(), "family": cox(ties=self.ties)}

    def predict(self, X):
        """Return the log of the relative risks, (n,): larger means an earlier expected event."""
        return self._link(X)

    def score(self, X, y, sample_weight=None, strata=None):
        """Return Harrell's C: the share of pairs (within strata) that the model orders right."""
        eta = self.predict(X)
        return concordance(_read_times(y, len(eta), strata), eta, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags


def _read_times(y, n, strata=None):
    """Return y as the family reads it, (n, 4); with one column of times, no time is censored."""
    if not isinstance(y, dict) and getattr(getattr(y, "dtype", None), "names", None) is None:
        table = np.asarray(y)
        if table.ndim == 1 or table.ndim == 2 and table.shape[1] == 1:
            type_of_target(table, raise_unknown=True)
            y = (table.ravel(), np.ones(table.size, dtype=bool))
    return read_survival(y, n, strata)


class CoxNet(Cox):
    """Cox's proportional hazards model with the elastic-net penalty.

    Minimises minus the log partial likelihood over the sum of the weights, plus the penalty.

    Parameters
    ----------
    ties : {"breslow", "efron"}, default "breslow"
        How deaths at the same time share the risk.
    tol : float, default 1e-9
        Duality gap to reach, relative to the model without features.

    Attributes
    ----------
    intercept_ : float
        Always 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import CoxNet
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [1.0]])
    >>> time, died = [9.0, 7.0, 3.0, 2.0, 5.0], [True, True, True, True, False]
    >>> model = CoxNet(alpha=0.05).fit(X, {"time": time, "status": died})
    >>> model.score(X, {"time": time, "status": died})
    1.0
    >>> model.predict_survival_function(X[:2], [4.0, 8.0]).round(2)
    array([[1.  , 0.94],
           [0.94, 0.37]])
    """

    def __init__(self, alpha=0.01, *, l1_ratio=1.0, standardize=False, ties="breslow",
                 max_iter=None, tol=1e-9, penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...

    def fit(self, X, y, sample_weight=None, strata=None):
        """Fit to X (n, p) and y: (time, status) or (start, stop, status) in any form.

        The columns come as an array, a frame, a dict, a structured array or a tuple, as in
        :func:`sparsesolve.path`; (n,) alone are times without censoring. Each of the `strata`
        (n,), labels of any kind, has its own baseline hazard.
        """
        X, y, weights = self._read(X, y, sample_weight, strata)
        self._solve(X, y, weights)
        self._keep_baseline(X, y, weights, strata)
        return self


class CoxNetCV(Chosen, Cox):
    """:class:`CoxNet` with alpha, and l1_ratio of a list, by cross-validation.

    Parameters
    ----------
    measure : str or callable, default "deviance"
        "deviance" (partial likelihood of each fold, given the others) or "C".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import CoxNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 4))
    >>> time, status = rng.exponential(np.exp(-X[:, 0])), rng.random(80) < 0.8
    >>> model = CoxNetCV(rule="1se").fit(X, {"time": time, "status": status})
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(self, *, l1_ratio=1.0, eps=1e-2, alphas=100, standardize=False, ties="breslow",
                 measure="deviance", cv=None, rule="min", max_iter=None, tol=1e-9, verbose=False,
                 n_jobs=None, penalty_factor=None, lower=None, upper=None, exclude=None): ...

    def fit(self, X, y, sample_weight=None, strata=None, **params):
        """Choose and fit, as CoxNet; `params`, such as groups, go to the splitter by routing."""
        X, y, weights = self._read(X, y, sample_weight, strata)
        self._solve_cv(X, y, weights, params, labels=y[:, 2].astype(int))
        self._keep_baseline(X, y, weights, strata)
        return self
