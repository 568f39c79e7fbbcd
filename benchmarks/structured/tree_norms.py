"""Tree norms on a quad-tree: paths compared with SPAMS, and a race of solvers.

    python benchmarks/structured/tree_norms.py [path | race]

``path``: 200 x 1,024, 50 lambdas, gap 1e-7; SPAMS, where it is installed, solves each lambda from
the solution before, with the loosest of several tolerances at which all its gaps, computed here,
are at most 1e-7. ``race``: figure 17 of Bach et al. 2012, one problem of denoising under a tree by
several methods, processor time to each gap. Processor time of one thread; ratios are what counts.
"""

import argparse
import importlib.util
import time

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.results.status import ConvergenceWarning


def quad_tree(depth):
    """Groups (a node each, parents first) of 4**depth features in the order of a Z, as intervals.

    Returns parent, first feature and size of each node, and its number of features of its own.
    """
    parent, first, size = [], [], []

    def grow(above, a, n):
        node = len(parent)
        parent.append(above), first.append(a), size.append(n)
        for k in range(4 if n > 1 else 0):
            grow(node, a + k * n // 4, n // 4)

    grow(-1, 0, 4**depth)
    return np.array(parent), np.array(first), np.array(size)


def least(call, rounds=3):
    """Least processor time of a call, and what it returns."""
    best = np.inf
    for _ in range(rounds):
        begun = time.process_time()
        out = call()
        best = min(best, time.process_time() - begun)
    return best, out


def made(depth):
    """Both norms on the quad-tree, bound."""
    _, first, size = quad_tree(depth)
    groups = [range(a, a + n) for a, n in zip(first, size, strict=True)]
    weight = np.ones(len(groups))
    norms = {"l2": penalties.TreeL2(groups, weight), "linf": penalties.TreeLinf(groups, weight)}
    return {name: norm.over(4**depth) for name, norm in norms.items()}


def spams_path(kind, depth, X, y, lambdas, tol):
    """Coefficients of SPAMS for sums of squares, each lambda from the solution before."""
    import spams

    parent, first, size = quad_tree(depth)
    child, count = np.flatnonzero(parent >= 0), len(parent)
    inside = sparse.csc_matrix((np.ones(len(child), dtype=bool), (child, parent[child])),
                               shape=(count, count), dtype=bool)  # fmt: skip
    tree = {"eta_g": np.ones(count), "groups": inside, "own_variables": first.astype(np.int32),
            "N_own_variables": (size == 1).astype(np.int32)}  # fmt: skip
    X, y, found = np.asfortranarray(X), np.asfortranarray(y[:, None]), []
    W = np.zeros((X.shape[1], 1), order="F")
    for lam in lambdas:
        W = spams.fistaTree(y, X, W, tree, numThreads=1, max_it=20_000, tol=tol, lambda1=lam,
                            loss="square", regul=f"tree-{kind}", compute_gram=False)  # fmt: skip
        found.append(W[:, 0].copy())
    return found


def paths():
    """50 lambdas of squared error, without an intercept as SPAMS has it here."""
    rng = np.random.default_rng(0)
    X, b = rng.standard_normal((200, 1024)), np.zeros(1024)
    b[64:80], b[512:516] = 1.0, -1.0
    y = X @ b + rng.standard_normal(200)
    for kind, norm in made(5).items():

        def solve(norm=norm):
            return ss.path(X, y, penalty=norm, n_lambdas=50, lambda_min_ratio=0.05, tol=1e-7,
                           intercept=False, standardize=False, stop=None)  # fmt: skip

        ours, fit = least(solve)
        line, lambdas = "", 200 * fit.lambdas
        for tol in (1e-7, 1e-8, 3e-9, 1e-9) if importlib.util.find_spec("spams") else ():
            peer, other = least(lambda k=kind, t=tol: spams_path(k, 5, X, y, lambdas, t))  # noqa: B023
            worst = max(gap_of(norm, X, y, *at) for at in zip(other, lambdas, strict=True))
            line += f"; SPAMS at tol {tol:g} {peer / ours:.2f} times, gap {worst:.0e}"
            if worst <= 1e-7:
                break
        print(f"tree {kind} path: {1e3 * ours / 50:.2f} ms a lambda, gap {fit.gaps.max():.0e}"
              + line, flush=True)  # fmt: skip


def gap_of(norm, X, y, b, lam):
    """The duality gap of |y - Xb|^2 / 2 + lam Omega(b), relative to b = 0."""
    r = y - X @ b
    u = min(1.0, lam / norm.polar(X.T @ r)) * r
    gap = r @ r / 2 + lam * norm.value(b) - (u @ y - u @ u / 2)
    return 2 * gap / (y @ y)


def race():
    """Seconds to gaps of 1e-2 to 1e-8, by the solvers of `path`: patches over a tree of atoms."""
    rng = np.random.default_rng(1)
    D = rng.standard_normal((100, 256)) + 0.5 * rng.standard_normal((100, 1))
    D /= np.linalg.norm(D, axis=0)
    y = D[:, :8] @ rng.standard_normal(8) + 0.1 * rng.standard_normal(100)
    tols = (1e-2, 1e-4, 1e-6, 1e-8)
    for kind, norm in made(4).items():
        lam = 0.05 * ss.path(D, y, penalty=norm, n_lambdas=2, intercept=False).lambdas[0]
        for solver in ("tangent_newton", "fista", "sparsa", "ista", "subgradient"):
            spent = []
            for tol in tols:
                begun = time.process_time()
                try:
                    fit = ss.path(D, y, penalty=norm, lambdas=[lam], solver=solver, tol=tol,
                                  intercept=False, max_iter=20_000)  # fmt: skip
                    reached = fit.gaps[0] <= tol
                except ConvergenceWarning:
                    reached = False
                spent.append(f"{time.process_time() - begun:.3f}" if reached else "-")
            print(f"tree {kind}, {solver}: s to gaps {tols}: {' '.join(spent)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=("path", "race"))
    given = parser.parse_args()
    with threadpool_limits(1):
        if given.what in (None, "path"):
            paths()
        if given.what in (None, "race"):
            race()
