"""
Multiple kernel learning: breast cancer
=======================================

Thirty measurements of cell nuclei in three families: means, standard errors and worst values. A
Gaussian kernel of two widths stands for each family, and one for each single measurement of the
worst values. Multiple kernel learning weighs the kernels; a third of the tumours tests the result.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

import sparsesolve as ss
from sparsesolve import mkl

# %%
# The file:
folder = Path(tempfile.mkdtemp())
data = load_breast_cancer(as_frame=True)
named = data.frame.assign(target=data.target_names[data.target])
named.to_csv(folder / "tumours.csv", index=False)
table = pd.read_csv(folder / "tumours.csv")
diagnosis = table.pop("target").to_numpy()
train = np.arange(len(table)) % 3 > 0
scaled = ((table - table[train].mean()) / table[train].std()).to_numpy()

# %%
# Kernels of columns, scaled to a common trace.
families = {"means": range(10), "errors": range(10, 20), "worst values": range(20, 30)}
kernels = {f"{name}, width {width}": (mkl.gaussian(width), list(columns))
           for name, columns in families.items() for width in (3.0, 8.0)}  # fmt: skip
kernels |= {table.columns[j]: (mkl.gaussian(1.0), j) for j in range(20, 30)}
grams = mkl.build_grams(scaled[train], kernels, scale="trace")
fit = ss.mkl_path(grams, diagnosis[train], family="binomial", n_lambdas=25, tol=1e-5)
print(repr(fit))
fit.plot(label=6)
plt.show()

# %%
# Held-out accuracy along the path, and how many kernels it takes.
right = [np.mean(fit.predict(scaled[~train], s=s, kind="class") == diagnosis[~train])
         for s in fit.lambdas]  # fmt: skip
figure, ax = plt.subplots(layout="constrained")
ax.plot(fit.df, right, "o-")
ax.set_xlabel("Kernels in use")
ax.set_ylabel("Share of new tumours classified rightly")
plt.show()

# %%
# Conclusion: of 16 kernels, these are in use at the end, and this is the accuracy there.
names = list(kernels)
print([names[m] for m in fit.active(fit.lambdas[-1])])
print(f"{100 * right[-1]:.1f} % of {np.sum(~train)} new tumours")
