"""Objectives of sparsesolve and adelie on two sets with groups, beside a slow certified solver.

    group_examples.py DATA --peer PYTHON

DATA is a folder with bardet/bardet.npz and birthwt/birthwt.npz (X, groups, and the response).
PYTHON is an interpreter that has adelie. All three minimise

    sum_i l(y_i, b0 + z_i'b) / n + lambda sum_g sqrt(p_g) |b_g|_2

at the same lambdas, Z being columns of standard deviation 1 (gglasso's and adelie's way), or in
each group an orthonormal basis of p_g columns (grpreg's: "whole"), which sparsesolve makes itself.
The table gives by how much each objective is above the best known value, relative
to the null objective: the largest over the lambdas, and of the slow solver its gap too.
"""

import argparse
import itertools
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SETS = {  # name: (file, response, family)
    "bardet": ("bardet", "y", "gaussian"),
    "birthwt, weight": ("birthwt", "bwt", "gaussian"),
    "birthwt, low": ("birthwt", "low", "binomial"),
}
SHARES = np.geomspace(0.8, 0.01, 12)  # of the largest lambda


class Problem:
    """The objective, its gradient and its gap, in numpy."""

    def __init__(self, X, y, groups, family, whole):
        self.X, self.whole, self.Z = X, whole, (X - X.mean(axis=0)) / X.std(axis=0)
        self.y, self.family, self.n = y.astype(float), family, len(y)
        self.labels = np.unique(groups, return_inverse=True)[1]
        self.groups = [np.flatnonzero(self.labels == g) for g in range(self.labels.max() + 1)]
        if whole:
            bases = [basis(self.Z[:, g]) for g in self.groups]
            ends = np.cumsum([b.shape[1] for b in bases])
            self.Z, self.groups = np.hstack(bases), np.split(np.arange(ends[-1]), ends[:-1])
        self.d = np.sqrt([len(g) for g in self.groups])
        mean = self.y.mean()
        self.b0 = mean if family == "gaussian" else np.log(mean / (1 - mean))
        self.null = self.loss(np.full(self.n, self.b0))
        z = self.Z.T @ self.residual(np.full(self.n, self.b0))
        self.lambdas = self.polar(z) * SHARES

    def of_columns(self, b0, b):
        """What sparsesolve returns for the columns of X, as intercept and coefficients of Z."""
        fit = (self.X - self.X.mean(axis=0)) * b
        parts = [fit[:, self.labels == k].sum(axis=1) for k in range(len(self.groups))]
        c = [self.Z[:, g].T @ part / self.n for g, part in zip(self.groups, parts, strict=True)]
        c = np.concatenate(c) if self.whole else b * self.X.std(axis=0)
        return b0 + self.X.mean(axis=0) @ b, c

    def loss(self, eta):
        if self.family == "gaussian":
            return np.mean((self.y - eta) ** 2) / 2
        return np.mean(np.logaddexp(0, eta) - self.y * eta)

    def residual(self, eta):
        mean = eta if self.family == "gaussian" else 1 / (1 + np.exp(-eta))
        return (self.y - mean) / self.n

    def conjugate(self, u):
        """sum_i l*(y_i, -n u_i) / n"""
        if self.family == "gaussian":
            return np.mean((self.n * u) ** 2 / 2 - self.y * self.n * u)
        s = np.clip(self.y - self.n * u, 1e-300, 1 - 1e-16)
        return np.mean(s * np.log(s) + (1 - s) * np.log1p(-s))

    def polar(self, z):
        return max(np.linalg.norm(z[g]) / d for g, d in zip(self.groups, self.d, strict=True))

    def value(self, b0, b, lam):
        norms = sum(d * np.linalg.norm(b[g]) for g, d in zip(self.groups, self.d, strict=True))
        return self.loss(b0 + self.Z @ b) + lam * norms

    def gap(self, b0, b, lam):
        u = self.residual(b0 + self.Z @ b)
        u = u - u.mean()
        u = u * min(1.0, lam / self.polar(self.Z.T @ u))
        return self.value(b0, b, lam) + self.conjugate(u)

    def solve(self, lam, b0, b, steps=200_000, enough=1e-10):
        """FISTA with restarts, from (b0, b), until the gap is `enough` of the null objective."""
        top = np.linalg.eigvalsh(self.Z.T @ self.Z / self.n)[-1]
        h = top + 1 if self.family == "gaussian" else (top + 1) / 4
        at0, at, t, value = b0, b, 1.0, np.inf
        for k in range(steps):
            u = self.residual(at0 + self.Z @ at)
            new, new0 = at + self.Z.T @ u / h, at0 + u.sum() / h
            for g, d in zip(self.groups, self.d, strict=True):
                new[g] *= max(0.0, 1 - lam * d / (h * max(np.linalg.norm(new[g]), 1e-300)))
            reached = self.value(new0, new, lam)
            if reached > value and t > 1:
                at0, at, t = b0, b, 1.0
                continue
            before, t, value = t, (1 + np.sqrt(1 + 4 * t * t)) / 2, reached
            at0, at = new0 + (before - 1) / t * (new0 - b0), new + (before - 1) / t * (new - b)
            b0, b = new0, new
            if k % 50 == 0 and self.gap(b0, b, lam) <= enough * self.null:
                break
        return b0, b


