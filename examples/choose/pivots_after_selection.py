"""
P-values after selection: a simulation
======================================

A simulation in which the truth is known. The lasso chooses features; some of those that it chooses
have no influence. How are their p-values distributed, and what does a valid interval cost?
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss

N, P, LAM, TRUE = 200, 50, 0.15, 3


def draw(seed):
    """Return X and y, of which three features have a large influence and 47 none."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, P))
    return X, X[:, :TRUE] @ [1.0, -1.0, 1.0] + rng.normal(size=N)


# %%
# **P-values of features without influence.** Each dot is one feature that the lasso chose though
# it has none, in one of 300 draws in which the three others were chosen too. A valid p-value is
# uniform: its sorted values lie on the diagonal. Those of ``refit`` on the same rows do not: the
# feature was chosen because it seemed to fit. Carving knows of the choice.
found = {"refit, same rows": [], "carve": []}
for seed in range(300):
    X, y = draw(seed)
    carved = ss.inference.carve(X, y, LAM, sigma=1.0, seed=seed)
    fit = ss.path(X, y, lambdas=[LAM])
    for name, table in (("carve", carved), ("refit, same rows", ss.refit(fit, X, y, LAM))):
        features = np.asarray(table.features)
        if set(range(TRUE)) <= set(features):
            found[name] += table.p_values[features >= TRUE].tolist()

fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.7", linestyle=":")
for name, p in found.items():
    ax.plot(np.linspace(0, 1, len(p)), np.sort(p), ".", markersize=3, label=name)
    print(f"{name:18s} p < 0.05 in {np.mean(np.array(p) < 0.05):.1%} of {len(p)}")
ax.set(xlabel="uniform quantiles", ylabel="p-value of a feature without influence")
ax.legend(frameon=False)
plt.show()

# %%
# **Length against share.** The larger the share of the rows that choose, the better the choice,
# and the longer the intervals of what was chosen by chance. Those of carving use all rows given
# the choice, and are shorter than those of ``split``, which are of the rows alone that took no
# part. The dotted line is the length for a model chosen beforehand: ``refit`` prints it after a
# choice too, where it is wrong.
shares = [0.5, 0.6, 0.7, 0.8, 0.9]
lengths = {"carve": [], "split": []}
for share in shares:
    now = {name: [] for name in lengths}
    for seed in range(40):
        X, y = draw(seed)
        carved = ss.inference.carve(X, y, LAM, share=share, level=0.9, sigma=1.0, seed=seed)
        chance = carved.features >= TRUE
        now["carve"] += (carved.upper - carved.lower)[chance].tolist()
        split = ss.inference.split(X, y, lambda X, y, w, chosen=carved.features: chosen,
                                   share=share, n_splits=1, level=0.9, seed=seed)  # fmt: skip
        now["split"] += (split.upper - split.lower)[chance].tolist()
    for name, values in now.items():
        lengths[name].append(np.median(values))

fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, values in lengths.items():
    ax.plot(shares, values, "o-", label=name)
ax.axhline(2 * 1.645 / np.sqrt(N), color="0.7", linestyle=":", label="chosen beforehand")
ax.set(xlabel="share of the rows that choose", ylabel="median length without influence", ylim=0)
ax.legend(frameon=False)
plt.show()
print(dict(zip(shares, np.round(lengths["carve"], 2).tolist(), strict=True)))
assert max(lengths["carve"]) < max(lengths["split"])
