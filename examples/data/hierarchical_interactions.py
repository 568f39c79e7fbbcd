"""
Interactions under a hierarchy (diabetes, real data)
====================================================

442 patients with ten measurements, which have 45 products. A lasso on all columns takes products
without their features; under the strong hierarchy a product enters with both.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import sparsesolve as ss

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X = X - X.mean()  # so that the coefficient of a feature is its slope at the mean of the others
names = list(X.columns)

# %%
# The lasso on all products, made by a formula.
table = X.assign(y=y)
folds = np.arange(len(y)) % 10
formula = f"y ~ ({' + '.join(names)})**2"
lasso = ss.cv_path(formula, data=table, folds=folds)
strong = ss.cv_path(X, y, fit=ss.paths.interaction_path, folds=folds)
for title, cv in (("lasso", lasso), ("hierarchy", strong)):
    found = cv.path.feature_names[cv.nonzero("lambda_min")]
    alone = [name for name in found if ":" in name and not set(name.split(":")) <= set(found)]
    print(f"{title:10s} error {np.sqrt(cv.mean.min()):.1f}, {len(found)} terms, "
          f"products without their features: {len(alone)}")

# %%
# The path under the hierarchy: products are dashed.
figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
path = strong.path
size = np.r_[[X[name].std() for name in names],
             [(X[a] * X[b]).std() for a, b in (n.split(":") for n in path.feature_names[10:])]]
for j, name in enumerate(path.feature_names):
    line = path.coefs.toarray()[j] * size[j]
    ax.plot(-np.log(path.lambdas), line, linestyle="--" if ":" in name else "-", linewidth=1.2)
ax.axvline(-np.log(strong.lambda_min), color="0.5", linestyle=":")
ax.set_xlabel("-log(lambda)")
ax.set_ylabel("coefficient times standard deviation")
plt.show()
