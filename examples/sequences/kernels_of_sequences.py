"""
Kernels for label sequences: handwritten digits
===============================================

Handwritten digits in the order of a counter, seen through three kernels: a Gaussian of all pixels,
a linear one, and a Gaussian of noise. `spom` learns one sequence at a time which kernels matter,
and `certify` bounds what its objective may lose.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import sparsesolve as ss
from sparsesolve import structured

plt.style.use("tableau-colorblind10")
rng = np.random.default_rng(0)
images, digits = load_digits(return_X_y=True)
places = [np.flatnonzero(digits == k) for k in range(10)]
y = np.cumsum(rng.choice([1, 1, 1, 1, 2, 7], size=800)) % 10
X = np.stack([images[rng.choice(places[k])] for k in y]) / 16.0
X += rng.normal(scale=0.4, size=X.shape)  # so that single digits are hard to read
noise = rng.normal(size=(800, 5))
train, test, cuts = slice(0, 500), slice(500, 800), [10] * 50


def gaussian(A, B, width):
    square = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1) - 2.0 * A @ B.T
    return np.exp(-square / (2.0 * width**2))


def kernels(rows):
    return {"pixels": gaussian(X[rows], X[train], 3.0), "linear": X[rows] @ X[train].T / 20.0,
            "noise": gaussian(noise[rows], noise[train], 2.0)}  # fmt: skip


model = ss.spom(kernels(train), y[train], lengths=cuts, loss="log", C=10.0, eta0=1.0, certify=10)
print(model)
print(f"{100 * model.score(kernels(test), y[test], [10] * 30):.1f} % of new digits are read")

# %%
# To the left the weights of the kernels along the epochs: that of the noise falls. To the right
# how far each method is above the best bound that any of them found. SPOM moves parameters and
# weights at once, a sequence at a time. The wrapper fits a random field, moves the weights, and
# fits again: it comes nearer to the optimum here, where passes are cheap.
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
model.plot(left)
data = {"lengths": cuts, "C": 10.0, "loss": "log"}
online = ss.spom(kernels(train), y[train], **data, epochs=40, eta0=1.0, certify=20)
wrapper = structured.wrapped_mkl(kernels(train), y[train], **data, first_epochs=10, rounds=10)
bound = max(online.bound, wrapper.bound)
right.semilogy(np.arange(1, 41), online.objectives - bound, label="SPOM")
right.semilogy(10 + 3 * np.arange(len(wrapper.objectives)), wrapper.objectives - bound, "o-",
               label="Gauss-Seidel")  # fmt: skip
right.set_xlabel("Passes over the sequences")
right.set_ylabel("Objective less the bound")
right.legend(frameon=False)
