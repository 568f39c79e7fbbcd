"""One-versus-all logistic regression with features tied across the classes: who comes in first?

multitask.py DATA [--seconds 20] [--out multitask]: the small-round-blue-cell tumours (63 training
rows, 2,308 genes, 4 classes), l1/l2 and l1/linf, three regularisations: objective against time of
ISTA, FISTA, SpaRSA, subgradient descent and block coordinate descent, as Figure 15 of Bach et al.
2012 draws it. Writes multitask.png and prints the orders. Where solver "bcd" is not registered
working sets stand for it: from nothing, and down a path of 20 lams.

K independent logistic regressions are one of K n samples on a block-diagonal design, whose group j
holds the coefficients of gene j in all classes; the classes' intercepts are K more columns, in a
group without a penalty.
"""

import argparse
from pathlib import Path

import numpy as np
from convergence import best_steps, down_a_path, draw, largest_level, table, watch
from scipy import sparse
from threadpoolctl import threadpool_limits

from sparsesolve import families, penalties
from sparsesolve.paths.assembly import read_problem
from sparsesolve.solvers import SOLVERS

LEVELS = {"low": 0.01, "medium": 0.1, "high": 0.4}  # of the largest lam
NORMS = {"l1/l2": penalties.GroupL2, "l1/linf": penalties.GroupLinf}
METHODS = ["ista", "fista", "sparsa", "subgradient", "bcd", "proximal_newton"]


def load(folder):
    """Log-ratios of the training rows, standardised, and their classes; None without the file."""
    file = Path(folder) / "srbct" / "srbct.npz"
    if not file.exists():
        return None
    with np.load(file, allow_pickle=True) as z:
        X, y = np.log(z["X"][z["train"]]), z["y"][z["train"]]
    return (X - X.mean(axis=0)) / X.std(axis=0), y.astype(int)


def stacked(X, y):
    """Design (K n, K p + K), responses of one class against the others, and groups."""
    (n, p), K = X.shape, int(y.max()) + 1
    blocks = sparse.block_diag([X] * K, format="csc")
    ones = sparse.block_diag([np.ones((n, 1))] * K, format="csc")
    design = sparse.hstack([blocks, ones], format="csc")
    answers = (np.arange(K)[:, None] == y).ravel().astype(float)
    return design, answers, [*np.tile(np.arange(p), K).tolist(), *["intercepts"] * K]


def make_problem(X, y, norm):
    design, answers, groups = stacked(X, y)
    weights = {**dict.fromkeys(range(X.shape[1]), 1.0), "intercepts": 0.0}
    none = dict.fromkeys(["weights", "offset", "penalty_factor", "lower", "upper"])
    return read_problem(
        design, answers, families.binomial, alpha=1.0, intercept=False, standardize=False,
        n_threads=1, penalty=NORMS[norm](groups, weights=weights), **none,
    )[0]  # fmt: skip


def panel(problem, title, share, seconds, methods):
    lam = share * largest_level(problem)
    state = SOLVERS["proximal_newton"].state(problem, 1)
    gap = state.solve(lam, 1e-13 * problem.null_value, 100_000)[1]
    traces = [down_a_path(problem, "proximal_newton", lam)]
    for name in methods:
        steps = best_steps(problem, lam, 200) if name == "subgradient" else {}
        traces.append(watch(problem, name, lam, seconds, **steps))
    active = len(np.unique(np.asarray(problem.penalty.of)[state.coefficients()[0]])) - 1
    least = min(trace.objective.min() for trace in traces)
    title = f"{title}, {active} genes"
    print(f"{title}: the optimum is known to {gap / problem.null_value:.1g}", flush=True)
    found = title, traces, least, problem.null_value
    print(table([found]), flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", default="../shared/data")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each method in a panel")
    parser.add_argument("--out", default="multitask")
    arguments = parser.parse_args()
    data = load(arguments.data)
    if data is None:
        print(f"{arguments.data}/srbct/srbct.npz is not there; nothing to measure")
        return
    methods = [name for name in METHODS if name in SOLVERS]
    panels = []
    with threadpool_limits(1):
        for norm in NORMS:
            problem = make_problem(*data, norm)
            for level, share in LEVELS.items():
                title = f"{norm}, {level} regularisation"
                panels.append(panel(problem, title, share, arguments.seconds, methods))
    draw(f"{arguments.out}.png", panels, len(LEVELS))


if __name__ == "__main__":
    main()
