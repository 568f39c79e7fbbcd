"""
Hierarchical dictionary: image patches
======================================

A dictionary whose atoms are the nodes of a tree: an atom is used only together with its ancestors.
Each group of the tree norm is an atom with its descendants, so that what is near the root comes
to be coarse, and leaves are details. The patches, 8 x 8 pixels, come from a photograph of
scikit-learn. The tree and the l1 norm then denoise patches of another photograph, along strengths
of the penalty; every code has its duality gap. Figure 17 of Bach et al. 2012 compares solvers on
this problem: ``benchmarks/structured/tree_norms.py race``. Jenatton, Mairal, Obozinski, Bach
(2011).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

import sparsesolve as ss
from sparsesolve import penalties

SIDE, NOISE = 8, 0.5
BRANCHES = (5, 2, 2)  # of the root, of its children, of theirs


def tree_of(branches):
    """For each node, numbered from the root level by level, the list of it and its descendants."""
    levels, parent = [[0]], [-1]
    for count in branches:
        levels.append([])
        for above in levels[-2]:
            for _ in range(count):
                levels[-1].append(len(parent))
                parent.append(above)
    groups = [[node] for node in range(len(parent))]
    for node in range(len(parent) - 1, 0, -1):
        groups[parent[node]] = groups[parent[node]] + groups[node]
    return groups, levels


def patches(name, count, rng):
    """Patches (64, count) of norm 1 and mean 0 of a photograph."""
    grey = load_sample_image(name).mean(axis=2) / 255.0
    windows = np.lib.stride_tricks.sliding_window_view(grey, (SIDE, SIDE)).reshape(-1, SIDE**2)
    Y = windows[rng.permutation(len(windows))[: 8 * count]].T
    Y = Y - Y.mean(axis=0)
    Y = Y[:, Y.std(axis=0) > 0.05][:, :count]
    return np.asfortranarray(Y / np.linalg.norm(Y, axis=0))


rng = np.random.default_rng(0)
groups, levels = tree_of(BRANCHES)
tree = penalties.TreeL2(groups, np.ones(len(groups)))
train, clean = patches("china.jpg", 1500, rng), patches("flower.jpg", 200, rng)
learnt = {}
for name, penalty, lam in (("l1", None, 0.1), ("tree", tree, 0.05)):
    learner = ss.DictionaryLearning(len(groups), lam=lam, penalty=penalty, n_epochs=4,
                                    batch_size=250, seed=0)
    learnt[name] = learner.fit(train)
    print(name, "objective of the last mini-batch", round(learner.objectives[-1], 4))

# %%
# Denoising: the error left, over the noise, along the strengths.
noisy = clean + NOISE * rng.standard_normal(clean.shape) / SIDE
strengths = np.geomspace(0.02, 0.5, 8)
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, penalty in (("l1", None), ("tree", tree)):
    D, errors, worst = learnt[name].dictionary, [], 0.0
    for lam in strengths:
        found = ss.sparse_code(noisy, D, lam=lam, penalty=penalty, tol=1e-6)
        errors.append(np.mean((D @ found.codes.toarray() - clean) ** 2) * SIDE**2 / NOISE**2)
        worst = max(worst, found.gaps.max())
    ax.semilogx(strengths, errors, "o-", label=name)
    print(f"{name}: {100 * min(errors):.1f} % of the noise is left, worst gap {worst:.1e}")
ax.set(xlabel="strength of the penalty", ylabel="error over noise")
ax.legend()
plt.show()

# %%
# The tree, level by level, the root on top.
figure, axes = plt.subplots(len(levels), 1, figsize=(9, 4.2), layout="constrained")
for ax, nodes in zip(axes, levels, strict=True):
    strip = np.full((SIDE, (SIDE + 1) * len(nodes) - 1), np.nan)
    for k, node in enumerate(nodes):
        atom = learnt["tree"].dictionary[:, node].reshape(SIDE, SIDE)
        strip[:, k * (SIDE + 1) : k * (SIDE + 1) + SIDE] = atom / (np.abs(atom).max() or 1.0)
    ax.imshow(strip, cmap="gray", vmin=-1, vmax=1)
    ax.axis("off")
plt.show()
