"""What a constant of solvers/costs is worth: constants.py [MODULE[.NAME] ...] [--rounds N].

Solves the paths of a module's problems with the constant as it is, a third of it and three times
it (of a share beyond 0.3, its distance from 1 is changed). Printed are the processor time and the
iterations of each, relative to the constant as it stands. A ratio above 1 on both sides says that
the constant stands well, one near 1 on both that it makes no difference on that problem.

Iterations do not depend on the load of a machine; times do. Each value has a process of its own,
since compiled modules read constants when they are imported. Processes are run in turn, and the
least time of each counts. BLAS has one thread.
"""

import argparse
import importlib.util
import json
import os
import re
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: processes are forked

import numpy as np  # noqa: E402
import scipy.linalg  # noqa: E402, F401
import scipy.sparse  # noqa: E402

MODULES = Path(importlib.util.find_spec("sparsesolve").origin).parent / "solvers" / "costs"


def correlated(n, p, rho=0.7, seed=0):
    """Return columns (n, p), each correlated with the last one, and a predictor (n,) of ten."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho**2) * X[:, j]
    eta = X[:, : 10 * (p // 10) : p // 10] @ rng.standard_normal(10)[: len(range(0, p, p // 10))]
    return np.asfortranarray(X), eta + rng.standard_normal(n)


def problems(module):
    """Return the problems by which a module is measured: names, and calls that solve them."""
    import sparsesolve as ss

    X, y = correlated(200, 1000)
    classes = np.digitize(y, np.quantile(y, [0.33, 0.67]))
    if module in ("working_set", "newton", "subproblem", "screening"):
        thin = scipy.sparse.csc_array(np.where(np.abs(X) > 1.5, X, 0.0))
        groups = ss.penalties.GroupL2(np.arange(1000) // 5)
        return {
            "lasso": lambda: ss.path(X, y),
            "logistic": lambda: ss.path(X, y > 0, family="binomial", n_lambdas=50),
            "sparse": lambda: ss.path(thin, y > 0, family="binomial", n_lambdas=50),
            "groups": lambda: ss.path(X, y, penalty=groups, n_lambdas=50),
            "logistic groups": lambda: ss.path(X, y > 0, family="binomial", penalty=groups,
                                               n_lambdas=30),
            "ridge part": lambda: ss.path(X, y, alpha=0.05, n_lambdas=50),
        }  # fmt: skip
    if module == "responses":
        several = np.column_stack([y, X[:, 5] - y, y * 0.5 + X[:, 80], X[:, 7]])
        return {
            "softmax": lambda: ss.path(X[:, :300], classes, family="multinomial", n_lambdas=15),
            "grouped softmax": lambda: ss.path(X[:, :200], classes, family="multinomial",
                                               grouped=True, n_lambdas=15),
            "real": lambda: ss.path(X, several, family="multigaussian", n_lambdas=40),
            "many": lambda: ss.path(X, classes, family="multinomial", n_lambdas=10,
                                    solver="response_blocks"),
        }  # fmt: skip
    if module == "homotopy":
        T, t = correlated(2000, 200)
        return {"wide": lambda: ss.lars_path(X, y), "tall": lambda: ss.lars_path(T, t)}
    if module == "greedy":
        return {name: lambda name=name: ss.omp_path(X, y, method=name, n_nonzero=60)
                for name in ("omp", "forward", "mp")} | {
                name: lambda name=name: ss.paths.hard_threshold_path(
                    X, y, method=name, n_nonzero=15)
                for name in ("iht", "niht")}  # fmt: skip
    if module == "margin":
        T, t = correlated(2000, 20)
        signs, few = np.sign(y), X[:, :300]
        ridge = {"alpha": 0.0, "n_lambdas": 10, "family": ss.families.hinge()}
        return {
            "sweeps": lambda: ss.path(few, signs, solver="dual_descent", **ridge),
            "rows": lambda: ss.path(T, np.sign(t), solver="rows_newton", **ridge),
            "l1": lambda: ss.path(few, signs, family=ss.families.hinge(), n_lambdas=10),
        }
    if module == "first_order":
        few, slope = X[:, :200], ss.penalties.Slope(np.linspace(2.0, 1.0, 100))
        fused = ss.penalties.TotalVariation()
        groups = ss.penalties.GroupL2(np.arange(200) // 5)
        named = {"family": "binomial", "n_lambdas": 5, "tol": 1e-5}
        return {
            name: lambda name=name: ss.path(few, y > 0, solver=name, **named)
            for name in ("fista", "sparsa", "panoc")
        } | {
            "slope": lambda: ss.path(X[:, :100], y, penalty=slope, n_lambdas=8, tol=1e-5),
            "admm": lambda: ss.path(few, y, penalty=fused, solver="admm", n_lambdas=5, tol=1e-4),
            "bcd": lambda: ss.path(few, y > 0, penalty=groups, solver="bcd", **named),
            "reweighted": lambda: ss.path(few, y, solver="reweighted", n_lambdas=5, tol=1e-4),
        }
    if module == "reductions":
        scad, groups = ss.penalties.SCAD(), ss.penalties.MCP(groups=np.arange(200) // 5)
        slope = ss.penalties.Slope(np.linspace(2.0, 1.0, 1000))
        return {
            "scad": lambda: ss.path(X, y, penalty=scad, n_lambdas=20),
            "group mcp": lambda: ss.path(X[:, :200], y, penalty=groups, n_lambdas=5),
            "ridge": lambda: ss.path(X, y > 0, family="binomial", alpha=0.0, n_lambdas=20),
            "slope": lambda: ss.path(X, y, penalty=slope, n_lambdas=20),
        }
    raise SystemExit(f"there are no problems for the module {module!r}")


def constants(module):
    """Return the numbers of a module by name."""
    text = (MODULES / f"{module}.py").read_text()
    found = re.findall(r"(?m)^([A-Z][A-Z_0-9]*) = ([-+.\d_e* ]+)$", text)
    return {name: eval(value) for name, value in found}


def changed(value, factor):
    """Return a value changed by a factor, as an integer if it is one."""
    if isinstance(value, int):
        return max(int(round(value * factor)), 1)
    if 0.3 < value < 1.0:
        return max(1.0 - (1.0 - value) / factor, 0.02)
    return value * factor


def solve(module, name, value, rounds):
    """Return the least seconds and the iterations of each problem, after a fresh import."""
    spec = importlib.util.spec_from_file_location(
        f"sparsesolve.solvers.costs.{module}", MODULES / f"{module}.py"
    )
    costs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(costs)
    if name:
        setattr(costs, name, type(getattr(costs, name))(value))
    sys.modules[spec.name] = costs
    found = {}
    for label, call in problems(module).items():
        times = []
        for _ in range(rounds):
            start = time.process_time()
            fit = call()
            times.append(time.process_time() - start)
        n_iters = getattr(fit, "n_iters", None)
        found[label] = min(times), int(np.sum(n_iters)) if n_iters is not None else 0
    return found


def run(module, name, value, rounds):
    """Return what `solve` returns, from a child process; None if it fails there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.write(writing, json.dumps(solve(module, name, value, rounds)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def least(a, b):
    """Return the lesser times of two runs."""
    return {k: (min(a[k][0], b[k][0]), a[k][1]) for k in a} if a and b else a or b


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="modules of solvers/costs, or constants of them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=2)
    args = parser.parse_args()
    for asked in args.names or ["working_set", "newton", "subproblem", "responses", "passes",
                                "screening", "homotopy", "greedy", "margin", "first_order",
                                "reductions"]:  # fmt: skip
        module, _, only = asked.partition(".")
        for name, value in constants(module).items():
            if only and name != only:
                continue
            base = None
            values = [changed(value, 1 / 3), changed(value, 3.0)]
            found = [None, None]
            for _ in range(args.turns):
                base = least(base, run(module, "", 0.0, args.rounds))
                for k in (0, 1):
                    found[k] = least(found[k], run(module, name, values[k], args.rounds))
            print(f"{module}.{name} = {value:g}: {values[0]:g} and {values[1]:g}", flush=True)
            for label in base:
                row = [label]
                for one in found:
                    if one is None:
                        row.append("failed")
                        continue
                    time_ratio = one[label][0] / base[label][0]
                    steps = one[label][1] / max(base[label][1], 1)
                    row.append(f"{time_ratio:.2f} ({steps:.2f})")
                print("   {:<18}{:>14}{:>14}".format(*row), flush=True)


if __name__ == "__main__":
    main()
