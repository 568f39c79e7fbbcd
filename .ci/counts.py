"""Count the instructions of a few fixed problems under callgrind: a guard against slowdowns.

python .ci/counts.py [--update] [NAME ...], with valgrind and a C compiler. Counts repeat on a
loaded machine, where seconds do not. Two are kept for each problem: `own`, those of this package's
compiled code, for one compiler; and `all`, those of BLAS, libm and the interpreter too, for one
version of each.
What was compiled or installed otherwise than noted is not compared. Valgrind does not know
AVX-512: the kernels for x86-64-v3 are counted, on machines with AVX2, whatever else they have.
Ratios guard against cliffs: what a looser tolerance costs compared with a tight one, one far
lambda with the path to it, a small alpha with alpha = 1. NAME is a problem's, or `cliffs` for the
ratios; without one all are counted.
"""

import ctypes
import gc
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import scipy

import sparsesolve as ss

NOTED = Path(__file__).with_name("counts.json")
PACKAGE = f"{Path(ss.__file__).resolve().parent}/"
ALLOWED = 1.05
ALLOWED_RATIO = 1.10
CLIFFS = 1e6  # thousand instructions of all cliffs, to share the work
OVER = " / "  # between the two names of a cliff
START_AND_STOP = """
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; }
void stop(const char *name) { CALLGRIND_STOP_INSTRUMENTATION; CALLGRIND_DUMP_STATS_AT(name); }
"""


