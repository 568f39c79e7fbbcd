"""Keywords of other packages, and their names here.

A function decorated by :func:`answers_keywords` refuses an unknown keyword and names the right
one. The documentation page "Keywords of other packages" shows the same table.
"""

import difflib
import inspect
import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from .paragraphs import described_by

F = TypeVar("F", bound=Callable[..., Any])


class Keyword(NamedTuple):
    """One line of the table."""

    name: str  #: the other package's spelling, with _ for R's dots
    source: str  #: the other package
    function: str  #: the argument of a function of sparsesolve
    estimator: str  #: the argument of a class of sparsesolve.estimators


UNCHANGED = "nothing: X is never changed"
BY_SHAPE = "nothing: the algorithm is chosen by the shape of X"
NO_START = "nothing: the solution does not depend on the start or on chance"
KEYWORDS = (
    Keyword("C", "scikit-learn", "lambdas=[1 / (C * n)]", "alpha=1 / (C * n)"),
    Keyword("alphas", "scikit-learn", "lambdas", "alpha, or alphas of a CV form"),
    Keyword("c1", "crfsuite", "alpha=1.0 with lambdas=[c1 / N] of crf_path, for N sequences",
            "l1_ratio=1.0 with alpha=c1 / N of ChainClassifier, for N sequences"),
    Keyword("c2", "crfsuite", "alpha=0.0 with lambdas=[2 * c2 / N] of crf_path, for N sequences",
            "l1_ratio=0.0 with alpha=2 * c2 / N of ChainClassifier, for N sequences"),
    Keyword("class_weight", "scikit-learn", "weights, one for each row", "sample_weight of fit"),
    Keyword("copy_X", "scikit-learn", UNCHANGED, UNCHANGED),
    Keyword("cv", "scikit-learn", "n_folds or folds of cv_path", "cv of a CV form"),
    Keyword("epochs", "keras", "passes of online", "max_iter"),
    Keyword("eps", "scikit-learn", "lambda_min_ratio", "eps of a CV form"),
    Keyword("eta0", "scikit-learn", "step of online", "step of OnlineClassifier"),
    Keyword("exclude", "glmnet", "exclude of path", "exclude"),
    Keyword("fit_intercept", "scikit-learn", "intercept", "fit_intercept"),
    Keyword("foldid", "glmnet", "folds of cv_path", "cv=PredefinedSplit(foldid)"),
    Keyword("group", "grpreg", "penalty=penalties.GroupL2(group)", "groups of GroupLasso"),
    Keyword("groups", "scikit-learn", "penalty=penalties.GroupL2(groups)", "groups of GroupLasso"),
    Keyword("intercept", "sparsesolve.path", "intercept", "fit_intercept"),
    Keyword("l1_ratio", "scikit-learn", "alpha", "l1_ratio of ElasticNet"),
    Keyword("lam", "cvxpy", "lambdas", "alpha"),
    Keyword("lambda_", "glmnet", "lambdas", "alpha"),
    Keyword("lambda_min_ratio", "glmnet", "lambda_min_ratio", "eps of a CV form"),
    Keyword("lambdas", "sparsesolve.path", "lambdas", "alpha, or alphas of a CV form"),
    Keyword("link", "statsmodels", "family=families.probit() or families.cloglog()", "family"),
    Keyword("lmda_path", "adelie", "lambdas", "alphas of a CV form"),
    Keyword("lower_limits", "glmnet", "lower", "lower"),
    Keyword("max_features", "scikit-learn", "dfmax or pmax", "n_nonzero_coefs of a pursuit"),
    Keyword("max_n_alphas", "scikit-learn", "n_lambdas", "max_n_alphas of LassoLarsCV"),
    Keyword("maxit", "glmnet", "max_iter", "max_iter"),
    Keyword("multi_class", "scikit-learn", "family='multinomial'", "nothing: labels say it"),
    Keyword("n_alphas", "scikit-learn", "n_lambdas", "alphas=100 of a CV form"),
    Keyword("n_components", "scikit-learn", "n_atoms of DictionaryLearning", "n_components"),
    Keyword("n_jobs", "scikit-learn", "n_threads, or n_jobs of cv_path", "n_jobs of a CV form"),
    Keyword("n_lambdas", "sparsesolve.path", "n_lambdas", "alphas=100 of a CV form"),
    Keyword("n_nonzero_coefs", "scikit-learn", "n_nonzero of omp_path", "n_nonzero_coefs"),
    Keyword("newoffset", "glmnet", "offset", "nothing: estimators take no offset"),
    Keyword("newx", "glmnet", "X", "X"),
    Keyword("nfolds", "glmnet", "n_folds of cv_path", "cv of a CV form"),
    Keyword("nlambda", "glmnet", "n_lambdas", "alphas=100 of a CV form"),
    Keyword("normalize", "scikit-learn", "standardize", "standardize, or a StandardScaler"),
    Keyword("parallel", "glmnet", "n_jobs of cv_path", "n_jobs of a CV form"),
    Keyword("penalty", "scikit-learn", "penalty, an object of sparsesolve.penalties", "l1_ratio"),
    Keyword("positive", "scikit-learn", "lower=0", "lower=0"),
    Keyword("precompute", "scikit-learn", BY_SHAPE, BY_SHAPE),
    Keyword("random_state", "scikit-learn", "seed, of functions that draw at random", NO_START),
    Keyword("relax", "glmnet", "sparsesolve.relax, or gammas of cv_path", "relaxed"),
    Keyword("sample_weight", "scikit-learn", "weights", "sample_weight of fit"),
    Keyword("scoring", "scikit-learn", "measure of cv_path", "measure of a CV form"),
    Keyword("selection", "scikit-learn", BY_SHAPE, BY_SHAPE),
    Keyword("strata", "survival", "family=families.cox(strata=strata)", "strata of fit of CoxNet"),
    Keyword("thresh", "glmnet", "tol", "tol"),
    Keyword("time_limit", "HiGHS", "stop, a function that looks at a clock", "max_iter"),
    Keyword("trace_it", "glmnet", "progress", "verbose"),
    Keyword("type", "glmnet", "kind", "predict, predict_proba or decision_function"),
    Keyword("type_gaussian", "glmnet", BY_SHAPE, BY_SHAPE),
    Keyword("type_logistic", "glmnet", BY_SHAPE, BY_SHAPE),
    Keyword("type_measure", "glmnet", "measure of cv_path", "measure of a CV form"),
    Keyword("type_multinomial", "glmnet", "grouped=True", "grouped=True"),
    Keyword("upper_limits", "glmnet", "upper", "upper"),
    Keyword("verbose", "scikit-learn", "progress", "verbose of a CV form"),
    Keyword("warm_start", "scikit-learn", "start", "warm_start of linear regressions"),
    Keyword("weights", "sparsesolve.path", "weights", "sample_weight of fit"),
)
BY_NAME = {keyword.name: keyword for keyword in KEYWORDS}