def basis(Z):
    """Orthonormal columns of the span of centred ones, of mean square 1."""
    U, size, _ = np.linalg.svd(Z, full_matrices=False)
    return U[:, size > 1e-8 * size[0]] * np.sqrt(len(Z))


def by_sparsesolve(problem):
    import sparsesolve as ss

    fit = ss.path(problem.X, problem.y, family=problem.family, lambdas=problem.lambdas, tol=1e-10,
                  penalty=ss.penalties.GroupL2(problem.labels),
                  standardize="group" if problem.whole else True)  # fmt: skip
    pairs = zip(fit.intercepts, fit.coefs.toarray().T, strict=True)
    return [problem.of_columns(*pair) for pair in pairs]


def by_adelie(problem, python):
    """Groups of these sets are columns in a row, as adelie wants them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "in.npz", Z=problem.Z, y=problem.y, family=problem.family,
                 starts=[g[0] for g in problem.groups], d=problem.d, lambdas=problem.lambdas)
        subprocess.run([python, __file__, "--work", folder], check=True)
        out = np.load(folder / "out.npz")
        return list(zip(out["intercepts"], out["betas"], strict=True))


def work(folder):
    """What runs in the interpreter that has adelie."""
    import adelie as ad

    z = np.load(folder / "in.npz")
    glm = getattr(ad.glm, str(z["family"]))(z["y"])
    state = ad.grpnet(np.asfortranarray(z["Z"]), glm, groups=z["starts"], penalty=z["d"],
                      lmda_path=z["lambdas"], tol=1e-14, irls_tol=1e-14, early_exit=False,
                      progress_bar=False)
    np.savez(folder / "out.npz", betas=state.betas.toarray(), intercepts=state.intercepts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="?", help="folder of the sets")
    parser.add_argument("--peer", help="a Python interpreter with adelie")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work)
        return
    print(f"{'set':24}{'sparsesolve':>14}{'adelie':>12}{'slow':>12}{'its gap':>12}")
    for (name, (file, response, family)), whole in itertools.product(SETS.items(), (False, True)):
        z = np.load(options.data / file / f"{file}.npz")
        problem = Problem(z["X"].astype(float), z[response], z["groups"], family, whole)
        name += ", whole" * whole
        slow, b0, b = [], problem.b0, np.zeros(problem.Z.shape[1])
        for lam in problem.lambdas:
            b0, b = problem.solve(lam, b0, b)
            slow.append((b0, b))
        found = {"sparsesolve": by_sparsesolve(problem), "slow": slow}
        if options.peer:
            found["adelie"] = by_adelie(problem, options.peer)
        values = {k: np.array([problem.value(*p, lam) for p, lam in zip(v, problem.lambdas,
                  strict=True)]) for k, v in found.items()}  # fmt: skip
        best = np.min(list(values.values()), axis=0)
        lost = {k: ((v - best) / problem.null).max() for k, v in values.items()}
        gap = max(problem.gap(*p, lam) for p, lam in zip(slow, problem.lambdas, strict=True))
        row = [lost["sparsesolve"], lost.get("adelie", np.nan), lost["slow"], gap / problem.null]
        print(f"{name:24}{row[0]:14.1e}" + "".join(f"{value:12.1e}" for value in row[1:]))


if __name__ == "__main__":
    main()
