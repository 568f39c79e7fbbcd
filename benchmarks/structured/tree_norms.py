"""Tree norms: proxes of a quad-tree and paths compared with SPAMS and fastprox; a race of solvers.

    python benchmarks/structured/tree_norms.py [prox | path | race]
        [--spams PYTHON] [--fastprox PYTHON]

``prox``: 65,536 leaves, 87,381 groups, the tree built once where the peer allows it. ``path``:
200 x 1,024, 50 lambdas, gap 1e-7; SPAMS solves each lambda by itself from the solution before,
with the loosest of several tolerances at which all its gaps, computed here, are at most 1e-7.
``race``: figure 17 of Bach et al. 2012, one problem of denoising under a tree by several methods,
processor time to each gap. Processor time of one thread, minima; ratios are what counts.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.results.status import ConvergenceWarning

SPAMS = """
import sys, time, numpy as np, scipy.sparse as sp, spams
d = np.load(sys.argv[1]); kind = sys.argv[2]; count = len(d["parent"])
child = np.flatnonzero(d["parent"] >= 0)
groups = sp.csc_matrix((np.ones(len(child), dtype=bool), (child, d["parent"][child])),
                       shape=(count, count), dtype=bool)
tree = {"eta_g": d["weight"], "groups": groups, "own_variables": d["first"].astype(np.int32),
        "N_own_variables": d["own"].astype(np.int32)}
best, out = 1e300, None
for _ in range(3):
    begun = time.process_time()
    if "X" in d:
        X, y = np.asfortranarray(d["X"]), np.asfortranarray(d["y"][:, None])
        W, out = np.zeros((X.shape[1], 1), order="F"), []
        for lam in d["lambdas"]:
            W = spams.fistaTree(y, X, W, tree, numThreads=1, max_it=20000, tol=float(d["tol"]),
                                lambda1=lam, loss="square", regul=kind, compute_gram=False)
            out.append(W[:, 0].copy())
    else:
        v = np.asfortranarray(d["v"][:, None])
        out = spams.proximalTree(v, tree, numThreads=1, lambda1=float(d["t"]), regul=kind)[:, 0]
    best = min(best, time.process_time() - begun)
np.savez(sys.argv[3], best=best, out=out)
"""
FASTPROX = """
import sys, time, numpy as np, fastprox
d = np.load(sys.argv[1])
groups = np.split(d["member"], d["ends"][:-1])
norm = fastprox.TreeL2(groups, float(d["t"]) * d["weight"])
norm.prox(d["v"]); best = 1e300
for _ in range(5):
    begun = time.process_time(); out = norm.prox(d["v"])
    best = min(best, time.process_time() - begun)
np.savez(sys.argv[3], best=best, out=out)
"""


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


def run(python, code, kind, **arrays):
    """(seconds, result) of a peer in a Python of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "in.npz", Path(folder) / "out.npz"
        np.savez(file, **arrays)
        subprocess.run([python, "-c", code, file, kind, out], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        with np.load(out) as found:
            return float(found["best"]), found["out"]


def least(call, rounds=5):
    """Least processor time of a call, and what it returns."""
    best = np.inf
    for _ in range(rounds):
        begun = time.process_time()
        out = call()
        best = min(best, time.process_time() - begun)
    return best, out


def made(depth):
    """Both norms on the quad-tree, bound, and the tree as arrays for peers."""
    parent, first, size = quad_tree(depth)
    groups = [range(a, a + n) for a, n in zip(first, size, strict=True)]
    weight = np.ones(len(groups))
    norms = {"l2": penalties.TreeL2(groups, weight), "linf": penalties.TreeLinf(groups, weight)}
    arrays = {"parent": parent, "first": first, "own": np.where(size == 1, 1, 0), "weight": weight}
    return {name: norm.over(4**depth) for name, norm in norms.items()}, groups, arrays


def proxes(spams, fastprox):
    """One prox of each norm at 65,536 leaves."""
    norms, groups, arrays = made(8)
    rng = np.random.default_rng(0)
    v, t = rng.standard_normal(4**8), 0.1
    for kind, norm in norms.items():
        ours, out = least(lambda norm=norm: norm.prox(v, t))
        line = f"tree {kind} prox: {ours:.5f} s"
        if spams:
            peer, other = run(spams, SPAMS, f"tree-{kind}", v=v, t=t, **arrays)
            line += f", SPAMS {peer / ours:.2f} times (differ by {np.abs(out - other).max():.0e})"
        if fastprox and kind == "l2":
            ends = np.cumsum([len(g) for g in groups])
            member = np.concatenate([np.asarray(g) for g in groups])
            peer, other = run(fastprox, FASTPROX, "", v=v, t=t, member=member, ends=ends,
                              weight=arrays["weight"])  # fmt: skip
            line += f", fastprox {peer / ours:.2f} ({np.abs(out - other).max():.0e})"
        print(line, flush=True)


def paths(spams):
    """50 lambdas of squared error, without an intercept as SPAMS has it here."""
    norms, _, arrays = made(5)
    rng = np.random.default_rng(0)
    X, b = rng.standard_normal((200, 1024)), np.zeros(1024)
    b[64:80], b[512:516] = 1.0, -1.0
    y = X @ b + rng.standard_normal(200)
    for kind, norm in norms.items():

        def solve(norm=norm):
            return ss.path(X, y, penalty=norm, n_lambdas=50, lambda_min_ratio=0.05, tol=1e-7,
                           intercept=False, standardize=False, stop=None)  # fmt: skip

        ours, fit = least(solve, 3)
        line = f"tree {kind} path: {1e3 * ours / 50:.2f} ms a lambda, gap {fit.gaps.max():.0e}"
        for tol in (1e-7, 1e-8, 3e-9, 1e-9) if spams else ():
            peer, other = run(spams, SPAMS, f"tree-{kind}", X=X, y=y, lambdas=200 * fit.lambdas,
                              tol=tol, **arrays)  # fmt: skip
            worst = max(
                gap_of(norm, X, y, *at) for at in zip(other, 200 * fit.lambdas, strict=True)
            )
            line += f"; SPAMS at tol {tol:g} {peer / ours:.2f} times, gap {worst:.0e}"
            if worst <= 1e-7:
                break
        print(line, flush=True)


def gap_of(norm, X, y, b, lam):
    """The duality gap of |y - Xb|^2 / 2 + lam Omega(b), relative to b = 0."""
    r = y - X @ b
    u = min(1.0, lam / norm.polar(X.T @ r)) * r
    gap = r @ r / 2 + lam * norm.value(b) - (u @ y - u @ u / 2)
    return 2 * gap / (y @ y)


def race():
    """Seconds to gaps of 1e-2 to 1e-8, by the solvers of `path`: patches over a tree of atoms."""
    norms, _, _ = made(4)
    rng = np.random.default_rng(1)
    D = rng.standard_normal((100, 256)) + 0.5 * rng.standard_normal((100, 1))
    D /= np.linalg.norm(D, axis=0)
    y = D[:, :8] @ rng.standard_normal(8) + 0.1 * rng.standard_normal(100)
    tols = (1e-2, 1e-4, 1e-6, 1e-8)
    for kind, norm in norms.items():
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
    parser.add_argument("what", nargs="?", choices=("prox", "path", "race"))
    parser.add_argument("--spams", help="a Python that has spams-bin")
    parser.add_argument("--fastprox", help="a Python that has fastprox")
    given = parser.parse_args()
    with threadpool_limits(1):
        if given.what in (None, "prox"):
            proxes(given.spams, given.fastprox)
        if given.what in (None, "path"):
            paths(given.spams)
        if given.what in (None, "race"):
            race()
