"""
glmnet's vignette, line by line (simulated)
===========================================

"An Introduction to glmnet" takes a user of R from data to a chosen model. Here is each of its
steps in Python, with the line of R above it. The data have the vignette's shape, 100 rows and 20
columns, and are read from a file as yours would be.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sparsesolve as ss

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(1010)
x = rng.normal(size=(100, 20))
effects = np.r_[1.4, 0, 0.8, 0, -0.9, 0.6, 0, 0.4, 0, 0, 0.3, np.zeros(8), -1.1]
columns = {f"V{j + 1}": x[:, j] for j in range(20)}
table = pd.DataFrame({**columns, "y": x @ effects + rng.normal(size=100)})
table.to_csv(folder / "quick_start.csv", index=False)

# %%
# Quick start
# -----------
# ``data <- read.csv("quick_start.csv")``, ``fit <- glmnet(x, y)``
table = pd.read_csv(folder / "quick_start.csv")
y = table.pop("y")
fit = ss.path(table, y)

# %%
# ``plot(fit)``
fit.plot("norm")
plt.show()

# %%
# ``print(fit)``: glmnet's three columns, and the certificate of each line.
print(fit)

# %%
# ``coef(fit, s = 0.1)``
print(fit.to_frame(s=0.1))

# %%
# ``predict(fit, newx = nx, s = c(0.1, 0.05))``
new = pd.DataFrame(rng.normal(size=(5, 20)), columns=table.columns)
print(fit.predict(new, s=[0.1, 0.05]).round(3))

# %%
# ``cvfit <- cv.glmnet(x, y)``, ``plot(cvfit)``
cv = ss.cv_path(table, y, seed=0)
print(cv)
cv.plot()
plt.show()

# %%
# ``cvfit$lambda.min``, ``coef(cvfit, s = "lambda.min")``
print(round(cv.lambda_min, 4))
print(cv.to_frame("lambda_min"))

# %%
# Options
# -------
# ``glmnet(x, y, alpha = 0.2, weights = c(rep(1, 50), rep(2, 50)), nlambda = 20)``
weights = np.repeat([1, 2], 50)
fit = ss.path(table, y, alpha=0.2, weights=weights, n_lambdas=20)
print(repr(fit))

# %%
# ``coef.exact <- coef(fit, s = 0.5, exact = TRUE, x = x, y = y)``: interpolated, and solved at
# 0.5.
both = np.column_stack([fit.coef(0.5), fit.coef(0.5, exact=True, X=table, y=y)])
print(both[both.any(axis=1)].round(4))

# %%
# ``cv.glmnet(x, y, foldid = foldid, alpha = 1)`` and the like with 0.5 and 0: the same folds for
# all.
folds = np.arange(100) % 10
curves = {a: ss.cv_path(table, y, alpha=a, folds=folds) for a in (1.0, 0.5, 0.0)}
figure, ax = plt.subplots(layout="constrained")
for alpha, found in curves.items():
    ax.plot(-np.log(found.lambdas), found.mean, label=f"alpha = {alpha:g}")
ax.set_xlabel("\N{MINUS SIGN}log(λ)")
ax.set_ylabel("Mean squared error")
ax.legend(frameon=False)
plt.show()

# %%
# ``glmnet(x, y, lower.limits = -0.7, upper.limits = 0.5)``
print(ss.path(table, y, lower=-0.7, upper=0.5).coef(0.01).round(2))

# %%
# ``p.fac <- rep(1, 20); p.fac[c(1, 3, 5)] <- 0``: three features that are not penalised.
factors = np.ones(20)
factors[[0, 2, 4]] = 0
ss.path(table, y, penalty_factor=factors).plot(label=True)
plt.show()

# %%
# Logistic regression
# -------------------
# ``cv.glmnet(x, y, family = "binomial", type.measure = "class")``
sick = np.where(y > y.median(), "sick", "well")
cv = ss.cv_path(table, sick, family="binomial", measure="class", seed=0)
print(cv)

# %%
# ``confusion.glmnet(cvfit, newx = x, newy = y)``, ``assess.glmnet(...)``
print(ss.confusion(cv, table, sick))
print({name: round(value, 3) for name, value in ss.assess(cv, table, sick).items()})