def normal(n, p, true=10):
    """A dense design and a response with that many true coefficients."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    return X, X[:, :true] @ rng.standard_normal(true) + rng.standard_normal(n)


def thin(n, p):
    X, y = normal(n, p)
    X[np.random.default_rng(1).random((n, p)) < 0.95] = 0.0
    return scipy.sparse.csc_array(X), y


def classes(y, count):
    return np.searchsorted(np.quantile(y, np.arange(1, count) / count), y)


def problems():
    """Yield the name of each problem and a call that solves it."""
    X, y = normal(200, 1000)
    Z, z = thin(300, 1500)
    yield "gaussian dense", lambda: ss.path(X, y)
    yield "gaussian sparse", lambda: ss.path(Z, z)
    tall, response = normal(20_000, 50)
    yield "gaussian tall", lambda: ss.path(tall, response)
    yield "binomial dense", lambda: ss.path(X, y > 0, family="binomial", n_lambdas=50)
    yield "binomial sparse", lambda: ss.path(Z, z > 0, family="binomial", n_lambdas=30)
    few = X[:, :100]
    yield "multinomial", lambda: ss.path(few, classes(y, 3), family="multinomial", n_lambdas=8)
    counts = np.round(np.exp(y / 4))
    yield "poisson", lambda: ss.path(X, counts, family="poisson", n_lambdas=50)
    times = np.c_[np.exp(y), y < 1]
    yield "cox", lambda: ss.path(few, times, family="cox", n_lambdas=30)
    groups = ss.penalties.GroupL2(np.arange(1000) // 5)
    yield "group lasso", lambda: ss.path(X, y, penalty=groups, n_lambdas=50)
    alone = ss.penalties.GroupL2(np.arange(1000), weights=np.ones(1000))
    yield "groups of one", lambda: ss.path(X, y, penalty=alone, n_lambdas=50)
    column = y[:, None]
    yield "one response of several", lambda: ss.path(X, column, family="multigaussian",
                                                     n_lambdas=50)
    yield "two classes of several", lambda: ss.path(few, classes(y, 2), family="multinomial",
                                                    n_lambdas=20)
    fewer, halves = tall[:4000], response[:4000] > 0
    yield "binomial by passes", lambda: ss.path(fewer, halves, family="binomial",
                                                solver="pass_newton", n_lambdas=8)
    yield "lars", lambda: ss.lars_path(X, y)
    kernels = [np.exp(-np.subtract.outer(x, x) ** 2) for x in X.T[:8]]
    yield "mkl", lambda: ss.mkl_path(kernels, y, n_lambdas=10)
    atoms, signals = X[:100, :100], X[:100, 200:]
    chains = [50] * 4
    yield "chains", lambda: ss.crf_path(few, classes(y, 3), lengths=chains, n_lambdas=5)
    yield "sparse_code", lambda: ss.sparse_code(signals, atoms, lam=20.0)


def correlated(n, p, rho):
    """Columns of an autoregressive process, and a response with twenty true coefficients."""
    rng = np.random.default_rng(2)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho**2) * X[:, j]
    return X, X[:, :: p // 20] @ rng.standard_normal(20) + rng.standard_normal(n)


def cliffs():
    """Yield two problems at a time as `problems` does; the first is to cost little more."""
    X, y = correlated(100, 1000, 0.95)
    groups = ss.penalties.GroupL2(np.arange(1000) // 5)
    for family, response in (("gaussian", y), ("binomial", y > 0)):
        fit = partial(ss.path, X, response, family=family, stop=None)
        path = partial(fit, n_lambdas=20)
        lam = path().lambdas[-1:]
        yield (f"{family}: tol 1e-3", partial(path, tol=1e-3)), ("tol 1e-7", path)
        yield (f"{family}: one far lambda", partial(fit, lambdas=lam)), ("path", path)
        yield (f"{family}: alpha .05", partial(path, alpha=0.05)), ("alpha 1", path)
    fit = partial(ss.path, X, y, penalty=groups, n_lambdas=20, stop=None)
    yield ("group lasso: tol 1e-3", partial(fit, tol=1e-3)), ("tol 1e-7", fit)


def solve_all(library, *names):
    """Solve the problems named, or all, counted the second time: this runs under callgrind."""
    callgrind = ctypes.CDLL(library)
    gc.disable()
    solved = [problem for problem in problems() if not names or problem[0] in names]
    for (above, one), (below, other) in cliffs() if not names or "cliffs" in names else ():
        name = f"{above}{OVER}{below}"
        solved += [(f"{name}{OVER}0", one), (f"{name}{OVER}1", other)]
    for name, solve in solved:
        solve()
        callgrind.start()
        solve()
        callgrind.stop(name.encode())


def own_and_all(dump):
    """The name of a dump and its two counts, in thousands of instructions."""
    text = dump.read_text()
    names, here, own, total, called = {}, "", 0, 0, False
    for line in text.splitlines():
        if line.startswith(("ob=", "cob=")):
            number, name = re.match(r"c?ob=\((\d+)\) ?(.*)", line).groups()
            names.setdefault(number, name)
            here = names[number] if line.startswith("ob=") else here
        elif line.startswith("calls="):
            called = True
        elif line[:1] in "0123456789+-*" and line:
            if not called:
                total += int(line.split()[1])
                own += int(line.split()[1]) if here.startswith(PACKAGE) else 0
            called = False
    name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
    return name and name[1], {"own": own // 1000, "all": total // 1000}


def shares(names, noted):
    """Return the problems named, or all, in two lists of about the same cost, dearest first."""
    names = names or ["cliffs", *(name for name, _ in problems())]
    cost = {name: noted.get(name, {}).get("all", 1e5) for name in names} | {"cliffs": CLIFFS}
    lists = [], []
    for name in sorted(names, key=cost.get, reverse=True):
        min(lists, key=lambda taken: sum(map(cost.get, taken))).append(name)
    return [taken for taken in lists if taken]


def count(names, noted):
    """The counts of the problems named, or of all, by name, and the ratios of the cliffs.

    Two processes at a time.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "switch.c"), Path(folder, "switch.so")
        source.write_text(START_AND_STOP)
        compiler = sysconfig.get_config_var("CC").split()
        subprocess.run([*compiler, "-shared", "-fPIC", source, "-o", library], check=True)
        alone = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                 "PYTHONPATH": str(Path(ss.__file__).parents[1])}
        running = [
            subprocess.Popen(["valgrind", "--tool=callgrind", "--instr-atstart=no", "-q",
                              f"--callgrind-out-file={folder}/dump{k}", sys.executable, __file__,
                              library, *taken], env=os.environ | alone)
            for k, taken in enumerate(shares(names, noted))
        ]  # fmt: skip
        if any([process.wait() for process in running]):
            sys.exit("a problem could not be counted")
        dumps = [own_and_all(dump) for dump in sorted(Path(folder).glob("dump*"))]
    found = {name: counts for name, counts in dumps if name}
    counts = {name: found[name] for name, _ in problems() if name in found}
    ratios = {}
    for name, both in found.items():
        cliff, _, part = name.rpartition(OVER)
        if part == "0":
            ratios[cliff] = round(both["all"] / found[f"{cliff}{OVER}1"]["all"], 3)
    return counts, ratios


