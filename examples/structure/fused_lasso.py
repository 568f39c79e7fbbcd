"""
Fused lasso along a chromosome (simulated)
==========================================

Probes along a chromosome act in stretches, and two covariates matter whatever the penalty. Total
variation finds the stretches where the lasso finds single probes among them.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss
from sparsesolve import penalties

rng = np.random.default_rng(0)
truth = np.r_[0.5, -1.0, np.zeros(60), np.full(30, 0.4), np.zeros(60), np.full(20, -0.6)]
p = len(truth)
X = rng.normal(size=(150, p))
y = X @ truth + rng.normal(size=150)

# %%
# `Separate` gives each set of features its own penalty: none for the covariates.
penalty = penalties.Separate({(0, 1): None, range(2, p): penalties.TotalVariation()})
fused = ss.cv_path(X, y, penalty=penalty, lambda_min_ratio=0.02, seed=0)
lasso = ss.cv_path(X, y, seed=0)
print("worst gap", fused.path.gaps.max())

places = np.arange(p)
figure, ax = plt.subplots(figsize=(9, 4.5), layout="constrained")
ax.plot(places, lasso.coef("lambda_min"), ".", color="0.6", label="lasso")
ax.step(places, fused.coef("lambda_min"), where="mid", label="total variation")
ax.step(places, truth, "k--", where="mid", linewidth=1, label="truth")
ax.set(xlabel="feature", ylabel="coefficient")
ax.legend()
plt.show()

# %%
# Degrees of freedom are pieces, not coefficients.
print("pieces", penalty.degrees(fused.coef("lambda_min")), "of", p, "coefficients")
