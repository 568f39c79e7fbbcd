"""Directions along which the objective falls for ever: they are unpenalised and separate.

    minimise over b0, b   F(offset + b0 + Zb)      over the columns that have no penalty

has no minimum if a combination of these columns separates the classes, or rows that all count 0.
F falls along it, to a limit that no finite b reaches. A gap says how near F is to the limit, and
coefficients depend on the tolerance.

Given: a Problem with a loss, a point and the columns, or directions that a norm does not see.
Returned: the columns of a direction along which F falls for ever, or none. Invariant: F far out
along a direction that is returned is not above F near the point.

Newton steps decide. Near a minimum they shrink faster than any geometric sequence. Where F falls
like an exponential, each changes the linear predictor by about 1.

Reference: Albert and Anderson, "On the existence of maximum likelihood estimates in logistic
regression models" (1984).
"""

import numpy as np
from scipy import sparse

from sparsesolve.solvers.certificate.dual_point import along_columns

UNBOUNDED = 3  # code of a Status
# The largest change of a linear predictor in a step that searches for a direction of fall; it
# doubles while F falls, so that what is finite on the way becomes a small part of it.
STRIDE = 4.0
# The largest linear predictor at which a search for a direction of fall begins: exp(-8) still has
# digits.
START = 8.0
# A step shorter than this, or than a tenth of the last one of at most 1, leads to a minimum.
SHORT = 1e-3
# How far out F is tried, in linear predictors: exp(-1000) is 0.
FAR = 1e3


class Endless:
    """Detects along a path where no finite coefficients are optimal, and by which `features`.

    Unpenalised columns, or the kernel of a norm, are examined where the path begins, as no lam
    changes them. All columns are examined if lam is 0 or, at the last lambda, if the penalty is
    less than the tolerance. A concave penalty is flat at large coefficients, which are examined
    at every lambda.
    """

    def __init__(self, problem, tol):
        self.problem, self.features, self.begun = problem, None, False
        # A penalty below ten tolerances, relative to the null objective, holds nothing back; with
        # a loose tolerance a larger one holds much.
        self.tol = min(10.0 * tol, 1e-6)
        has_columns = hasattr(problem, "unpenalised")  # kernels are all penalised
        self.possible = has_columns and problem.loss is not None and problem.null_value > 0.0

    def judged(self, outcome, lam, found, last):
        """Return the outcome of a solution `found`, or UNBOUNDED."""
        if not self.possible:
            return outcome
        if hasattr(self.problem.penalty, "flat_at"):
            return self._judged_flat(outcome, lam, found)
        tried = [] if self.begun else [self._without_penalty()]
        if lam == 0.0 or (last and self._negligible(lam, found)):
            tried.append(np.arange(self.problem.design.p))
        self.begun = True
        for columns in tried:
            if self.features is None and columns.shape[-1]:
                falling = falls_forever(self.problem, *found, columns)
                if len(falling):
                    self.features = self._of_user(falling)
        return outcome if self.features is None else UNBOUNDED

    def _without_penalty(self):
        """Return the unpenalised columns (f,), or the kernel of the penalty (p, f)."""
        problem = self.problem
        kernel = None if problem.has_blocks else problem.penalty.kernel()
        return np.flatnonzero(problem.unpenalised()) if kernel is None else kernel

    def _judged_flat(self, outcome, lam, found):
        """Return the outcome under a concave penalty, by the columns on which it is flat at the
        point.
        """
        problem, (which, values, _) = self.problem, found
        self.features = None
        rows = np.ascontiguousarray(np.atleast_2d(values))
        far = [np.abs(problem.design.combination(which, row)).max(initial=0.0) for row in rows]
        if not max(far) > START:
            return outcome
        flat = problem.penalty.flat_at(which, values, problem.inner_lambda(lam), problem.unit)
        falling = falls_forever(problem, *found, flat)
        if not len(falling):
            return outcome
        self.features = self._of_user(falling)
        return UNBOUNDED

    def _of_user(self, columns):
        """Return the features of these columns of the design; with a basis, those of its group."""
        if self.problem.basis is None:
            return columns
        return self.problem.basis.features_of(columns)

    def _negligible(self, lam, found):
        """Return True if lam restrains no coefficient: its part, and that in the first lam, are
        below tol.
        """
        problem, (which, values, _) = self.problem, found
        if not len(which) or not problem.has_blocks:
            return False
        rows = np.zeros((problem.n_responses or 1, problem.design.p))
        rows[:, which] = values
        lam, penalty = problem.inner_lambda(lam), problem.penalty
        if not problem.has_blocks:
            whole = [rows if problem.n_responses else rows[0]]
        else:  # The l1 norm of tied rows exceeds theirs.
            whole = [rows.ravel()] if problem.has_groups else rows
        if sum(penalty.value(part, lam) for part in whole) > self.tol * problem.null_value:
            return False
        eta = problem.offset + np.expand_dims(problem.null_intercept, -1)
        u = np.atleast_2d(problem.loss.at(eta)[1])
        z = np.stack([problem.design.products(row, 1) for row in u])
        if not problem.has_blocks:
            return lam <= self.tol * penalty.polar(z if problem.n_responses else z[0])
        parts = (penalty.weight, penalty.l1) if problem.has_groups else (penalty.l1, penalty.l2)
        return lam * np.max(np.add(*parts), initial=0.0) <= self.tol * np.abs(z).max(initial=0.0)


