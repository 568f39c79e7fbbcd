"""
Structured sparse PCA: handwritten digits
=========================================

A dictionary of handwritten digits, 8 x 8 pixels, learnt three ways: without a penalty on the
atoms, which gives the principal subspace; with the l1 norm, sparse PCA; and with the l-infinity
norm of overlapping groups, structured sparse PCA. The groups are all half planes of the grid, so
that the pixels of an atom that are not 0 tend to fill a rectangle. Figure 12 of Bach et al. 2012
does this with faces. Every code is certified; the problem in codes and atoms together is not
convex.
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
# Atoms: white is 0, red and blue are the signs.
figure, axes = plt.subplots(len(WAYS), ATOMS, figsize=(11, 3.4), layout="constrained")
for row, (name, learner) in zip(axes, learnt.items(), strict=True):
    for ax, atom in zip(row, learner.dictionary.T, strict=True):
        limit = np.abs(atom).max() or 1.0
        ax.imshow(atom.reshape(SHAPE), cmap="RdBu_r", vmin=-limit, vmax=limit)
        ax.set(xticks=[], yticks=[])
    row[0].set_title(name, loc="left", fontsize=9)
plt.show()
