"""Fits of two and of three classes, and rows that they have not seen, to be assessed."""

import numpy as np

import sparsesolve as ss

RNG = np.random.default_rng(23)
X = RNG.standard_normal((150, 6))
ETA = X[:, 0] - X[:, 1]
SICK = np.where(ETA + RNG.logistic(size=150) > 0.3, "sick", "healthy")
KIND = np.array(["a", "b", "c"])[(X[:, :3] + RNG.gumbel(size=(150, 3))).argmax(axis=1)]
DEATHS = np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(150) < 0.7])
W = RNG.uniform(0.2, 2.0, 60)
OLD, NEW = slice(0, 90), slice(90, 150)
LAMBDAS = [0.2, 0.05, 0.01]
BINOMIAL = ss.path(X[OLD], SICK[OLD], family="binomial", lambdas=LAMBDAS)
MULTINOMIAL = ss.path(X[OLD], KIND[OLD], family="multinomial", lambdas=LAMBDAS)
