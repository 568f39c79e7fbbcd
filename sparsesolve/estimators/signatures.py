"""Signatures of estimators, defined once: a fit at one alpha, or at one chosen by folds.

A class with exactly these parameters inherits the signature, where scikit-learn looks for it. A
class with other parameters defines its own signature and passes these on.
"""

from .chosen import Chosen


class AtAlpha:
    """A fit at one alpha, with limits of the solver."""

    def __init__(self, alpha=1.0, *, fit_intercept=True, standardize=False, max_iter=None,
                 tol=1e-10):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,); only ratios of sample_weight (n,) matter."""
        self._solve(*self._read(X, y, sample_weight))
        return self


class Penalised(AtAlpha):
    """A fit at one alpha with the parameters of an elastic net."""

    def __init__(self, alpha=0.01, *, l1_ratio=1.0, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10):
        super().__init__(
            alpha, fit_intercept=fit_intercept, standardize=standardize, max_iter=max_iter, tol=tol
        )
        self.l1_ratio = l1_ratio


class OneSided(Penalised):
    """A fit at one alpha whose coefficients may be restricted to be nonnegative by `positive`."""

    def __init__(self, alpha=0.01, *, l1_ratio=1.0, fit_intercept=True, standardize=False,
                 positive=False, max_iter=None, tol=1e-10):
        super().__init__(
            alpha, l1_ratio=l1_ratio, fit_intercept=fit_intercept, standardize=standardize,
            max_iter=max_iter, tol=tol,
        )  # fmt: skip
        self.positive = positive


class ByFolds(Chosen):
    """A fit at the alpha that cross-validation chooses."""

    def __init__(self, *, eps=1e-3, alphas=100, fit_intercept=True, standardize=False,
                 max_iter=None, tol=1e-10, cv=None, rule="min", verbose=False, n_jobs=None):
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.rule = rule
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        self._solve_cv(*self._read(X, y, sample_weight), params)
        return self


class PenalisedCV(ByFolds):
    """A fit at a chosen alpha with the parameters of an elastic net."""

    def __init__(self, *, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, measure="deviance", cv=None, rule="min", max_iter=None,
                 tol=1e-10, verbose=False, n_jobs=None):
        super().__init__(
            eps=eps, alphas=alphas, fit_intercept=fit_intercept, standardize=standardize,
            max_iter=max_iter, tol=tol, cv=cv, rule=rule, verbose=verbose, n_jobs=n_jobs,
        )  # fmt: skip
        self.l1_ratio = l1_ratio
        self.measure = measure


class OneSidedCV(PenalisedCV):
    """A fit at a chosen alpha whose coefficients may be restricted to be nonnegative by
    `positive`.
    """

    def __init__(self, *, l1_ratio=1.0, eps=1e-3, alphas=100, fit_intercept=True,
                 standardize=False, positive=False, measure="deviance", cv=None, rule="min",
                 max_iter=None, tol=1e-10, verbose=False, n_jobs=None):
        super().__init__(
            l1_ratio=l1_ratio, eps=eps, alphas=alphas, fit_intercept=fit_intercept,
            standardize=standardize, measure=measure, cv=cv, rule=rule, max_iter=max_iter,
            tol=tol, verbose=verbose, n_jobs=n_jobs,
        )  # fmt: skip
        self.positive = positive
