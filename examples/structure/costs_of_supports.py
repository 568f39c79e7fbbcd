"""
Submodular costs of a support: strokes of digits
================================================

Two written digits, 3 and 8, classified by a logistic model of 64 pixels. The lasso pays for each
pixel alone. Let a set of pixels cost a price for each pixel and for each border between a chosen
and another pixel: neighbours then enter together, and the model reads strokes. This cost is
submodular, and `penalties.Submodular` is its norm (Bach et al. 2012, section 1.3; Bach, 2010). The
last lines check the certificate of a solution by numpy alone, at the point that `fit.dual` gives.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import sparsesolve as ss
from sparsesolve import penalties

digits = load_digits()
chosen = np.isin(digits.target, [3, 8])
X, y = digits.data[chosen] / 16.0, digits.target[chosen] == 8

# %%
# Borders run between neighbours of the 8 x 8 grid. A pixel costs as much as its four borders, so
# that a larger set never costs less.
grid = np.arange(64).reshape(8, 8)
edges = np.r_[np.c_[grid[:, :-1].ravel(), grid[:, 1:].ravel()],
              np.c_[grid[:-1].ravel(), grid[1:].ravel()]]  # fmt: skip
WAYS = {
    "lasso": penalties.L1(),
    "l1 / lq of rows, q = 4": penalties.GroupLq(grid.ravel() // 8, 4.0),
    "pixels and borders": penalties.Submodular(penalties.graph_cut(edges, 1.0, modular=4.0)),
}
fits = {name: ss.path(X, y, family="binomial", penalty=penalty, standardize=False, n_lambdas=10,
                      lambda_min_ratio=0.05, tol=1e-6) for name, penalty in WAYS.items()}
for name, fit in fits.items():
    print(f"{name}: worst gap {fit.gaps.max():.1e}, {fit.df[-1]} pixels at the last lambda")

# %%
# Coefficients where each model first uses a dozen pixels: red speaks for an 8, blue for a 3.
figure, axes = plt.subplots(1, 4, figsize=(11, 3.1), layout="constrained")
axes[0].imshow((X[y].mean(axis=0) - X[~y].mean(axis=0)).reshape(8, 8), cmap="RdBu_r", vmin=-0.7,
               vmax=0.7)
axes[0].set_title("mean 8 less mean 3", fontsize=9)
for ax, (name, fit) in zip(axes[1:], fits.items(), strict=True):
    k = int(np.argmax(fit.df >= 12))
    b = fit.coefs[:, [k]].toarray().reshape(8, 8)
    limit = np.abs(b).max()
    ax.imshow(b, cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.set_title(f"{name}: {fit.df[k]} pixels,\n{100 * fit.dev_ratio[k]:.0f} % of the deviance",
                 fontsize=9)  # fmt: skip
for ax in axes:
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# The gap of the last solution, at a dual point: no coefficients have an objective below `dual`.
fit = fits["pixels and borders"]
lam, b, b0 = fit.lambdas[-1], fit.coefs[:, [-1]].toarray().ravel(), fit.intercepts[-1]
u, eta = fit.dual(lam, X, y), b0 + X @ b
norm = WAYS["pixels and borders"]
print("feasible:", norm.polar(X.T @ u) <= lam * (1 + 1e-9), abs(u.sum()) < 1e-9)
p = y - len(y) * u
primal = np.mean(np.logaddexp(0, eta) - y * eta) + lam * norm.value(b)
dual = -np.mean(p * np.log(p) + (1 - p) * np.log(1 - p))
print(f"objective {primal:.9f}, none is below {dual:.9f}")