def falls_forever(problem, which, values, intercept, directions):
    """Return the features (m,) of a direction along which F falls for ever from a point, or none.

    Parameters
    ----------
    problem : Problem with a loss
    which, values, intercept
        The point: coefficients values (k,) or (K, k) of the features `which` (k,).
    directions : (f,) or sparse (p, f)
        Features without a penalty, or all at lam = 0; or an orthonormal basis of what a penalty
        does not see, of which combinations are tried.
    """
    none = np.empty(0, dtype=np.intc)
    if not sparse.issparse(directions):
        directions = _chosen(problem, _unlimited(problem, which, values, directions))
    many, n_responses = directions.shape[1], problem.n_responses or 1
    # Columns times responses that are searched for a direction of fall; a step costs their cube.
    # Values of the columns that are searched for a direction of fall (800 MB).
    if not 0 < many * n_responses <= 1000 or many * problem.design.n > 100_000_000:
        return none
    b = np.zeros((n_responses, problem.design.p))
    b[:, which] = values
    moved = _images(problem, b)
    moved += np.reshape(np.subtract(intercept, problem.null_intercept), (-1, 1))
    # A direction of fall is one at every point. Slopes far out would be rounding.
    moved *= START / max(np.abs(moved).max(), START)
    eta = problem.offset + moved.reshape(problem.offset.shape)
    eta += np.expand_dims(problem.null_intercept, -1)
    low, high = problem.limits
    low = np.zeros_like(low) if getattr(problem.penalty, "nonnegative", False) else low
    while directions.shape[1]:
        step = _direction(problem, eta, directions)
        if step is None:
            return none
        moved = (directions @ step.T).T
        parts = np.abs(moved).max(axis=0) * problem.norms
        # A column belongs to the direction if its part is more than this fraction of the largest.
        belongs = parts > 1e-3 * parts.max()
        ends = np.where(moved > 0.0, high, -low).min(axis=0)
        ended = belongs & np.isfinite(ends)
        if not ended.any():
            return np.flatnonzero(belongs).astype(np.intc)
        directions = directions[:, abs(directions)[ended].sum(axis=0) == 0.0]
    return none


def _chosen(problem, columns):
    """Return the unit vectors of these columns, (p, f)."""
    f = len(columns)
    shape = (problem.design.p, f)
    return sparse.csc_array((np.ones(f), (columns, np.arange(f))), shape=shape)


def _images(problem, rows):
    """Return the linear predictors (k, n) of coefficients (k, p), without the intercept."""
    supports = [np.flatnonzero(row).astype(np.intc) for row in rows]
    return np.stack([problem.design.combination(own, np.ascontiguousarray(row[own]))
                     for own, row in zip(supports, rows, strict=True)])  # fmt: skip


def _direction(problem, eta, directions):
    """Return coefficients (K, f) of a direction along which F falls for ever, or None."""
    if directions.nnz == directions.shape[1] and (directions.data == 1.0).all():
        Z = problem.design.unpacked(directions.indices.astype(np.intc))
    else:
        Z = _images(problem, directions.T.toarray()).T
    if problem.intercept:
        Z = np.column_stack([np.ones(len(Z)), Z])
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        step = _last_step(problem, eta, Z, 1.0)
        if step is None:
            basis, back, least = _told_apart(Z)
            # Columns with a singular value below this fraction are tried again in an orthonormal
            # basis.
            step = _last_step(problem, eta, basis, least) if least < 1e-3 else None
            step = None if step is None else step @ back.T
    return step if step is None else step[:, int(problem.intercept) :]


