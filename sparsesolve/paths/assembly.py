"""Assembly: checks the data that a user passed and makes a Problem of them."""

import numpy as np
import scipy.sparse

from sparsesolve.data import (
    is_dask,
    less_offset,
    nonfinite_error,
    read_design,
    read_excluded,
    read_feature_names,
    read_limits,
    read_offset,
    read_offsets,
    read_penalty_factor,
    read_shares,
    refuse_missing_class,
    refuse_missing_side,
    refuse_no_event,
)
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.design.genotypes import MixedColumns
from sparsesolve.linalg.design.group_basis import GroupBasis
from sparsesolve.paths.penalty import (
    at_least_zero,
    for_features,
    penalty_maker,
    refuse_blocks_only,
)
from sparsesolve.penalties import SparseGroup
from sparsesolve.penalties.groups import in_order
from sparsesolve.penalties.penalty import has_blocks
from sparsesolve.results.status import warn
from sparsesolve.solvers.problem.problem import shifts
from sparsesolve.solvers.problem.standardisation import assemble, scaled_response

# Columns of a distributed design up to which their inner products replace its rows: one pass over
# the blocks, and p^2 doubles in memory. Above it, every solver step is a pass over the blocks.
MOST_REDUCED_COLUMNS = 4000

# Most bytes of the orthonormal bases of a sparse X, which are dense.
MOST_FILLED = 1 << 33


def read_problem(X, y, family, *, weights, offset, penalty_factor, lower, upper, alpha, intercept,
                 standardize, n_threads, penalty=None, grouped=False, names=None, in_blocks=False,
                 by_rows=False, exclude=None):
    """Return (Problem, feature names, class names, two factors of the sum of the weights, given).

    The parameters are those of :func:`sparsesolve.path`, and `names` of the columns if X is a
    plain matrix; `given` holds what was given for each column, in their order. Raises ValueError
    or TypeError with a sentence on what is wrong with them.
    """
    by_group = standardize == "group"
    if by_group:
        _refuse_basis(X, penalty, lower, upper, exclude)
    by_rows = by_rows and not family.several and family.intercept and not by_group
    matrix, found = read_design(X, in_blocks, by_rows, n_threads, genotypes=True)
    names = read_feature_names(names, found, matrix.shape[1])
    response = family.read(y, matrix.shape[0])
    w, scale = read_shares(weights, matrix.shape[0], response.counts)
    p = matrix.shape[1]
    limits = read_limits(lower, upper, p, names)
    if penalty is not None:
        penalty = for_features(penalty, p, names, grouped)
    whole = penalty is not None and not has_blocks(penalty)
    per, labels, blocks, groups = "column", names, p, None
    if penalty is not None and not whole:
        per, labels = "group", labels_of_groups(penalty.layout, names)
        blocks, groups = penalty.n_groups, np.asarray(penalty.of)
    penalty_factor = read_penalty_factor(penalty_factor, blocks, per, labels)
    exclude = read_excluded(exclude, p, names)
    given = {"penalty_factor": penalty_factor, "exclude": exclude}
    if limits is not None:
        sides = zip(("lower", "upper"), (lower, upper), limits, strict=True)
        given |= {side: read for side, asked, read in sides
                  if not (asked is None or np.isscalar(asked))}
    if exclude is not None:
        penalty_factor, limits = _without(exclude, penalty, penalty_factor, limits, p)
    factors = glmnet_factors(penalty_factor, blocks)
    n_responses = response.values.shape[1] if family.several else None
    grouped = grouped or family.name == "multigaussian"
    if grouped and limits is not None and penalty is None:
        raise ValueError(
            "lower and upper hold for single coefficients, not where rows of them are tied; leave "
            "them out, or for family='multinomial' use grouped=False"
        )
    intercept = intercept and family.intercept
    target = _target(family, response, offset, w, intercept)
    design = _read_columns(matrix, names, w, _squares(target), n_threads)
    if whole:
        penalty, limits = at_least_zero(penalty, limits)
        refuse_blocks_only(penalty, penalty_factor, limits, standardize, design)
    basis = None
    if by_group:
        centred = intercept or shifts(target.get("loss"), target.get("offset"))
        basis, penalty, design = _in_bases(design, matrix, w, penalty, centred, n_threads)
    make = penalty_maker(penalty, alpha, factors, limits, n_responses)
    problem = assemble(
        design, w, make, intercept=intercept, limits=limits, **target,
        standardize=standardize is True, grouped=grouped, groups=groups, basis=basis,
        tied=whole,
    )  # fmt: skip
    return problem, names, response.class_names, scale, given


def labels_of_groups(layout, names):
    """Return the names of groups (G,); a feature that is in none lends its own."""
    alone = layout.member[layout.start[layout.n_named : -1]]
    return [*layout.labels[: layout.n_named], *(j if names is None else names[j] for j in alone)]


def _without(exclude, penalty, penalty_factor, limits, p):
    """Return penalty factors and limits that keep the columns `exclude` out.

    A single column has an infinite factor, one of a group the limits 0.
    """
    if penalty is None:
        penalty_factor = np.ones(p) if penalty_factor is None else penalty_factor.copy()
        penalty_factor[exclude] = np.inf
        return penalty_factor, limits
    if not has_blocks(penalty):
        raise ValueError(
            "exclude is for the elastic net and norms of disjoint groups, not for "
            f"penalty={type(penalty).__name__}; drop the columns from X"
        )
    low, high = np.full((2, p), np.inf) * [[-1.0], [1.0]] if limits is None else np.array(limits)
    low[exclude] = high[exclude] = 0.0
    return penalty_factor, (low, high)


