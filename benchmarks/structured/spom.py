"""SPOM on letters of handwritten words: kernels, their mean, and several at once (Table 1).

    python benchmarks/structured/spom.py --letters ocr_letters.npz [--fold 3] [--C 10] [--auto]

The file has pixels (n, p), letters (n,), word_ptr and word_fold; one fold trains, the others test.
Kernels have a unit diagonal: linear, quadratic, Gaussian (variance 5). Time is processor time of
one thread, after the Gram matrices. Other than in the paper (Martins et al. 2011): the folds that
the file has, one C, and a step size of 10 unless --auto chooses.
"""

import argparse
import time

import numpy as np

import sparsesolve as ss
from sparsesolve.linalg.threads import one_blas_thread


def letters(file, fold):
    """Pixels, letters and lengths of the words of a fold, and of the others."""
    z = np.load(file)
    X, y, ptr = z["pixels"].astype(np.float32), z["letters"], z["word_ptr"]
    out = []
    for mask in (z["word_fold"] == fold, z["word_fold"] != fold):
        rows = np.concatenate([np.arange(ptr[i], ptr[i + 1]) for i in np.flatnonzero(mask)])
        out.append((X[rows], y[rows], np.diff(ptr)[mask]))
    return out


def kernels(A, B):
    """Kernels between rows of A and B, float32."""
    products, a, b = A @ B.T, (A * A).sum(axis=1)[:, None], (B * B).sum(axis=1)[None]
    size = np.sqrt(np.maximum(a, 1.0)) * np.sqrt(np.maximum(b, 1.0))
    return {
        "linear": products / size,
        "quadratic": (1.0 + products) ** 2 / ((1.0 + a) * (1.0 + b)),
        "gaussian": np.exp(-np.maximum(a + b - 2.0 * products, 0.0) / 10.0),
    }


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--letters", required=True, help="the npz of letters")
    options.add_argument("--fold", type=int, default=3)
    options.add_argument("--C", type=float, default=10.0)
    options.add_argument("--auto", action="store_true", help="choose the step size by trials")
    args = options.parse_args()
    with one_blas_thread():
        (X, y, lengths), (Z, truth, cuts) = letters(args.letters, args.fold)
        train, test = kernels(X, X), kernels(Z, X)
        mean = [sum(parts.values()) / 3.0 for parts in (train, test)]
        cases = [(name, {name: train[name]}, {name: test[name]}) for name in train]
        cases += [("mean", {"mean": mean[0]}, {"mean": mean[1]}), ("MKL", train, test)]
        for name, given, new in cases:
            began = time.process_time()
            model = ss.spom(given, y, lengths=lengths, C=args.C,
                            eta0="auto" if args.auto else 10.0)  # fmt: skip
            took = time.process_time() - began
            weights = ", ".join(f"{k} {w:.2f}" for k, w in model.weights().items())
            print(f"{name}: {took:.2f} s, {100 * model.score(new, truth, cuts):.1f} %, objective "
                  f"{model.objectives[-1]:.3f}, weights {weights}")  # fmt: skip


if __name__ == "__main__":
    main()
