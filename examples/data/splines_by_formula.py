"""
Splines and categories by a formula (diabetes, real data)
=========================================================

A formula writes the model: a spline for each measurement of 442 patients, and sex with its
products. The terms are groups, so that a curve enters as a whole or not at all.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import sparsesolve as ss

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
table = X.assign(sex=np.where(X["sex"] > 1, "m", "f"), y=y)
measured = [name for name in X if name != "sex"]

# %%
curves = " + ".join(f"bs({name}, 4)" for name in measured)
cv = ss.cv_path(f"y ~ {curves} + sex * bmi", data=table, penalty="group", seed=0)
print(cv.path.groups)
print(cv.path.nonzero_groups(cv.lambda_1se))

# %%
# What a curve says: predictions along one measurement, the others at their median.
middle = {name: [table[name].median()] * 50 for name in measured} | {"sex": ["m"] * 50}
figure, axes = plt.subplots(1, 4, figsize=(11, 3), layout="constrained", sharey=True)
for ax, name in zip(axes, ("bmi", "s5", "bp", "age"), strict=True):
    along = np.linspace(*table[name].quantile([0.02, 0.98]), 50)
    ax.plot(along, cv.predict({**middle, name: along}, "lambda_min"))
    ax.set_xlabel(name)
axes[0].set_ylabel("progression")
plt.show()
