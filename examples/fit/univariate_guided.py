"""
Univariate-guided lasso of tumours (real data)
==============================================

569 tumours with 30 measurements of their cells, which depend on one another. The lasso gives some
measurements the opposite sign of what they have alone; the univariate-guided lasso does not, and
predicts about as well from fewer.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import sparsesolve as ss

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X / X.std()
lasso = ss.cv_path(X, y, family="binomial", seed=0)
guided = ss.cv_path(X, y, family="binomial", seed=0, fit=ss.paths.uni_lasso_path)
for name, cv in (("lasso", lasso), ("guided", guided)):
    print(f"{name:7s} deviance {cv.mean[cv.index_min]:.3f} with {cv.path.df[cv.index_min]} of 30")

# %%
# Each feature alone, against its coefficient in the model of least deviance: dots in the grey
# quadrants have changed their sign.
alone = [ss.path(X[[name]], y, family="binomial", lambdas=[0.0]).coef(0.0)[0] for name in X]
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharex=True)
for ax, cv, title in zip(axes, (lasso, guided), ("Lasso", "Univariate-guided"), strict=True):
    coefs = cv.coef("lambda_min")
    ax.scatter(alone, coefs, s=np.where(coefs != 0.0, 40, 8))
    ax.axhline(0.0, color="0.5", linewidth=1.0)
    ax.axvline(0.0, color="0.5", linewidth=1.0)
    low, high = ax.get_ylim()
    ax.fill_between([min(alone) * 1.1, 0.0], 0.0, high, color="0.92", zorder=0)
    ax.fill_between([0.0, max(max(alone), 0.3) * 1.1], low, 0.0, color="0.92", zorder=0)
    ax.set_title(title, loc="left")
    ax.set_xlabel("coefficient of the feature alone")
axes[0].set_ylabel("coefficient in the model")
plt.show()
