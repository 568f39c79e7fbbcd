"""How exact lars_path is on the textbook and gene sets: lars_exactness.py [DATA [SET ...]].

KKT residual of a knot, or of a midpoint between two knots (by interpolation), from the data alone
on explicit standardised columns, in long doubles: the largest of ||x_j'r| - lambda| over features
with a coefficient (of the right sign) and of |x_j'r| - lambda over the others, relative to the
first lambda. The largest over the path is printed, with the worst certificate, how many knots of
scikit-learn's lars_path meet 1e-9 in that residual, the largest difference of a coefficient at
those, relative to the largest coefficient, and the largest difference of X b from sparsesolve.path
at 20 of the knots above a hundredth of the first lambda, relative to the size of y.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from problems import diabetes_cubic  # noqa: E402
from sklearn.linear_model import lars_path  # noqa: E402

import sparsesolve as ss  # noqa: E402

HERE = Path(__file__).resolve().parent


def stored(file, key="X", response="y"):
    """A reader of one dense set; numbers of classes are taken as numbers."""

    def read(folder):
        z = np.load(folder / file, allow_pickle=False)
        return np.asarray(z[key], dtype=np.float64), np.asarray(z[response], dtype=np.float64)

    return read


def resistance(folder):
    """The logarithm of resistance to the first drug, where it was measured."""
    z = np.load(folder / "hiv_nrti/hiv_nrti.npz")
    y = z["fold_change"][:, 0]
    return np.asarray(z["X"], dtype=np.float64)[y > 0], np.log10(y[y > 0])


def cubic(folder):
    q = diabetes_cubic()
    return np.asarray(q.X), q.y


SETS = {
    "diabetes 10": stored("diabetes_efron/diabetes_efron.npz"),
    "diabetes 64": stored("diabetes_efron/diabetes_efron.npz", "X2"),
    "diabetes cubic": cubic,
    "prostate_stamey": stored("prostate_stamey/prostate_stamey.npz"),
    "saheart": stored("saheart/saheart.npz"),
    "hiv_nrti": resistance,
    "birthwt": stored("birthwt/birthwt.npz", response="bwt"),
    "bardet": stored("bardet/bardet.npz"),
    "quickstart": stored("glmnet_examples/quickstart.npz"),
    "colon": stored("colon_alon/colon_alon.npz"),
    "srbct": stored("srbct/srbct.npz"),
    "leukemia": stored("leukemia_golub/leukemia_golub.npz"),
    "prostate_singh": stored("prostate_singh/prostate_singh.npz"),
    "primary_cancers": stored("primary_cancers/primary_cancers.npz"),
}


def standard(X, y):
    """Columns of mean 0 and variance 1, constant ones 0, and y less its mean, in long doubles."""
    X, y = np.asarray(X, dtype=np.longdouble), np.asarray(y, dtype=np.longdouble)
    X = X - X.mean(axis=0)
    scale = X.std(axis=0)
    dead = scale <= 1e-14 * np.abs(X).max(axis=0)
    scale = np.where(dead, 1, scale)
    return np.where(dead, 0, X / scale), y - y.mean(), scale.astype(float)


def kkt(Z, c, B, s):
    """KKT residuals of the standardised coefficients B (p, S) at the lambdas s (S,)."""
    found = []
    for k in range(0, len(s), 100):
        part, lam = B[:, k : k + 100], s[k : k + 100]
        C = Z.T @ (c[:, None] - Z @ part) / len(c)
        inside, active = np.abs(C) - lam, np.abs(C - np.sign(part) * lam)
        found.append(np.where(part != 0, active, inside).max(axis=0))
    return np.maximum(np.concatenate(found), 0).astype(float)


def beside_scikit_learn(Z, c, scale, fit):
    """(knots, how many meet 1e-9, largest relative difference of coefficients at those)."""
    F, t = np.asfortranarray(Z, dtype=float), np.asarray(c, dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lams, _, coefs = lars_path(F, t, method="lasso", max_iter=3 * len(fit.lambdas))
    good = kkt(Z, c, coefs, lams) <= 1e-9 * lams[0]
    ours = fit.coef(lams[good]) * scale[:, None]
    theirs = coefs[:, good]
    return len(lams), good.sum(), np.abs(ours - theirs).max() / np.abs(theirs).max()


def beside_path(X, y, Z, scale, fit):
    """The largest difference of the fits of sparsesolve.path, relative to |y|, at 20 knots."""
    lams = fit.lambdas[1:][fit.lambdas[1:] >= 1e-2 * fit.lambdas[0]]
    lams = lams[np.unique(np.linspace(0, len(lams) - 1, 20).astype(int))]
    grid = ss.path(X, y, lambdas=lams, tol=1e-13)
    difference = (fit.coef(lams) - grid.coef(lams)) * scale[:, None]
    return np.linalg.norm(np.asarray(Z, dtype=float) @ difference, axis=0).max() / np.linalg.norm(
        y - y.mean()
    )


def row(name, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        fit = ss.lars_path(X, y)
        Z, c, scale = standard(X, y)
        lams = fit.lambdas
        at, between = (kkt(Z, c, fit.coef(s) * scale[:, None], s).max() / lams[0]
                       for s in (lams, (lams[1:] + lams[:-1]) / 2))
        count, good, difference = beside_scikit_learn(Z, c, scale, fit)
        fits = beside_path(X, y, Z, scale, fit)
    return [name, f"{X.shape[0]} x {X.shape[1]}", str(len(lams)), f"{at:.1e}", f"{between:.1e}",
            f"{fit.gaps.max():.1e}", f"{good} of {count}", f"{difference:.1e}", f"{fits:.1e}"]


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("data", type=Path, nargs="?", default=HERE.parents[2] / "shared" / "data")
    asked.add_argument("sets", nargs="*", metavar="SET", default=list(SETS))
    asked = asked.parse_args()
    heads = ["set", "n x p", "knots", "KKT at knots", "between", "worst gap", "scikit-learn: good",
             "difference", "path's fits"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for name in asked.sets:
        try:
            X, y = SETS[name](asked.data)
        except FileNotFoundError as error:
            print(f"{name} is skipped: {error.filename} is not there", file=sys.stderr)
            continue
        print("| " + " | ".join(row(name, X, y)) + " |", flush=True)
