"""
Tree norm: tumours along a tree of genes (simulated)
====================================================

Multinomial regression under a tree norm: Ward's clustering of the genes gives nested groups, and
a group holds the coefficients of its genes in all classes. Clusters of genes that go together are
chosen or left together, at the level that the data ask for. Figure 18 of Bach et al. 2012.

``python examples/structure/tree_of_genes.py srbct.npz`` reads the expression of small round blue
cell tumours: arrays `X` (83, 2,308) of ratios, `y`, and a mask `train`. Without a file, data are
drawn: samples of four classes and 400 genes, in modules that rise and fall together.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.cluster.hierarchy import ward

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.results import plot_tree


def drawn():
    """Expressions (120, 400), classes, and the mask of the first 80."""
    rng = np.random.default_rng(0)
    modules = rng.normal(size=(120, 40))
    X = np.repeat(modules, 10, axis=1) + 1.5 * rng.normal(size=(120, 400))
    scores = 4.0 * modules[:, :4] + rng.gumbel(size=(120, 4))
    return X, scores.argmax(axis=1), np.arange(120) < 80


def read(file):
    """X, y and the training mask of a file."""
    with np.load(file) as found:
        X, y, train = (found[name] for name in ("X", "y", "train"))
    return (np.log(X) if X.min() > 0.0 else X), y, train.astype(bool)


X, y, train = read(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].endswith("npz") else drawn()
X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
groups = penalties.tree_groups(ward(X[train].T))
depth = np.array([len(group) for group in groups])
weights = 1.0 / np.sqrt(depth)  # large clusters cost little more than what is in them
NORMS = {
    "l1": None,
    "tree l2": penalties.TreeL2(groups, weights),
    "tree linf": penalties.TreeLinf(groups, weights),
}

# %%
# Each path is certified at every lambda, and judged on samples it has not seen.
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
chosen = {}  # coefficients of each norm where fewest new samples are wrong
for name, penalty in NORMS.items():
    fit = ss.path(X[train], y[train], family="multinomial", penalty=penalty, n_lambdas=20,
                  lambda_min_ratio=0.05, standardize=False, tol=1e-4)
    error = ss.assess(fit, X[~train], y[~train])["class"]
    genes = [len(np.unique(fit.nonzero(s))) for s in fit.lambdas]
    best = int(np.argmin(error))
    chosen[name] = fit.coef(fit.lambdas[best])
    print(f"{name}: {100 * error[best]:.1f} % of new samples wrong with {genes[best]} genes, "
          f"worst gap {fit.gaps.max():.1e}")
    ax.plot(genes, 100 * error, "o-", markersize=3, label=name)
ax.set(xlabel="genes", ylabel="new samples wrong, %", xscale="symlog")
ax.legend()
plt.show()

# %%
# The tree of the genes, with the clusters that the norm has chosen. Dark branches lead to genes
# with a coefficient in some class.
figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
plot_tree(chosen["tree linf"], groups, ax=ax)
plt.show()
