"""
Cox regression: survival curves (simulated)
===========================================

Cox's model says how risks compare; the baseline hazard, estimated from the data of the fit, turns
them into probabilities of surviving. Three of 200 features matter. Two fifths of the patients
leave the study before they die.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss

plt.style.use("tableau-colorblind10")
rng = np.random.default_rng(0)
n, p = 250, 200
X = rng.normal(size=(n, p))
risk = X[:, 0] - 0.8 * X[:, 1] + 0.5 * X[:, 2]
death, end = rng.exponential(5 * np.exp(-risk)), rng.uniform(0, 12, size=n)
followed = {"time": np.minimum(death, end), "status": death <= end}

cv = ss.cv_path(X, followed, family="cox", measure="C", lambda_min_ratio=0.05, seed=0)
print(cv)
cv.plot()
plt.show()

# %%
# Curves of the patients of least, middle and greatest risk. They are steps: the estimate falls
# at times of death only.
order = np.argsort(cv.predict(X))
shown = order[[0, n // 2, -1]]
times = np.linspace(0, 10, 400)
curves = cv.predict(X[shown], kind="survival", times=times, data=(X, followed))
figure, ax = plt.subplots(layout="constrained")
for curve, name in zip(curves, ("least risk", "middle", "greatest risk"), strict=True):
    ax.step(times, curve, where="post", label=name)
ax.set_ylim(0, 1.02)
ax.set_xlabel("Years")
ax.set_ylabel("Probability of surviving")
ax.legend(frameon=False)
plt.show()
