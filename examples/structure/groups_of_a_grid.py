"""
Latent groups of a grid (simulated)
===================================

Under a latent group norm the support is a union of groups, so groups decide what can be found:
intervals of a sequence, rectangles of a grid, ways from the root of a tree. The sets are those
of Bach et al. 2012, figures 1 to 3, with what a path finds in noise.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss
from sparsesolve import penalties

rng = np.random.default_rng(1)
n = 120


def intervals(p, size):
    """Neighbours in a sequence."""
    return [list(range(a, a + size)) for a in range(p - size + 1)]


def rectangles(rows, columns, size):
    """Squares of a grid."""
    return [
        [(a + i) * columns + b + j for i in range(size) for j in range(size)]
        for a in range(rows - size + 1)
        for b in range(columns - size + 1)
    ]


def ways_from_the_root(depth):
    """A node of a binary tree with all that stand above it: a node comes with its ancestors."""
    groups = []
    for node in range(2**depth - 1):
        above = [node]
        while above[-1]:
            above.append((above[-1] - 1) // 2)
        groups.append(above[::-1])
    return groups


# %%
# Three truths, and the first lambda at which each support is found.
sequence, grid, tree = np.zeros(36), np.zeros((8, 8)), np.zeros(31)
sequence[12:20] = 1.0
grid[2:6, 3:6] = 1.0
tree[[0, 2, 5, 11, 12]] = 1.0
CASES = [
    ("intervals", sequence, intervals(36, 4)),
    ("rectangles", grid.ravel(), rectangles(8, 8, 2)),
    ("ways from the root", tree, ways_from_the_root(5)),
]
figure, axes = plt.subplots(2, 3, figsize=(9, 5), layout="constrained")
for column, (name, truth, groups) in enumerate(CASES):
    X = rng.normal(size=(n, len(truth)))
    y = X @ truth + rng.normal(size=n)
    cv = ss.cv_path(X, y, penalty=penalties.LatentGroupL2(groups), seed=0)
    b = cv.coef("lambda_1se")
    found, wanted = np.flatnonzero(b), np.flatnonzero(truth)
    print(f"{name}: {len(found)} found of {len(truth)}, all of the {len(wanted)} true ones: "
          f"{np.isin(wanted, found).all()}; worst gap {cv.path.gaps.max():.1e}")  # fmt: skip
    for ax, values in zip(axes[:, column], (truth, b), strict=True):
        shape = (8, 8) if name == "rectangles" else (1, -1)
        ax.imshow(np.abs(values).reshape(shape), cmap="Greys", aspect="auto", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
    axes[0, column].set_title(name)
axes[0, 0].set_ylabel("truth")
axes[1, 0].set_ylabel("lambda_1se")
plt.show()
