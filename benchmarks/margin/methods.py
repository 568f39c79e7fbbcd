"""BMRM, Pragam and Pegasos by passes and seconds: error of the objective, and held-out accuracy.

A picture has a column for each set and lambda, and four rows, as figures 3, 4, 8 and 9 of Saha,
Zhang and Vishwanathan (2010): errors and accuracies by iteration, then by processor seconds.

    python benchmarks/margin/methods.py FOLDER [--sets a9a rcv1] [--iterations 300] [--picture P]

FOLDER holds the data (problems.py says which files). The optimum is that of `sparsesolve.path`,
certified to 1e-6. An error is min J so far less the optimum; passes are products with X or X'.
Pegasos-1 reads rows, whose margin and step count as a pass of all rows for n of them. LinearSVC of
scikit-learn (liblinear), where it is installed, is run with more and more sweeps, two passes
each.
"""

import argparse
import time
import warnings

import numpy as np
from problems import FILES, read

import sparsesolve as ss
from sparsesolve.paths import bundle

LEVELS = {"a9a": (-10, -18), "rcv1": (-8, -19), "pcmac": (-14,), "books": (-14,), "dvd": (-14,)}
TALL = 10  # rows a column from which the default solver finds the optimum, else cutting planes
SWEEPS = (1, 3, 10, 30, 100, 300)


def optimum(X, y, lam, bias):
    """The least objective, certified to 1e-6, and the seconds it took."""
    begun = time.process_time()
    solver = "auto" if X.shape[0] >= TALL * X.shape[1] else "qp_bmrm"
    fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, standardize=False, intercept=bias,
                  lambdas=[lam], tol=1e-6, solver=solver)  # fmt: skip
    seconds = time.process_time() - begun
    return objective(X, y, lam, fit.coef(lam), float(fit.intercepts[0])), seconds, fit


def objective(X, y, lam, w, b=0.0):
    """J."""
    return 0.5 * lam * w @ w + np.maximum(0.0, 1.0 - y * (X @ w + b)).mean()


def runs(X, y, lam, n_iter, new):
    """Name, whether with a bias, trace, and the callback of every method; new() makes one."""
    risk = bundle.hinge_risk(X, y)
    for name, bias, method in (
        ("qp_bmrm", False, lambda f: bundle.bmrm(risk, lam, n_iter, callback=f)),
        ("ls_bmrm", False, lambda f: bundle.bmrm(
            bundle.hinge_risk(X, y), lam, n_iter, line_search=True, callback=f)),
        ("pragam", False, lambda f: bundle.pragam(X, y, lam, n_iter, callback=f)),
        ("pragam_b", True, lambda f: bundle.pragam(X, y, lam, n_iter, bias=True, callback=f)),
        ("pegasos_n", False, lambda f: bundle.pegasos(X, y, lam, n_iter, callback=f)),
        ("pegasos_1", False, lambda f: bundle.pegasos(
            X, y, lam, min(n_iter, 100), batch=1, callback=f)),
    ):  # fmt: skip
        seen = new()
        yield name, bias, method(seen), seen


class Accuracies:
    """A callback that keeps the accuracy of every iterate on rows held out.

    The bias of pragam_b is that of the rows fitted, so that its curve is drawn without one.
    """

    def __init__(self, X, y):
        self.X, self.y, self.values = X, y, []

    def __call__(self, k, w, alpha):
        self.values.append(np.mean(np.where(self.X @ w > 0, 1, -1) == self.y))


def liblinear(X, y, lam):
    """(sweeps, seconds, J) of scikit-learn's LinearSVC cold, or nothing without it."""
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        print("scikit-learn is not installed, and liblinear is left out")
        return
    for sweeps in SWEEPS:
        model = LinearSVC(C=1.0 / (lam * len(y)), loss="hinge", dual=True, fit_intercept=False,
                          tol=1e-9, max_iter=sweeps, random_state=0)  # fmt: skip
        begun = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        yield sweeps, time.process_time() - begun, objective(X, y, lam, model.coef_[0])


def show(name, errors, passes, seconds, accuracy):
    """A line of the table."""
    at = [np.searchsorted(passes, count) for count in (30, 100, 300, 900)]
    by_passes = " ".join(f"{errors[k]:8.1e}" if k < len(errors) else "       -" for k in at)
    reached = [np.flatnonzero(errors <= level) for level in (1e-1, 1e-2, 1e-3, 1e-4)]
    by_time = " ".join(f"{seconds[k[0]]:7.2f}" if len(k) else "      -" for k in reached)
    print(f"  {name:10s} {by_passes}  | {by_time}  | {accuracy}")


def compare(name, data, exponent, n_iter, ax):
    """Run all methods on one set at one lambda."""
    X, y, X_test, y_test = data
    lam = 2.0**exponent
    best = {bias: optimum(X, y, lam, bias) for bias in (False, True)}
    print(f"{name} {X.shape[0]} x {X.shape[1]}, lambda 2^{exponent}: J* {best[False][0]:.6f}, "
          f"with a bias {best[True][0]:.6f}; path {best[False][1]:.2f} s, {best[True][1]:.2f} s")
    print("  method     err after 30, 100, 300, 900 passes  | s to 1e-1 .. 1e-4 | accuracy")
    for method, bias, trace, seen in runs(X, y, lam, n_iter, lambda: Accuracies(X_test, y_test)):
        errors = np.minimum.accumulate(trace.objectives) - best[bias][0]
        right = np.mean(np.where(X_test @ trace.coef + trace.intercept > 0, 1, -1) == y_test)
        show(method, errors, trace.passes, trace.seconds, f"{right:.4f}")
        if ax is not None:
            counts = 1 + np.arange(len(errors))
            ax[0].loglog(counts, np.maximum(errors, 1e-9), label=method)
            ax[1].semilogx(counts, seen.values)
            ax[2].loglog(trace.seconds, np.maximum(errors, 1e-9))
            ax[3].semilogx(trace.seconds, seen.values)
    for sweeps, seconds, value in liblinear(X, y, lam):
        error = value - best[False][0]
        print(f"  liblinear, {sweeps:4d} sweeps: err {error:8.1e} in {seconds:.3f} s")
    fit = best[False][2]
    right = np.mean(np.where(X_test @ fit.coef(lam) > 0, 1, -1) == y_test)
    print(f"  the optimum itself: held-out accuracy {right:.4f}")
    if ax is not None:
        ax[0].set(title=f"{name}, λ = 2^{exponent}")
        for own, x, what in zip(ax, ("iteration", "iteration", "seconds", "seconds"),
                                ("min J - J*", "accuracy") * 2, strict=True):  # fmt: skip
            own.set(xlabel=x, ylabel=what)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--sets", nargs="+", choices=list(FILES), default=list(FILES))
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--picture")
    given = parser.parse_args()
    data = {name: read(given.folder, name) for name in given.sets}
    wanted = [(n, e) for n in given.sets if data[n] is not None for e in LEVELS[n]]
    axes = [None] * len(wanted)
    if given.picture and wanted:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(4, len(wanted), figsize=(5 * len(wanted), 14), squeeze=False)
        axes = axes.T
    for (name, exponent), ax in zip(wanted, axes, strict=True):
        compare(name, data[name], exponent, given.iterations, ax)
    if given.picture and wanted:
        axes[0, 0].legend()
        figure.savefig(given.picture, bbox_inches="tight")


if __name__ == "__main__":
    main()
