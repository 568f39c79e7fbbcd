"""What a constant of the solvers is worth: constants.py [ROOM[.NAME] ...] [--rounds N].

Solves the paths of a room's problems with the constant as it is, a third of it and three times it
(of a share beyond 0.3, its distance from 1 is changed). ROOM is a folder of solvers/, or
`tolerances` for the numbers that all share. Printed are the processor time and the iterations of
each, relative to the constant as it stands. A ratio above 1 on both sides says that the constant
stands well, one near 1 on both that it makes no difference on that problem.

Iterations do not depend on the load of a machine; times do. Each value has a process of its own.
Processes are run in turn, and the least time of each counts. BLAS has one thread. Numbers of
compiled files (cdef, DEF) are written into the source and built in place with --compiled, and
skipped without it; the source is restored and built again at the end.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: processes are forked

import numpy as np  # noqa: E402
import scipy.linalg  # noqa: E402, F401
import scipy.sparse  # noqa: E402

SOLVERS = Path(importlib.util.find_spec("sparsesolve").origin).parent / "solvers"
NUMBER = re.compile(r"(?m)^(cdef [\w ]+ |DEF )?([A-Z][A-Z_0-9]+) = ([-+.\d_e* ]+?) *(?:#.*)?$")


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
    if module in ("newton", "quadratic", "screening", "tolerances"):
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


def constants(room):
    """Return (file, name, number, whether it is compiled) of the constants of a room."""
    files = [SOLVERS / "tolerances.py"] if room == "tolerances" else (SOLVERS / room).glob("*.py*")
    found = []
    for file in sorted(files):
        if file.suffix in (".py", ".pyx"):
            for kind, name, value in NUMBER.findall(file.read_text()):
                found.append((file, name, eval(value), bool(kind)))
    return found


def changed(value, factor):
    """Return a value changed by a factor, as an integer if it is one."""
    if isinstance(value, int):
        return max(int(round(value * factor)), 1)
    if 0.3 < value < 1.0:
        return max(1.0 - (1.0 - value) / factor, 0.02)
    return value * factor


def patched(file, name, value):
    """Set a number that is no compiled one: before the import of all others if they copy it."""
    label = ".".join(["sparsesolve.solvers", *file.relative_to(SOLVERS).with_suffix("").parts])
    if file.stem == "tolerances":
        spec = importlib.util.spec_from_file_location(label, file)
        sys.modules[label] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[label])
    setattr(importlib.import_module(label), name, value)


def solve(room, change, rounds):
    """Return the least seconds and the iterations of each problem, after a fresh import."""
    if change:
        patched(*change)
    found = {}
    for label, call in problems(room).items():
        times = []
        for _ in range(rounds):
            start = time.process_time()
            fit = call()
            times.append(time.process_time() - start)
        n_iters = getattr(fit, "n_iters", None)
        found[label] = min(times), int(np.sum(n_iters)) if n_iters is not None else 0
    return found


def run(room, change, rounds):
    """Return what `solve` returns, from a child process; None if it fails there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.write(writing, json.dumps(solve(room, change, rounds)).encode())
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


def written(file, name, value):
    """Write a number into a compiled file and build it in place; returns the text before."""
    text = file.read_text()
    bound = rf"(?m)^((?:cdef [\w ]+ |DEF ){name} = )[-+.\d_e* ]*[\d.]"
    file.write_text(re.sub(bound, rf"\g<1>{value}", text))
    build()
    return text


def build():
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    subprocess.run(command, cwd=SOLVERS.parents[1], check=True, capture_output=True)


def measured(room, file, name, values, compiled, args):
    """Return what `run` returns of the constant as it stands, and of each value."""
    base, found = None, [None, None]
    if not compiled:
        for _ in range(args.turns):
            base = least(base, run(room, None, args.rounds))
            for k in (0, 1):
                found[k] = least(found[k], run(room, (file, name, values[k]), args.rounds))
        return base, found
    for k in (0, 1):
        base = least(base, run(room, None, args.rounds))
        text = written(file, name, values[k])
        try:
            found[k] = run(room, None, args.rounds)
        finally:
            file.write_text(text)
            build()
    return base, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="folders of solvers/, or constants of them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--compiled", action="store_true", help="build compiled numbers, too")
    args = parser.parse_args()
    for asked in args.names or ["tolerances", "newton", "quadratic", "responses", "screening",
                                "homotopy", "margin", "first_order", "reductions"]:  # fmt: skip
        room, _, only = asked.partition(".")
        for file, name, value, compiled in constants(room):
            if (only and name != only) or (compiled and not args.compiled):
                continue
            values = [changed(value, 1 / 3), changed(value, 3.0)]
            base, found = measured(room, file, name, values, compiled, args)
            print(f"{room}.{name} = {value:g}: {values[0]:g} and {values[1]:g}", flush=True)
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
