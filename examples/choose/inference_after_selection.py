"""
Inference after selection: diabetes
===================================

Ten measurements of 442 people with diabetes, and the progress of their disease a year later
(Efron, Hastie, Johnstone, Tibshirani 2004, in scikit-learn). With squares and products there are
64 features. Which matter, and by how much? The question is put to four methods, from a file to a
conclusion.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

import sparsesolve as ss

# %%
# The file, as it may come from a clinic.
folder = Path(tempfile.mkdtemp())
load_diabetes(as_frame=True, scaled=False).frame.to_csv(folder / "diabetes.csv", index=False)
table = pd.read_csv(folder / "diabetes.csv")
y = table.pop("target")
Z = (table - table.mean()) / table.std()
products = {f"{a}*{b}": Z[a] * Z[b] for i, a in enumerate(Z) for b in list(Z)[i:]
            if not a == b == "sex"}  # fmt: skip
X = pd.concat([Z, pd.DataFrame(products)], axis=1)
print(X.shape)

# %%
# **Carving.** The lasso chooses on 80 % of the rows; all rows measure what it chose, given the
# choice. Lambda is the size that correlations with noise reach, so no row has decided it.
carved = ss.inference.carve(X, y, seed=0)
print(carved)

# %%
# The same features by `refit` on the rows that chose them: narrower, and wrong. In the forest plot
# each feature has a bar for each method.
fit = ss.path(X, y, lambdas=[carved.lam])
naive = ss.refit(fit, X, y, carved.lam)
debiased = ss.inference.debiased(X, y, carved.features)
ax = carved.plot(debiased, naive)
ax.set_xlim(-45, 45)
ax.set_title("Progress of the disease, per standard deviation", loc="left")
plt.show()

# %%
# **The debiased lasso** asks another question: the coefficient of each of these features in the
# model of all 64. With seven rows a feature it is least squares, without bias. The blood serum
# measurements s1 to s5 are nearly combinations of each other, so that none has an effect that can
# be told from the others': their intervals are a thousand wide, and rightly so.
print(debiased)

# %%
# **Many splits.** Nothing is assumed of the choice, here a cross-validated lambda. A p-value below
# 0.05 is a false rejection in any of them with probability at most 5 %.
split = ss.inference.split(X, y, n_splits=20, seed=0)
print(split.to_frame().head(6)[["feature", "p_value"]])

# %%
# **Knockoffs** look for all features that matter, with at most a fifth of them false on average.
# Products of normal measurements are not normal themselves, so that only fixed-X knockoffs hold.
found = ss.inference.knockoffs(X, y, fdr=0.2, covariance="fixed", seed=0)
print(found)
found.plot()
plt.show()

# %%
# None: fewer than five features pass with certainty, and then knockoffs select nothing.
#
# **Conclusion.** Body mass index and s5 are found with and without assumptions on the choice;
# blood pressure by carving, which has more power. No method is sure of any product.
strong = {
    "carve": [n for n, p in zip(carved.names, carved.adjusted("holm"), strict=True) if p < 0.05],
    "split": [n for n, p in zip(split.names, split.p_values, strict=True) if p < 0.05],
    "knockoffs": [found.names[j] for j in found.selected],
}
for method, names in strong.items():
    print(f"{method:10s}", ", ".join(names))
print("in all of the first two:", ", ".join(sorted(set(strong["carve"]) & set(strong["split"]))))
assert np.isfinite(carved.lower).all()
