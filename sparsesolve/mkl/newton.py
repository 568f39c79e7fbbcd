"""Newton's method on kernel norms and one dual vector, over working sets of kernels.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Given: a KernelProblem and a decreasing sequence of lam.
Returned: norms n and the dual vector u of a Point whose gap over all kernels is below a target.
Invariant: u sums to 0 where there is an intercept, and K_m u is known for the working kernels.

Where no f_m is 0 the objective is smooth. A Newton step in the product of the RKHSs is

    f_m <- (n_m + t_m) e_m + eta_m (K_m - e_m e_m') u+,
    e_m = f_m / n_m,   eta_m = n_m / (lam phi_m'(n)),
    u+ = -F' - H (what f and b0 move),   e_m'u+ = lam (phi' + phi'' t)_m,   1'u+ = 0:

It takes one factorisation of size n, and one small quadratic program in t and the intercept's a.
The program keeps n + t >= 0, so any number of kernels can leave at once. A kernel that enters
does so along K_m u. The new point is u+ and n + t, or a point on the segment to it. If the
objective rises at all of these, a step of reweighted least squares at eta follows, for which it
cannot rise; samples without curvature get the mean curvature in it. For kernels of rank one the
Newton step is that of the lasso on its support; squared error needs one step.
Reference: Bach et al. (2012), section 1.5 for the representer theorem in a product of RKHSs, and
section 9 for the dual program in norms.

The quadratic program in norms is, with K = sum_m eta_m K_m, H = F'' and columns [e_1 .. e_k, 1],

    minimise over t, a   1/2 [t; a]'S[t; a] - c'[t; a]    subject to   t >= low

with S positive semidefinite, and at most a few hundred variables. An active-set method moves
towards the minimiser over the free variables, stops at the first bound it meets, and then frees
the bound that gains most (Nocedal and Wright 2006, "Numerical optimization", section 16.5).

The large system is (H^-1 + K)^-1 x, where H^-1 is infinite where H is 0. For one response it is
R (I + R K R)^-1 R x with R = sqrt(H), which is stable for any scale of K and H. With several
responses K is the same for each. A diagonal H gives q such systems, or one if all rows of H are
equal. For the softmax, H = D - D 1 (1'D 1)^-1 1'D for each sample, and one more system of size n
joins the others:

    E = (D^-1 + K)^-1,   (H^-1 + K)^-1 = E - E 1 (sum_k E_k)^-1 1'E.

Reference: Rasmussen and Williams (2006), "Gaussian processes for machine learning", algorithms 3.1
and 3.3, and section 3.4 for one kernel.
"""

import numpy as np
from scipy.linalg import lapack

import sparsesolve.linalg.factors.tiled_cholesky as tiled_cholesky
from sparsesolve.mkl.problem import make_point, sizes_of
from sparsesolve.mkl.state import HALVINGS, ROUNDING, VIOLATION, WorkingState
from sparsesolve.mkl.symmetric import Symmetric

# This is added to the unit diagonal, because duplicates of a kernel make S singular.
RIDGE = 1e-13


def bounded_step(S, c, low, start):
    """Return [t; a]; low (k,) <= 0 bounds t, and start (k,) says which t are free at first."""
    k, size = len(low), len(c)
    diagonal = np.diagonal(S)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    S = scale[:, None] * S * scale + np.diag(np.full(size, RIDGE))  # S now has a unit diagonal
    c, low = scale * c, low / scale[:k]
    bounds = np.concatenate([low, np.full(size - k, -np.inf)])
    x = np.zeros(size)
    free = np.concatenate([start | (c[:k] > 0.0), np.ones(size - k, dtype=bool)])
    x[:k] = np.where(free[:k], 0.0, np.maximum(low, 0.0))
    for _ in range(20 * size + 20):
        places = np.flatnonzero(free)
        target = x.copy()
        rest = c[places] - S[places][:, ~free] @ x[~free]
        target[places] = _solve(S[np.ix_(places, places)], rest)
        move = target - x
        short = places[target[places] < bounds[places]]
        if len(short):
            steps = (bounds[short] - x[short]) / move[short]
            first = int(np.argmin(steps))
            x = x + max(steps[first], 0.0) * move
            hit = short[steps <= steps[first]]
            x[hit], free[hit] = bounds[hit], False
            continue
        x = target
        if free.all():
            break
        pull = c - S @ x
        pull[free] = 0.0
        worst = int(np.argmax(pull))
        if pull[worst] <= VIOLATION * np.abs(c).max(initial=1e-300):
            break
        free[worst] = True
    return scale * x


def _solve(S, c):
    try:
        factor = np.linalg.cholesky(S)
        half = np.linalg.solve(factor, c)
        return np.linalg.solve(factor.T, half)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(S, c, rcond=1e-13)[0]


