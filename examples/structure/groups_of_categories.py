"""
Group lasso on categories (simulated)
=====================================

A category becomes one column for each of its levels. The lasso would choose among the columns;
the group lasso takes or leaves the category. Here ward and drug matter, and the weekday does not.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss

rng = np.random.default_rng(0)
n = 300
table = {
    "age": rng.normal(60, 10, n),
    "ward": rng.choice(["north", "south", "east", "west"], n),
    "drug": rng.choice(["none", "A", "B"], n),
    "weekday": rng.choice(["Mon", "Tue", "Wed", "Thu", "Fri"], n),
}
effect = {"north": 0, "south": 2, "east": 0, "west": -2, "none": 0, "A": -1.5, "B": -1.5}
y = 0.1 * table["age"] + np.array([effect[w] for w in table["ward"]])
y += np.array([effect[d] for d in table["drug"]]) + 2 * rng.normal(size=n)

design = ss.make_design(table)
print(design)

# %%
# `design.groups` says which column of the table each feature came from.
groups = ss.path(design, y, penalty=ss.penalties.GroupL2(design.groups))
lasso = ss.path(design, y)

figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", sharey=True)
for ax, fit, title in zip(axes, (lasso, groups), ("Lasso", "Group lasso"), strict=True):
    fit.plot("lambda", label=True, ax=ax)
    ax.set_title(title, loc="left")
plt.show()

# %%
# Cross-validation with the penalty on groups chooses two categories and the age.
cv = ss.cv_path(design, y, penalty=ss.penalties.GroupL2(design.groups), seed=0)
chosen = cv.nonzero()
print(sorted({design.groups[j] for j in chosen}))
for j in chosen:
    print(f"{design.names[j]:12s} {cv.coef()[j]:6.2f}")
