"""Wrapping: turns the points of a solver into a Path, and warns of those that missed the
tolerance.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.data.genotypes.columns import Genotypes
from sparsesolve.linalg.design.design import Design
from sparsesolve.results.feature_groups import groups_of
from sparsesolve.results.path import Path
from sparsesolve.results.status import Status, warn


def wrap(problem, points, reason, scale, family, names, options, fitter=None):
    """Return the points as a Path; `fitter` can continue it, or is None."""
    K = problem.n_responses
    return Path(
        lambdas=np.array([point.lam for point in points]),
        coefs=_coefficients(problem, points, K),
        intercepts=np.array([point.intercept for point in points]).reshape(-1, *[K] * bool(K)).T,
        df=np.array([point.df for point in points], dtype=np.int64),
        dev_ratio=np.array([point.dev_ratio for point in points]),
        null_deviance=problem.null_deviance(*scale),
        gaps=np.array([point.gap for point in points]),
        n_iters=np.array([point.n_iter for point in points], dtype=np.int64),
        status=np.array([point.status for point in points], dtype=np.int8),
        stop_reason=reason,
        family=family.name,
        groups=groups_of(options.get("penalty"), problem.n_features, names["feature_names"]),
        **names,
        options=options,
        fitter=fitter,
        unbounded=next((p.unbounded for p in points if p.unbounded is not None), None),
        means=problem.design.imputed if isinstance(problem.design, Design) else None,
    )


def with_encoder(path, X):
    """Return the path; it knows how raw tables are encoded if X was an EncodedDesign, and which
    variants its columns are if X was Genotypes.
    """
    if isinstance(X, EncodedDesign):
        return replace(path, encoder=X.without_rows())
    if isinstance(X, Genotypes):
        return replace(path, encoder=X.encoder, variants=X.variants)
    return path


def _coefficients(problem, points, K):
    """Return coefficients (p, L), or a list of them for K responses."""
    which = np.concatenate([point.which for point in points] or [np.empty(0, dtype=np.int32)])
    starts = np.cumsum([0] + [point.df for point in points])
    values = np.concatenate([point.values for point in points] or [np.empty([K or 1, 0])], axis=-1)
    shape, matrices = (problem.n_features, len(points)), []
    for row in np.atleast_2d(values):
        matrices.append(sparse.csc_array((row, which.copy(), starts.copy()), shape=shape))
        matrices[-1].eliminate_zeros()
    return matrices[0] if K is None else matrices


def warn_missed(paths, tol, points="lambdas", also=""):
    """Warn once, naming the points whose certificate misses tol; `also` is added to the message.
    """
    lambdas, gaps, status = (
        np.concatenate([getattr(path, name) for path in paths])
        for name in ("lambdas", "gaps", "status")
    )
    _warn_unbounded(paths)
    missed = np.flatnonzero((status != Status.CONVERGED) & (status != Status.UNBOUNDED))
    if len(missed):
        worst = missed[gaps[missed].argmax()]
        shown = ", ".join(f"{lam:.4g}" for lam in lambdas[missed[:5]])
        more = ", ..." if len(missed) > 5 else ""
        warn(
            f"{len(missed)} of {len(lambdas)} {points} miss tol = {tol:g}: {shown}{more}; the "
            f"worst gap is {gaps[worst]:.2g} at lambda = {lambdas[worst]:.4g} "
            f"({status[worst].sentence}{_advice(paths)}){also}"
        )


def _advice(paths):
    """Return the sentence on what a user may try next."""
    options = getattr(paths[0], "options", None) or {}
    blocks = getattr(options.get("penalty"), "has_groups", False)
    if blocks and options.get("standardize") != "group":
        return "; standardize='group' solves for orthonormal columns of each group"
    if options.get("solver", "auto") != "auto":
        return "; solver='auto' tries several"
    return ""


def _warn_unbounded(paths):
    """Warn once, naming features along which the objective of a path decreases for ever."""
    for path in paths:
        if getattr(path, "unbounded", None) is not None:
            names, first = path.feature_names, path.status == Status.UNBOUNDED
            shown = [str(j) if names is None else repr(str(names[j])) for j in path.unbounded[:5]]
            more = ", ..." if len(path.unbounded) > 5 else ""
            columns = "column" if len(shown) == 1 else "columns"
            warn(
                f"No finite coefficients are best at lambda = {path.lambdas[first][0]:.4g}: the "
                f"objective keeps falling as those of {columns} {', '.join(shown)}{more} grow, "
                f"which tell responses with certainty and have no penalty there, or nearly none; "
                f"what is returned depends on tol. Penalise them, or choose a larger lambda"
            )
            return