class System:
    """Factors of the system for one K and one H.

    Parameters
    ----------
    kernels : Kernels
    which, scale : (k,)
        The kernels of the sum, and their eta > 0.
    curvature : (q, n)
        H's diagonal, or D if `joined`.
    joined : bool
        Whether H is that of the softmax.
    """

    def __init__(self, kernels, which, scale, curvature, joined=False):
        self.n_threads, self.shape = kernels.n_threads, curvature.shape
        self.total = None  # lower triangle of K
        self.curvature, self.root = curvature, np.sqrt(curvature)
        self.joined = joined
        self.factors, self.bridge = None, None
        if len(which):
            self.total = np.empty((kernels.n, kernels.n))
            kernels.total(which, scale, self.total)

    def kernel_times(self, x):
        """Return K x for x (q, n); only before `inverse` is first called."""
        if self.total is None:
            return np.zeros(x.shape)
        return Symmetric([self.total]).times([0], x, self.n_threads)[0]

    def inverse(self, x):
        """Return (H^-1 + K)^-1 x for x (k, q, n)."""
        if self.total is None:
            x = self.curvature * x
            if self.joined:
                share = self.curvature / np.maximum(self.curvature.sum(axis=0), 1e-300)
                x = x - share * x.sum(axis=1, keepdims=True)
            return x
        if self.factors is None:
            self._factorise()
        x = self._apart(x)
        if self.joined:
            middle = np.ascontiguousarray(x.sum(axis=1))
            tiled_cholesky.solve(self.bridge, middle, self.n_threads)
            x = x - self._apart(np.repeat(middle[:, None], self.shape[0], axis=1))
        return x

    def _apart(self, x):
        """Return E x, response by response."""
        out = np.empty(x.shape)
        for k, root in enumerate(self.root):
            rows = np.ascontiguousarray(x[:, k] * root)
            tiled_cholesky.solve(self.factors[min(k, len(self.factors) - 1)], rows, self.n_threads)
            out[:, k] = rows * root
        return out

    def _factorise(self):
        same = bool((self.root == self.root[0]).all()) and not self.joined
        roots = self.root[:1] if same else self.root
        self.factors = []
        for k, root in enumerate(roots):
            last = k == len(roots) - 1
            matrix = self.total if last else self.total.copy()
            tiled_cholesky.scale(matrix, root, 1.0, self.n_threads)
            if not tiled_cholesky.factorise(matrix, self.n_threads):
                raise np.linalg.LinAlgError(
                    "the kernels are so large that I + K is not positive definite in 64-bit "
                    "floats; centre them, or divide them by their traces"
                )
            self.factors.append(matrix)
        if self.joined:
            self._join()

    def _join(self):
        """Factorise sum_k E_k; a sample without weight has the row of the identity."""
        n = self.shape[1]
        self.bridge = np.zeros((n, n))
        for root, factor in zip(self.root, self.factors, strict=True):
            # Our lower triangle, row by row, is LAPACK's upper one; the other triangle is not
            # set.
            inverse = np.tril(lapack.dpotri(factor.T)[0].T)
            self.bridge += root[:, None] * inverse * root
        diagonal = np.einsum("ii->i", self.bridge)
        diagonal[self.curvature.sum(axis=0) <= 0.0] = 1.0
        diagonal *= 1.0 + 1e-14
        if not tiled_cholesky.factorise(self.bridge, self.n_threads):
            raise np.linalg.LinAlgError("the sum over the classes is not positive definite")


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


def shares_of(problem, point, lam):
    """Return eta (k,) of a point's norms."""
    slope = lam * problem.norm.slope(point.n, problem.factors[point.which])
    return np.divide(point.n, slope, out=np.zeros_like(slope), where=slope > 0.0)


def search_weighted(problem, old, lam, u, eta, allowance):
    """Return a point between `old` and that of u, with f = K u and n = eta s, by halving.

    Its objective exceeds that of `old` by at most `allowance`.
    """
    products = problem.kernels.times(old.which, u)
    bound, share = old.objective(problem, lam) + allowance, 1.0
    for _ in range(HALVINGS):
        new = old.products + share * (products - old.products)
        mixed = old.u + share * (u - old.u)
        n = eta * sizes_of(new, mixed)
        point = make_point(problem, old.which, n, mixed, new, old.intercepts)
        if point.objective(problem, lam) <= bound:
            return point
        share *= 0.5
    return old


# Most halvings of a Newton step; after these, a step of reweighted least squares is tried.
BACKTRACKS = 4


class Newton(WorkingState):
    """A state along a path; see the top of this file."""

    def _step(self, lam):
        """Make a Newton step that decreases the objective, or else two steps that cannot increase
        it.
        """
        problem, point = self.problem, self.point
        slope = lam * problem.norm.slope(point.n, problem.factors[point.which])
        eta = shares_of(problem, point, lam)
        columns = columns_of(problem, point)
        solved, system = solve_columns(problem, point, columns, eta)
        u, t = newton_direction(problem, point, lam, eta, slope, columns, solved)
        if self._search(lam, self.sum_to_zero(u), t):
            return
        raised = problem.raised_curvature(point.eta)
        # for example Huber's loss with all samples on its arms
        if (raised > system.curvature).any():
            system = system_of(problem, point, eta, raised)
        u = self.sum_to_zero(weighted_direction(problem, point, system, eta))
        self.point = search_weighted(problem, point, lam, u, eta, ROUNDING * self.null)
        self._search(lam, self.point.u, norms_alone(problem, self.point, lam), HALVINGS)

    def _search(self, lam, u, t, backtracks=BACKTRACKS):
        """Move towards u and by t while the objective decreases; return whether it did."""
        problem, old = self.problem, self.point
        products = problem.kernels.times(old.which, u)
        bound = old.objective(problem, lam) + ROUNDING * self.null
        share = 1.0
        for _ in range(backtracks):
            point = make_point(
                problem, old.which, problem.norm.move(old.n, share * t),
                old.u + share * (u - old.u),
                old.products + share * (products - old.products), old.intercepts,
            )  # fmt: skip
            if point.objective(problem, lam) <= bound:
                self.point = point
                return True
            share *= 0.5
        return False
