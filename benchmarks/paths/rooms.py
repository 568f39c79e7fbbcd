"""Other rooms than the elastic net: races at an equal objective, as surface.py has them for paths.

rooms.py [--only machines norms ...] [--seed N] [--out NAME] [--picture FILE]

Rooms: machines, quantiles, norms, concave, chains, kernels, online, small. A race has our solver
and peers, each at a ladder of tolerances. Its objective is computed here, in numpy, from what was
returned. A cell is a level: how many times as long the fastest peer takes until its objective is
within that of the best that any run found, relative to it. "small" compares fits at the defaults
of both, and "online" one pass over the rows, whatever they reach: both have one cell. A peer that
is not installed is left out with a sentence. Processor seconds, one thread.
"""
# A race is over before the next is drawn, so functions may read the variables of a loop.
# ruff: noqa: B023, E731

import argparse
import importlib
import json
import os
import time
import warnings
from itertools import product
from pathlib import Path

os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")})

import numpy as np  # noqa: E402
from problems import autoregressive, text  # noqa: E402
from scipy import sparse  # noqa: E402
from surface import seconds, show  # noqa: E402
from surface_picture import draw  # noqa: E402

import sparsesolve as ss  # noqa: E402

LEVELS = (1e-3, 1e-4, 1e-6)
LADDER = [10.0**-k for k in range(1, 13)]
PATIENCE = 0.5  # processor seconds after which a ladder ends


def alone(tol, *args, lambdas, **options):
    """Our fit at one lambda, on columns as they are."""
    return ss.path(*args, lambdas=[lambdas], tol=tol, standardize=False, stop=None, **options)


