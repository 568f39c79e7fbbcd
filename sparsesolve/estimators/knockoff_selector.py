"""KnockoffSelector: the knockoff filter as a selector of features, for pipelines."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsesolve.data import read_number
from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.inference import knockoffs
from sparsesolve.paths.path import path

from .base import (
    TYPES,
    Answering,
    fitted_matrix,
    new_matrix,
    read_sample_weight,
    warning_as_scikit_learn,
)


class KnockoffSelector(Answering, SelectorMixin, BaseEstimator):
    """Select features with control of the false discovery rate, by knockoffs.

    The selector form of :func:`sparsesolve.inference.knockoffs`, for pipelines. P-values that a
    later step computes on the same rows know nothing of the selection and are too small.

    Parameters
    ----------
    fdr : float in (0, 1), default 0.1
        The false discovery rate: the expected share of features without influence, given the
        others, among those selected. No fewer than 1 / fdr features are selected, or none.
    l1_ratio : float in [0, 1], default 1.0
        1 is the lasso, 0 ridge regression; below 1 with statistic "difference" alone.
    n_jobs : int, default None
        Number of simultaneous fits of the cross-validation; None means 1, -1 all cores.
    random_state : int, numpy Generator or None, default 0
        Seed of the knockoffs.
    penalty_factor : array-like (n_features,) or mapping from names or numbers, default None
        0 makes a column a covariate: it stays in the model, and is neither tested nor selected.

    Attributes
    ----------
    result_ : Knockoffs
        All of it: statistics, q-values, and in words what is guaranteed.
    selected_ : (m,)
        Numbers of the features selected, ascending.
    threshold_ : float
        The least statistic that is selected; inf if none is, NaN with several draws.
    n_features_in_ : int
    feature_names_in_ : (p,)
        Only if the columns have names.

    References
    ----------
    Barber, Candès (2015), "Controlling the false discovery rate via knockoffs". Candès, Fan,
    Janson, Lv (2018), "Panning for gold: model-X knockoffs".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sparsesolve.estimators import KnockoffSelector, LassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 40))
    >>> y = X[:, :10] @ np.ones(10) + rng.normal(size=200)
    >>> model = make_pipeline(KnockoffSelector(0.2), LassoCV()).fit(X, y)
    >>> model[0].get_support(indices=True)[:10]
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """

    _described_by = (knockoffs, path)

    def __init__(self, fdr=0.1, *, family="gaussian", l1_ratio=1.0, covariance=None,
                 construct="mvr", statistic=None, draws=1, n_jobs=None,
                 random_state=0, penalty_factor=None): ...

    def fit(self, X, y, sample_weight=None):
        """Select from the columns of X (n, p) for y, in the forms that its family takes.

        A row of weight 2 is not two rows: it has one knockoff, drawn at random, and they have two.
        """
        if y is None:
            raise ValueError("KnockoffSelector requires y to be passed, but the target y is None")
        names = X.names if isinstance(X, EncodedDesign) else None
        X = validate_data(
            self, fitted_matrix(self, X), accept_sparse="csc", dtype=TYPES, ensure_min_samples=2
        )
        names = getattr(self, "feature_names_in_", names)
        weights = read_sample_weight(sample_weight, X.shape[0])
        with warning_as_scikit_learn():
            self.result_ = knockoffs(
                X, y, self.fdr, covariance=self.covariance, construct=self.construct,
                statistic=self.statistic, draws=self.draws, seed=self.random_state,
                family=self.family, weights=weights, feature_names=names,
                penalty_factor=self.penalty_factor, **self._of_statistic(),
            )  # fmt: skip
        self.selected_, self.threshold_ = self.result_.selected, float(self.result_.threshold)
        return self

    def transform(self, X):
        """Return the selected columns of X (n, p)."""
        check_is_fitted(self)
        return super().transform(new_matrix(self, X))

    def _of_statistic(self):
        """Return the options of the cross-validation; the lasso path to every knot has none."""
        ratio = read_number("l1_ratio", self.l1_ratio, 0.0, 1.0)
        fixed = isinstance(self.covariance, str)
        if self.statistic != "entry" and not (self.statistic is None and fixed):
            return {"alpha": ratio, "n_jobs": 1 if self.n_jobs is None else self.n_jobs}
        if ratio != 1.0:
            raise ValueError(
                f"l1_ratio={ratio:g} is of statistic='difference'; 'entry' follows the lasso "
                "path, l1_ratio=1"
            )
        return {}

    def _get_support_mask(self):
        check_is_fitted(self)
        return np.isin(np.arange(self.n_features_in_), self.selected_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.required = True
        return tags
