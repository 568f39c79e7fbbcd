"""Greedy methods: pursuits, one feature at a time, and hard thresholding, each step certified.

    approximately  minimise over b   1/2 sum_i w_i (y_i - (Zb)_i)^2   with k nonzero coefficients

Given: a problem with squared error. Returned: one Point per step, the empty model first, whose
`lam` is the root mean square residual; it decreases strictly. There are three rules:

    "omp"      the largest |z_j'r|, then least squares on all chosen columns;
    "forward"  the column that most lowers the least squares, (z_j'r)^2 / |z_j off the span|^2;
    "mp"       the largest |z_j'r|, and only its own coefficient moves.

Invariant of the first two: an orthonormal basis Q of the chosen columns (Gram-Schmidt, twice)
with its triangle R, c = Z'r for r = y - QQ'y, and the square of each column's part off the span.
The latter is measured from the column where little is left, since a small part may explain much.

A step costs one product of Z' with the new basis vector. If n is larger than p and many steps are
asked for, a recurrence on the Gram matrix replaces it. The certificate of a step is how much
lower least squares on its support is, over the null objective, from a residual computed afresh.
For "mp" it is how far the objective is from the sum of its steps.

References: Mallat, Zhang (1993); Pati, Rezaiifar, Krishnaprasad (1993); Efroymson (1960); for the
basis, Bach et al. (2012), section 17.

Hard thresholding finds, for every size k, coefficients of at most k features at once: a Point for
each size that lowers the objective. Each starts from the size before. H_k keeps the k largest:

    "iht"     b <- H_k(b + Z'r / L), L the largest eigenvalue of Z'WZ, shorter if necessary;
    "niht"    the best step for the columns in use, shortened if they change and the objective
              might not fall;
    "cosamp"  least squares on the columns in use and the 2k most correlated with r, H_k, and
              least squares on what is kept, while the objective falls.

Invariant: the objective does not rise. The certificate is that of the pursuits. No method knows
whether another support is better.

References: Blumensath, Davies (2009), "Iterative hard thresholding for compressed sensing", and
(2010), "Normalized iterative hard thresholding"; Needell, Tropp (2009), "CoSaMP".
"""

import numpy as np
from scipy.linalg import qr, solve_triangular

from sparsesolve.linalg.gram.gram import tall_gram
from sparsesolve.solvers.certificate.gap import unexplained
from sparsesolve.solvers.follow import Point
from sparsesolve.solvers.state import MAX_ITER, STALLED
from sparsesolve.solvers.tolerances import CENTRED, LAST_DIGITS, ROUNDING

# Columns up to which pursuits form the Gram matrix, if steps are many.
MOST_GRAM_COLUMNS = 1500
# The certificate of a step of a pursuit above which rounding dominates it.
CERTAIN = 1e-9
# The certificate that hard thresholding is run to.
# Iterations at 3.33333e-08 and 3e-07: iht 1.09 and 0.91.
CERTIFICATE = 1e-7
# Iterations of hard thresholding between two certificates, each of which costs a least squares.
# Iterations at 3 and 30: niht 0.90 and 2.97, iht 0.97 and 1.10.
ITERATIONS_BETWEEN = 10


