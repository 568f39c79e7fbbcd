"""to_sklearn: converts a fitted estimator to one of scikit-learn's, which does not need this
package.

Software that reads scikit-learn's models, such as converters to ONNX and PMML, can read the
result.
"""

import numpy as np
from sklearn import linear_model
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

LOG_LINKS = {"gamma": "GammaRegressor", "poisson": "PoissonRegressor",
             "negative_binomial": "PoissonRegressor", "tweedie": "TweedieRegressor"}  # fmt: skip
# Families whose mean is the linear predictor.
LINKS = ("gaussian", "multigaussian", "huber")


class Exported:
    """Mixin of estimators with a counterpart in scikit-learn."""

    def to_sklearn(self):
        """Return a fitted estimator of scikit-learn with the same predictions.

        Returns
        -------
        model : estimator of sklearn.linear_model
            The class of the same name if there is one. LinearRegression for other linear models,
            LogisticRegression for classes, PoissonRegressor, GammaRegressor or TweedieRegressor
            for responses with a logarithmic link. Coefficients and intercepts are copies.

        Raises
        ------
        TypeError
            If scikit-learn has no model of this kind, as for Cox and probit.
        """
        check_is_fitted(self)
        model = _of_its_kind(self)
        model.coef_ = np.array(self.coef_)
        model.intercept_ = np.array(self.intercept_)[()]
        model.n_iter_ = self.n_iter_
        model.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = self.feature_names_in_
        return model


def _of_its_kind(fitted):
    """Return scikit-learn's estimator of the right class, with the parameters that both have."""
    family = fitted._options()["family"]
    family = family if isinstance(family, str) else family.name.split("(")[0]
    name = type(fitted).__name__.removesuffix("CV")
    if is_classifier(fitted):
        if family not in ("binomial", "multinomial"):
            _refuse(name)
        model = linear_model.LogisticRegression(fit_intercept=fitted.fit_intercept)
        model.classes_ = fitted.classes_
        return model
    if family in LOG_LINKS:
        return _with_log_link(LOG_LINKS[family], fitted)
    if family not in LINKS:
        _refuse(name)
    kind = getattr(linear_model, name, linear_model.LinearRegression)
    theirs = kind().get_params()
    known = fitted.get_params()
    known["alpha"] = getattr(fitted, "alpha_", getattr(fitted, "alpha", 1.0))
    known["l1_ratio"] = getattr(fitted, "l1_ratio_", getattr(fitted, "l1_ratio", 1.0))
    shared = ("alpha", "l1_ratio", "fit_intercept", "positive", "n_nonzero_coefs")
    return kind(**{key: known[key] for key in shared if key in theirs and key in known})


def _with_log_link(name, fitted):
    """Return an estimator whose link was set up by a fit to two rows; its coefficients are
    replaced.
    """
    alpha = getattr(fitted, "alpha_", getattr(fitted, "alpha", 1.0))
    more = {"power": fitted.power, "link": "log"} if name == "TweedieRegressor" else {}
    model = getattr(linear_model, name)(alpha=alpha, fit_intercept=fitted.fit_intercept, **more)
    return model.fit(np.zeros((2, fitted.n_features_in_)), np.ones(2))


def _refuse(name):
    raise TypeError(f"scikit-learn has no model of the kind of {name}")
