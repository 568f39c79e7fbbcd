"""
Total variation: regions of an image (simulated)
================================================

Coefficients that are an image: 120 random measurements of 16 x 18 pixels, of which two regions
matter. Total variation along rows and columns finds the regions, the lasso single pixels in them.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss
from sparsesolve import penalties

rng = np.random.default_rng(0)
shape = (16, 18)
truth = np.zeros(shape)
truth[2:8, 3:9] = 1.0
truth[10:14, 9:16] = -0.7
X = rng.normal(size=(120, truth.size))
y = X @ truth.ravel() + 2.0 * rng.normal(size=120)

# %%
# Fewer measurements than pixels: cross-validation chooses λ for each penalty. Every λ has a gap.
choices = {
    "lasso": {"standardize": False},
    "TotalVariation2D": {"penalty": penalties.TotalVariation2D(shape, l1=0.1)},
}
found = {}
for label, options in choices.items():
    cv = ss.cv_path(X, y, n_folds=4, seed=0, n_lambdas=20, lambda_min_ratio=0.05, **options)
    found[label] = cv.coef("lambda_min").reshape(shape)
    error = np.linalg.norm(found[label] - truth) / np.linalg.norm(truth)
    print(f"{label}: error {error:.2f}, worst gap {cv.path.gaps.max():.1e}")

figure, axes = plt.subplots(1, 3, figsize=(8.5, 2.8), layout="constrained")
for ax, (label, image) in zip(axes, {"truth": truth, **found}.items(), strict=True):
    ax.imshow(image, cmap="RdBu_r", vmin=-1, vmax=1)
    ax.set_title(label, fontsize=10)
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# The prox alone removes noise from an image, exactly and without a tolerance.
noisy = truth + 0.4 * rng.normal(size=shape)
tv = penalties.TotalVariation2D(shape)
clean = tv.prox(noisy.ravel(), 0.4)
print("regions", tv.degrees(clean), "of", clean.size, "pixels")

figure, axes = plt.subplots(1, 2, figsize=(6, 2.8), layout="constrained")
for ax, image, label in zip(axes, (noisy, clean), ("noisy", "prox"), strict=True):
    ax.imshow(image.reshape(shape), cmap="RdBu_r", vmin=-1, vmax=1)
    ax.set_title(label, fontsize=10)
    ax.set(xticks=[], yticks=[])
plt.show()
