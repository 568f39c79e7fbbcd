"""Hard thresholding: for every size k, coefficients of at most k features at once.

    approximately  minimise over b   1/2 sum_i w_i (y_i - (Zb)_i)^2   with |b|_0 <= k

Given: a problem with squared error. Returned: a Point for each size that lowers the objective,
its `lam` the root mean square residual. Each starts from the size before. H_k keeps the k
largest:

    "iht"     b <- H_k(b + Z'r / L), L the largest eigenvalue of Z'WZ, shorter if necessary;
    "niht"    the best step for the columns in use, shortened if they change and the objective
              might not fall;
    "cosamp"  least squares on the columns in use and the 2k most correlated with r, H_k, and
              least squares on what is kept, while the objective falls.

Invariant: the objective does not rise. The certificate is that of the pursuits: how much lower
least squares on the support is, over the null objective, from a residual computed afresh. No
method knows whether another support is better.

References: Blumensath, Davies (2009), "Iterative hard thresholding for compressed sensing", and
(2010), "Normalized iterative hard thresholding"; Needell, Tropp (2009), "CoSaMP".
"""

import numpy as np
from scipy.linalg import qr

from sparsesolve.solvers.certificate.gap import unexplained
from sparsesolve.solvers.costs.greedy import CERTIFICATE, ITERATIONS_BETWEEN, SAFE_STEP, SHORTER
from sparsesolve.solvers.greedy.pursuit import Residual
from sparsesolve.solvers.state import MAX_ITER

# Power steps for the largest eigenvalue, which backtracking corrects.
POWER_STEPS = 100


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
    for _ in range(POWER_STEPS):
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
            step *= SHORTER
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
    sure = step * (image @ image) <= SAFE_STEP * (change @ change)
    return not sure and r_new @ r_new > SAFE_STEP * (r @ r) and (new != b).any()


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
