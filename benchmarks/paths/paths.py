"""Times paths of sparsesolve and of its peers at certified levels (report.py names them).

    python benchmarks/paths/paths.py gaussian|binomial|poisson [DATA] [--only NAME ...] [--quick]

Levels s bound the worst certified suboptimality over the path, levels g the worst gap of the
coefficients' own dual point, both relative to the null objective. Each package's tolerance is
tightened tenfold at a time until the levels are met; then the runs at the tolerances found are
repeated in turn, and medians are compared. See README.md.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import reference  # noqa: E402
from certificate import Certificate  # noqa: E402
from peers import applies, names, write  # noqa: E402
from problems import PROBLEMS, quick  # noqa: E402
from report import LEVELS, markdown  # noqa: E402
from scipy import sparse  # noqa: E402
from worker import Absent, Worker  # noqa: E402

TIGHTEST = 1e-15

HERE = Path(__file__).resolve().parent


def say(text):
    print(text, file=sys.stderr, flush=True)


def certified(q, key, options):
    """A certificate that knows good dual bounds, from the reference solver or its file."""
    certificate, file = Certificate(q), options.cache / f"reference_{key}.npz"
    if file.exists():
        B = sparse.load_npz(file)
    else:
        B = reference.path(certificate, budget=options.reference)
        sparse.save_npz(file, B)
    certificate.measure(B)
    say(f"{q.name}: reference known to {certificate.slack():.1e}, {B[:, -1].nnz} nonzero at last")
    return certificate


def attempt(worker, certificate, tol, budget):
    """One timed and certified run as a dict, or None when it did not end in the budget."""
    answer = worker.run(tol, certificate.q.lambdas.size, budget)
    if answer is None:
        return None
    wall, cpu, B = answer
    primal, gaps = certificate.measure(B)
    return {"tol": tol, "wall": wall, "cpu": cpu, "g": gaps.max(), "df": B[:, -1].nnz,
            "s": certificate.suboptimality(primal).max(), "primal": primal}


def reached(run, level):
    """Whether the run meets the level."""
    kind, bound, _ = LEVELS[level]
    return run[kind] <= bound


def judge(attempts, certificate, levels):
    """Suboptimalities by the final dual bounds, and {level: [first run that met it]}."""
    met = {}
    for run in (run for run in attempts if run["wall"]):
        run["s"] = certificate.suboptimality(run.pop("primal")).max()
        met.update({k: [run] for k in levels if k not in met and reached(run, k)})
    return met


def climb(worker, certificate, levels, budget):
    """Tighten until all levels are met; returns all attempts."""
    ours = worker.name in ("sparsesolve", "sparsesolve 2 threads")
    tol, attempts = 1e-7 if ours else 1e-3, []  # ours: never looser than its default
    while tol >= TIGHTEST:
        run = attempt(worker, certificate, tol, budget)
        attempts.append(run or {"tol": tol, "wall": None})
        say(f"  {worker.name} at {tol:.0e}: "
            + (f"{run['wall']:.3f} s, s {run['s']:.1e}, g {run['g']:.1e}, df {run['df']}"
               if run else f"not complete in {budget} s"))
        if run is None or all(reached(run, level) for level in levels):
            break
        tol = float(f"{tol / 10:.0e}")
    return attempts


def repeat(workers, met, certificate, repeats, budget):
    """Further runs at the tolerances found, the packages in turn."""
    for _ in range(repeats - 1):
        for name, levels in met.items():
            runs = {tol: attempt(workers[name], certificate, tol, budget)
                    for tol in {first[0]["tol"] for first in levels.values()}}
            for first in levels.values():  # `first` grows into all runs of the level
                if run := runs[first[0]["tol"]]:
                    first.append({k: v for k, v in run.items() if k != "primal"})


def summary(runs):
    """Medians of the times, the worst of the rest."""
    row = {k: statistics.median(run[k] for run in runs) for k in ("wall", "cpu")}
    row.update({k: max(run[k] for run in runs) for k in ("tol", "s", "g", "df")})
    return {**row, "walls": [run["wall"] for run in runs]}


def measure(key, q, options):
    """All packages on one problem; a dict for the report."""
    certificate = certified(q, key, options)
    workers, attempts, skipped = {}, {}, {}
    with tempfile.TemporaryDirectory(dir=options.cache) as folder:
        write(q, Path(folder))
        for name in (name for name in options.peers if applies(name, q)):
            workers[name] = Worker(name, Path(folder), q.X.shape)
            try:
                workers[name].start()
                attempts[name] = climb(workers[name], certificate, options.levels,
                                       options.budget)
            except Absent as reason:
                say(f"  skipped: {reason}")
                skipped[name] = str(reason)
        met = {name: judge(runs, certificate, options.levels) for name, runs in attempts.items()}
        repeat(workers, met, certificate, options.repeats, options.budget)
        for worker in workers.values():
            worker.stop()
    rows = {name: {level: summary(runs) for level, runs in levels.items()}
            for name, levels in met.items()}
    best = min((r for a in attempts.values() for r in a if r["wall"]), key=lambda r: r["g"],
               default={"df": "–"})
    return {"problem": q.name, "key": key, "shape": q.X.shape, "rows": rows, "skipped": skipped,
            "attempts": attempts, "slack": certificate.slack(), "budget": options.budget,
            "df": best["df"], "load": os.getloadavg()[2],  # load over the last 15 minutes
            "versions": {name: w.version for name, w in workers.items()}}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=PROBLEMS)
    parser.add_argument("data", type=Path, nargs="?", default=HERE.parents[2] / "shared" / "data",
                        help="folder of the real data sets; those not there are skipped")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="among those of problems.py")
    parser.add_argument("--peers", nargs="+", metavar="NAME", help="default: all of the family")
    parser.add_argument("--levels", nargs="+", choices=list(LEVELS), help="default: s, and g of "
                        "the gaussian family, s4 of others")  # fmt: skip
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for one attempt")
    parser.add_argument("--reference", type=float, default=300.0,
                        help="seconds for the slow solver that gives dual bounds")
    parser.add_argument("--quick", action="store_true", help="small problems, to try the script")
    parser.add_argument("--out", type=Path, help="write OUT.json and OUT.md as results come in")
    parser.add_argument("--cache", type=Path, help="folder of the reference solutions",
                        default=Path(tempfile.gettempdir()) / "sparsesolve-benchmarks")
    options = parser.parse_args()
    options.peers = options.peers or names(options.family)
    options.levels = options.levels or ["s", "g" if options.family == "gaussian" else "s4"]
    return options


def main():
    options, results = arguments(), []
    options.cache.mkdir(parents=True, exist_ok=True)
    makers = quick(options.family) if options.quick else PROBLEMS[options.family]
    for key in options.only or makers:
        try:
            q = makers[key](options.data)
        except FileNotFoundError as error:
            say(f"{key} is skipped: {error.filename} is not there")
            continue
        results.append(measure(f"{options.family}_{key}", q, options))
        if options.out:
            facts = {"machine": platform.processor() or platform.machine(),
                     "numpy": np.__version__, "results": results}
            options.out.with_suffix(".json").write_text(json.dumps(facts, indent=1))
            options.out.with_suffix(".md").write_text(markdown(results))
    print(markdown(results))


if __name__ == "__main__":
    main()
