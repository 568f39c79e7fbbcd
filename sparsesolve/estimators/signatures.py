"""Signatures of estimators, defined once: a fit at one alpha, or at one chosen by folds.

A class with exactly these parameters inherits the signature, where scikit-learn looks for it. A
class with other parameters defines its own signature and passes these on.
"""

from .chosen import Chosen


class AtAlpha:
    """A fit at one alpha, with limits of the solver."""

    def __init__(self, alpha=1.0, *, fit_intercept=True, standardize=False, max_iter=None,
                 tol=1e-10): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,); only ratios of sample_weight (n,) matter."""
        self._solve(*self._read(X, y, sample_weight))
        return self


class Penalised(AtAlpha):
    """A fit at one alpha with the parameters of an elastic net."""

    def __init__(self, alpha=0.01, *, l1_ratio=1.0, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10): ...


class OneSided(Penalised):
    """A fit at one alpha whose coefficients may be restricted to be nonnegative by `positive`."""

    def __init__(self, alpha=0.01, *, l1_ratio=1.0, fit_intercept=True, standardize=False,
                 positive=False, max_iter=None, tol=1e-10, penalty_factor=None, lower=None,
                 upper=None, exclude=None): ...


class ByFolds(Chosen):
    """A fit at the alpha that cross-validation chooses."""

    def __init__(self, *, eps=1e-3, alphas=100, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10, cv=None, rule="min", verbose=False, n_jobs=None): ...


class PenalisedCV(ByFolds):
    """A fit at a chosen alpha with the parameters of an elastic net."""

    def __init__(self, *, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, measure="deviance", cv=None, rule="min", max_iter=None,
                 tol=1e-10, verbose=False, n_jobs=None): ...


class OneSidedCV(PenalisedCV):
    """A fit at a chosen alpha whose coefficients may be restricted to be nonnegative by
    `positive`.
    """

    def __init__(self, *, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...
