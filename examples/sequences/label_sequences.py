"""
Conditional random field: sequences of digits
=============================================

Handwritten digits in the order of a counter: each is mostly followed by the next one. A
conditional random field reads a whole sequence at once, and with pixels as groups, one for all ten
labels, `crf_path` lets them in one by one. Every point is certified by its duality gap.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import sparsesolve as ss

plt.style.use("tableau-colorblind10")
rng = np.random.default_rng(0)
images, digits = load_digits(return_X_y=True)
places = [np.flatnonzero(digits == k) for k in range(10)]
steps = rng.choice([1, 1, 1, 1, 2, 7], size=1000)
y = np.cumsum(steps) % 10
X = np.stack([images[rng.choice(places[k])] for k in y]) / 16.0
X += rng.normal(scale=0.6, size=X.shape)  # so that single digits are hard to read
lengths = [10] * 100
train, test = slice(0, 600), slice(600, 1000)

fit = ss.crf_path(X[train], y[train], lengths=lengths[:60], groups=np.arange(64), n_lambdas=8,
                  lambda_min_ratio=0.03, tol=1e-3)  # fmt: skip
print(fit)

# %%
# Neighbours help: the same model on sequences of one digit each reads fewer of them. To the right,
# pixels by the norm of their ten weights, halfway along the path.
together = [fit.score(X[test], y[test], lengths[60:], s=lam) for lam in fit.lambdas]
alone = [fit.score(X[test], y[test], [1] * 400, s=lam) for lam in fit.lambdas]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(-np.log(fit.lambdas), together, "o-", label="sequences of ten")
left.plot(-np.log(fit.lambdas), alone, "s-", label="digit by digit")
left.set_xlabel("\N{MINUS SIGN}log(λ)")
left.set_ylabel("Digits read rightly")
left.legend(frameon=False)

norms = fit.template_norms(fit.coef(fit.lambdas[4]))
right.imshow(norms.reshape(8, 8), cmap="Greys")
right.set_title(f"{np.count_nonzero(norms)} of 64 pixels in use")
right.set_axis_off()

# %%
# The same pixels along the path: their group norms at five of its points, and a line for each. The
# middle of the image comes first, and corners stay out.
figure, axes = plt.subplots(1, 5, figsize=(9, 2.2), layout="constrained")
for axis, lam in zip(axes, fit.lambdas[[1, 2, 3, 5, 7]], strict=True):
    norms = fit.template_norms(fit.coef(lam))
    axis.imshow(norms.reshape(8, 8), cmap="Greys")
    axis.set_title(f"λ = {lam:.3f}: {np.count_nonzero(norms)}")
    axis.set_axis_off()
lines = fit.plot(by="template")
lines.get_legend().remove()
