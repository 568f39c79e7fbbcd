"""
Logistic lasso with unpenalised covariates (simulated variants)
===============================================================

A case-control study: 300 people, 2,000 variants counted as 0, 1 or 2 copies, age and sex. Age and
sex are in every model and are not penalised, by name. The path ranks the variants,
cross-validation chooses how many help to predict, and stability selection says which of them to
trust.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sparsesolve as ss

# %%
# The file: a column for each variant, as exported from a genotype array.
folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
n, p = 300, 2000
copies = rng.binomial(2, rng.uniform(0.1, 0.5, size=p), size=(n, p))
names = [f"rs{1000 + j}" for j in range(p)]
study = pd.DataFrame(copies, columns=names)
study.insert(0, "age", rng.normal(55, 8, n).round())
study.insert(1, "female", rng.integers(2, size=n))
eta = 0.08 * (study["age"] - 55) + copies[:, [7, 300, 1500]] @ [1.6, -1.5, 1.2]
eta -= eta.mean()
study["state"] = np.where(eta + rng.logistic(size=n) > 0, "case", "control")
study.to_csv(folder / "study.csv", index=False)

# %%
# ``penalty_factor`` is 0 for the covariates. The class modelled is the last in sorted order,
# "control", so a negative coefficient means a risk.
study = pd.read_csv(folder / "study.csv")
state = study.pop("state")
factors = np.where(study.columns.isin(["age", "female"]), 0.0, 1.0)
options = {"family": "binomial", "penalty_factor": factors, "lambda_min_ratio": 0.1}
fit = ss.path(study, state, **options)
print(repr(fit))
fit.plot(label=8)
plt.show()

# %%
# Cross-validation looks for prediction.
cv = ss.cv_path(study, state, measure="auc", seed=0, n_folds=5, **options)
print(cv)
print(cv.to_frame())

# %%
# Stability selection looks for variants that halves of the people agree on, and bounds the number
# of false ones among them. The planted ones are rs1007, rs1300 and rs2500.
early = {**options, "lambda_min_ratio": 0.55}  # few features at a time: a strict bound
stable = ss.stability_path(study, state, n_pairs=40, seed=0, **early)
share = stable.reached()
best = np.argsort(-share)[:12]
figure, ax = plt.subplots(layout="constrained")
ax.barh([study.columns[j] for j in best][::-1], share[best][::-1])
ax.axvline(0.75, color="0.4", linestyle=":")
ax.set_xlabel("Share of halves in which the feature is selected")
plt.show()

# %%
# Conclusion: the covariates are always in; these variants pass the threshold.
chosen = [str(study.columns[j]) for j in stable.stable(0.75)]
print(chosen, "with at most", round(stable.error_bound(0.75), 2), "false ones expected")
