"""
Knots of the lasso: diabetes
============================

The lasso's coefficients are piecewise linear in λ. `lars_path` finds the knots, the λs at which a
feature joins or leaves, so that interpolation between them is exact. A grid of `path` meets the
same curve wherever it is asked.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import sparsesolve as ss

plt.style.use("tableau-colorblind10")
X, y = load_diabetes(return_X_y=True, as_frame=True)
knots = ss.lars_path(X, y)
print(knots)

# %%
# Against λ itself the pieces are straight. Dots are knots, the first nine of them.
figure, ax = plt.subplots(layout="constrained")
for name, line in zip(X.columns, knots.coefs.toarray(), strict=True):
    ax.plot(knots.lambdas[:9], line[:9], ".-", markersize=4, linewidth=1, label=name)
ax.invert_xaxis()
ax.set_xlabel("λ")
ax.set_ylabel("Coefficient")
ax.legend(frameon=False, ncols=2, fontsize=8)
for side in ("top", "right"):
    ax.spines[side].set_visible(False)
plt.show()

# %%
# Solved on a grid and read off between the knots, to the tolerance of the grid:
grid = ss.path(X, y, n_lambdas=20, lambda_min_ratio=1e-3, tol=1e-12)
worst = max(np.abs(grid.coef(s) - knots.coef(s)).max() for s in grid.lambdas)
print(f"largest difference {worst:.1e}, largest coefficient {np.abs(grid.coef(0)).max():.0f}")
