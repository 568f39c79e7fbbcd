"""
Online learning: FOBOS, dual averaging, FTRL (simulated)
========================================================

Rows come one at a time. FTRL-Proximal and dual averaging end as sparse as the optimum; FOBOS keeps
small weights of the last rows. The progressive loss, on the left, is of each row before it was
learned; on the right are the weights in the end, sorted by size.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss

rng = np.random.default_rng(0)
n, p = 20_000, 300
X = np.where(rng.random((n, p)) < 0.05, rng.normal(size=(n, p)), 0.0)
eta = X[:, :10] @ np.linspace(2.0, 0.5, 10)
y = rng.random(n) < 1.0 / (1.0 + np.exp(-eta))
lam = 2e-3

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
for method in ("ftrl", "rda", "fobos"):
    fit = ss.online(X, y, family="binomial", lam=lam, method=method)
    rows, loss = fit.losses.T
    left.semilogx(rows, loss, label=method)
    right.semilogy(np.sort(np.abs(fit.coef()))[::-1] + 1e-6, label=method)
    found = fit.certify(X, y)
    print(f"{method:6} {len(fit.nonzero()):4d} non-zeros, at most {found.relative_gap:.1%} above")

best = ss.path(X, y.astype(float), family="binomial", standardize=False, lambdas=[lam])
right.semilogy(np.sort(np.abs(best.coef(lam)))[::-1] + 1e-6, "k--", label="optimum")
left.set_xlabel("rows")
left.set_ylabel("mean progressive loss")
right.set_xlabel("weights, by size")
left.legend()
right.legend()
figure.tight_layout()
plt.show()

# %%
# A table with text and gaps is learned from its file: each level of a column of text becomes a
# feature, and a gap in a column of numbers the mean of the rows before it.
wards, gaps = np.array(["north", "south", "west"])[rng.integers(3, size=4000)], rng.random(4000)
dose = rng.normal(size=4000)
ill = rng.random(4000) < 1.0 / (1.0 + np.exp(dose + 2.0 * (wards == "west")))
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "visits.csv"
    with open(file, "w") as stream:
        stream.write("ward,dose,state\n")
        for ward, given, gap, sick in zip(wards, dose, gaps, ill, strict=True):
            cell = "NA" if gap < 0.05 else f"{given:.2f}"
            stream.write(f"{ward},{cell},{'ill' if sick else 'well'}\n")
    fit = ss.online(str(file), y="state", family="binomial", lam=1e-3)
print(fit.to_frame())
fit.plot()
plt.show()
