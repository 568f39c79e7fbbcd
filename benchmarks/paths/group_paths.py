"""Times paths of groups of sparsesolve and its peers at certified suboptimality; see README.md.

Every run's coefficients are measured by the benchmark's own objective; the dual bound is that of a
tight fit's residual, scaled until every group's norm is feasible. Runs are interleaved and minima
taken. Needs adelie and skglm (numpy < 2) beside sparsesolve.
"""

import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import adelie as ad  # noqa: E402
import numpy as np  # noqa: E402
from problems import autoregressive  # noqa: E402

import sparsesolve as ss  # noqa: E402

PROBLEMS = {  # n, p, size of groups or "ragged", loss
    "5": (500, 5000, 5, "gaussian"),
    "10": (500, 5000, 10, "gaussian"),
    "ragged": (500, 5000, "ragged", "gaussian"),
    "wide": (500, 20000, 5, "gaussian"),
    "tall": (50000, 300, 5, "gaussian"),
    "logistic": (500, 5000, 5, "binomial"),
}
OURS, ADELIE = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7), (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)


def made(n, p, size, loss, seed=0):
    """Correlated columns in groups, 20 of which matter, at a signal-to-noise ratio of 9."""
    rng = np.random.default_rng(seed)
    X = autoregressive(n, p, 0.5, rng)
    sizes = rng.integers(1, 51, size=p) if size == "ragged" else np.full(p, size)
    sizes = sizes[: np.searchsorted(np.cumsum(sizes), p) + 1]
    sizes[-1] -= sizes.sum() - p
    groups = np.repeat(np.arange(len(sizes)), sizes)
    b = rng.standard_normal(p) * np.isin(groups, rng.choice(len(sizes), 20, replace=False))
    eta = X @ b
    y = eta + eta.std() / 3 * rng.standard_normal(n)
    y = (y - y.mean()) / y.std()
    return X, (y > 0) * 1.0 if loss == "binomial" else y, groups, sizes


class Measure:
    """Objectives of coefficients, and how far above a dual bound, relative to the null."""

    def __init__(self, X, y, sizes, loss, fit):
        self.X, self.y, self.loss, self.lambdas = X, y, loss, fit.lambdas
        self.starts, self.d = np.cumsum(sizes) - sizes, np.sqrt(sizes)
        self.null = self.objective(np.zeros(X.shape[1]), fit.intercepts[0], 0.0)
        tight = zip(fit.coefs.toarray().T, fit.intercepts, fit.lambdas, strict=True)
        self.bound = np.array([self.dual(*point) for point in tight])

    def norms(self, z):
        return np.sqrt(np.add.reduceat(z**2, self.starts))

    def objective(self, b, b0, lam):
        eta = self.X @ b + b0
        value = (0.5 * (self.y - eta) ** 2 if self.loss == "gaussian"
                 else np.logaddexp(0, eta) - self.y * eta).mean()  # fmt: skip
        return value + lam * self.d @ self.norms(b)

    def dual(self, b, b0, lam):
        """The value of the dual at the residual of b, without its mean, made feasible."""
        eta, n = self.X @ b + b0, len(self.y)
        r = self.y - (eta if self.loss == "gaussian" else 1 / (1 + np.exp(-eta)))
        r = (r - r.mean()) / n
        r *= min(1.0, lam / (self.norms(self.X.T @ r) / self.d).max())
        if self.loss == "gaussian":
            return r @ self.y - 0.5 * n * r @ r
        s = np.clip(self.y - n * r, 1e-300, 1.0)
        return -(s * np.log(s) + (1 - s) * np.log(np.maximum(1 - s, 1e-300))).mean()

    def worst(self, B, intercepts):
        points = zip(B.T, intercepts, self.lambdas, strict=True)
        values = np.array([self.objective(*point) for point in points])
        return ((values - self.bound) / self.null).max()


def compare(name, n, p, size, loss, repeats):
    X, y, groups, sizes = made(n, p, size, loss)
    penalty = ss.penalties.GroupL2(groups)
    options = {"family": loss, "penalty": penalty, "standardize": False}
    tight = ss.path(X, y, **options, tol=1e-9, stop=None, lambda_min_ratio=1e-2)
    measure = Measure(X, y, sizes, loss, tight)

    def sparsesolve(tol):
        fit = ss.path(X, y, **options, tol=tol, lambdas=tight.lambdas)
        return fit.coefs.toarray(), fit.intercepts

    def adelie(tol):
        glm = {"gaussian": ad.glm.gaussian, "binomial": ad.glm.binomial}[loss](y=y)
        state = ad.grpnet(X, glm, groups=measure.starts, alpha=1, lmda_path=tight.lambdas, tol=tol,
                          irls_tol=tol, early_exit=False, progress_bar=False, n_threads=1,
                          adev_tol=1.0, ddev_tol=0)  # fmt: skip
        return state.betas.toarray().T, state.intercepts

    print(f"{name}: {n} x {p}, groups of {size}, {loss}; {tight.df[-1]} features at the end")
    race(measure.worst, (sparsesolve, OURS), (adelie, ADELIE), repeats)


