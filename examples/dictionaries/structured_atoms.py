"""
Structured sparse PCA: handwritten digits
=========================================

A dictionary of handwritten digits, 8 x 8 pixels, learnt three ways: without a penalty on the
atoms, which gives the principal subspace; with the l1 norm, sparse PCA; and with the l-infinity
norm of overlapping groups, structured sparse PCA. The groups are all half planes of the grid, so
that the pixels of an atom that are not 0 tend to fill a rectangle. Figure 12 of Bach et al. 2012
does this with faces, and with the square roots of the norms of groups, a quasi-norm, which the
fourth row has: fewer groups are paid for, and parts are smaller. Every code is certified; the
problem in codes and atoms together is not convex.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import sparsesolve as ss
from sparsesolve import penalties

SHAPE, ATOMS = (8, 8), 12
Y = load_digits().data[:300].T / 16.0
Y = np.asfortranarray(Y - Y.mean(axis=1, keepdims=True))
half_planes = penalties.rectangle_groups(SHAPE)
WAYS = {
    "no penalty": (penalties.L1(), 1e-9),
    "l1: sparse PCA": (penalties.L1(), 0.004),
    "rectangles: structured sparse PCA": (
        penalties.OverlapLinf(half_planes, np.ones(len(half_planes))), 0.04,
    ),
}

# %%
# alpha=0 leaves codes without sparsity; all structure is in the atoms.
learnt = {}
for name, (penalty, strength) in WAYS.items():
    learner = ss.DictionaryLearning(ATOMS, lam=0.02, alpha=0.0, atom_penalty=penalty,
                                    atom_lam=strength, algorithm="batch", n_epochs=15, seed=0)
    learnt[name] = learner.fit(Y)
    gap = learner.transform(Y).gaps.max()
    zeros = (learner.dictionary == 0.0).mean()
    print(f"{name}: objective {learner.objectives[0]:.3f} -> {learner.objectives[-1]:.3f}, worst "
          f"gap of a code {gap:.1e}, {100 * zeros:.0f} % of pixels are 0")

# %%
# The quasi-norm ``sum_g sqrt(max |d_g|)`` lies below its tangent, a norm of the same groups with
# weights that are large where a group is small. An atom steps by the prox of that norm, with the
# weights of the atom as it is; codes are those of a ridge regression.
D = learnt["rectangles: structured sparse PCA"].dictionary.copy()
for _ in range(15):
    codes = np.linalg.solve(D.T @ D + 0.02 * np.eye(ATOMS), D.T @ Y)
    A, B = codes @ codes.T / Y.shape[1], Y @ codes.T / Y.shape[1]
    for j in np.flatnonzero(A.diagonal() > 1e-12):
        sizes = np.array([np.abs(D[list(g), j]).max() for g in half_planes])
        tangent = penalties.OverlapLinf(half_planes, 0.5 / np.sqrt(sizes + 1e-4))
        atom = tangent.prox(D[:, j] + (B[:, j] - D @ A[:, j]) / A[j, j], 0.015 / A[j, j])
        D[:, j] = atom / max(np.linalg.norm(atom), 1.0)
print(f"quasi-norm: {100 * (D == 0.0).mean():.0f} % of pixels are 0")

# %%
# Atoms: white is 0, red and blue are the signs.
rows = {name: learner.dictionary for name, learner in learnt.items()}
rows["square roots of the norms: quasi-norm"] = D
figure, axes = plt.subplots(len(rows), ATOMS, figsize=(11, 4.5), layout="constrained")
for row, (name, atoms) in zip(axes, rows.items(), strict=True):
    for ax, atom in zip(row, atoms.T, strict=True):
        limit = np.abs(atom).max() or 1.0
        ax.imshow(atom.reshape(SHAPE), cmap="RdBu_r", vmin=-limit, vmax=limit)
        ax.set(xticks=[], yticks=[])
    row[0].set_title(name, loc="left", fontsize=9)
plt.show()