def _told_apart(Z):
    """Return a basis Q (n, r) of the columns of Z (n, f), B (f, r) with Q = ZB, and the least
    singular value of columns of size 1 relative to the largest.

    Inner products of columns that differ by 1e-8 of their size do not tell these apart, so that
    Newton steps on them would miss a direction of fall along the difference.
    """
    size = np.abs(Z).max(axis=0)
    size = np.where((size > 0.0) & np.isfinite(size), size, 1.0)
    units = Z / size
    if not np.isfinite(units).all():
        return Z, np.eye(Z.shape[1]), 1.0
    Q, singular, turn = np.linalg.svd(units, full_matrices=False)
    # Singular values of columns of size 1 below this fraction of the largest one are rounding.
    kept = singular > 1e-12 * singular[0]
    length = np.sqrt(len(Z))  # so that entries are about 1
    back = (turn[kept].T * (length / singular[kept])) / size[:, None]
    return length * Q[:, kept], back, singular[-1] / singular[0]


def _unlimited(problem, which, values, columns):
    """Return the columns that are not constant and that no limit stops on their way."""
    b = np.zeros(problem.design.p)
    b[which] = values if values.ndim == 1 else values.sum(axis=0)
    low, high = problem.limits
    room = np.where(b > 0.0, high, np.where(b < 0.0, low, np.minimum(-low, high)))
    alive = np.isinf(room) & (np.asarray(problem.design.spread) > 0.0)
    return columns[alive[columns]].astype(np.intc)


def _last_step(problem, eta, Z, least):
    """Return the Newton direction (K, f) along which F falls for ever, or None.

    Columns of Z are rounded by some 1e-16 / least of their size.
    """
    loss, null, last, left, stride = problem.loss, problem.null_value, 0.0, np.inf, STRIDE
    value, u = loss.at(eta)
    tried = []  # directions, the last first: where little is left to gain they are rounding
    for _ in range(40):  # Near a minimum five suffice.
        step, gain = along_columns(loss, eta, u, Z)
        moved = (step @ Z.T).reshape(eta.shape)
        length = np.abs(moved).max(initial=0.0)
        near = last <= 1.0  # longer ones may be of rows that hold, on the way to their place
        if not near and length <= SHORT and left <= 1e-9 * null:
            break  # what was left to gain is rounding: near a minimum steps shrink one by one
        if not SHORT < length < np.inf or (near and length < 0.1 * last):
            return None
        tried.insert(0, (step, moved / length))
        # rounding
        if gain <= 1e-13 * null:
            break
        last, left, t = length, gain, min(1.0, stride / length)
        there = loss.at(eta + t * moved)
        stride = 2.0 * stride if there[0] <= value else STRIDE
        while not there[0] <= value and t > 1e-6:
            t *= 0.5
            there = loss.at(eta + t * moved)
        if not there[0] <= value:
            break
        eta, (value, u) = eta + t * moved, there
    for step, unit in tried:
        # by rounding
        if loss.at(eta + FAR * unit)[0] <= value + 1e-9 * null:
            slow = _slow_part(Z, step, unit, least)
            if slow is None or loss.at(eta + FAR * slow)[0] <= value + 1e-9 * null:
                return step
    return None


def _slow_part(Z, step, unit, least):
    """Return the direction at the scale of the rows that it moves less than a millionth of others;
    None if these need not move.

    They move by what Newton's method left to them, or since columns far smaller than others tell
    them apart. Then no direction that moves the others holds them, and F may rise far out.
    """
    slow = np.abs(unit) < 1e-6
    if unit.ndim > 1 or not slow.any():
        return None
    size = np.abs(Z).max(axis=0)
    units = Z / np.where(size > 0.0, size, 1.0)
    # Other rows may move as well if that holds the slow ones, at a price of 1e-10.
    weight = np.where(slow, 1.0, 1e-10)[:, None]
    change = np.linalg.lstsq(weight * units, np.where(slow, -unit, 0.0), rcond=1e-15)[0]
    moved = units @ change
    held = unit + moved if np.abs(moved).max() < 0.5 else unit
    length = np.abs(held[slow]).max()
    rounding = 1e-14 / least * (size @ np.abs(step[0])) / np.abs(step[0] @ Z.T).max()
    return held / length if length > rounding else None
