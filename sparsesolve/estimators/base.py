"""The base of all estimators: read data as scikit-learn does, solve, keep coefficients, predict.
"""

import re
import warnings
from functools import partial, wraps
from inspect import cleandoc, getattr_static, isfunction, signature, unwrap
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn import exceptions
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from sparsesolve.data import (
    answers_keywords,
    by_rows,
    is_dask,
    of_blocks,
    read_design,
    read_flag,
    read_number,
    read_weights,
    refuse_codes,
    refuse_damage,
)
from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.data.paragraphs import complete, sections
from sparsesolve.paths.path import path
from sparsesolve.results import status
from sparsesolve.results.doubts import doubts

from .export import Exported

TYPES = (np.float64, np.float32)
# The methods that take rows; those inherited from scikit-learn are wrapped, too.
METHODS = ("fit", "partial_fit", "fit_transform", "transform", "inverse_transform", "predict",
           "predict_proba", "predict_log_proba", "decision_function", "score",
           "predict_survival_function", "predict_cumulative_hazard_function")  # fmt: skip


class ConvergenceWarning(status.ConvergenceWarning, exceptions.ConvergenceWarning):
    """The warning of this package as a subclass of scikit-learn's, so that its filters apply."""


def warning_as_scikit_learn():
    """Context in which a missed certificate warns with both scikit-learn's category and ours."""
    return status.warning_as(ConvergenceWarning)


def read_sample_weight(sample_weight, n, some=True):
    """Return weights (n,) of the rows, with `some` not all 0; None for None or a positive number.
    """
    if isinstance(sample_weight, Real):
        read_number("sample_weight", sample_weight, 0.0, np.inf, open_low=True)
        return None
    return read_weights(sample_weight, n, "sample_weight", some)


def read_pair(estimator, X, y, squares=False, **checks):
    """Return X and y after our checks for unlikely input and then scikit-learn's checks.

    `squares` says that y is used with squared error; a boolean y is then refused.
    """
    doubts(None, y, "gaussian" if squares else "another", "use SparseLogisticRegression")
    X, y = validated(estimator, fitted_matrix(estimator, X), y, **checks)
    return X, y.astype(np.float64) if squares and y.dtype == bool else y


def validated(estimator, X, y="no_validation", *, dtype, order=None, reset=True, **checks):
    """Do what scikit-learn's `validate_data` does, with the least calls for finite plain arrays
    and sparse matrices of a format that is accepted.

    A row is predicted five times as fast. Whatever else there is goes to scikit-learn.
    """
    if is_dask(X):
        return _in_blocks(estimator, X, y, checks)
    alone = isinstance(y, str) and y == "no_validation"
    known = checks.keys() <= {"accept_sparse", "multi_output", "y_numeric"}
    stored = sparse.issparse(X) and X.format in checks.get("accept_sparse", ())
    plain = known and _is_finite_array(X.data if stored else X, 2 - stored)
    plain = plain and X.dtype in dtype and min(X.shape) > 0
    if plain and not alone:
        plain = _is_finite_array(y, 1) and len(y) == X.shape[0] and y.flags.c_contiguous
    of_fit = reset or plain and getattr(estimator, "n_features_in_", None) == X.shape[1]
    if not (plain and of_fit) or hasattr(estimator, "feature_names_in_"):
        return validate_data(estimator, X, y, dtype=dtype, order=order, reset=reset, **checks)
    estimator.n_features_in_ = X.shape[1]
    X = np.asfortranarray(X) if order == "F" and not stored else X
    return X if alone else (X, y)


def _in_blocks(estimator, X, y, checks):
    """Return a dask collection as a design in blocks, whose numbers are not read yet, and y."""
    design, names = read_design(X, in_blocks=True)
    checks = {name: checks[name] for name in ("multi_output", "y_numeric") if name in checks}
    y = validate_data(estimator, y=y, **checks)
    check_consistent_length(design, y)
    estimator.n_features_in_ = design.p
    if names is not None:
        estimator.feature_names_in_ = names
    return design, y


def _is_finite_array(array, ndim):
    """Return True for a numpy array of finite numbers of that dimension, of no subclass."""
    if type(array) is not np.ndarray or array.ndim != ndim or array.dtype.kind not in "iubf":
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # a sum beyond floats is left to others
        return bool(np.isfinite(array.sum()))


def fitted_matrix(estimator, X):
    """Return X, or the matrix of an EncodedDesign, whose encoding the estimator remembers."""
    encoded = isinstance(X, EncodedDesign)
    estimator._encoder = X.without_rows() if encoded else None
    return X.matrix if encoded else _no_dict(X)


