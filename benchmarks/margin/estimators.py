"""LinearSVC and LinearSVR compared with scikit-learn's, at an equal certified suboptimality.

    python benchmarks/margin/estimators.py [--seed N] [--only small tall] [--intercept]
                                           [--losses hinge] [--costs 1 100] [--out FILE]

Four losses, C from .01 to 100, on text, n << p, tall and small data. Each side climbs a ladder of
tolerances, scikit-learn's with `dual` either way where it allows both. A cell is a level: the
processor seconds of the cheapest tolerance whose objective, computed here, is within the level
of the lower bound that our tightest certificate gives, relative to the objective of b = 0; a
ratio below 1 says that we are slower. With --intercept each side has its own problem: liblinear
penalises the intercept, and is judged with that penalty. A tolerance that takes longer than a
tighter one is told, if by a quarter and a tenth of a millisecond.
"""

import argparse
import json
import os
import sys
import time
import warnings
from itertools import product
from pathlib import Path

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")})
sys.path.insert(0, str(Path(__file__).parents[1] / "paths"))

import numpy as np  # noqa: E402
from problems import autoregressive, text  # noqa: E402
from sklearn import svm  # noqa: E402

from sparsesolve import estimators  # noqa: E402

LEVELS = (1e-2, 1e-4, 1e-6)
LADDER = tuple(10.0**-k for k in range(1, 11))
TIGHT = 1e-12  # of the reference
PATIENCE = 2.0  # processor seconds after which a ladder ends
EPSILON = 0.1
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)


def shapes(rng):
    """(name, rows) of each kind of data."""
    yield "text 1,200 x 14,000", text(1200, 14_000, 0.004, rng)[0].tocsr()
    yield "text 2,000 x 15,000", text(2000, 15_000, 0.004, rng)[0].tocsr()
    yield "wide 150 x 2,000", np.ascontiguousarray(autoregressive(150, 2000, 0.5, rng))
    yield "tall 4,000 x 40", np.ascontiguousarray(autoregressive(4000, 40, 0.5, rng))
    yield "square 400 x 300", np.ascontiguousarray(autoregressive(400, 300, 0.5, rng))
    yield "small 100 x 10", rng.standard_normal((100, 10))


def losses(X, rng):
    """(name, y, loss of eta, class of ours, class of theirs, more parameters) of each loss."""
    eta = X @ (rng.standard_normal(X.shape[1]) * (rng.random(X.shape[1]) < 0.2))
    eta = eta / eta.std()
    c = np.where(eta + 0.5 * rng.logistic(size=len(eta)) > 0, 1.0, -1.0)
    z = eta + 0.5 * rng.standard_t(3, size=len(eta))
    hinge = lambda e: np.maximum(1.0 - c * e, 0.0)  # noqa: E731
    out = lambda e: np.maximum(np.abs(z - e) - EPSILON, 0.0)  # noqa: E731
    yield "hinge", c, hinge, "LinearSVC", {}
    yield "squared_hinge", c, lambda e: hinge(e) ** 2, "LinearSVC", {}
    yield "epsilon_insensitive", z, out, "LinearSVR", {"epsilon": EPSILON}
    yield ("squared_epsilon_insensitive", z, lambda e: out(e) ** 2, "LinearSVR",
           {"epsilon": EPSILON})  # fmt: skip


def timed(fit):
    begun = time.process_time()
    found = fit()
    return time.process_time() - begun, found


def climbed(make, X, y, J, rounds):
    """Return {tol: (seconds, objective)} of a ladder, the least seconds of so many rounds."""
    found, spent = {}, 0.0
    make(LADDER[0]).fit(X, y)  # The first fit of a kind also touches memory for the first time.
    for tol in LADDER:
        seconds, model = timed(lambda tol=tol: make(tol).fit(X, y))
        for _ in range(rounds if seconds < 0.05 else 0):
            seconds = min(seconds, timed(lambda tol=tol: make(tol).fit(X, y))[0])
        found[tol] = seconds, J(model)
        spent += seconds
        if spent > PATIENCE:
            break
    return found