class Residual:
    """Computes residuals and objectives of coefficients from the data, as points of a path."""

    def __init__(self, problem, n_threads):
        self.problem, self.design, self.n_threads = problem, problem.design, n_threads
        self.root_w = np.sqrt(problem.weights)
        self.null = max(problem.null_value, 1e-300)

    def correlations(self, r):
        """Return Z'r for r (n,) in root weights."""
        return self.design.products(self.root_w * r, self.n_threads)

    def columns(self, which):
        """Return the columns `which` (k,) in root weights, (n, k)."""
        return self.root_w[:, None] * self.design.unpacked(np.asarray(which, dtype=np.intc))

    def of(self, which, values):
        """Return y - Zb in root weights, for coefficients `values` of the features `which`."""
        which = np.asarray(which, dtype=np.intc)
        return self.root_w * (self.problem.response - self.design.combination(which, values))

    @property
    def squares(self):
        """|z_j|^2 of every column in root weights, (p,)."""
        return np.square(self.design.norms(self.problem.weights, self.n_threads))

    @property
    def rounding(self):
        """Length (p,) below which the part of a column outside a span is rounding."""
        far = self.problem.factor * np.abs(np.asarray(self.design.mean))
        return CENTRED * (np.sqrt(self.squares) + far)

    def gram(self, most):
        """Return Z'WZ if it costs less than the products of `most` steps, else None."""
        n, p = self.design.n, self.design.p
        # Eight columns of a matrix product take the time of one product of its own.
        if p > min(n, MOST_GRAM_COLUMNS, 8 * most):
            return None
        return tall_gram(self.design, self.root_w, self.problem.response, self.n_threads)[0]

    def point(self, index, which, values, r, gap, missed, certain, n_iter):
        """Return the Point of coefficients whose residual is r.

        `missed` is the code of a Status for a gap that, with rounding, is not `certain`.
        """
        which, values = np.asarray(which, dtype=np.intc), np.asarray(values, dtype=np.float64)
        order = np.argsort(which)
        value = 0.5 * (r @ r)
        gap += self.problem.rounding_cost(which, values, 0.0) / self.null
        with np.errstate(over="ignore", under="ignore"):
            lam = float(np.ldexp(np.sqrt(2.0 * value), self.problem.exponent))
        if not np.isfinite(lam):
            raise ValueError("the residual is beyond the largest 64-bit float; rescale y")
        which, values, intercept = self.problem.to_user(which[order], values[order], 0.0)
        explained = max(0.0, 1.0 - value / self.null) if self.problem.null_value > 0.0 else 0.0
        status = 0 if gap <= certain else missed
        return Point(index, lam, len(which), explained, gap, status, n_iter, which, values,
                     intercept)  # fmt: skip


def pursue(problem, method, *, most, least, max_iter, n_threads, advance):
    """Step until `most` features, a fraction `least` of the null objective, or nothing is left.

    Returns (points, why it ended).
    """
    data = Residual(problem, n_threads)
    r = data.of([], np.empty(0))
    points = [data.point(0, [], [], r, 0.0, STALLED, CERTAIN, 0)]
    if least == 1.0:
        return points, "at most 1 of the deviance is left"
    for which, values, excess in (_match if method == "mp" else project)(data, r, method, most):
        if len(which) > most:
            return points, f"{most} features are in"
        if len(points) > max_iter:
            return points, f"max_iter = {max_iter} steps were taken"
        r = data.of(which, values)
        gap = excess(r) / data.null
        point = data.point(len(points), which, values, r, gap, STALLED, CERTAIN, 1)
        if not point.lam < points[-1].lam:
            if points[-1].dev_ratio < 1.0 - ROUNDING:
                return points, "rounding hides what another feature would explain"
            break
        points.append(point)
        advance(len(which), "%.1f%% deviance", 100 * point.dev_ratio)
        if least > 0.0 and point.dev_ratio >= 1.0 - least:
            return points, f"at most {least:g} of the deviance is left"
        if len(which) == most and method != "mp":
            return points, f"{most} features are in"
    return points, "nothing is left to explain"


def project(data, r, method, most):
    """Yield (features in order of entry, coefficients, excess of a residual) of least squares.

    `data` has the methods of Residual for columns: squares, rounding, columns, correlations,
    gram.
    """
    squares = data.squares
    nothing, rounding = LAST_DIGITS * np.sqrt(squares) * np.linalg.norm(r), data.rounding
    remaining, c, closed = squares.copy(), data.correlations(r), squares == 0.0
    Q, R, T = np.empty((8, len(r))), np.zeros((8, 8)), np.empty((8, len(c)))
    chosen, z, gram = [], [], data.gram(most)
    while True:
        k, open_ = len(chosen), ~closed & (np.abs(c) > nothing)
        if method == "forward":
            # differences of squares have lost their digits: the column itself is measured
            unclear = np.flatnonzero(open_ & (remaining <= 1e-8 * squares))
            remaining[unclear], c[unclear] = _measured(data, unclear, Q[:k], r)
            closed[unclear] = remaining[unclear] <= rounding[unclear] ** 2
            open_ &= ~closed & (np.abs(c) > nothing)
        if not open_.any():
            return
        score = np.abs(c) if method == "omp" else np.square(c) / np.where(open_, remaining, 1.0)
        j = int(np.where(open_, score, -1.0).argmax())
        if k == len(Q):
            Q, T = (np.vstack([part, np.empty_like(part)]) for part in (Q, T))
            R = np.pad(R, (0, k))
        basis, along = _orthogonal(data.columns([j])[:, 0], Q[:k])
        size, closed[j] = np.linalg.norm(basis), True
        if size <= rounding[j]:
            continue
        Q[k], R[:k, k], R[k, k] = basis / size, along, size
        chosen.append(j)
        z.append(float(Q[k] @ r))
        r = r - z[k] * Q[k]
        reliable = gram is not None and size**2 > 1e-8 * squares[j]
        T[k] = (gram[j] - along @ T[:k]) / size if reliable else data.correlations(Q[k])
        c = c - z[k] * T[k]
        remaining = remaining - np.square(T[k])
        b, span = solve_triangular(R[: k + 1, : k + 1], z), Q[: k + 1]
        yield chosen, b, lambda r, span=span: unexplained(span, r)


