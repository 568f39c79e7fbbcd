"""Times group lasso paths of sparsesolve and adelie at certified suboptimality; see README.md.

Every run's coefficients are measured by the benchmark's own objective; the dual bound is that of a
tight fit's residual, scaled until every group's norm is feasible. Runs are interleaved and minima
taken. Needs adelie (numpy < 2) beside sparsesolve.
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
    "logistic": (500, 5000, 5, "binomial"),
}
OURS, ADELIE = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7), (1e-7, 1e-8, 1e-9, 1e-10, 1e-11)


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

    def ours(tol):
        fit = ss.path(X, y, **options, tol=tol, lambdas=tight.lambdas)
        return fit.coefs.toarray(), fit.intercepts

    def peer(tol):
        glm = {"gaussian": ad.glm.gaussian, "binomial": ad.glm.binomial}[loss](y=y)
        state = ad.grpnet(X, glm, groups=measure.starts, alpha=1, lmda_path=tight.lambdas, tol=tol,
                          irls_tol=tol, early_exit=False, progress_bar=False, n_threads=1,
                          adev_tol=1.0, ddev_tol=0)  # fmt: skip
        return state.betas.toarray().T, state.intercepts

    times, reached = {}, {}
    for _ in range(repeats):
        for solve, tols in ((ours, OURS), (peer, ADELIE)):
            for tol in tols:
                key, begun = (solve.__name__, tol), time.process_time()
                answer = solve(tol)
                times[key] = min(times.get(key, np.inf), time.process_time() - begun)
                if key not in reached:
                    reached[key] = measure.worst(*answer)
    print(f"{name}: {n} x {p}, groups of {size}, {loss}; {tight.df[-1]} features at the end")
    for key, seconds in times.items():
        print(f"  {key[0]:5s} {key[1]:.0e}  {seconds:7.3f} s  suboptimality {reached[key]:.1e}")
    for level in (1e-4, 1e-6):
        best = {who: min((t for k, t in times.items() if k[0] == who and reached[k] <= level),
                         default=np.nan) for who in ("ours", "peer")}  # fmt: skip
        print(f"  at {level:.0e}: adelie / sparsesolve = {best['peer'] / best['ours']:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    for key in given.only:
        compare(key, *PROBLEMS[key], given.repeats)
