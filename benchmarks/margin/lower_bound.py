"""The risk on which bundle methods need 1 / (2 lam eps) steps, and Pragam on the same one.

    python benchmarks/margin/lower_bound.py [--d 64] [--lam 0.1]

R(w) = max_j a_j'w over d orthonormal columns. After t < d steps of BMRM, with a line search or
with all planes, delta_t = 1 / (2 lam t) + 1 / (2 lam d), the steps w_1 .. w_t counted. The matrix
printed in the paper has antipodal columns, and BMRM ends on it at the second step. Pragam's
projections are onto the simplex; from a vertex, its worst start, its gap is at most
4 / (lam (k + 1) (k + 2)).
"""

import argparse
from types import SimpleNamespace

import numpy as np
from scipy.linalg import hadamard

from sparsesolve.paths import bundle
from sparsesolve.solvers.baselines.bundle import ExcessiveGap


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--d", type=int, default=64, help="a power of two")
    parser.add_argument("--lam", type=float, default=0.1)
    given = parser.parse_args()
    d, lam = given.d, given.lam
    steps = [t for t in (1, 2, 5, 10, 20, 40, 80, 160) if t < d]
    least = -1.0 / (2.0 * lam * d)
    print("t, 2 lam t delta_t of qp-BMRM and ls-BMRM (theory), 2 lam t gap of Pragam (bound)")
    traces = [bundle.bmrm(hadamard(d) / np.sqrt(d), lam, d - 1, line_search=line_search)
              for line_search in (False, True)]  # fmt: skip
    deltas = [np.minimum.accumulate(trace.objectives[1:]) - least for trace in traces]
    gaps = pragam(d, lam, steps[-1])
    for t in steps:
        qp, ls = (2 * lam * t * delta[t - 1] for delta in deltas)
        print(f"{t:4d}  {qp:.4f} {ls:.4f} ({1 + t / d:.4f})   {2 * lam * t * gaps[t]:.4f} "
              f"({8 * t / ((t + 1) * (t + 2)):.4f})")  # fmt: skip
    slope = np.polyfit(np.log(steps[2:]), np.log([gaps[t] for t in steps[2:]]), 1)[0]
    print(f"slope of Pragam's gap on a log-log plot {slope:.2f}")
    H = hadamard(d // 2)
    printed = np.block([[H, -H], [-H, H]]) / np.sqrt(d)
    trace = bundle.bmrm(printed, lam, 3)
    print(f"the printed matrix: gap after two steps {trace.gaps[2]:.1e}")


def pragam(d, lam, n_iter):
    """Gaps of Pragam on the identity's columns, from a vertex."""
    risk = SimpleNamespace(forward=lambda w: -w, back=lambda u: -u, h=np.zeros(d),
                           low=np.zeros(d), high=np.ones(d), total=1.0)  # fmt: skip
    method = ExcessiveGap(risk, lam, 1.0 / lam, False, np.eye(d)[0])
    objectives, bounds = [], []
    for _ in range(n_iter + 1):
        objectives.append(0.5 * lam * method.w @ method.w + method.w.max())
        bounds.append(method.dual_value)
        method.step()
    return np.minimum.accumulate(objectives) - np.maximum.accumulate(bounds)


if __name__ == "__main__":
    main()