def compare_sparse_group(repeats):
    """Half of the weight on single features; skglm is the peer that has it, without intercept."""
    from skglm.datafits import QuadraticGroup
    from skglm.penalties import WeightedL1GroupL2
    from skglm.solvers import GroupBCD
    from skglm.utils.data import grp_converter
    from skglm.utils.jit_compilation import compiled_clone

    X, y, groups, sizes = made(500, 5000, 10, "gaussian")
    X -= X.mean(axis=0)
    starts, d = np.cumsum(sizes) - sizes, np.sqrt(sizes)
    options = {"penalty": ss.penalties.SparseGroup(groups, 0.5), "standardize": False}
    tight = ss.path(X, y, **options, tol=1e-9, stop=None, lambda_min_ratio=1e-2)

    def objective(b, lam):
        norms = np.sqrt(np.add.reduceat(b**2, starts))
        return 0.5 * np.mean((y - X @ b) ** 2) + 0.5 * lam * (abs(b).sum() + d @ norms)

    null = 0.5 * np.mean(y**2)
    bound = [objective(b, lam) - gap * null for b, lam, gap in
             zip(tight.coefs.toarray().T, tight.lambdas, tight.gaps, strict=True)]  # fmt: skip

    def worst(B, _):
        points = zip(B.T, tight.lambdas, bound, strict=True)
        return max(objective(b, lam) - least for b, lam, least in points) / null

    def sparsesolve(tol):
        fit = ss.path(X, y, **options, tol=tol, lambdas=tight.lambdas)
        return fit.coefs.toarray(), fit.intercepts

    indices, pointers = grp_converter(10, X.shape[1])
    datafit = compiled_clone(QuadraticGroup(pointers, indices))
    solver = GroupBCD(max_iter=200, fit_intercept=False, warm_start=True, ws_strategy="fixpoint")

    def skglm(tol):
        b, found = np.zeros(X.shape[1]), []
        solver.tol = tol
        for lam in tight.lambdas:
            parts = 0.5 * lam, d, np.ones(len(b)), pointers, indices
            penalty = compiled_clone(WeightedL1GroupL2(*parts))
            b = solver.solve(X, y, datafit, penalty, b.copy(), X @ b)[0]
            found.append(b)
        return np.array(found).T, None

    skglm(1e-3)  # compiles
    print(f"sparse: 500 x 5000, groups of 10, half l1; {tight.df[-1]} features at the end")
    race(worst, (sparsesolve, OURS), (skglm, (1e-3, 1e-4, 1e-5)), repeats)


def compare_classes(file, repeats):
    """srbct: every gene a group across the four classes."""
    data = np.load(file, allow_pickle=True)
    X, labels = np.asfortranarray(data["X"], dtype=float), data["y"].ravel()
    options = {"family": "multinomial", "grouped": True, "standardize": False}
    tight = ss.path(X, labels, **options, tol=1e-9, stop=None, lambda_min_ratio=1e-2)
    y = (labels[:, None] == np.unique(labels)) * 1.0
    K = y.shape[1]

    def objective(B, b0, lam):
        eta = X @ B.T + b0
        top = eta.max(axis=1)
        total = np.log(np.exp(eta - top[:, None]).sum(axis=1)) + top
        return np.mean(total - (y * eta).sum(axis=1)) + lam * np.sqrt((B**2).sum(axis=0)).sum()

    dense = [np.array([c.toarray()[:, k] for c in tight.coefs]) for k in range(len(tight.lambdas))]
    values = [objective(B, b0, lam) for B, b0, lam in
              zip(dense, tight.intercepts.T, tight.lambdas, strict=True)]  # fmt: skip
    bound = np.array(values) - tight.gaps * values[0]

    def worst(coefs, intercepts):
        points = zip(coefs, intercepts, tight.lambdas, bound, strict=True)
        return max(objective(B, b0, lam) - least for B, b0, lam, least in points) / values[0]

    def sparsesolve(tol):
        fit = ss.path(X, labels, **options, tol=tol, lambdas=tight.lambdas)
        stack = [c.toarray() for c in fit.coefs]
        return [np.array([c[:, k] for c in stack]) for k in range(len(bound))], fit.intercepts.T

    def adelie(tol):
        lambdas, glm = tight.lambdas / K, ad.glm.multinomial(y=y)
        state = ad.grpnet(X, glm, alpha=1, lmda_path=lambdas, tol=tol,
                          penalty=np.ones(X.shape[1]), irls_tol=tol, early_exit=False,
                          progress_bar=False, n_threads=1, adev_tol=1.0, ddev_tol=0)  # fmt: skip
        return [b.reshape(-1, K).T for b in state.betas.toarray()], state.intercepts

    n, p = X.shape
    print(f"srbct: {n} x {p}, {K} classes; {np.max(tight.df[-1])} genes at the end")
    race(worst, (sparsesolve, OURS), (adelie, ADELIE), repeats)


def race(worst, ours, peer, repeats):
    """Times both at each of their tolerances, in turn, and prints what they reach."""
    times, reached = {}, {}
    for _ in range(repeats):
        for solve, tols in (ours, peer):
            for tol in tols:
                key, begun = (solve.__name__, tol), time.process_time()
                answer = solve(tol)
                times[key] = min(times.get(key, np.inf), time.process_time() - begun)
                if key not in reached:
                    reached[key] = worst(*answer)
    for key, seconds in times.items():
        print(f"  {key[0]:11s} {key[1]:.0e}  {seconds:7.3f} s  suboptimality {reached[key]:.1e}")
    mine, other = ours[0].__name__, peer[0].__name__
    for level in (1e-4, 1e-6):
        best = {who: min((t for k, t in times.items() if k[0] == who and reached[k] <= level),
                         default=np.nan) for who in (mine, other)}  # fmt: skip
        print(f"  at {level:.0e}: {other} / {mine} = {best[other] / best[mine]:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=[*PROBLEMS, "sparse", "srbct"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--srbct", help="srbct.npz, with X and y")
    given = parser.parse_args()
    for key in given.only or [*PROBLEMS, "sparse"] + ["srbct"] * bool(given.srbct):
        if key == "sparse":
            compare_sparse_group(given.repeats)
        elif key == "srbct":
            compare_classes(given.srbct, given.repeats)
        else:
            compare(key, *PROBLEMS[key], given.repeats)
