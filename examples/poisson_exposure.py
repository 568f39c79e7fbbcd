"""
Counts over different exposures
===============================

Falls of patients who were watched for different times: the count of a patient is in proportion to
the time, so log time enters as an offset, a part of the linear predictor whose coefficient is
known to be one.
"""

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss

rng = np.random.default_rng(0)
n, p = 400, 30
X = rng.normal(size=(n, p))
years = rng.uniform(0.5, 8, size=n)
falls = rng.poisson(years * np.exp(-1 + 0.6 * X[:, 0] - 0.4 * X[:, 1]))

cv = ss.cv_path(X, falls, family="poisson", offset=np.log(years), n_folds=10, seed=0)
print(cv)
print("chosen:", cv.nonzero(), cv.coef()[cv.nonzero()].round(2))
cv.plot()
plt.show()

# %%
# A prediction needs an exposure as well: log 1 = 0 for a rate per year.
rate = cv.predict(X, kind="response", offset=np.zeros(n))
found = ss.refit(cv, X, falls)
print(found)

# %%
# Whether the rates are right: patients in ten bins of their expected number of falls.
expected = rate * years
order = np.array_split(np.argsort(expected), 10)
figure, ax = plt.subplots(layout="constrained")
means = np.array([[expected[part].mean(), falls[part].mean()] for part in order])
ax.plot(*means.T, "o")
ax.axline((0, 0), slope=1, color="0.6", linewidth=1)
ax.set_xlabel("Expected falls, mean of a bin")
ax.set_ylabel("Falls, mean of a bin")
plt.show()