def _measured(data, which, Q, r):
    """Return squares of the parts of some columns orthogonal to the rows of Q, and their
    r-products.

    They come from the columns, since differences of squares lose what is far below the column's
    own.
    """
    squares, products = np.zeros((2, len(which)))
    for first in range(0, len(which), 64):  # a block of a matrix product
        part = slice(first, first + 64)
        columns = data.columns(which[part])
        for _ in range(2):
            columns -= Q.T @ (Q @ columns)
        squares[part], products[part] = np.square(columns).sum(axis=0), r @ columns
    return squares, products


def _orthogonal(a, Q):
    """Return the part of a (n,) orthogonal to the rows of Q (k, n), and its products with them."""
    along = Q @ a
    a = a - along @ Q
    again = Q @ a
    return a - again @ Q, along + again


def _match(data, r, method, most):
    """Yield (features in order of entry, coefficients, excess of a residual) of single steps."""
    squares = data.squares
    nothing = LAST_DIGITS * np.sqrt(squares) * np.linalg.norm(r)
    c, value = data.correlations(r), 0.5 * (r @ r)
    places, values, images, gram = {}, [], [], data.gram(most)
    while True:
        score = np.where(np.abs(c) > nothing, np.abs(c), -1.0)
        j = int(score.argmax())
        if score[j] < 0.0:
            return
        if j not in places:
            places[j] = len(places)
            values.append(0.0)
            column = gram[j] if gram is not None else data.correlations(data.columns([j])[:, 0])
            images.append(column)
        step = c[j] / squares[j]
        values[places[j]] += step
        value -= 0.5 * step * c[j]
        c = c - step * images[places[j]]
        yield list(places), np.array(values), lambda r, value=value: abs(0.5 * (r @ r) - value)


def threshold_path(problem, method, *, most, least, max_iter, n_threads, advance):
    """Sizes 1, 2, ..., most, or until a fraction `least` of the null objective is left.

    Returns (points, why it ended).
    """
    data = Residual(problem, n_threads)
    advance_one = _cosamp if method == "cosamp" else _iterate
    b, r = np.zeros(problem.design.p), data.of([], np.empty(0))
    points = [data.point(0, [], [], r, 0.0, MAX_ITER, CERTIFICATE, 0)]
    if least == 1.0:
        return points, "at most 1 of the deviance is left"
    curvature = _eigenvalue(data) if method == "iht" and r.any() else 0.0
    step = 1.0 / curvature if curvature > 0.0 else None
    for k in range(1, most + 1):
        b_new, n_iter = advance_one(data, b, r, k, step, max_iter)
        which = np.flatnonzero(b_new)
        r_new = data.of(which, b_new[which])
        gap = _excess(data, which, r_new)
        point = data.point(len(points), which, b_new[which], r_new, gap, MAX_ITER, CERTIFICATE,
                           n_iter)  # fmt: skip
        advance(k, "%.1f%% deviance", 100 * point.dev_ratio)
        if not point.lam < points[-1].lam:
            continue
        b, r = b_new, r_new
        points.append(point)
        if least > 0.0 and point.dev_ratio >= 1.0 - least:
            return points, f"at most {least:g} of the deviance is left"
    return points, f"sizes up to {most} were tried"


def _eigenvalue(data):
    """Return about the largest eigenvalue of Z'WZ, by power steps."""
    design, w = data.design, data.problem.weights
    every, v = np.arange(design.p, dtype=np.intc), np.random.default_rng(0).normal(size=design.p)
    value = 0.0
    # Power steps for the largest eigenvalue, which backtracking corrects.
    for _ in range(100):
        before, v = value, v / max(np.linalg.norm(v), 1e-300)
        v = design.products(w * design.combination(every, v), data.n_threads)
        value = np.linalg.norm(v)
        if value - before <= 1e-3 * value:
            return value
    return value


