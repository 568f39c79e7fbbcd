"""Makes groups_paths.csv: group lasso paths by adelie 1.1, on the data of gaussian.R.

    python groups.py

Needs adelie (and numpy < 2), which nothing else here does. adelie minimises

    sum_i w_i l(y_i, eta_i) + lambda sum_g d_g [alpha |b_g| + (1 - alpha) |b_g|^2 / 2],

w of sum 1, on the columns it is given: they are standardised here, by the weights, and so are the
coefficients that are stored. Its groups are columns in a row.
"""

import csv
from pathlib import Path

import adelie as ad
import numpy as np

HERE = Path(__file__).parent
P, SIZES = 20, [1, 4, 2, 5, 3, 5]
STARTS = np.cumsum([0, *SIZES[:-1]])
D = np.sqrt(SIZES)
SETTINGS = {  # name: (family, weighted, offset, alpha, d_g, intercept)
    "plain": ("gaussian", False, False, 1.0, D, True),
    "weights": ("gaussian", True, False, 1.0, D, True),
    "offset": ("gaussian", False, True, 1.0, D, True),
    "net": ("gaussian", False, False, 0.6, D, True),
    "given": ("gaussian", False, False, 1.0, np.array([1.0, 0.5, 0.0, 3.0, 1.0, 2.0]), True),
    "origin": ("gaussian", False, False, 1.0, D, False),
    "binomial": ("binomial", False, False, 1.0, D, True),
    "binomial_all": ("binomial", True, True, 0.7, D, True),
    "poisson": ("poisson", False, False, 1.0, D, True),
}
SHARES = [0.7, 0.4, 0.2, 0.1, 0.03]  # of the largest lambda


def main():
    with open(HERE / "gaussian_data.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    X = np.array([[float(row[f"x{j + 1}"]) for j in range(P)] for row in rows])
    y, weight, offset = (np.array([float(row[k]) for row in rows])
                         for k in ("y", "weight", "offset"))
    responses = {"gaussian": y, "binomial": (y > np.median(y)) * 1.0,
                 "poisson": np.round(np.abs(y))}
    with open(HERE / "groups_paths.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["setting", "k", "lambda", "intercept", *[f"b{j + 1}" for j in range(P)]])
        for name, (family, weighted, moved, alpha, d, intercept) in SETTINGS.items():
            w = weight / weight.sum() if weighted else np.full(len(y), 1 / len(y))
            Z = X - w @ X
            Z = Z / np.sqrt(w @ Z**2)
            Z = Z if intercept else Z + w @ X / np.sqrt(w @ (X - w @ X) ** 2)
            glm = getattr(ad.glm, family)(responses[family], weights=w)
            given = {"groups": STARTS, "alpha": alpha, "penalty": d, "intercept": intercept,
                     "offsets": offset if moved else None, "tol": 1e-16, "irls_tol": 1e-16,
                     "early_exit": False, "progress_bar": False}
            Z = np.asfortranarray(Z)
            first = ad.grpnet(Z, glm, lmda_path_size=2, **given).lmda_max
            state = ad.grpnet(Z, glm, lmda_path=first * np.array(SHARES), **given)
            for k, lam in enumerate(state.lmdas):
                b = state.betas[k].toarray().ravel()
                out.writerow([name, k, *(f"{v:.14g}" for v in (lam, state.intercepts[k], *b))])


if __name__ == "__main__":
    main()