def new_matrix(estimator, X):
    """Return X, or the matrix of an EncodedDesign; raw tables are encoded as those of the fit."""
    encoder = getattr(estimator, "_encoder", None)
    if encoder is not None and encoder.is_of_raw(X):
        X = encoder.encode(X)
    return X.matrix if isinstance(X, EncodedDesign) else _no_dict(X)


def _no_dict(X):
    """Return X, if it is neither a dict nor a list of them."""
    if isinstance(X, dict) or (isinstance(X, list | tuple) and X and isinstance(X[0], dict)):
        raise TypeError(
            "X holds dicts; encode them as numbers first: a table by sparsesolve.make_design, a "
            "list of rows by scikit-learn's DictVectorizer"
        )
    return X


def expected_failed_checks(estimator):
    """Return scikit-learn's checks that contradict what an estimator is for, with the reason.

    Pass it to ``check_estimator(estimator, expected_failed_checks=...)``, or the function itself
    to ``parametrize_with_checks``. All other checks pass.

    Parameters
    ----------
    estimator : object of a class of this module

    Returns
    -------
    dict
        The reason, by the name of the check; empty for most estimators.

    Raises
    ------
    TypeError
        If this is a class and not an object of it.

    Examples
    --------
    >>> from sparsesolve import estimators
    >>> estimators.expected_failed_checks(estimators.Lasso())
    {}
    >>> len(estimators.expected_failed_checks(estimators.OnlineRegressor()))
    2
    """
    if isinstance(estimator, type):
        raise TypeError(f"estimator is the class {estimator.__name__}; pass an object of it")
    name = type(estimator).__name__
    if name.startswith(("Chain", "SPOM")):
        reason = "the rows of a table are one sequence, in which neighbours depend on one another"
        names = ("check_methods_subset_invariance", "check_methods_sample_order_invariance")
        return dict.fromkeys(names, reason)
    reason = None
    if name.startswith("Online"):
        reason = "a row of weight 2 is one step of twice the length, and not two steps"
    elif name.startswith("Knockoff"):
        reason = "a row of weight 2 has one knockoff, drawn at random, and two rows have two"
    kinds = ("dense", "sparse") if reason else ()
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in kinds}


def read_first(method):
    """Decorate a method of an estimator, so that X is checked before scikit-learn converts it, and
    what belongs to its rows comes in their order.
    """
    fits = method.__name__ in ("fit", "partial_fit", "fit_transform")

    @wraps(method)
    def call(self, X, *args, **options):
        for part in X if isinstance(X, list) else [X]:  # sequences
            refuse_damage(part)
        if is_dask(X):
            _refuse_blocks(self, X)
            if not fits and method.__name__ != "score":
                return _later(self, method.__name__, X)
        elif fits:
            refuse_codes(X)
        return method(self, X, *args, **options)

    return by_rows("y", "sample_weight", "strata", "groups")(call)


def _refuse_blocks(estimator, X):
    """Raise TypeError if the estimator's solver needs X in memory."""
    if not getattr(estimator, "_by_blocks", False):
        raise TypeError(
            f"{type(estimator).__name__} takes X in memory, not a dask "
            f"{type(getattr(X, 'matrix', X)).__name__}; pass X.compute() if it fits"
        )


