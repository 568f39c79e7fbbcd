"""
Unit balls of norms
===================

Where the ball of a norm has corners and edges, solutions have structure: zeros, equal sizes,
groups. Each ball is drawn from nothing but `value` of a penalty. The second picture has powers
of sizes and the like, whose balls are not convex (Bach et al. 2012, figures 4 and 10).
"""

import matplotlib.pyplot as plt
import numpy as np

from sparsesolve import penalties

# %%
# In three dimensions: a direction is as long as the norm lets it be.
SOLID = {
    "l1": penalties.L1(),
    "group lasso {1, 2}, {3}": penalties.GroupL2([0, 0, 1], weights=[1, 1]),
    "latent groups {1, 2}, {2, 3}": penalties.LatentGroupL2([[0, 1], [1, 2]], weights=[1, 1]),
    "SLOPE": penalties.Slope([1.0, 0.6, 0.3]),
    "total variation + l1": penalties.TotalVariation(l1=1.0),
    "2-support": penalties.KSupport(2),
}
around, up = np.meshgrid(np.linspace(0, 2 * np.pi, 61), np.linspace(0, np.pi, 31))
directions = np.stack([np.cos(around) * np.sin(up), np.sin(around) * np.sin(up), np.cos(up)])

figure = plt.figure(figsize=(9, 6.2), layout="constrained")
for place, (name, penalty) in enumerate(SOLID.items(), 1):
    sizes = np.array([penalty.value(d) for d in directions.reshape(3, -1).T])
    x, y, z = directions / sizes.reshape(up.shape)
    ax = figure.add_subplot(2, 3, place, projection="3d", aspect="equal")
    ax.plot_surface(x, y, z, cmap="viridis", linewidth=0.1, edgecolor="0.4")
    ax.set(title=name, xticks=[], yticks=[], zticks=[])
plt.show()

# %%
# Below a power of one the ball is drawn in towards the axes: few coefficients cost less than many.
FLAT = {
    "q = 1": penalties.L1(),
    "q = 0.8": penalties.Bridge(0.8),
    "q = 0.5": penalties.Bridge(0.5),
    "log, epsilon = 0.1": penalties.Log(0.1),
    "MCP": penalties.MCP(1.5),
    "SCAD": penalties.SCAD(3.0),
}
grid = np.linspace(-1.3, 1.3, 261)
figure, axes = plt.subplots(2, 3, figsize=(9, 6.2), layout="constrained")
for ax, (name, penalty) in zip(axes.flat, FLAT.items(), strict=True):
    values = np.array([[penalty.value([a, b]) for a in grid] for b in grid])
    level = penalty.value([1.0, 0.0])  # of one coefficient of size 1
    ax.contour(grid, grid, values, levels=level * np.array([0.25, 0.5, 0.75, 0.999]))
    ax.set(title=name, aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1])
plt.show()

# %%
# The group lasso in numbers: a corner of the ball is a zero of the prox.
print(penalties.GroupL2([0, 0, 1], weights=[1, 1]).prox([0.6, 0.6, 2.0], 1.0))
