"""
Dictionary of photographs
=========================

256 atoms learnt from 8 x 8 patches of two photographs, a temple and a flower, which come with
scikit-learn. Patches lose their mean, flat ones are left out, and the others are scaled to norm 1.
``python examples/dictionaries/dictionary.py FILE`` writes the picture into a file.
"""

import sys
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

import sparsesolve as ss

SIDE, ATOMS, PATCHES, LAM = 8, 256, 100_000, 0.15
FLAT = 0.05  # standard deviation of a patch, in grey levels from 0 to 1, that tells too little
WINDOW = 20  # mini-batches in a running mean


def patches(rng):
    """Normalised patches (64, PATCHES) drawn at random from both photographs in grey."""
    found = []
    for name in ("china.jpg", "flower.jpg"):
        grey = load_sample_image(name).mean(axis=2) / 255.0
        windows = np.lib.stride_tricks.sliding_window_view(grey, (SIDE, SIDE))
        windows = windows.reshape(-1, SIDE, SIDE)[rng.permutation(windows[..., 0, 0].size)]
        Y = windows[:PATCHES].reshape(-1, SIDE**2).T
        Y = Y - Y.mean(axis=0)
        found.append(Y[:, Y.std(axis=0) > FLAT])
    Y = np.hstack(found)[:, :PATCHES]
    return np.asfortranarray(Y / np.linalg.norm(Y, axis=0))


def mosaic(D, gap=1):
    """Atoms (64, p) as one picture, each scaled to use all greys."""
    side = int(np.ceil(np.sqrt(D.shape[1])))
    picture = np.ones((side * (SIDE + gap) + gap,) * 2)
    for k, atom in enumerate(D.T):
        i, j = (gap + (SIDE + gap) * part for part in divmod(k, side))
        scaled = atom.reshape(SIDE, SIDE) / np.abs(atom).max()
        picture[i : i + SIDE, j : j + SIDE] = 0.5 + 0.5 * scaled
    return picture


def draw(learnt, use, file=None):
    """The atoms, those used most first, and the objective along the mini-batches but the first,
    among whose signals the first atoms are; into a file, or on the screen."""
    figure = plt.figure(figsize=(11.0, 6.0), dpi=150, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[6, 4])
    left.imshow(mosaic(learnt.dictionary[:, np.argsort(-use)]), cmap="gray", vmin=0, vmax=1)
    left.set_title(f"{ATOMS} atoms of {SIDE} x {SIDE} pixels, those used most first", loc="left")
    left.axis("off")
    values = np.array(learnt.objectives)
    mean = np.convolve(values[1:], np.full(WINDOW, 1.0 / WINDOW), "valid")
    right.plot(np.arange(2, len(values) + 1), values[1:], ".", color="0.75", markersize=3.0)
    right.plot(np.arange(len(mean)) + 2 + WINDOW // 2, mean, linewidth=1.8)
    right.set_title("Objective and its running mean", loc="left")
    right.set_xlabel("Mini-batch")
    right.set_ylabel("½ |y − D a|² + λ |a|₁, mean before the batch is learnt from")
    for side in ("top", "right"):
        right.spines[side].set_visible(False)
    if file is None:
        plt.show()
    else:
        figure.savefig(file)


if __name__ == "__main__":
    Y = patches(np.random.default_rng(0))
    begun = time.perf_counter()
    learnt = ss.DictionaryLearning(ATOMS, lam=LAM, n_epochs=3, seed=0).fit(Y)
    print(f"{Y.shape[1]} patches, {learnt} in {time.perf_counter() - begun:.1f} s")
    found = learnt.transform(Y[:, :10_000])
    explained = 1.0 - np.mean(found.residuals**2)
    print(f"{found}; they explain {100 * explained:.1f}% of the patches' variance")
    draw(learnt, np.diff(found.codes.tocsr().indptr), *sys.argv[1:2])
