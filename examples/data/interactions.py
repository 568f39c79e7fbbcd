"""
Categories and interactions: diabetes
=====================================

Does the effect of the body mass index on diabetes differ between the sexes, or change with age?
Each term of the model (a category, or a product of two) is a group: it enters the regularization
path as a whole, or not at all. The data are the diabetes study of Efron et al. (2004), which comes
with scikit-learn.
"""

import tempfile
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

import sparsesolve as ss

# %%
# The file, with measurements cut into categories, as one meets them in questionnaires.
folder = Path(tempfile.mkdtemp())
data = load_diabetes(as_frame=True, scaled=False).frame
table = pd.DataFrame({
    "sex": data["sex"].map({1: "sex 1", 2: "sex 2"}),
    "bmi": pd.cut(data["bmi"], [0, 23, 26, 29, 99], labels=["low", "mid", "high", "top"]),
    "age": pd.cut(data["age"], [0, 40, 55, 99], labels=["young", "middle", "old"]),
    "pressure": pd.cut(data["bp"], [0, 85, 100, 999], labels=["low", "normal", "high"]),
    "ltg": data["s5"],
    "progression": data["target"],
})  # fmt: skip
table.to_csv(folder / "patients.csv", index=False)

# %%
# An interaction of two categories is the category of their pairs of levels.
table = pd.read_csv(folder / "patients.csv")
y = table.pop("progression")
for first, second in combinations(["sex", "bmi", "age", "pressure"], 2):
    table[f"{first} x {second}"] = table[first] + ", " + table[second]
design = ss.make_design(table)
print(design)

# %%
# ``design.groups`` names the term of each column. Weights of the norm grow with the root of the
# group's size, so that large interactions have no advantage.
penalty = ss.penalties.GroupL2(design.groups)
fit = ss.path(design, y, penalty=penalty, lambda_min_ratio=0.02)
fit.plot(by="group", label=8)
plt.show()

# %%
# Cross-validation: which terms are worth having?
cv = ss.cv_path(design, y, penalty=penalty, lambda_min_ratio=0.02, seed=0)
print(cv)
for rule in ("lambda_1se", "lambda_min"):
    print(rule, sorted({design.groups[j] for j in cv.nonzero(rule)}))

# %%
# Effects of the body mass index, alone and with its interactions, for each pair of sex and index.
coefs = dict(zip(design.names, cv.coef("lambda_min"), strict=True))
levels = ["low", "mid", "high", "top"]
figure, ax = plt.subplots(layout="constrained")
for sex in ("sex 1", "sex 2"):
    total = [coefs[f"bmi={level}"] + coefs.get(f"sex x bmi={sex}, {level}", 0) for level in levels]
    ax.plot(levels, np.subtract(total, total[0]), "o-", label=sex)
ax.set_xlabel("Body mass index")
ax.set_ylabel("Progression compared with the lowest class")
ax.legend(frameon=False)
plt.show()
