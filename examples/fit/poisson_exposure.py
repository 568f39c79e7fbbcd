"""
Poisson regression with exposure (simulated claims)
===================================================

Claims of drivers who were insured for different times: the count is in proportion to the time, so
log time enters as an offset, a part of the linear predictor whose coefficient is known to be one.
From the insurer's file to a rate for each kind of driver, and a check whether the rates are right.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sparsesolve as ss

# %%
# The file: a policy in each row.
folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
n = 4000
policies = pd.DataFrame({
    "age": rng.integers(18, 80, n),
    "power": rng.integers(4, 12, n),
    "region": rng.choice(["city", "coast", "hills", "plain"], n),
    "fuel": rng.choice(["diesel", "petrol"], n),
    "colour": rng.choice(["black", "blue", "red", "white"], n),
    "years": rng.uniform(0.1, 1.0, n).round(2),
})  # fmt: skip
rate = -2.0 + 0.8 * (policies["age"] < 25) + 0.06 * policies["power"]
rate += policies["region"].map({"city": 0.5, "coast": 0.1, "hills": -0.2, "plain": -0.2})
policies["claims"] = rng.poisson(policies["years"] * np.exp(rate))
policies.to_csv(folder / "policies.csv", index=False)

# %%
# Age in classes, because young drivers differ; whole categories by the group lasso.
policies = pd.read_csv(folder / "policies.csv")
claims, years = policies.pop("claims"), policies.pop("years")
policies["age"] = pd.cut(policies["age"], [0, 24, 35, 60, 99]).astype(str)
train = np.arange(n) % 4 > 0
design = ss.make_design(policies[train])
cv = ss.cv_path(design, claims[train], family="poisson", offset=np.log(years[train]), seed=0,
                penalty=ss.penalties.GroupL2(design.groups), n_folds=5)  # fmt: skip
print(cv)
cv.plot()
plt.show()

# %%
# What raises the rate: exp(coefficient) is a factor. The colour does not come in.
found = cv.to_frame().iloc[1:]
found["factor"] = np.exp(found["coefficient"])
print(found.round(3))

# %%
# Whether the rates are right, on policies that took no part: ten bins of expected claims. A
# prediction needs an exposure; log 1 = 0 would give a rate a year.
expected = cv.predict(policies[~train], kind="response", offset=np.log(years[~train]))
order = np.array_split(np.argsort(expected), 10)
counted = claims[~train].to_numpy()
figure, ax = plt.subplots(layout="constrained")
ax.plot(*np.array([[expected[part].mean(), counted[part].mean()] for part in order]).T, "o")
ax.axline((0, 0), slope=1, color="0.6", linewidth=1)
ax.set_xlabel("Expected claims, mean of a bin")
ax.set_ylabel("Claims, mean of a bin")
plt.show()
