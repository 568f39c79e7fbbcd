"""The directions of several algorithms' steps, from a small system and a large one.

    e_m = f_m / n_m,   K = sum_m eta_m K_m,   H = F'',   columns [e_1 .. e_k, 1]

The quadratic model gives a point f + df the dual vector u+ = -F' - H df.
Reference: Rasmussen and Williams (2006), section 3.4, for one kernel.
"""

import numpy as np

from sparsesolve.mkl.step import bounded_step
from sparsesolve.mkl.system import System


def columns_of(problem, point):
    """Return f_m / n_m of the working kernels, then the intercepts' columns, (k + q, q, n)."""
    (q, n), k = problem.shape, len(point.n)
    free = q * problem.intercept
    columns = np.zeros((k + free, q, n))
    known = point.s > 0.0
    columns[:k][known] = point.products[known] / point.s[known, None, None]
    for j in range(free):
        columns[k + j, j] = 1.0
    return columns


def system_of(problem, point, eta, curvature):
    """Return the System of the kernels with eta_m > 0, for H's diagonal."""
    active = eta > 0.0
    return System(
        problem.kernels, point.which[active], eta[active], curvature, problem.joined
    )  # fmt: skip


def solve_columns(problem, point, columns, eta):
    """Return [base, (H^-1 + K)^-1 columns] and the System; base = (I + H K)^-1 (r + H b0)."""
    system = system_of(problem, point, eta, problem.curvature(point.eta))
    rest = point.residual.copy()
    if problem.intercept:
        level = np.repeat(point.intercepts[:, None], problem.shape[1], axis=1)
        rest += problem.curvature_times(point.eta, level)
    times = system.kernel_times(rest)
    solved = system.inverse(np.concatenate([times[None], columns]))
    solved[0] = rest - solved[0]
    return solved, system


def newton_direction(problem, point, lam, eta, slope, columns, solved):
    """Return u+ (q, n) and t (k,) of a Newton step.

    By Woodbury's identity K - sum_m eta_m e_m e_m' takes the place of K.
    """
    k, free = len(eta), len(columns) - len(eta)
    base, flat = solved[0], columns.reshape(len(columns), -1)
    S = flat @ solved[1:].reshape(len(columns), -1).T
    S = 0.5 * (S + S.T)
    b = flat @ base.ravel()
    eta = np.append(eta, np.zeros(free))
    narrow = _without_own(S, eta)
    c = b + narrow @ (eta * b) - np.append(slope, np.zeros(free))
    Q = narrow.copy()
    Q[:k, :k] += lam * problem.norm.second_derivative(point.n, problem.factors[point.which])
    t = bounded_step(Q, c, problem.norm.reach(point.n), point.n > 0.0)
    g = b + narrow @ (eta * b - t)
    u = base - np.tensordot(t - eta * g, solved[1:], axes=1)
    return u, t[:k]


def weighted_direction(problem, point, system, eta):
    """Return u+ (q, n) of reweighted least squares: eta is fixed and f = K u+."""
    q, n = problem.shape
    level = np.repeat(point.intercepts[:, None], n, axis=1) * problem.intercept
    moved = point.f + level
    if system.joined:
        moved = problem.curvature_times(point.eta, moved)
    else:
        moved *= system.curvature
    rest = point.residual + moved
    # The factor has overwritten K, so the product with K is that of the kernels.
    active = eta > 0.0
    products = problem.kernels.times(point.which[active], rest)
    times = np.tensordot(eta[active], products, axes=1)
    columns = np.zeros((q * problem.intercept, q, n))
    for j in range(len(columns)):
        columns[j, j] = 1.0
    solved = system.inverse(np.concatenate([times[None], columns]))
    base = rest - solved[0]
    if len(columns):
        S = np.einsum("jqn,kqn->jk", columns, solved[1:])
        a = np.linalg.lstsq(S, np.einsum("jqn,qn->j", columns, base), rcond=1e-13)[0]
        base = base - np.tensordot(a, solved[1:], axes=1)
    return base


def norms_alone(problem, point, lam):
    """Return t (k,) of a Newton step that changes norms alone, while directions stay."""
    d, columns = problem.factors[point.which], columns_of(problem, point)
    k, flat = len(point.n), columns.reshape(len(columns), -1)
    curved = np.array([problem.curvature_times(point.eta, column) for column in columns])
    S = flat @ curved.reshape(len(columns), -1).T
    S = 0.5 * (S + S.T)
    S[:k, :k] += lam * problem.norm.second_derivative(point.n, d)
    c = flat @ point.residual.ravel()
    c[:k] -= lam * problem.norm.slope(point.n, d)
    return bounded_step(S, c, problem.norm.reach(point.n), point.n > 0.0)[:k]


def _without_own(S, eta):
    """Return S (I - diag(eta) S)^-1, which is S for K - sum_m eta_m e_m e_m'."""
    root = np.sqrt(eta)
    inner = np.eye(len(S)) - root[:, None] * S * root
    try:
        half = np.linalg.solve(np.linalg.cholesky(inner), root[:, None] * S)
        return S + half.T @ half
    except np.linalg.LinAlgError:  # rounding, for a kernel without a direction except its own
        values, vectors = np.linalg.eigh(inner)
        half = (vectors.T @ (root[:, None] * S)) / np.sqrt(np.maximum(values, 1e-12))[:, None]
        return S + half.T @ half
