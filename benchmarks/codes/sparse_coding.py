"""Sparse codes of many signals beside SPAMS and scikit-learn: sparse_coding.py [--sklearn].

20,000 signals of 64 entries over 256 atoms: the lasso at lambda = 0.15 and orthogonal matching
pursuit of 10 atoms, on one thread and on two. "gaussian": atoms and signals of norm 1 drawn at
random; "photographs": patches of scikit-learn's two over a dictionary learnt from them. Packages
are timed in turn in one run, the best of REPEATS counts, and every answer is judged by the same
certificate in numpy: the worst duality gap over |y|^2 / 2, or for the pursuit the worst residual
over that of least squares on the same atoms, less 1.

Bounds: D'Y is one matrix product; the recurrences of the basis (half the square of the steps,
times 256) are counted at the rate of that product, which single signals cannot reach. --sklearn
times scikit-learn on 500 of the signals and scales up. Needs spams-bin, numpy < 2; see README.md.
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

import sparsesolve as ss  # noqa: E402

LAM, NONZERO, REPEATS, SIGNALS, SKLEARN_SIGNALS = 0.15, 10, 7, 20_000, 500


def gaussian(rng):
    D, Y = rng.standard_normal((64, 256)), rng.standard_normal((64, SIGNALS))
    return Y / np.linalg.norm(Y, axis=0), D / np.linalg.norm(D, axis=0)


def photographs(rng):
    sys.path.append(str(Path(__file__).resolve().parents[2] / "examples/dictionaries"))
    from dictionary import patches

    Y = patches(rng)
    learnt = ss.DictionaryLearning(256, lam=LAM, n_epochs=1, seed=0).fit(Y)
    return Y[:, :SIGNALS], learnt.dictionary / np.linalg.norm(learnt.dictionary, axis=0)


def lasso_gap(Y, D, A):
    """Worst duality gap over |y|^2 / 2."""
    R = Y - D @ A
    G = D.T @ R
    t = np.minimum(1.0, LAM / np.abs(G).max(axis=0))
    along = np.asarray(A.multiply(G).sum(axis=0)).ravel()
    size = np.asarray(abs(A).sum(axis=0)).ravel()
    gap = 0.5 * (1 - t) ** 2 * (R**2).sum(axis=0) + LAM * size - t * along
    return (gap / (0.5 * (Y**2).sum(axis=0))).max()


def omp_excess(Y, D, A):
    """Worst residual over that of least squares on the same atoms, less 1, of 200 signals."""
    worst, A = 0.0, A.tocsc()
    for i in range(200):
        which = A[:, [i]].nonzero()[0]
        assert len(which) == NONZERO
        r = Y[:, i] - (D @ A[:, [i]]).ravel()
        b = np.linalg.lstsq(D[:, which], Y[:, i], rcond=None)[0]
        worst = max(worst, np.linalg.norm(r) / np.linalg.norm(Y[:, i] - D[:, which] @ b) - 1.0)
    return worst


def runners(task, Y, D):
    """Name -> function of the number of threads that codes all signals, as (p, N) csc."""
    import spams

    if task == "lasso":
        return {
            "sparsesolve": lambda k: ss.sparse_code(Y, D, lam=LAM, n_threads=k).codes,
            "SPAMS": lambda k: spams.lasso(Y, D=D, lambda1=LAM, mode=2, numThreads=k),
        }
    return {
        "sparsesolve": lambda k: ss.sparse_code(Y, D, method="omp", n_nonzero=NONZERO,
                                                n_threads=k).codes,
        "SPAMS": lambda k: spams.omp(Y, D=D, L=NONZERO, numThreads=k),
    }  # fmt: skip


def sklearn_seconds(task, Y, D):
    """Seconds of scikit-learn for some of the signals, scaled to all."""
    from sklearn.decomposition import sparse_encode

    Y, options = Y[:, :SKLEARN_SIGNALS].T, {"algorithm": "omp", "n_nonzero_coefs": NONZERO}
    if task == "lasso":
        options = {"algorithm": "lasso_lars", "alpha": LAM}
    begun = time.perf_counter()
    sparse_encode(Y, D.T, n_jobs=1, **options)
    return (time.perf_counter() - begun) * SIGNALS / SKLEARN_SIGNALS


def seconds(function, *args):
    begun = time.perf_counter()
    result = function(*args)
    return time.perf_counter() - begun, result


def bounds(task, Y, D):
    """Seconds of D'Y, and of the recurrences at its rate."""
    product = min(seconds(lambda: D.T @ Y)[0] for _ in range(REPEATS))
    options = {"lam": LAM} if task == "lasso" else {"method": "omp", "n_nonzero": NONZERO}
    steps = ss.sparse_code(Y, D, **options).n_iters.astype(float)
    return product, product * float((steps**2).sum() / 2) / (SIGNALS * D.shape[0])


def rows(name, Y, D, with_sklearn):
    """Lines of the table for one problem."""
    Y, D = np.asfortranarray(Y), np.asfortranarray(D)
    judge = {"lasso": lasso_gap, "omp": omp_excess}
    for task in ("lasso", "omp"):
        product, recurrences = bounds(task, Y, D)
        run = runners(task, Y, D)
        worst = {who: judge[task](Y, D, function(1)) for who, function in run.items()}
        for n_threads in (1, 2):
            best = dict.fromkeys(run, np.inf)
            for _ in range(REPEATS):
                for who, function in run.items():
                    best[who] = min(best[who], seconds(function, n_threads)[0])
            cells = [name, task, str(n_threads), *(f"{best[who]:.3f}" for who in run),
                     f"{best['SPAMS'] / best['sparsesolve']:.1f}",
                     *(f"{worst[who]:.0e}" for who in run),
                     f"{product / n_threads:.3f} + {recurrences / n_threads:.3f}"]  # fmt: skip
            cells.append(f"{sklearn_seconds(task, Y, D):.1f}" if with_sklearn else "")
            yield cells


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--sklearn", action="store_true", help="time scikit-learn, too")
    asked = asked.parse_args()
    heads = ["signals", "task", "threads", "sparsesolve", "SPAMS", "ratio", "worst, ours",
             "worst, SPAMS", "bounds: D'Y + recurrences", "scikit-learn"]  # fmt: skip
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for problem in (gaussian, photographs):
        Y, D = problem(np.random.default_rng(0))
        for cells in rows(problem.__name__, Y, D, asked.sklearn):
            print("| " + " | ".join(cells) + " |", flush=True)
