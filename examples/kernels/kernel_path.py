"""
Multiple kernel learning path (simulated)
=========================================

Multiple kernel learning chooses among kernels: here a gaussian one and a linear one on each of
five columns. The response is a sine of the first column and a line along the second.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss
from sparsesolve import mkl

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(300, 5))
y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=300)

kernels = mkl.build_grams(
    X,
    {f"gaussian x{j}": (mkl.gaussian(0.5), j) for j in range(5)}
    | {f"linear x{j}": (mkl.linear(), j) for j in range(5)},
    centre=True,
    scale="trace",
)
fit = ss.mkl_path(kernels, y)
print(repr(fit))
fit.plot(label=6)
plt.show()

# %%
# The fitted function at one λ, along the first column, the others at rest: `predict` takes new
# rows of the table.
line = np.zeros((200, 5))
line[:, 0] = np.linspace(-2, 2, 200)
curve = fit.predict(line, s=0.01)
figure, ax = plt.subplots(layout="constrained")
ax.plot(line[:, 0], curve - curve.mean(), label="fitted")
truth = np.sin(2 * line[:, 0])
ax.plot(line[:, 0], truth - truth.mean(), "--", color="0.4", label="truth")
ax.set_xlabel("x0")
ax.legend(frameon=False)
plt.show()

# %%
# Which λ predicts best? Each fold builds its kernels again from the rows that it trains on.
# Dotted lines mark the best mean and the largest λ within one standard error of it; along the
# top stands the number of active kernels.
cv = ss.cv_mkl_path(kernels, y, n_folds=5, seed=0, n_lambdas=30)
print(cv.path.kernel_names[cv.active("lambda_1se")].tolist())
cv.plot()
plt.show()
