"""
Four solvers of a linear support vector machine (simulated)
===========================================================

A linear support vector machine can be fitted by cutting planes (BMRM), by accelerated gradients on
the dual (Pragam) or by subgradients (Pegasos). Each computes a lower bound of the optimum with
every objective, so that what is still missing is known although the optimum is not.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss
from sparsesolve.paths import bundle

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 40)) / np.sqrt(np.arange(1, 41))
y = np.where(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=400) > 0, 1, -1)
lam = 0.002

risk = bundle.hinge_risk
traces = {
    "BMRM, all planes": bundle.bmrm(risk(X, y), lam, 150),
    "BMRM, line search": bundle.bmrm(risk(X, y), lam, 500, line_search=True),
    "Pragam": bundle.pragam(X, y, lam, 400),
    "Pegasos, all rows": bundle.pegasos(X, y, lam, 500),
}

figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
for name, trace in traces.items():
    ax.loglog(np.maximum(trace.passes, 1), np.maximum(trace.gaps, 1e-10), label=name)
ax.set(xlabel="passes over X", ylabel="best objective less best lower bound", ylim=(1e-8, 10))
ax.legend()
plt.show()

# %%
# Pragam keeps the bound of theory at every iteration: 4 L D / ((k + 1)(k + 2)).
accelerated = traces["Pragam"]
k = np.arange(len(accelerated.bounds))
bound = 4 * accelerated.lipschitz * accelerated.radius / ((k + 1) * (k + 2))
print("largest gap over its bound", np.max((accelerated.objectives - accelerated.bounds) / bound))

# %%
# The default solver of `path`, whose certificate is the same kind of bound:
fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, lambdas=[lam], standardize=False,
              intercept=False)  # fmt: skip
print("certified gap", fit.gaps[0])