# Arguments of the functions of `families` and the classes of `penalties`, by the words of other
# packages: (word, package, argument here). A word may mean several; the one that exists is meant.
MAKERS = (
    ("a", "Fan and Li", "gamma"), ("alpha", "statsmodels", "theta"), ("alpha", "SGL", "tau"),
    ("epsilon", "scikit-learn", "delta"), ("group", "grpreg", "groups"),
    ("group_multiplier", "grpreg", "weights"),
    ("group_weights", "sparsesolve.estimators", "weights"), ("k", "MASS", "delta"),
    ("lambda1", "flsa", "l1"), ("method", "survival", "ties"), ("ord", "genlasso", "degree"),
    ("penalty_factor", "glmnet", "weights"), ("quantile", "scikit-learn", "q"),
    ("size", "R", "theta"), ("tau", "quantreg", "q"), ("var_power", "statsmodels", "power"),
)  # fmt: skip


def refuse_unknown(called: str, given: Iterable[str], known: Iterable[str], face: str) -> None:
    """Raise TypeError for the first unknown keyword, naming the right one.

    `face`, "function" or "estimator", selects the column of the table; "maker" is for families
    and penalties.
    """
    known = list(known)
    for name in given:
        if name not in known:
            meant = _meant(name, known, face, called)
            raise TypeError(f"{called}() has no argument {name!r}; {meant}")


def _meant(name, known, face, called):
    if face == "maker":
        for word, source, own in MAKERS:
            if word == name.replace(".", "_") and own in known:
                return f"{source}'s {name} is {own} here"
    if name == "alpha" and "ridge" in known and "lambdas" not in known:  # lars_path
        return "path's alpha is ridge here, a ridge part that is the same at every lambda"
    found = None
    if face != "maker":  # lambda_ is lambda
        found = BY_NAME.get(name.replace(".", "_")) or BY_NAME.get(f"{name}_")
    answer = getattr(found, face, "")
    if answer.startswith("nothing: "):
        reason = answer.removeprefix("nothing: ")
        return f"{found.source}'s {name} is not needed here, {reason}"
    if set(re.findall(r"\w+", answer)) & set(known):
        return f"{found.source}'s {name} is {answer} here"
    near = [own for own in known if own.startswith(f"{name}_") or own.endswith(f"_{name}")]
    near = [own for own in near if own != "penalty_factor"]  # which is no penalty
    near = near if near or found else difflib.get_close_matches(name, known, n=1)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    takes = f"it takes {', '.join(known)}" if len(known) < 8 else f"help({called}) lists its own"
    if not answer or answer == name:
        return takes
    owned = re.search(r" of (?!them)|sparsesolve\.", answer)  # it says whose argument it is
    where = "" if owned else "in path " if face == "function" else "in other estimators "
    return f"{where}{found.source}'s {name} is {answer}; {takes}"


def answers_keywords(face: str = "function", called: str | None = None) -> Callable[[F], F]:
    """Decorate a function or an ``__init__``, so that unknown keywords get a helpful error.

    `face` is as in :func:`refuse_unknown`; `called` is the function's name in messages.
    """

    def decorate(function):
        parameters = inspect.signature(function).parameters
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            return function  # it takes any keyword
        known = [name for name in parameters if name != "self"]

        @wraps(function)
        def call(*args, **options):
            refuse_unknown(called or function.__name__, options, known, face)
            return function(*args, **options)

        call.__kwdefaults__ = function.__kwdefaults__  # these are read where options are passed on
        return call

    return decorate


def answer_in_constructors(module: Any) -> None:
    """Let the public classes of a module that are written in Python answer unknown keywords.

    Their docstrings are completed from those of their bases.
    """
    for name in module.__all__:
        kind: Any = getattr(module, name)
        made = getattr(kind, "__init__", None)  # an inherited one is wrapped, too, with this name
        if isinstance(kind, type) and inspect.isfunction(made):
            setattr(kind, "__init__", answers_keywords("maker", name)(made))  # noqa: B010
            own = [base for base in kind.__mro__[1:] if base.__module__.startswith("sparsesolve.")]
            described_by(*own)(kind)
