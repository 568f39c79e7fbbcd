"""
Support vector machines along a path (simulated)
================================================

Along a path of support vector machines the margin narrows as C = 1 / (lambda n) grows. An l1
penalty keeps few features; both paths are certified at every lambda.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 40))
y = np.sign(X[:, 0] - 0.7 * X[:, 1] + 0.5 * X[:, 2] + rng.normal(size=200))
family = ss.families.hinge()

# %%
# All features, by an l2 penalty, and few, by an l1 penalty.
ridge = ss.cv_path(X, y, family=family, alpha=0, n_lambdas=30, measure="class", seed=0)
lasso = ss.cv_path(X, y, family=family, n_lambdas=30, measure="class", seed=0)
print("errors", ridge.mean.min().round(3), lasso.mean.min().round(3))
print("worst gaps", max(ridge.path.gaps.max(), lasso.path.gaps.max()) <= 1e-7)

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for ax, cv, name in zip(axes, (ridge, lasso), ("l2 penalty", "l1 penalty"), strict=True):
    ax.plot(cv.path.lambdas, cv.path.coefs.toarray().T, linewidth=1)
    ax.axvline(cv.lambda_min, color="0.6", linestyle=":")
    ax.set(xscale="log", xlabel="lambda", title=name)
    ax.invert_xaxis()
axes[0].set_ylabel("coefficient")
plt.show()
