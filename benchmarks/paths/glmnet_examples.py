"""Coefficients of sparsesolve beside those of R's glmnet on glmnet's own example sets.

    glmnet_examples.py DATA [SET ...]

DATA is a folder of .npz files, one per set below, with X and y. Both packages solve the lambdas
that glmnet chose, at tight tolerances; the table gives the largest differences over the path.
Needs R with glmnet.
"""

import argparse
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

import sparsesolve as ss
from sparsesolve.families import FAMILIES

SETS = {  # name: (file, family, options of both)
    "quickstart": ("quickstart", "gaussian", {}),
    "sparse": ("sparse", "gaussian", {}),
    "binomial": ("binomial", "binomial", {}),
    "poisson": ("poisson", "poisson", {}),
    "multinomial": ("multinomial", "multinomial", {}),
    "multinomial grouped": ("multinomial", "multinomial", {"grouped": True}),
    "multigaussian": ("multigaussian", "multigaussian", {}),
    "cox": ("cox", "cox", {}),
}
HERE = Path(__file__).resolve().parent


def by_glmnet(X, y, family, grouped=False):
    """(lambdas (L,), coefficients (K, p, L), intercepts (K, L), dev_ratio (L,))."""
    dense, columns = X.toarray() if sparse.issparse(X) else X, np.reshape(y, (len(y), -1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dense.astype(float).T.tofile(folder / "X.bin")
        columns.astype(float).T.tofile(folder / "y.bin")
        facts = (*dense.shape, columns.shape[1], int(sparse.issparse(X)))
        (folder / "facts.txt").write_text(" ".join(map(str, facts)))
        subprocess.run(["Rscript", "--vanilla", HERE / "glmnet_examples.R", folder, family,
                        str(int(grouped))], check=True)
        lambdas, flat, intercepts, ratios = (
            np.fromfile(folder / f"{k}.out")
            for k in ("lambdas", "coefs", "intercepts", "dev_ratio"))
    L, p = lambdas.size, dense.shape[1]
    coefs = flat.reshape(-1, L, p).transpose(0, 2, 1)
    return lambdas, coefs, intercepts.reshape(-1, L), ratios


def compare(file, family, options):
    """Largest differences over the path, as a dict."""
    z = np.load(file)
    X, y = z["X"], z["y"]
    if file.stem == "sparse":
        X = sparse.csc_array(X)
    lambdas, coefs, intercepts, ratios = by_glmnet(X, y, family, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what was reached stands in the table
        fit = ss.path(X, y, family=family, lambdas=lambdas, tol=1e-13, **options)
    own = fit.coefs if isinstance(fit.coefs, list) else [fit.coefs]
    own = np.stack([b.toarray() for b in own])
    row = {"lambdas": lambdas.size, "max |b|": np.abs(coefs).max(),
           "coefs": np.abs(own - coefs).max(), "worst gap": np.max(fit.gaps)}
    if intercepts.size:
        row["intercepts"] = np.abs(np.reshape(fit.intercepts, intercepts.shape) - intercepts).max()
    return row | {"dev_ratio": np.abs(fit.dev_ratio - ratios).max()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder of the example sets")
    parser.add_argument("sets", nargs="*", default=list(SETS), metavar="SET",
                        help=f"among {', '.join(SETS)}")
    options = parser.parse_args()
    heads = ("lambdas", "max |b|", "coefs", "intercepts", "dev_ratio", "worst gap")
    print(f"{'':20}", "largest difference of".rjust(44), f"\n{'set':20}",
          *(head.rjust(10) for head in heads))
    for name in options.sets:
        file, family, rest = SETS[name]
        file = options.data / f"{file}.npz"
        if family not in FAMILIES:
            print(f"{name:20} no family {family!r} yet")
        elif not file.exists():
            print(f"{name:20} skipped: {file} is not there")
        else:
            try:
                row = compare(file, family, rest)
            except (KeyError, TypeError, ValueError) as error:
                print(f"{name:20} not solved: {error!r}")
                continue
            print(f"{name:20}", *(f"{row[k]:10.3g}" if k in row else " " * 10 for k in heads))


if __name__ == "__main__":
    main()
