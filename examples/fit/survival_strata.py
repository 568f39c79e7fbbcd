"""
Cox regression with strata (simulated)
======================================

From a file of follow-up times to survival curves. The hospitals have different baseline hazards,
so they are strata: each keeps its own, and the effects of the features are shared. A third of the
patients is kept for an honest concordance.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sparsesolve as ss

# %%
# The file: time in years, whether death was seen, the hospital, age, stage and 100 expressions.
folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(3)
n = 360
genes = rng.normal(size=(n, 100))
study = pd.DataFrame(genes, columns=[f"gene {j}" for j in range(100)])
study["age"] = rng.normal(62, 9, n).round()
study["stage"] = rng.choice(["I", "II", "III"], n)
study["hospital"] = rng.choice(["north", "south"], n)
risk = 0.9 * genes[:, 4] - 0.7 * genes[:, 30] + 0.03 * (study["age"] - 62)
risk += study["stage"].map({"I": 0, "II": 0.4, "III": 1.0})
scale = study["hospital"].map({"north": 8.0, "south": 3.0})
death, end = rng.exponential(scale * np.exp(-risk)), rng.uniform(0, 10, n)
study["time"], study["status"] = np.minimum(death, end).round(3), (death <= end).astype(int)
study.to_csv(folder / "study.csv", index=False)

# %%
# Categories become columns, the response two columns of the file, and the hospital the strata.
study = pd.read_csv(folder / "study.csv")
hospital, followed = study.pop("hospital"), study[["time", "status"]]
features = study.drop(columns=["time", "status"])
train = np.arange(n) % 3 > 0
design = ss.make_design(features[train])
family = ss.families.cox(ties="efron", strata=hospital[train].to_numpy())
cv = ss.cv_path(design, followed[train], family=family, lambda_min_ratio=0.05, n_folds=5, seed=0)
print(cv)
print(cv.to_frame())

# %%
# On patients who took no part: how often the one with the higher risk dies first, within
# hospitals.
found = ss.assess(cv, features[~train], followed[~train], strata=hospital[~train].to_numpy())
print({name: round(value, 3) for name, value in found.items()})

# %%
# Curves of one patient, had she been treated in either hospital.
patient = features[~train].iloc[[0]]
times = np.linspace(0, 8, 200)
figure, ax = plt.subplots(layout="constrained")
for name in ("north", "south"):
    curve = cv.predict(patient, kind="survival", times=times, strata=[name],
                       data=(features[train], followed[train]))  # fmt: skip
    ax.step(times, curve[0], where="post", label=name)
ax.set_ylim(0, 1.02)
ax.set_xlabel("Years")
ax.set_ylabel("Probability of surviving")
ax.legend(title="hospital", frameon=False)
plt.show()
