"""
Multinomial lasso: handwritten digits
=====================================

Multinomial logistic regression has a coefficient for each feature and each class. On pictures of
digits the features are pixels, so the coefficients of a class are a picture too: ink where it is
red speaks for the digit, where it is blue against it. Pale grey pixels have coefficients of zero.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import sparsesolve as ss

X, y = load_digits(return_X_y=True)
train = np.arange(len(y)) % 4 > 0
fit = ss.path(X[train], y[train], family="multinomial", alpha=0.5, n_lambdas=30)
found = ss.assess(fit, X[~train], y[~train])
best = found["class"].argmin()
s = fit.lambdas[best]
print(f"{100 * (1 - found['class'][best]):.1f}% of new digits told right at λ = {s:.4f}")

# %%
# `coef` returns an array (10, 64), a row for each class, in the order of `class_names`. Times the
# spread of each pixel it says what the pixels do, rather than what a unit of their ink would.
coefs = (fit.coef(s) * X[train].std(axis=0)).reshape(10, 8, 8)
figure, axes = plt.subplots(2, 5, figsize=(9, 4), layout="constrained")
limit = np.abs(coefs).max()
for ax, name, picture in zip(axes.flat, fit.class_names, coefs, strict=True):
    ax.imshow(picture, cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.set_title(f"{name}: {np.count_nonzero(picture)} pixels", fontsize=9)
    ax.axis("off")
plt.show()

# %%
# Which digits are taken for which:
print(ss.confusion(fit, X[~train], y[~train], s=s))