def _refuse_basis(X, penalty, lower, upper, exclude):
    """Raise ValueError if standardize="group" does not go with the other options."""
    if penalty is None:
        raise ValueError(
            "standardize='group' takes groups of features; give penalty="
            "penalties.GroupL2(groups), or standardize=True"
        )
    # GroupL2 is a SparseGroup with tau = 0
    if not (isinstance(penalty, SparseGroup) and penalty.tau == 0.0):
        raise ValueError(
            "standardize='group' replaces the features of a group by orthonormal ones, and "
            f"{type(penalty).__name__} asks for each feature by itself; use GroupL2, or "
            "standardize=True"
        )
    if not (lower is upper is exclude is None):
        raise ValueError(
            "lower, upper and exclude hold for single features, which standardize='group' "
            "replaces by orthonormal ones; leave them out, or use standardize=True"
        )
    if is_dask(X):
        raise TypeError(
            "standardize='group' takes X in memory, not a dask array; pass X.compute() if it "
            "fits, or use standardize=True"
        )
    if isinstance(X, MixedColumns):
        raise TypeError(
            "standardize='group' replaces genotypes by numbers of 64 bits; use standardize=True"
        )


def _in_bases(design, matrix, w, penalty, centred, n_threads):
    """Return the orthonormal bases of all groups, the penalty on them, and their design."""
    room = 8 * design.n * design.p
    if scipy.sparse.issparse(matrix) and room > MOST_FILLED:
        raise ValueError(
            f"standardize='group' fills in a sparse X, {room / 2**30:.0f} GiB here; use "
            "standardize=True"
        )
    groups = np.split(np.asarray(penalty.member), penalty.start[1:-1])
    basis = GroupBasis(design, w, groups, centred, matrix.dtype == np.float32)
    if basis.reduced:
        features = ", ".join(str(j) for j in basis.reduced[0][:5])
        warn(
            f"standardize='group' leaves out a direction of {len(basis.reduced)} of {len(groups)} "
            f"groups (the first holds columns {features}): columns that differ by less than 1e-8 "
            "of their size count as dependent, and certificates are of what is left; give "
            "their difference as a column, or standardize=True",
            UserWarning,
        )
    design = Design(basis.columns)
    design.moments(w, n_threads)
    return basis, penalty.on(in_order(penalty.layout, basis.start)), design


def glmnet_factors(penalty_factor, p):
    """Scale penalty factors as glmnet does: to sum p, where inf (excluded) counts as 1 before.

    Returns (p,) finite factors and a (p,) mask of excluded features.
    """
    if penalty_factor is None:
        return np.ones(p), np.zeros(p, dtype=bool)
    excluded = np.isinf(penalty_factor)
    factors = np.where(excluded, 1.0, penalty_factor)
    factors = factors / max(factors.max(), 1e-300)  # the sum must not overflow
    total = factors.sum()
    return (factors * (p / total) if total > 0 else factors), excluded


def _read_columns(matrix, names, w, squares, n_threads):
    """Return the design with its moments.

    A design of rows in blocks also gets its inner products if it has few columns.
    """
    if isinstance(matrix, DistributedDesign):
        design = matrix
        finite = design.moments(w, *(squares if design.p <= MOST_REDUCED_COLUMNS else ()))
    else:
        design = Design(matrix)
        finite = design.moments(w, n_threads)
    if not finite:
        raise nonfinite_error(matrix, names)
    return design


def training_sums(matrix, ids, family, response, options):
    """Return the Summaries of all rows, and of those that each fold leaves, of a matrix in blocks.

    They are what fits with these options find in a pass of their own. `ids` (R, n) are the folds.
    """
    w, squares = read_shares(options["weights"], matrix.n, response.counts)[0], ()
    if family.name in ("gaussian", "multigaussian") and matrix.p <= MOST_REDUCED_COLUMNS:
        intercept = options["intercept"]
        squares = _squares(_target(family, response, options["offset"], w, intercept))
    return matrix.training_sums(ids, w, *squares)


def _squares(target):
    """Take from a target the response of squared error and the power of two that is its unit."""
    return target.pop("squares", (target.get("y"), 0))


def _target(family, response, offset, w, intercept):
    """Return what `assemble` fits: the response minus the offset, or a loss and the offset."""
    y = response.values
    if family.several:
        offset = read_offsets(offset, *y.shape, response.class_names)
        return _several(family, response, offset, w, intercept)
    offset = read_offset(offset, len(y))
    if family.name == "cox":
        refuse_no_event(y, w)
    if family.name in ("hinge", "squared_hinge"):
        refuse_missing_side(y, w, response.class_names)
    if family.name != "gaussian":
        offset, loss = np.zeros(len(y)) if offset is None else offset, family.loss(y, w)
        if not loss.degree:
            return {"loss": loss, "offset": offset}
        y, mean, exponent = scaled_response(less_offset(y, offset), w, intercept)
        return {"loss": loss.in_units(y, exponent), "offset": np.zeros(len(y)), "mean": mean,
                "exponent": exponent}  # fmt: skip
    return {"y": y if offset is None else less_offset(y, offset)}


def _several(family, response, offset, w, intercept):
    """Return what `assemble` fits for K responses; `squares` as in :func:`_squares`.

    Real responses have offset and mean subtracted, and are divided by a power of two.
    """
    y = response.values
    if family.name == "multigaussian":
        y, mean, exponent = scaled_response(less_offset(y, offset.T), w, intercept)
        return {"loss": family.loss(y, w), "offset": np.zeros(offset.shape), "mean": mean,
                "exponent": exponent, "squares": (y, exponent)}  # fmt: skip
    refuse_missing_class(y, w, response.class_names)
    return {"loss": family.loss(y, w), "offset": offset}
