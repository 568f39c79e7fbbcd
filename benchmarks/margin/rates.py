"""Rates on support vector machines: Pragam's gap by (k + 1) (k + 2), ls-BMRM's by t.

    python benchmarks/margin/rates.py [FOLDER] [--iterations 1000]

Without FOLDER on drawn data alone. The gap of Pragam over its bound 4 L D / ((k + 1) (k + 2)) is
at most 1 at every k, and that of backtracking over mu_k D. Slopes are least squares on a log-log
plot from a tenth of the iterations on: theory promises -2 of Pragam's bound and -1 of BMRM's.
"""

import argparse

import numpy as np
from problems import read

from sparsesolve.paths import bundle


def drawn():
    """2,000 x 200 with one dominant direction, as counts have."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 200)) / np.sqrt(np.arange(1, 201)) + 0.2
    return X, np.where(X[:, 0] - X[:, 1] + rng.normal(size=2000) > 0, 1, -1)


def slope(values):
    """On a log-log plot from a tenth of the length on."""
    k = np.arange(1, len(values) + 1)
    used = (k >= len(values) / 10) & (values > 0.0)
    return np.polyfit(np.log(k[used]), np.log(values[used]), 1)[0]


def rates(name, X, y, lam, n_iter):
    k = np.arange(n_iter + 1)
    print(f"{name} {X.shape[0]} x {X.shape[1]}, lambda {lam:.1e}")
    for bias in (False, True):
        for L in ("true", "backtracking"):
            trace = bundle.pragam(X, y, lam, n_iter, bias=bias, L=L)
            bound = trace.smoothing * trace.radius
            if L == "true":
                bound = 4 * trace.lipschitz * trace.radius / ((k + 1) * (k + 2))
            raw = trace.objectives - trace.bounds
            most = np.max(raw / bound)
            print(f"  pragam{'_b' * bias:2s} {L:13s} gap / bound at most {most:.3f}, "
                  f"gap {raw[-1]:.1e}, slope {slope(trace.gaps[1:]):5.2f}")  # fmt: skip
    for line_search in (True, False):
        trace = bundle.bmrm(bundle.hinge_risk(X, y), lam, n_iter if line_search else n_iter // 4,
                            line_search=line_search)  # fmt: skip
        t = np.arange(1, len(trace.objectives))
        print(f"  {trace.method} gap {trace.gap:.1e} after {t[-1]}, lam t gap at most "
              f"{np.max(lam * t * trace.gaps[1:]):.2e}, slope {slope(trace.gaps[1:]):5.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--iterations", type=int, default=1000)
    given = parser.parse_args()
    X, y = drawn()
    for lam in (1e-1, 1e-3):
        rates("drawn", X, y, lam, given.iterations)
    for name, exponents in (("rcv1", (-8, -13, -19)), ("a9a", (-10, -18))):
        data = read(given.folder, name) if given.folder else None
        for exponent in exponents if data is not None else ():
            rates(name, *data[:2], 2.0**exponent, given.iterations)


if __name__ == "__main__":
    main()
