"""Whether "auto" takes a good solver: auto.py [SHAPE ...]

    python benchmarks/paths/auto.py

On a dozen shapes, instructions of a path with solver="auto" are counted under callgrind, and
those of every other solver of the registry that takes the problem. A first run without callgrind
leaves out solvers that take more than PROMISING times the processor time of "auto". Printed are
the counts relative to "auto"; one below 1 / ALLOWED says that a rule of solvers/suitability.py is
wrong there, and the script ends with an error. It needs valgrind.
"""

import argparse
import ctypes
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
import warnings
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # before numpy

import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.solvers import SOLVERS  # noqa: E402

ALLOWED = 1.5
PROMISING = 3.0


def shapes():
    """Return the name of each shape, and the arguments of `path`."""
    rng = np.random.default_rng(0)

    def drawn(n, p):
        X = np.asfortranarray(rng.standard_normal((n, p)))
        return X, X[:, :8] @ rng.standard_normal(8) + rng.standard_normal(n)

    (wide, y), (tall, t), (square, s) = drawn(100, 800), drawn(2_000, 30), drawn(200, 150)
    thin = scipy.sparse.csc_array(np.where(np.abs(wide) > 1.8, wide, 0.0))
    three = np.digitize(s, np.quantile(s, [0.33, 0.67]))
    several = np.column_stack([t, tall[:, 3] - t, tall[:, 5]])
    groups = ss.penalties.GroupL2(np.arange(800) // 4)
    hinge, logistic = {"family": ss.families.hinge(), "alpha": 0}, {"family": "binomial"}
    return {
        "lasso, wide": (wide, y, {}),
        "lasso, tall": (tall, t, {}),
        "lasso, sparse": (thin, y, {}),
        "ridge, tall": (tall, t, {"alpha": 0}),
        "groups, wide": (wide, y, {"penalty": groups}),
        "logistic, wide": (wide, y > 0, logistic),
        "logistic, tall": (tall, t > 0, logistic),
        "three classes": (square[:, :40], three, {"family": "multinomial"}),
        "three classes, wide": (wide, np.digitize(y, [-2, 2]), {"family": "multinomial"}),
        "three responses, tall": (tall, several, {"family": "multigaussian"}),
        "hinge, tall": (tall, t > 0, hinge),
        "hinge, wide": (wide, y > 0, hinge),
        "total variation": (square, s, {"penalty": ss.penalties.TotalVariation()}),
    }


def solve(shape, solver):
    """Solve a path of that shape."""
    X, y, options = shapes()[shape]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        return ss.path(X, y, solver=solver, n_lambdas=10, max_iter=500, **options)


def seconds(shape, solver):
    """Return the processor time of a path; inf if the solver does not take it or misses gaps."""
    begin = time.process_time()
    try:
        gaps = solve(shape, solver).gaps
    except ValueError:
        return np.inf
    return time.process_time() - begin if gaps.max() <= 1e-6 else np.inf


def counted(shape, solvers):
    """Return thousands of instructions of a path by each solver, counted in one process."""
    place = Path(__file__).resolve().parents[2] / ".ci" / "counts.py"
    spec = importlib.util.spec_from_file_location("counts", place)
    spec.loader.exec_module(counts := importlib.util.module_from_spec(spec))
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "switch.c"), Path(folder, "switch.so")
        source.write_text(counts.START_AND_STOP)
        compiler = sysconfig.get_config_var("CC").split()
        subprocess.run([*compiler, "-shared", "-fPIC", source, "-o", library], check=True)
        subprocess.run(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", "-q",
             f"--callgrind-out-file={folder}/dump", sys.executable, __file__, library, shape,
             *solvers], check=True,
        )  # fmt: skip
        found = [counts.own_and_all(dump) for dump in Path(folder).glob("dump*")]
    return {name: both["all"] for name, both in found if name}


def main(names):
    """Print the table; return 1 if "auto" misses a solver that is much better."""
    missed = []
    for shape in names or shapes():
        seconds(shape, "auto")  # what is imported late is imported here
        auto = seconds(shape, "auto")
        good = [name for name in SOLVERS if seconds(shape, name) <= PROMISING * auto]
        found = counted(shape, ["auto", *good])
        ratios = {name: found[name] / found["auto"] for name in good}
        told = (f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        print(f"{shape:24}", *told, flush=True)
        missed += [shape] * (min(ratios.values(), default=1.0) < 1.0 / ALLOWED)
    print("auto is within", ALLOWED, "of the best" if not missed else f"but for {missed}")
    return int(bool(missed))


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].endswith("switch.so"):
        switch = ctypes.CDLL(sys.argv[1])
        for solver in sys.argv[3:]:
            solve(sys.argv[2], solver)
            switch.start()
            solve(sys.argv[2], solver)
            switch.stop(solver.encode())
    else:
        asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        asked.add_argument("shapes", nargs="*")
        sys.exit(main(asked.parse_args().shapes))
