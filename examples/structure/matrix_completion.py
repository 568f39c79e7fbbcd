"""
Matrix completion of handwritten digits (real data)
===================================================

300 images of 8 by 8 pixels, of which half are hidden: the trace norm fills them in, with a matrix
of low rank that agrees with what is seen. Cross-validation over seen pixels chooses the rank.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import sparsesolve as ss

images = load_digits().data[:300]
rng = np.random.default_rng(0)
seen = rng.random(images.shape) < 0.5
Y = np.where(seen, images, np.nan)

# %%
# Each pixel of each image is a feature, and each seen one a row. What is completed is the distance
# from the mean of the place.
mean = np.nanmean(Y, axis=0)
X, y = ss.paths.entries(Y - mean)
cv = ss.cv_path(
    X, y, penalty=ss.penalties.TraceNorm(Y.shape), lambdas=np.geomspace(0.02, 0.001, 8),
    n_folds=3, seed=0, tol=1e-3,
)
low_rank = cv.coef("lambda_min").reshape(Y.shape)
completed = mean + cv.intercept("lambda_min") + low_rank
for name, guess in (("mean of the place", mean + 0.0 * completed), ("completed", completed)):
    error = np.sqrt(np.mean((guess - images)[~seen] ** 2))
    print(f"{name:18s} error of hidden pixels {error:.2f} of 16")
print("rank", np.linalg.matrix_rank(low_rank, tol=1e-3), "of 64")

# %%
figure, axes = plt.subplots(3, 8, figsize=(9, 3.6), layout="constrained")
rows = {"seen": Y, "completed": completed, "whole": images}
for row, (title, pictures) in enumerate(rows.items()):
    for ax, picture in zip(axes[row], pictures, strict=False):
        ax.imshow(picture.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        ax.set_xticks([])
        ax.set_yticks([])
    axes[row, 0].set_ylabel(title)
plt.show()
