"""The surface of speed: alpha x tolerance x correlation x shape x family x what is asked.

surface.py [--quick] [--peers glmnet glmstar ...] [--seed N] [--out NAME] [--picture FILE]

Every cell is a drawn problem. Its figure is how many times as long the best peer takes at equal
certified accuracy: the worst suboptimality over the lambdas, as benchmarks/paths/certificate.py
finds it, is at most the cell's tol, the peer's own tolerance going down tenfold until it is. Where
no peer runs, it is how many times as long our own path to the same place takes at tol 1e-7: a path
against the one at 1e-7, one far lambda against the path that ends there, a cross-validation of 5
folds against 6 paths. Processor seconds, the least of the rounds; of a peer, the cheapest of its
tolerances that met the level. Written are NAME.json and a picture; printed the worst twenty cells.
rooms.py asks the same of the other rooms.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import peers as exchange
from certificate import Certificate
from problems import autoregressive, planted_signal, problem, text
from response_peers import PEERS as RESPONSE_PEERS
from response_peers import Judge, note, response_seconds
from surface_picture import draw
from worker import Absent, Worker

import sparsesolve as ss

FULL = {
    "family": ["gaussian", "binomial", "poisson", "cox", "multinomial"],
    "shape": ["wide", "square", "tall", "sparse", "n << p"],
    "correlation": [0.0, 0.5, 0.9, 0.99],
    "alpha": [1.0, 0.5, 0.2, 0.05, 0.01],
    "tol": [1e-2, 1e-3, 1e-5, 1e-7, 1e-10],
    "asked": ["path", "far", "cv"],
}
QUICK = {
    "family": ["gaussian", "binomial", "cox", "multinomial"],
    "shape": FULL["shape"],
    "correlation": [0.0, 0.9],
    "alpha": [1.0, 0.2, 0.05],
    "tol": [1e-2, 1e-4, 1e-6],
    "asked": ["path"],
}
SIZES = {"wide": (500, 5000), "square": (1000, 1000), "tall": (20_000, 200),
         "sparse": (5000, 20_000), "n << p": (100, 20_000)}  # fmt: skip
QUICK_SIZES = {"wide": (200, 2000), "square": (300, 300), "tall": (3000, 60),
               "sparse": (1000, 2000), "n << p": (60, 4000)}  # fmt: skip
PEERS = ["glmnet", "glmstar", "adelie", "skglm", "scikit-learn", "liblinear", "saga"]
WITH_RESPONSES = ("multinomial", "cox")  # families that glmnet alone fits, in R and in Python
N_LAMBDAS, RATIO, FOLDS, REFERENCE = 30, 0.01, 5, 1e-7
STRICTEST = 1e-13  # own tolerance of a peer at which its ladder ends


def data(family, shape, rho, quick, seed):
    """Return X and a response of the family, drawn."""
    rng = np.random.default_rng(seed)
    n, p = (QUICK_SIZES if quick else SIZES)[shape]
    if shape == "sparse":
        X, deviations, candidates = text(n, p, 0.02, rng)
        eta = planted_signal(X, deviations, candidates, 20, rng)
    else:
        X = autoregressive(n, p, rho, rng)
        eta = planted_signal(X, np.ones(p), np.arange(p), 20, rng)
    eta = 1.5 * eta / eta.std()
    if family == "binomial":
        return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    if family == "poisson":
        return X, rng.poisson(np.exp(0.5 * eta)).astype(float)
    if family == "cox":
        return X, np.column_stack([rng.exponential(np.exp(-eta)), rng.random(n) < 0.7])
    y = eta + rng.standard_normal(n)
    if family == "multinomial":
        return X, np.digitize(y, [-1.0, 1.0])
    return X, (y - y.mean()) / y.std()  # glmnet divides the ridge part by the deviation of y


def seconds(call, rounds):
    """Return the least processor seconds of so many calls, and what the last returned."""
    least = np.inf
    for _ in range(rounds):
        start = time.process_time()
        found = call()
        least = min(least, time.process_time() - start)
    return least, found


def asked_of(X, y, family, alpha, lambdas, tol):
    """Return what is asked as calls: the path, its last lambda alone, a cross-validation."""
    options = {"family": family, "alpha": alpha, "tol": tol}
    plain = options | {"standardize": False, "stop": None}
    return {
        "path": lambda: ss.path(X, y, lambdas=lambdas, **plain),
        "far": lambda: ss.path(X, y, lambdas=lambdas[-1:], **plain),
        "cv": lambda: ss.cv_path(X, y, lambdas=lambdas, n_folds=FOLDS, **plain),
    }


def peer_seconds(name, X, y, family, alpha, lambdas, tols, budget):
    """Return {tol: processor seconds} of a peer for the path; nothing where it does not run."""
    q = problem("", X, y, RATIO, alpha, family, N_LAMBDAS)
    q.lambdas = lambdas
    if name not in exchange.names(family) or not exchange.applies(name, q):
        return {}
    certificate, found, own = Certificate(q), {}, 1e-2
    certificate.measure(asked_of(X, y, family, alpha, lambdas, 1e-12)["path"]().coefs)
    with tempfile.TemporaryDirectory() as folder:
        exchange.write(q, Path(folder))
        worker = Worker(name, Path(folder), X.shape)
        try:
            while own >= STRICTEST and len(found) < len(tols):
                run = worker.run(own, len(lambdas), budget)
                if run is None:
                    break  # cut off
                primal, _ = certificate.measure(run[2])
                worst = certificate.suboptimality(primal).max()
                note(found, worst, run[1], tols)
                if run[1] > budget / 4.0:
                    break  # so that the next is not cut off, and the process can go on
                own /= 10.0
        except Absent as error:
            print(error)
        finally:
            worker.rest()
    return found


def all_peers(X, y, family, alpha, lambdas, tols, args):
    """Return {peer: {tol: processor seconds}} of those that were asked for."""
    if family in WITH_RESPONSES:
        judge = Judge(X, y, family, alpha, lambdas)
        names = [name for name in args.peers if name in RESPONSE_PEERS]
        return {name: response_seconds(name, judge, tols, args.budget) for name in names}
    return {name: peer_seconds(name, X, y, family, alpha, lambdas, tols, args.budget)
            for name in args.peers}  # fmt: skip


def problem_cells(family, shape, rho, alpha, axes, args):
    """Yield the cells of one problem: where they are, our seconds, the reference and its name."""
    X, y = data(family, shape, rho, args.quick, args.seed)
    lambdas = ss.path(X, y, family=family, alpha=alpha, standardize=False, stop=None,
                      n_lambdas=N_LAMBDAS, lambda_min_ratio=RATIO, tol=1e-3).lambdas  # fmt: skip
    own = seconds(asked_of(X, y, family, alpha, lambdas, REFERENCE)["path"], args.rounds)[0]
    peers = all_peers(X, y, family, alpha, lambdas, axes["tol"], args)
    for tol, asked in product(axes["tol"], axes["asked"]):
        ours = seconds(asked_of(X, y, family, alpha, lambdas, tol)[asked], args.rounds)[0]
        times = {name: found[tol] for name, found in peers.items() if tol in found}
        best = min(times, key=times.get) if times else "own path at 1e-7"
        reference = times.get(best, own) * (FOLDS + 1 if asked == "cv" else 1)
        yield {"family": family, "shape": shape, "correlation": rho, "alpha": alpha, "tol": tol,
               "asked": asked, "seconds": ours, "reference": reference, "of": best,
               "ratio": reference / max(ours, 1e-9)}  # fmt: skip


def scan(axes, args):
    """Return all cells; sparse designs, which are drawn otherwise, at one correlation."""
    cells = []
    for family, shape, rho in product(axes["family"], axes["shape"], axes["correlation"]):
        if shape == "sparse" and rho != axes["correlation"][0]:
            continue
        for alpha in axes["alpha"]:
            cells += problem_cells(family, shape, rho, alpha, axes, args)
            text = json.dumps({"seed": args.seed, "cells": cells}, indent=1)
            Path(f"{args.out}.json").write_text(text)  # what there is, if a run is cut short
        print(f"{family}, {shape}, correlation {rho}: {len(cells)} cells", flush=True)
    return cells


def show(cells):
    """Print the worst twenty cells and the middle."""
    print(f"{'ratio':>7}{'seconds':>9}  cell")
    for cell in sorted(cells, key=lambda cell: cell["ratio"])[:20]:
        where = [cell["family"], cell["shape"]]
        where += [f"{name} {cell[name]:g}" for name in ("correlation", "alpha", "tol")
                  if cell[name] is not None]  # fmt: skip
        print(f"{cell['ratio']:7.2f}{cell['seconds']:9.4f}  {', '.join(where)}, {cell['asked']} "
              f"(of {cell['of']})")  # fmt: skip
    ratios = np.array([cell["ratio"] for cell in cells])
    print(f"{len(cells)} cells, median {np.median(ratios):.2f}, "
          f"{np.mean(ratios < 1 / 1.1):.0%} below 1 / 1.1; fastest peer: "
          f"{dict(Counter(cell['of'] for cell in cells))}")  # fmt: skip
    longer = ratios[[cell["seconds"] >= 0.05 for cell in cells]]
    if longer.size:
        print(f"{longer.size} cells of 50 ms and more: median {np.median(longer):.2f}, "
              f"{np.mean(longer < 1 / 1.1):.0%} below 1 / 1.1")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small problems, minutes")
    parser.add_argument("--peers", nargs="*", default=[], help=f"all, or of {PEERS}")
    today = int(time.strftime("%Y%m%d"))
    parser.add_argument("--seed", type=int, default=today, help="default: the date")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--budget", type=float, help="seconds for a peer: 60, or 4 if --quick")
    parser.add_argument("--out", default="surface", help="NAME of NAME.json")
    parser.add_argument("--picture", help="a file for the heat map")
    for axis, values in FULL.items():
        parser.add_argument(f"--{axis}", nargs="+", type=type(values[0]), help=f"of {values}")
    args = parser.parse_args()
    args.budget = args.budget or (4.0 if args.quick else 60.0)
    if args.peers == ["all"]:
        args.peers = PEERS
    chosen = {axis: getattr(args, axis) for axis in FULL if getattr(args, axis)}
    cells = scan((QUICK if args.quick else FULL) | chosen, args)
    show(cells)
    if args.picture:
        draw(cells, args.picture)


if __name__ == "__main__":
    main()