def versions():
    compiler = subprocess.run([*sysconfig.get_config_var("CC").split(), "--version"],
                              capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return {"compiler": compiler, "python": sysconfig.get_python_version(),
            "numpy": np.__version__, "scipy": scipy.__version__}


def compare(noted, found, kinds):
    """Print the table, and return the problems whose count of a kind has grown too much."""
    grown = []
    print(f"{'thousand instructions':22}{'own':>12}{'':8}{'all':>12}")
    for name, now in found.items():
        line = f"{name:22}"
        for kind in ("own", "all"):
            ratio = now[kind] / noted[name][kind] if kind in kinds and name in noted else np.nan
            line += f"{now[kind]:12}" + (f" {ratio - 1:+6.1%}" if ratio == ratio else "       ")
            grown += [f"{name} ({kind})"] * (ratio > ALLOWED)
        print(line)
    return grown


def compare_ratios(noted, ratios, told):
    """Print the ratios, and return those that are larger than noted, if they can be `told`."""
    grown = []
    for name, ratio in ratios.items():
        print(f"{name:44}{ratio:8.2f}")
        if told and ratio > ALLOWED_RATIO * noted.get(name, np.inf):
            grown.append(f"{name} ({noted[name]:.2f})")
    return grown


def main(update, names):
    info = Path("/proc/cpuinfo")
    if not shutil.which("valgrind") or not info.exists() or " avx2 " not in info.read_text():
        print("no valgrind, or no processor with AVX2: instructions are not counted")
        return 0
    noted, here = json.loads(NOTED.read_text()) if NOTED.exists() else {}, versions()
    other = [name for name in here if noted.get("versions", {}).get(name) != here[name]]
    kinds = [] if "compiler" in other else ["own"] if other else ["own", "all"]
    found, ratios = count(names, noted.get("counts", {}))
    grown = compare(noted.get("counts", {}), found, kinds)
    grown += compare_ratios(noted.get("ratios", {}), ratios, "all" in kinds)
    if update:
        found = noted.get("counts", {}) | found
        text = json.dumps({"versions": here, "counts": found,
                           "ratios": noted.get("ratios", {}) | ratios}, indent=1)
        NOTED.write_text(text + "\n")
    elif other:
        print("not compared, because noted for another", ", ".join(other), end=": ")
        print("all counts" if not kinds else "counts that BLAS and the interpreter are part of")
    if grown and not update:
        print(f"more than {ALLOWED - 1:.0%} above {NOTED.name}, ratios more than "
              f"{ALLOWED_RATIO - 1:.0%}:", *grown, sep="\n  ")
        print("make it as fast as it was, or run with --update and say why in the message")
        return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].endswith("switch.so"):
        solve_all(*sys.argv[1:])
    else:
        names = [name for name in sys.argv[1:] if name != "--update"]
        known = {"cliffs"} | {name for name, _ in problems()}
        if strange := [name for name in names if name not in known]:
            sys.exit(f"there is no problem {strange[0]!r}; name {', '.join(sorted(known))}")
        sys.exit(main("--update" in sys.argv, names))