def least(climb, bound, allowed):
    """Return the least seconds within so much of the bound; nan if no tolerance reaches it."""
    took = [seconds for seconds, value in climb.values() if value - bound <= allowed]
    return min(took, default=np.nan)


def dearer(climb):
    """Return the worst (loose tol, seconds, tight tol, seconds) that costs more than a tighter."""
    pairs = [(a, climb[a][0], b, climb[b][0]) for a in climb for b in climb if b < a]
    pairs = [at for at in pairs if at[1] > max(1.25 * at[3], at[3] + 1e-4)]
    return max(pairs, key=lambda at: at[1] / at[3], default=None)


def race(name, X, loss, C, intercept, rounds):
    """Yield the cells of one loss and C."""
    kind, y, value, who, more = loss
    plain = {"C": C, "loss": kind, "fit_intercept": intercept, **more}
    ours = getattr(estimators, who)

    def J(model, held=0.0):
        b, b0 = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]) if intercept else 0.0
        return C * value(X @ b + b0).sum() + 0.5 * (b @ b + held * b0 * b0)

    null = C * value(0.0 * y).sum()
    mine = climbed(lambda tol: ours(tol=tol, **plain), X, y, J, rounds)
    bound = min(J(ours(tol=TIGHT, **plain).fit(X, y)), *(at[1] for at in mine.values()))
    peers = [True, False] if kind.startswith("squared") else [True]
    climbs = [climbed(lambda tol, dual=dual: getattr(svm, who)(tol=tol, dual=dual, max_iter=3000,
              random_state=0, **plain), X, y, lambda m: J(m, 1.0), rounds)
              for dual in peers]  # fmt: skip
    other = bound
    if intercept:
        other = min(at[1] for climb in climbs for at in climb.values())
    for level in LEVELS:
        a = least(mine, bound, level * null)
        b = np.nanmin([least(climb, other, level * null) for climb in climbs] + [np.inf])
        yield {"shape": name, "loss": kind, "C": C, "level": level, "ours": a, "liblinear": b,
               "ratio": b / a, "dearer": dearer(mine)}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=int(time.strftime("%Y%m%d")))
    parser.add_argument("--only", nargs="+", help="first words of names of shapes")
    parser.add_argument("--losses", nargs="+")
    parser.add_argument("--costs", nargs="+", type=float, default=COSTS)
    parser.add_argument("--intercept", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", help="a file for the cells as JSON")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    cells, rng = [], np.random.default_rng(args.seed)
    for name, X in shapes(rng):
        drawn = list(losses(X, rng))
        if args.only and name.split()[0] not in args.only:
            continue
        for loss, C in product(drawn, args.costs):
            if args.losses and loss[0] not in args.losses:
                continue
            found = list(race(name, X, loss, C, args.intercept, args.rounds))
            cells += found
            times = "  ".join(
                f"{1e3 * c['ours']:8.2f}/{1e3 * c['liblinear']:8.2f} {c['ratio']:5.2f}"
                for c in found
            )
            told = found[0]["dearer"]
            told = "" if told is None else "  tol {:.0e} {:.4f} s, {:.0e} {:.4f} s".format(*told)
            print(f"{name:20s} {loss[0]:28s} C {C:<6g} {times}{told}", flush=True)
    below = [cell for cell in cells if cell["ratio"] < 1.0]
    print(f"{len(below)} of {len(cells)} cells below 1")
    for name in dict.fromkeys(cell["shape"] for cell in cells):
        for kind in dict.fromkeys(cell["loss"] for cell in cells):
            ratios = [c["ratio"] for c in cells if (c["shape"], c["loss"]) == (name, kind)]
            if ratios:
                print(f"{name:20s} {kind:28s} least {min(ratios):.2f}, median "
                      f"{np.median(ratios):.2f}, most {max(ratios):.2f}")  # fmt: skip
    if args.out:
        Path(args.out).write_text(json.dumps({"seed": args.seed, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()
