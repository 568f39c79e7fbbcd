"""
Data in blocks with Dask (simulated)
====================================

A file that need not fit into memory: written block by block, mapped, and fitted through a dask
array. Squared error takes one pass over the blocks for the whole path; a logistic path takes a few
dozen. The certificates are those of the data in memory, which is checked at the end.
"""

import tempfile
import time
from pathlib import Path

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss

# %%
# The file: 40,000 rows of 50 columns here; as large as the disk is elsewhere. Nothing changes
# below.
file = Path(tempfile.mkdtemp()) / "rows.npy"
rng = np.random.default_rng(0)
n, p = 40_000, 50
rows = np.lib.format.open_memmap(file, "w+", np.float32, (n, p))
for part in range(0, n, 10_000):
    rows[part : part + 10_000] = rng.normal(size=(10_000, p))
eta = rows[:, 0] - 0.5 * rows[:, 1] + 0.25 * rows[:, 2]
amount = eta + rng.normal(size=n)
bought = eta + rng.logistic(size=n) > 0

# %%
# Blocks of rows with all their columns, whatever scheduler dask is set to.
blocks = da.from_array(np.load(file, mmap_mode="r"), chunks=(10_000, p))
begun = time.perf_counter()
fit = ss.path(blocks, amount)
print(repr(fit))
print(f"{time.perf_counter() - begun:.2f} s for a path of squared error")

# %%
# Classes, at λs that are given:
begun = time.perf_counter()
classes = ss.path(blocks, bought, family="binomial", lambdas=np.geomspace(0.2, 0.01, 8))
print(classes)
print(f"{time.perf_counter() - begun:.2f} s for a logistic path")

# %%
# Predictions are dask arrays again, computed block by block.
probability = classes.predict(blocks, s=0.01, kind="response")
print(probability)
figure, ax = plt.subplots(layout="constrained")
ax.hist(probability.compute(), bins=50)
ax.set_xlabel("Probability of buying")
ax.set_ylabel("Rows")
plt.show()

# %%
# The same as in memory:
memory = ss.path(np.load(file), amount, lambdas=fit.lambdas)
print(f"largest difference of coefficients {abs(memory.coefs - fit.coefs).max():.1e}")