def machines(rng):
    """Text, dense wide and tall; hinge, squared hinge and logistic with a ridge, no intercept."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    shapes = {"text": text(3000, 10_000, 0.004, rng)[0],
              "wide": autoregressive(150, 2000, 0.5, rng),
              "tall": autoregressive(5000, 50, 0.5, rng)}  # fmt: skip
    losses = {
        "hinge": (ss.families.hinge(), lambda m: np.maximum(1 - m, 0)),
        "squared hinge": (ss.families.squared_hinge(), lambda m: np.maximum(1 - m, 0) ** 2 / 2),
        "logistic": ("binomial", lambda m: np.logaddexp(0, -m)),
    }
    for shape, X in shapes.items():
        eta = X @ rng.standard_normal(X.shape[1])
        y = np.where(eta + eta.std() * rng.logistic(size=len(eta)) / 2 > 0, 1.0, -1.0)
        n, rows = len(y), X.tocsr() if sparse.issparse(X) else np.ascontiguousarray(X)
        for (name, (family, loss)), C in product(losses.items(), (1.0, 30.0)):
            C = C if shape == "text" else C / X.shape[1]
            lam = 1.0 / (C * n)
            J = lambda b: loss(y * (X @ b)).mean() + lam / 2 * b @ b
            given = {"tol": 1e-4, "fit_intercept": False, "max_iter": 3000}

            def liblinear(tol):
                if name == "logistic":
                    kind = LogisticRegression(solver="liblinear", dual=True, C=C)
                else:
                    squared = name != "hinge"
                    kind = LinearSVC(loss=name.replace(" ", "_"), C=C / 2 if squared else C)
                return kind.set_params(**given | {"tol": tol}).fit(rows, y).coef_[0]

            def ours(tol):
                return alone(tol, X, y, family=family, alpha=0, intercept=False,
                             lambdas=lam).coef(lam)  # fmt: skip

            yield f"{shape}, {name}, C {C:.2g}", J, {"sparsesolve": ours, "liblinear": liblinear}


def quantiles(rng):
    """The median with an l1 norm, against the linear programme."""
    from sklearn.linear_model import QuantileRegressor

    for n, p in ((300, 20), (300, 150), (2000, 20), (100, 500)):
        X = np.asfortranarray(rng.standard_normal((n, p)))
        y = X[:, :5].sum(axis=1) + rng.standard_t(3, size=n)
        options = {"family": ss.families.quantile(0.5)}
        top = ss.path(X, y, n_lambdas=2, standardize=False, **options).lambdas[0]
        for share in (0.3, 0.03):
            lam = top * share

            def J(found):
                b, b0 = found
                return np.abs(y - X @ b - b0).mean() / 2 + lam * np.abs(b).sum()

            def ours(tol):
                fit = alone(tol, X, y, lambdas=lam, **options)
                return fit.coef(lam), fit.intercept(lam)

            def highs(tol):
                model = QuantileRegressor(alpha=lam).fit(X, y)
                return model.coef_, model.intercept_

            yield f"{n} x {p}, {share} of the first", J, {"sparsesolve": ours, "HiGHS": highs}


def norms(rng):
    """SLOPE against sortedl1, trees, windows and total variation against SPAMS: one lambda."""
    n, p = 200, 256
    b = np.zeros(p)
    b[20:60] = 1.0
    windows = [range(j, min(j + 10, p)) for j in range(0, p - 5, 5)]
    tree = [range(a, a + 4**k) for k in (4, 3, 2, 1, 0) for a in range(0, p, 4**k)]
    kinds = {"SLOPE": ss.penalties.Slope(q=0.1), "TV": ss.penalties.TotalVariation(),
             "TreeL2": ss.penalties.TreeL2(tree, np.ones(len(tree))),
             "OverlapLinf": ss.penalties.OverlapLinf(windows, np.ones(len(windows)))}  # fmt: skip
    for rho in (0.0, 0.9):
        X = autoregressive(n, p, rho, rng)
        y = X @ b + 2.0 * rng.standard_normal(n)
        y -= y.mean()
        for name, kind in kinds.items():
            bound, plain = kind.over(p), {"penalty": kind, "intercept": False}
            top = ss.path(X, y, n_lambdas=2, standardize=False, **plain).lambdas[0]
            for share in (0.2, 0.03):
                lam = share * top
                J = lambda b: ((y - X @ b) ** 2).mean() / 2 + lam * bound.value(b)
                peer = sortedl1(X, y, bound, lam) if name == "SLOPE" else spams(
                    X, y, name, lam, tree, windows)  # fmt: skip
                ours = lambda tol: alone(tol, X, y, lambdas=lam, **plain).coef(lam)
                runs = {"sparsesolve": ours}
                yield f"{name}, correlation {rho}, {share} of the first", J, runs | peer


def sortedl1(X, y, bound, lam):
    """The package of that name."""
    module, p = importlib.import_module("sortedl1"), X.shape[1]
    sums = [bound.value(np.repeat([1.0, 0.0], [k, p - k])) for k in range(p + 1)]

    def solve(tol):
        model = module.Slope(lam=np.diff(sums), alpha=lam, fit_intercept=False, tol=tol,
                             max_iter=10**6)  # fmt: skip
        model.fit(X, y)
        return np.asarray(model.coef_).ravel()

    return {"sortedl1": solve}


def spams(X, y, name, lam, tree, windows):
    """SPAMS, whose sums are not means."""
    module, n, p = importlib.import_module("spams"), *X.shape
    column, start = np.asfortranarray(y[:, None]), np.zeros((p, 1), order="F")
    common = {"numThreads": 1, "max_it": 1_000, "lambda1": n * lam, "loss": "square"}
    if name == "TV":  # lambda1 is its weight, lambda2 that of an l1 norm
        call, more = module.fistaFlat, {"regul": "fused-lasso", "lambda2": 0.0}
    elif name == "OverlapLinf":
        groups = (len(windows), np.repeat(np.arange(len(windows)), [len(g) for g in windows]))
        j = np.concatenate(windows)
        belongs = sparse.csc_matrix((np.ones(len(j), dtype=bool), (j, groups[1])), (p, groups[0]))
        graph = {"eta_g": np.ones(groups[0]), "groups_var": belongs,
                 "groups": sparse.csc_matrix((groups[0],) * 2, dtype=bool)}  # fmt: skip
        call, more = module.fistaGraph, {"regul": "graph"}
        return {"SPAMS": lambda tol: call(column, X, start, graph, False, tol=tol,
                                          **common | more)[:, 0]}  # fmt: skip
    else:
        return {"SPAMS": lambda tol: tree_of_spams(module, column, X, start, tree, tol, common)}
    return {"SPAMS": lambda tol: call(column, X, start, False, tol=tol, **common | more)[:, 0]}


def tree_of_spams(module, y, X, start, tree, tol, common):
    """fistaTree on a tree whose leaves are single features: parents come before children."""
    first, size = np.array([g[0] for g in tree]), np.array([len(g) for g in tree])
    order = np.lexsort((-size, first))  # depth first
    first, size = first[order], size[order]
    count = len(order)
    above = [max(k for k in range(i) if size[k] == 4 * size[i]) for i in range(1, count)
             if size[i] < size[0]]  # fmt: skip
    at = (above, np.flatnonzero(size < size[0]))
    given = {"eta_g": np.ones(count), "own_variables": first.astype(np.int32),
             "N_own_variables": (size == 1).astype(np.int32),
             "groups": sparse.csc_matrix((np.ones(len(above), dtype=bool), at[::-1]),
                                         (count, count))}  # fmt: skip
    return module.fistaTree(y, X, start, given, False, tol=tol, regul="tree-l2", **common)[:, 0]


def concave(rng):
    """MCP paths of 20 lambdas; a cell says how the seconds compare where the objectives do."""
    from skglm.datafits import Quadratic
    from skglm.penalties import MCPenalty
    from skglm.solvers import AndersonCD

    for rho in (0.0, 0.9):
        X = autoregressive(200, 1000, rho, rng)
        y = X[:, :10].sum(axis=1) + rng.standard_normal(200)
        y -= y.mean()
        lams = np.abs(X.T @ y).max() / 200 * np.geomspace(1, 0.05, 20)

        def J(B):
            a = np.abs(B)
            mcp = np.where(a < 3 * lams, lams * a - a**2 / 6, 1.5 * lams**2)
            return (((y[:, None] - X @ B) ** 2).mean(axis=0) / 2 + mcp.sum(axis=0)).sum()

        def ours(tol):
            return ss.path(X, y, penalty=ss.penalties.MCP(3.0), lambdas=lams, tol=tol, stop=None,
                           standardize=False, intercept=False).coefs.toarray()  # fmt: skip

        def skglm(tol):
            solver = AndersonCD(tol=tol * lams[0], fit_intercept=False, max_iter=10**4)
            return solver.path(X, y, Quadratic(), MCPenalty(1.0, 3.0), alphas=lams)[1]

        yield f"MCP path, correlation {rho}", J, {"sparsesolve": ours, "skglm": skglm}


def chains(rng):
    """Conditional random fields against crfsuite: objectives per sequence, as it counts them."""
    pycrfsuite = importlib.import_module("pycrfsuite")
    K, count, p = 4, 100, 200
    lengths = rng.integers(6, 15, size=count)
    n, cuts = lengths.sum(), np.cumsum(lengths)[:-1]
    rows = [np.unique(rng.choice(p, size=6)) for _ in range(n)]
    at = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    X = sparse.csr_array((np.ones(at[-1]), np.concatenate(rows), at), shape=(n, p))
    y = (X @ rng.standard_normal((p, K)) + rng.gumbel(size=(n, K))).argmax(axis=1)
    words = np.array([[*map(str, row), "bias"] for row in rows], dtype=object)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for part, labels in zip(np.split(words, cuts), np.split(y, cuts), strict=True):
        items = [dict.fromkeys(word, 1.0) for word in part]
        items[0]["first"] = items[-1]["last"] = 1.0
        trainer.append(pycrfsuite.ItemSequence(items), [str(k) for k in labels])
    for c1 in (3.0, 0.3):
        lam = c1 / count

        def ours(tol, lam=lam):
            fit = ss.crf_path(X, y, lengths=lengths, lambdas=[lam], tol=tol, transitions="l1")
            size = np.abs(fit.coefs.toarray()[:, -1]).sum()
            return count * ((1 - fit.dev_ratio[-1]) * fit.null_value + lam * size)

        def crfsuite(tol, c1=c1):
            trainer.set_params({"c1": c1, "c2": 0.0, "feature.possible_states": True,
                                "feature.possible_transitions": True, "epsilon": tol,
                                "delta": tol / 100, "max_iterations": 10**5})  # fmt: skip
            trainer.train(os.devnull)
            return trainer.logparser.last_iteration["loss"]

        yield f"CRF, c1 {c1}", float, {"sparsesolve": ours, "crfsuite": crfsuite}


def kernels(rng):
    """A support vector machine of one kernel against libsvm."""
    from sklearn.svm import SVC

    n = 600
    X = rng.standard_normal((n, 10))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 10)
    for C in (1.0, 100.0):
        lam = 1.0 / (n * C)

        def J(found):
            a, b0 = found
            f = K @ a
            return np.maximum(1.0 - y * (f + b0), 0.0).mean() + lam / 2 * a @ f

        def ours(tol):
            fit = ss.mkl_path([K], y, family=ss.families.hinge(), norm="l1_squared",
                              lambdas=[lam], tol=tol)  # fmt: skip
            return fit.kernel_weights[0, 0] * fit.dual_coefs[:, 0], fit.intercepts[0]

        def libsvm(tol):
            model = SVC(C=C, kernel="precomputed", tol=tol).fit(K, y)
            a = np.zeros(n)
            a[model.support_] = model.dual_coef_.ravel()
            return a, model.intercept_[0]

        yield f"SVC, C {C:g}", J, {"sparsesolve": ours, "libsvm": libsvm}


def online(rng):
    """One pass over sparse rows with a ridge and with an l1 norm."""
    from sklearn.linear_model import SGDClassifier

    X = text(30_000, 20_000, 0.0015, rng)[0].tocsr()
    eta = X @ rng.standard_normal(20_000)
    y = (eta + eta.std() * rng.logistic(size=30_000) / 2 > 0).astype(int)
    for name, alpha in (("l1", 1.0), ("l2", 0.0)):
        ours = lambda tol: ss.online(X, y, family="binomial", alpha=alpha, lam=1e-5)
        peer = lambda tol: SGDClassifier(loss="log_loss", penalty=name, alpha=1e-5, max_iter=1,
                                         tol=None, shuffle=False).fit(X, y)  # fmt: skip
        yield f"one pass, {name}", None, {"sparsesolve": ours, "scikit-learn": peer}


def small(rng):
    """Fits of 100 x 10 at the defaults."""
    import sklearn.linear_model as L
    import sklearn.svm as V

    X = rng.standard_normal((100, 10))
    y = X[:, 0] + rng.standard_normal(100)
    c, E = (y > 0).astype(int), ss.estimators
    for name, mine, other, z in (
        ("Lasso", E.Lasso(0.1), L.Lasso(0.1), y),
        ("ElasticNet", E.ElasticNet(0.1), L.ElasticNet(0.1), y),
        ("LassoCV", E.LassoCV(), L.LassoCV(), y),
        ("LinearSVC", E.LinearSVC(), V.LinearSVC(), c),
        ("LinearSVR", E.LinearSVR(), V.LinearSVR(), y),
        ("QuantileRegressor", E.QuantileRegressor(), L.QuantileRegressor(), y),
    ):
        yield f"{name} 100 x 10", None, {
            "sparsesolve": lambda tol, m=mine, z=z: m.fit(X, z),
            "scikit-learn": lambda tol, m=other, z=z: m.fit(X, z),
        }  # fmt: skip


ROOMS = (machines, quantiles, norms, concave, chains, kernels, online, small)


def climbed(solve, J):
    """Return (seconds, objective) at each tolerance until patience ends or nothing is won."""
    found, spent = [], 0.0
    for tol in LADDER:
        took, answer = seconds(lambda tol=tol: solve(tol), 2 if spent < 0.2 else 1)
        found.append((took, J(answer)))
        spent += took
        if spent > PATIENCE or len(found) > 8 and found[-1][1] == found[-3][1]:
            break
    return found


def race(room, name, J, runs):
    """Yield the cells of a race."""
    at = {"family": room, "shape": name, "correlation": None, "alpha": None}
    if J is None:
        times = {who: seconds(lambda: solve(None), 5)[0] for who, solve in runs.items()}
        yield at | _cell("fit", None, times)
        return
    climbs = {who: climbed(solve, J) for who, solve in runs.items()}
    best = min(value for climb in climbs.values() for _, value in climb)
    for level in LEVELS:
        times = {}
        for who, climb in climbs.items():
            took = [took for took, value in climb if value - best <= level * abs(best)]
            times |= {who: min(took)} if took else {}
        if "sparsesolve" in times and len(times) > 1:
            yield at | _cell("fit", level, times)
        else:
            print(f"{room}, {name} to {level:g}: reached by {list(times)} alone", flush=True)


def _cell(asked, tol, times):
    ours = times.pop("sparsesolve")
    best = min(times, key=times.get)
    return {"asked": asked, "tol": tol, "seconds": ours, "reference": times[best], "of": best,
            "ratio": times[best] / max(ours, 1e-9)}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    today = int(time.strftime("%Y%m%d"))
    parser.add_argument("--only", nargs="+", choices=[room.__name__ for room in ROOMS])
    parser.add_argument("--seed", type=int, default=today, help="default: the date")
    parser.add_argument("--out", default="rooms", help="NAME of NAME.json")
    parser.add_argument("--picture", help="a file for the heat map")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # what a run reached, its objective says
    cells = []
    for room in ROOMS:
        if args.only and room.__name__ not in args.only:
            continue
        try:
            for name, J, runs in room(np.random.default_rng(args.seed)):
                cells += race(room.__name__, name, J, runs)
                text = json.dumps({"seed": args.seed, "cells": cells}, indent=1)
                Path(f"{args.out}.json").write_text(text)  # what there is, if a run is cut short
        except ImportError as error:
            print(f"{room.__name__}: {error}")
        print(f"{room.__name__}: {len(cells)} cells", flush=True)
    show(cells)
    if args.picture:
        draw(cells, args.picture)


if __name__ == "__main__":
    main()
