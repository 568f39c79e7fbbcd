"""C paths of linear support vector machines compared with scikit-learn's, at equal suboptimality.

    python benchmarks/margin/paths.py FILE.npz [--tol 1e-6] [--bias] [--unit] [--count 30]

FILE.npz holds a CSR matrix (data, indices, indptr, shape) and labels y; --unit divides rows by
their length. Ours is one certified path down a grid of C from 1e-3 to 10; a peer is fitted at each
C, from cold, its tolerance tightened until its objective is within tol P(0) of our lower bound;
the time of the loosest tolerance that does is counted. With --bias the peer is libsvm, as
liblinear penalises the intercept. Processor time.
"""

import argparse
import time
import warnings

import numpy as np
from scipy import sparse

import sparsesolve as ss

LADDER = 10.0 ** -np.arange(0, 9)
PATIENCE = 60.0  # seconds of processor time that a peer gets at one C


def read(file, unit):
    """X (CSR) and y in -1, 1."""
    held = np.load(file)
    parts = (held["data"].astype(float), held["indices"], held["indptr"])
    X, y = sparse.csr_matrix(parts, shape=held["shape"]), held["y"]
    if unit:
        length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        X = sparse.diags(1.0 / np.maximum(length, 1e-300)) @ X
    return X, np.where(y == y.max(), 1.0, -1.0)


def objective(X, y, lam, b, b0):
    """lam |b|^2 / 2 and the mean hinge."""
    return 0.5 * lam * b @ b + np.maximum(1.0 - y * (X @ b + b0), 0.0).mean()


def peer(X, y, C, bound, allowed, bias):
    """(seconds, excess) of the loosest tolerance within `allowed` of the bound; nan if none is."""
    from sklearn.svm import SVC, LinearSVC

    lam, excess, spent = 1.0 / (C * len(y)), np.inf, 0.0
    for tol in LADDER:
        if bias:
            model = SVC(kernel="linear", C=C, tol=tol)
        else:
            model = LinearSVC(loss="hinge", C=C, tol=tol, fit_intercept=False, max_iter=100_000)
        begun = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - begun
        coef = model.coef_.toarray().ravel() if sparse.issparse(model.coef_) else model.coef_[0]
        here = objective(X, y, lam, coef, float(np.ravel(model.intercept_)[0]) if bias else 0.0)
        excess, spent = min(excess, here - bound), spent + seconds
        if excess <= allowed:
            return seconds, excess
        if spent > PATIENCE:
            break
    return np.nan, excess


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--bias", action="store_true")
    parser.add_argument("--unit", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = read(options.file, options.unit)
    grid = np.geomspace(1e-3, 10.0, options.count)
    given = {"family": ss.families.hinge(), "alpha": 0, "standardize": False,
             "lambdas": 1.0 / (grid * len(y)), "intercept": options.bias}  # fmt: skip
    columns = X.tocsc()
    begun = time.process_time()
    fit = ss.path(columns, y, tol=options.tol, **given)
    ours = time.process_time() - begun
    begun = time.process_time()
    best = ss.path(columns, y, tol=1e-9, **given)
    exact = time.process_time() - begun
    null, theirs, missed = fit.null_deviance / 2, 0.0, 0
    for C, lam, gap in zip(grid, fit.lambdas, best.gaps, strict=True):
        bound = objective(X, y, lam, best.coef(lam), best.intercept(lam)) - gap * null
        seconds, _ = peer(X, y, C, bound, options.tol * null, options.bias)
        missed += int(np.isnan(seconds))
        theirs += np.nan_to_num(seconds)
    name = "libsvm" if options.bias else "LinearSVC"
    print(f"ours {ours:.2f} s at {options.tol:g} (worst gap {fit.gaps.max():.1e}), {exact:.2f} s "
          f"at 1e-9; {name} {theirs:.2f} s, {missed} of {len(grid)} values of C not reached; "
          f"ratio {theirs / ours:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