def _later(estimator, method, X):
    """Return what a method answers for the rows of a dask collection, as a dask array."""
    check_is_fitted(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # this row has no names
        like = getattr(estimator, method)(np.zeros((1, estimator.n_features_in_)))
    return of_blocks(X, partial(_answer, estimator, method), like)


def _answer(estimator, method, block):
    return getattr(estimator, method)(block)


def keeps_arguments(init):
    """Return the constructor of an estimator that sets an attribute for each of its arguments."""
    parameters = [*signature(init).parameters.values()][1:]
    defaults = {parameter.name: parameter.default for parameter in parameters}

    @wraps(init)
    def keep(self, *args, **options):
        init(self, *args, **options)
        given = {**defaults, **dict(zip(defaults, args, strict=False)), **options}
        for name, value in given.items():
            setattr(self, name, value)

    return keep


# Parameters that mean the same in every estimator: what docstrings and their bases leave out.
PARAMETERS = """
Parameters
----------
alpha : float
    Strength of the penalty.
l1_ratio : float in [0, 1]
    1 is the lasso, 0 ridge regression.
fit_intercept : bool
    Fit an unpenalised intercept.
standardize : bool
    Penalise coefficients of columns divided by their standard deviation.
positive : bool
    Keep coefficients nonnegative.
penalty_factor : array-like (n_features,) or mapping from names or numbers
    Factors of alpha, scaled to mean 1: 0 is unpenalised, inf excluded; those left out of a
    mapping are 1. None means 1 for all.
lower, upper : float, array-like (n_features,) or mapping from names or numbers
    Limits of the coefficients, ``lower <= 0 <= upper``; None means none.
exclude : list of names or column numbers
    Features whose coefficients are 0.
grouped : bool
    With several classes, select each feature for all or for none.
class_weight : dict, "balanced" or None
    Factors of the weights of the rows of each class; "balanced": one over the share of its rows.
max_iter : int
    Most Newton steps and sweeps; None means 100,000.
tol : float
    Duality gap to reach, relative to the loss of the model without features.
cv : int, splitter or iterable
    Folds as scikit-learn takes them; None means 5 contiguous folds.
rule : {"min", "1se"}
    The alpha of the best mean score, or the largest within one standard error of it.
verbose : bool
    Show a progress bar.
n_jobs : int
    Number of simultaneous fits; None means 1, -1 all cores.
n_threads : int
    Threads to use; -1 for all cores. The result does not depend on it.
measure : str or callable
    The score to compare: "deviance", "mse", "mae" or a function, as in
    :func:`sparsesolve.cv_path`.
warm_start : bool
    Start from the coefficients of the last fit. The solution is the same, and certified; it takes
    fewer steps if data or `alpha` have changed little.
copy_X, precompute, random_state, selection
    Parameters of scikit-learn, accepted and ignored: the shape of X decides the algorithm, X is
    never changed, and the solution does not depend on chance.
"""

# Options of path for single features, which estimators take where they have a meaning.
RESTRICTIONS = ("penalty_factor", "lower", "upper", "exclude")
# Docstrings of methods that are inherited from scikit-learn, whose links lead nowhere here.
THEIRS = {
    "score": "Return the coefficient of determination of predictions; the accuracy of classes.",
    "fit_transform": "Fit, and return what `transform` makes of X.",
    "inverse_transform": "Return columns X (n, m) in their places, and 0 in those left out.",
}


def _with_alpha_chosen(found):
    """Return the name of an estimator, and perhaps the beginning of a call, of the CV form."""
    name = found[0].partition("(")[0] + "CV"
    return f'{name}(rule="1se"' if found[1] else name


class Answering:
    """Mixin of every estimator: a constructor keeps its arguments, keywords of other packages get
    an error that names ours, data are read by :func:`read_first`, and docstrings are completed.

    What a docstring leaves out comes from the bases; of a CV form from the estimator without CV,
    too, whose example it repeats with alpha chosen; from functions that take the same parameters;
    and at last from PARAMETERS.
    """

    _by_name: ClassVar[dict[str, tuple[type, str | None]]] = {}  # with docstrings as written
    _described_by: ClassVar[tuple[Any, ...]] = ()

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        for name in METHODS:
            method = getattr_static(cls, name, None)  # what some models lack stays a descriptor
            if isfunction(method) and not hasattr(method, "rows"):
                setattr(cls, name, read_first(method))
                if method.__module__.startswith("sklearn."):
                    getattr(cls, name).__doc__ = THEIRS[name]
        # an inherited constructor is wrapped too, so that the error names this class
        if cls.__init__ is not object.__init__:
            init = keeps_arguments(unwrap(cls.__init__))
            cls.__init__ = answers_keywords("estimator", cls.__name__)(init)
            cls._complete_docstring()

    @classmethod
    def _complete_docstring(cls):
        single, text = Answering._by_name.get(cls.__name__.removesuffix("CV"), (object, ""))
        Answering._by_name[cls.__name__] = cls, cls.__doc__
        bases = [base for base in cls.__mro__[1:] if base.__module__.startswith("sparsesolve.")]
        own = [base.__doc__ for base in bases if not issubclass(single, base)] if text else []
        others = [source.__doc__ for source in (*bases, *cls._described_by)]
        if not cls.__doc__:  # there is none under python -OO
            return
        example = sections(text).get("Examples")
        if example and "Examples" not in sections(cls.__doc__):
            example = re.sub(rf"\b{single.__name__}\b(?:(\()(?:alpha=)?[\d.]+)?",
                             _with_alpha_chosen, example)  # fmt: skip
            cls.__doc__ = f"{cleandoc(cls.__doc__)}\n\nExamples\n--------\n{example}"
        cls.__doc__ = complete(cls.__doc__, cls, [*own, text, *others, PARAMETERS])


class Net(Exported, Answering, BaseEstimator):
    """A linear model with an elastic-net penalty; a subclass defines the family and its
    parameters.

    Attributes
    ----------
    coef_ : (p,)
    intercept_ : float
    gap_ : float
        Certificate: the duality gap relative to the loss of the model without features.
    n_iter_ : int
        Newton steps and sweeps.
    n_features_in_ : int
    feature_names_in_ : (p,)
        Only if the columns have names.
    """

    _family: Any = "gaussian"
    _by_blocks = False  # whether fit is that of path or cv_path, which take dask arrays

    def _options(self):
        """Return the options of path for the current parameters."""
        options = {"family": self._family, "alpha": getattr(self, "l1_ratio", 1.0)}
        options["standardize"] = getattr(self, "standardize", False)
        options["grouped"] = getattr(self, "grouped", path.__kwdefaults__["grouped"])
        options |= self._restrictions()
        intercept = read_flag("fit_intercept", getattr(self, "fit_intercept", False))
        return {**options, "intercept": intercept, "tol": self.tol, "max_iter": self.max_iter}

    def _restrictions(self):
        """Return the factors and limits of single features that were given, for path."""
        given = {name: getattr(self, name, None) for name in RESTRICTIONS}
        given = {name: value for name, value in given.items() if value is not None}
        if given and hasattr(self, "feature_names_in_"):  # by which these may be given
            given["feature_names"] = self.feature_names_in_
        if read_flag("positive", getattr(self, "positive", False)):
            if "lower" in given:
                raise ValueError("positive=True is lower=0; leave one of them out")
            given["lower"] = 0.0
        return given

    def _restricted(self):
        """Return True if factors or limits of single features were given."""
        return any(getattr(self, name, None) is not None for name in RESTRICTIONS)

    def _under(self, penalty):
        """Return the options for a penalty, which may name the columns of a frame."""
        names = getattr(self, "feature_names_in_", None)
        return {**Net._options(self), "penalty": penalty, "feature_names": names}

    def _solve(self, X, y, weights, start=None):
        """Solve at `alpha` from `start`, a pair (coefficients, intercept) or None; keep the
        solution.
        """
        alpha = read_number("alpha", self.alpha, 0.0, np.inf)
        read_number("l1_ratio", getattr(self, "l1_ratio", 1.0), 0.0, 1.0)
        with warning_as_scikit_learn():
            fit = path(X, y, lambdas=[alpha], weights=weights, start=start, **self._options())
        self._keep(fit, 0)
        # 0 if the start was the solution
        self.n_iter_ = max(int(fit.n_iters[0]), int(start is None))
        self._round(X, y, weights)

    def _starts(self, K, p):
        """Return the starts of fits of K responses: K pairs (coefficients, intercept), or Nones.

        With `warm_start` these are the numbers of the last fit, if it had as many features and
        responses.
        """
        coefs = np.asarray(getattr(self, "coef_", ()), dtype=float)
        asked = read_flag("warm_start", getattr(self, "warm_start", False))
        if not (asked and coefs.size == K * p > 0):
            return []
        intercepts = np.broadcast_to(getattr(self, "intercept_", 0.0), (K,))
        return list(zip(coefs.reshape(K, p), intercepts, strict=True))

    def _keep(self, fit, k):
        """Set the attributes from point k of a path."""
        if isinstance(fit.coefs, list):
            self.coef_ = np.stack([_column(coefs, k) for coefs in fit.coefs])
            self.intercept_ = np.array(fit.intercepts[:, k])
        else:
            self.coef_ = _column(fit.coefs, k)
            self.intercept_ = float(fit.intercepts[k])
        self.gap_ = float(fit.gaps[k])
        self.n_iter_ = max(int(fit.n_iters[k]), 1)

    def _round(self, X, y, weights):
        """Hook for changes of the coefficients that need the data."""

    @property
    def sparse_coef_(self):
        """The coefficients as a sparse array, with the shape of ``coef_``."""
        return sparse.csr_array(np.atleast_2d(self.coef_))

    def _link(self, X):
        """Return linear predictors, (n,) or (n, K)."""
        check_is_fitted(self)
        if is_dask(X):
            return np.asarray(_later(self, "_link", X))
        X = validated(
            self, new_matrix(self, X), accept_sparse=("csr", "csc"), dtype=TYPES, reset=False
        )
        return X @ self.coef_.T + self.intercept_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _column(coefs, k):
    """Return column k of a csc_array, dense; k may count from the end."""
    k %= coefs.shape[1]
    column, part = np.zeros(coefs.shape[0]), slice(*coefs.indptr[k : k + 2])
    column[coefs.indices[part]] = coefs.data[part]
    return column
