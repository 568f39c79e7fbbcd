"""
Overlapping groups: five solvers (simulated)
============================================

Figure 19 of the monograph of Bach, Jenatton, Mairal and Obozinski (2012): a signal, an
overcomplete dictionary of cosines, and the l-infinity norms of windows of three neighbours, which
overlap. How long does each method take until its duality gap proves the accuracy?
"""

import time
import warnings

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss
from sparsesolve import penalties

rng = np.random.default_rng(0)
n, p = 100, 200
X = np.cos(np.pi * np.outer(np.arange(n) + 0.5, np.arange(p)) / p)
X *= np.sqrt(n) / np.linalg.norm(X, axis=0)
windows = penalties.window_groups(p, 3)
b = np.zeros(p)
for g in rng.choice(len(windows), 5, replace=False):
    b[windows[g]] = rng.normal()
y = X @ b + 0.1 * rng.normal(size=n)
norm = penalties.OverlapLinf(windows, weights=np.ones(len(windows)))
lam = 0.1 * ss.path(X, y, penalty=norm, n_lambdas=1).lambdas[0]

# %%
# The prox of "fista" (ProxFlow in the monograph) and "auto" is exact, by maximum flows; "auto"
# adds Newton steps on the coefficients that are free to move. ADMM and its linearised form split
# the norm into its groups. Subgradient steps need no prox, and stay far from the optimum.
names = {
    "auto": "auto: Newton steps on tangents", "fista": "fista (ProxFlow)", "admm": "ADMM",
    "linearized_admm": "linearised ADMM", "subgradient": "subgradient",
}  # fmt: skip
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for solver, label in names.items():
    seconds, gaps = [], []
    for iterations in (4, 8, 16, 32, 64, 128, 256, 512, 1024):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ss.ConvergenceWarning)  # the race is about those
            begun = time.perf_counter()
            fit = ss.path(X, y, penalty=norm, lambdas=[lam], tol=1e-9, max_iter=iterations,
                          solver=solver)  # fmt: skip
            seconds.append(time.perf_counter() - begun)
        gaps.append(fit.gaps[0])
        if gaps[-1] <= 1e-9 or seconds[-1] > 2.0:
            break
    ax.loglog(seconds, np.maximum(gaps, 1e-10), "o-", ms=3, label=label)
    print(f"{label:32s} gap {gaps[-1]:.0e} after {seconds[-1]:.2f} s")
ax.set(xlabel="seconds", ylabel="duality gap, of the null objective")
ax.legend(fontsize=8)
plt.show()