def kept(b, k):
    """Return H_k b: all but the k largest entries, in size, set to 0; the first of equal ones
    stay.
    """
    out = np.zeros_like(b)
    largest = np.argsort(-np.abs(b), kind="stable")[:k]
    out[largest] = b[largest]
    return out


def _iterate(data, b, r, k, fixed, max_iter):
    """Iterative hard thresholding, with the `fixed` step or, if that is None, its own."""
    for n_iter in range(1, max_iter + 1):
        g = data.correlations(r)
        step = fixed or _own_step(data, b, g, k)
        new, r_new = _stepped(data, b, g, step, k)
        while _too_long(b, new, r, r_new, step):
            step *= 0.5  # of 0.02 niht takes 20 times the iterations, of 0.83 as many
            new, r_new = _stepped(data, b, g, step, k)
        same = ((new != 0) == (b != 0)).all()
        moved = (new != b).any()
        b, r = new, r_new
        if not moved or (same and n_iter % ITERATIONS_BETWEEN == 0):
            which = np.flatnonzero(b)
            if not moved or _excess(data, which, r) <= 0.5 * CERTIFICATE:
                break
    return b, n_iter


def _stepped(data, b, g, step, k):
    new = kept(b + step * g, k)
    which = np.flatnonzero(new)
    return new, data.of(which, new[which])


def _own_step(data, b, g, k):
    """Return the best step along the gradient on the columns in use (at first, on its k largest).
    """
    which = np.flatnonzero(b if b.any() else kept(g, k))
    if np.count_nonzero(b) < k:  # There is room: use the columns that would enter.
        which = np.union1d(which, np.argsort(-np.abs(g), kind="stable")[:k])
    image = data.root_w * data.design.combination(which.astype(np.intc), g[which])
    square = image @ image
    return (g[which] @ g[which]) / square if square > 0.0 else 0.0


def _too_long(b, new, r, r_new, step):
    """Return True if a step is longer than what surely lowers the objective, and lowered it
    little.
    """
    change, image = new - b, r - r_new
    most = 0.99  # of the longest step that surely lowers the objective
    sure = step * (image @ image) <= most * (change @ change)
    return not sure and r_new @ r_new > most * (r @ r) and (new != b).any()


def _cosamp(data, b, r, k, step, max_iter):
    """Compressive sampling matching pursuit from b, until the objective stops falling."""
    best, n_iter = (r @ r if np.count_nonzero(b) else np.inf), 0
    while n_iter < max_iter:
        n_iter += 1
        g = np.abs(data.correlations(r))
        merged = np.union1d(np.argsort(-g, kind="stable")[: 2 * k], np.flatnonzero(b))
        new = kept(_least_squares(data, merged), k)
        which = np.flatnonzero(new)
        new = _least_squares(data, which)
        r_new = data.of(which, new[which])
        if not r_new @ r_new < best * (1.0 - 1e-12):
            break
        b, r, best = new, r_new, r_new @ r_new
    return b, n_iter


def _least_squares(data, which):
    """Return coefficients (p,) of least squares on the columns `which`."""
    b = np.zeros(data.design.p)
    if len(which):
        columns, size = _even(data.columns(which))
        b[which] = np.linalg.lstsq(columns, data.of([], np.empty(0)), rcond=None)[0] / size
    return b


def _even(columns):
    """Return columns scaled to length 1, so that size hides no dependence, and their lengths."""
    size = np.linalg.norm(columns, axis=0)
    size[size == 0.0] = 1.0
    return columns / size, size


def _excess(data, which, r):
    """Return how much least squares on the support is below the objective, over the null
    objective.
    """
    if not len(which):
        return 0.0
    columns, _ = _even(data.columns(which))
    Q, R, _ = qr(columns, mode="economic", pivoting=True)  # the dependent columns come last
    size = np.abs(np.diagonal(R))
    rounding = np.finfo(np.float64).eps * max(columns.shape) * size.max(initial=0.0)
    return unexplained(Q[:, : np.count_nonzero(size > rounding)].T, r) / data.null
