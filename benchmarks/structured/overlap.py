"""Overlapping groups and images: figure 19 of Bach et al. 2012, and proxes compared with peers.

    python benchmarks/structured/overlap.py [sequence | squares | prox]
        [--peers FOLDER] [--fastprox PYTHON] [--features P]

Processor time of one thread; ratios are what counts. FOLDER is a site-packages that holds
clarabel, a conic solver, and spams; PYTHON one that has fastprox. Those that are not there are
left out.

Figure 19: l-infinity norms of overlapping groups on a dictionary of cosines, windows of 3 on a
sequence and 3 x 3 squares on a grid. ProxFlow of the paper is FISTA with the prox by maximum
flows; "auto" adds Newton steps. Each line has the seconds until a certified gap, relative to the
objective at b = 0; "-" is beyond the budget.
"""

import argparse
import importlib
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

import sparsesolve as ss
from sparsesolve import penalties

BUDGET = 2_000  # iterations
TOLERANCES = (1e-2, 1e-4, 1e-6)
FASTPROX = """
import sys, time, numpy as np, fastprox
x, t = np.load(sys.argv[1]), float(sys.argv[2])
begun = time.process_time(); fastprox.tv_aniso(x, t, threads=1); print(time.process_time() - begun)
"""


def peer(name):
    """The module of that name, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def cosines(n, p):
    """An overcomplete dictionary of discrete cosines (n, p), columns of length sqrt(n)."""
    X = np.cos(np.pi * np.outer(np.arange(n) + 0.5, np.arange(p)) / p)
    return np.asfortranarray(X * np.sqrt(n) / np.linalg.norm(X, axis=0))


def problem(args, squares):
    """X, y and groups."""
    rng, p = np.random.default_rng(0), args.features
    side = int(np.sqrt(p))
    shape, size = ((side, side), 3) if squares else (p, 3)
    p = side * side if squares else p
    X, groups = cosines(100, p), penalties.window_groups(shape, size)
    b = np.zeros(p)
    for g in rng.choice(len(groups), 5, replace=False):
        b[groups[g]] = rng.standard_normal()
    return X, X @ b + 0.1 * np.linalg.norm(X @ b) / 10 * rng.standard_normal(100), groups


def race(args, squares):
    """Seconds of each method until its gap is below each tolerance."""
    X, y, groups = problem(args, squares)
    penalty = penalties.OverlapLinf(groups, np.ones(len(groups)))
    lam = 0.1 * ss.path(X, y, penalty=penalty, n_lambdas=1, intercept=False).lambdas[0]
    best = ss.path(X, y, penalty=penalty, lambdas=[lam], tol=1e-10, intercept=False)
    null = 0.5 * np.mean(y * y)
    least = _objective(X, y, penalty, lam, best.coef(lam))
    print(f"{X.shape[1]} features, {len(groups)} groups, objective {least:.9g}")
    for solver in ("auto", "fista", "admm", "linearized_admm", "subgradient"):
        cells = []
        for tol in TOLERANCES:
            begun = time.process_time()
            fit = ss.path(X, y, penalty=penalty, lambdas=[lam], tol=tol, solver=solver,
                          max_iter=BUDGET, intercept=False)  # fmt: skip
            spent = time.process_time() - begun
            cells.append(f"{spent:.2f}" if fit.gaps[0] <= tol else "-")
            above = (_objective(X, y, penalty, lam, fit.coef(lam)) - least) / null
        print(f"  {solver:16s}" + "  ".join(f"{c:>7s}" for c in cells) + f"   above {above:.1e}")
    if peer("clarabel"):
        begun = time.process_time()
        b = by_conic_solver(X, y, groups, lam)
        above = (_objective(X, y, penalty, lam, b) - least) / null
        print(f"  clarabel        {time.process_time() - begun:7.2f}   above {above:.1e}")


def _objective(X, y, penalty, lam, b):
    return 0.5 * np.mean((y - X @ b) ** 2) + lam * penalty.value(b)


def by_conic_solver(X, y, groups, lam):
    """Fig. 19 as a quadratic programme in b, residuals and the largest size of each group."""
    import clarabel

    (n, p), G = X.shape, len(groups)
    of, j = np.repeat(np.arange(G), [len(g) for g in groups]), np.concatenate(groups)
    copies = sparse.csc_array((np.ones(len(j)), (np.arange(len(j)), j)), (len(j), p))
    largest = sparse.csc_array((np.ones(len(j)), (np.arange(len(j)), of)), (len(j), G))
    none = sparse.csc_array((len(j), n))
    zeros = sparse.csc_array((p, p)), sparse.csc_array((G, G))
    P = sparse.block_diag([zeros[0], sparse.eye_array(n) / n, zeros[1]])
    A = sparse.block_array([
        [sparse.csc_array(X), sparse.eye_array(n), None],
        [copies, none, -largest], [-copies, none, -largest],
    ])  # fmt: skip
    q, right = np.r_[np.zeros(p + n), np.full(G, lam)], np.r_[y, np.zeros(2 * len(j))]
    cones = [clarabel.ZeroConeT(n), clarabel.NonnegativeConeT(2 * len(j))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    found = clarabel.DefaultSolver(
        sparse.csc_matrix(P), q, sparse.csc_matrix(A), right, cones, settings
    )
    return np.array(found.solve().x)[:p]


def proxes(args):
    """Proxes of overlapping l-infinity groups on grids, and of total variation of an image."""
    rng, spams = np.random.default_rng(0), peer("spams")
    for side in (100, 300):
        groups = penalties.window_groups((side, side), 3)
        penalty = penalties.OverlapLinf(groups, np.ones(len(groups))).over(side * side)
        v = rng.standard_normal(side * side)
        for t in (0.02, 0.1, 0.3):
            spent = {"sparsesolve": _seconds(lambda t=t, o=penalty, v=v: o.prox(v, t))}
            if spams:
                graph = _graph_of_spams(groups, side * side)
                column = np.asfortranarray(v[:, None])
                spent["spams"] = _seconds(lambda t=t, c=column, g=graph: spams.proximalGraph(
                    c, g, False, numThreads=1, lambda1=t, regul="graph"))  # fmt: skip
            print(f"overlap {side} x {side}, t {t}: ", spent, flush=True)
    m = 512  # pixels along a side
    x = np.zeros((m, m))
    x[m // 4 : m // 2, m // 4 : m // 2] = 1.0
    x += np.linspace(0, 1, m) + 0.3 * rng.standard_normal((m, m))
    image = penalties.TotalVariation2D((m, m)).over(m * m)
    spent = {"sparsesolve, exact": _seconds(lambda: image.prox(x.ravel(), 0.2), 1)}
    if args.fastprox:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "image.npy"
            np.save(file, x)
            words = [args.fastprox, "-c", FASTPROX, str(file), "0.2"]
            spent["fastprox"] = float(subprocess.check_output(words))
    print("total variation 512 x 512, t 0.2: ", spent)


def _seconds(call, rounds=2):
    best = np.inf
    for _ in range(rounds):
        begun = time.process_time()
        call()
        best = min(best, time.process_time() - begun)
    return round(best, 4)


def _graph_of_spams(groups, p):
    count = len(groups)
    of, j = np.repeat(np.arange(count), [len(g) for g in groups]), np.concatenate(groups)
    variables = sparse.csc_matrix((np.ones(len(j), dtype=bool), (j, of)), (p, count))
    return {"eta_g": np.ones(count), "groups": sparse.csc_matrix((count, count), dtype=bool),
            "groups_var": variables}  # fmt: skip


RUNS = {"sequence": lambda args: race(args, False), "squares": lambda args: race(args, True),
        "prox": proxes}  # fmt: skip

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="*", default=list(RUNS))
    parser.add_argument("--peers", metavar="FOLDER")
    parser.add_argument("--fastprox", metavar="PYTHON")
    parser.add_argument("--features", metavar="P", type=int, default=400)
    args = parser.parse_args()
    if args.peers:
        sys.path.append(args.peers)
    warnings.simplefilter("ignore", ss.ConvergenceWarning)  # the lines say it
    with threadpool_limits(1):
        for chosen in args.runs:
            RUNS[chosen](args)
