"""
Four solvers of a linear support vector machine (simulated)
===========================================================

A linear support vector machine can be fitted by cutting planes (BMRM), by accelerated gradients on
the dual (Pragam) or by subgradients (Pegasos). Each computes a lower bound of the optimum with
every objective, so that what is still missing is known although the optimum is not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

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
# Pragam keeps the bound of theory at every iteration, 4 L D / ((k + 1)(k + 2)), and BMRM that of
# Theorem 5. It is in the trace:
for name in ("BMRM, all planes", "BMRM, line search", "Pragam"):
    trace = traces[name]
    print(name, "largest gap over its bound", np.max(trace.gaps[1:] / trace.theory[1:]).round(3))

# %%
# A callback sees every iterate. Here scans of digits below 5 are told from the others: the error
# of the objective, and the accuracy on images that were held out, by iteration, as in figures 3,
# 4, 8 and 9 of Saha, Zhang and Vishwanathan (2010). Accuracy comes long before the optimum.
digits, labels = load_digits(return_X_y=True)
digits, side, lam = digits / 16.0, np.where(labels < 5, 1, -1), 2.0**-10
train = rng.permutation(len(side)) < 1200
test = ~train
least = bundle.bmrm(risk(digits[train], side[train]), lam, 1000, tol=1e-7).bounds.max()

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for name in traces:
    told = []

    def tell(k, w, alpha, told=told):
        told.append(np.mean(side[test] * (digits[test] @ w) > 0))

    if name.startswith("BMRM"):
        trace = bundle.bmrm(risk(digits[train], side[train]), lam, 300, callback=tell,
                            line_search="line" in name)  # fmt: skip
    else:
        method = bundle.pragam if name == "Pragam" else bundle.pegasos
        trace = method(digits[train], side[train], lam, 300, callback=tell)
    error = np.minimum.accumulate(trace.objectives) - least
    left.loglog(1 + np.arange(301), error, label=name)
    right.semilogx(1 + np.arange(301), told)
left.set(xlabel="iteration", ylabel="best objective less the optimum",
         ylim=(1e-7, 3))  # fmt: skip
right.set(xlabel="iteration", ylabel="accuracy on images held out", ylim=(0.5, 1))
left.legend()
plt.show()

# %%
# The default solver of `path`, whose certificate is the same kind of bound:
fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, lambdas=[lam], standardize=False,
              intercept=False)  # fmt: skip
print("certified gap", fit.gaps[0])
