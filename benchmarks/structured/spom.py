"""SPOM on letters of handwritten words: kernels, their means, and several at once (Table 1).

    python benchmarks/structured/spom.py --letters ocr_letters.npz [--folds 3] [--C 10] [--auto]
    ... --choose            C by five folds of the training words, from --grid
    ... --threads 2         time on one thread and on so many: a ratio, and whether bits agree
    ... --only MKL mean     some of the rows of the table

The file has pixels (n, p), letters (n,), word_ptr and word_fold; one fold trains, the others test.
Kernels have a unit diagonal: linear, quadratic, Gaussian (variance 5), and the B1 spline
max(0, 1 - |x - x'| / h), h so that 95 % of it are zero, kept sparse.  Time is processor time,
after the Gram matrices.  Other than in the paper (Martins et al. 2011): the folds that the file
has (five of ten), and a step size of 10 unless --auto chooses.
"""

import argparse
import time

import numpy as np
from scipy import sparse

import sparsesolve as ss
from sparsesolve.linalg.threads import one_blas_thread

ZEROS = 0.95  # of the B1 spline
THREE, TWO = ("linear", "quadratic", "gaussian"), ("linear", "B1")
CASES = {  # names of kernels, and whether they are averaged
    "linear": (("linear",), False), "quadratic": (("quadratic",), False),
    "gaussian": (("gaussian",), False), "mean": (THREE, True), "MKL": (THREE, False),
    "B1": (("B1",), False), "mean of linear and B1": (TWO, True),
    "MKL of linear and B1": (TWO, False),
}  # fmt: skip


def letters(file, fold):
    """Pixels, letters and lengths of the words of a fold, and of the others."""
    z = np.load(file)
    X, y, ptr = z["pixels"].astype(np.float32), z["letters"], z["word_ptr"]
    out = []
    for mask in (z["word_fold"] == fold, z["word_fold"] != fold):
        rows = np.concatenate([np.arange(ptr[i], ptr[i + 1]) for i in np.flatnonzero(mask)])
        out.append((X[rows], y[rows], np.diff(ptr)[mask]))
    return out


def kernels(A, B, names=THREE, width=None):
    """Kernels between rows of A and B, float32; the B1 spline, of this width, sparse."""
    products, a, b = A @ B.T, (A * A).sum(axis=1)[:, None], (B * B).sum(axis=1)[None]
    size = np.sqrt(np.maximum(a, 1.0)) * np.sqrt(np.maximum(b, 1.0))
    square = np.maximum(a + b - 2.0 * products, 0.0)
    made = {
        "linear": lambda: products / size,
        "quadratic": lambda: (1.0 + products) ** 2 / ((1.0 + a) * (1.0 + b)),
        "gaussian": lambda: np.exp(-square / 10.0),
        "B1": lambda: sparse.csr_array(np.maximum(1.0 - np.sqrt(square) / width, 0.0)),
    }
    return {name: made[name]() for name in names}


def spline_width(X):
    """h of the B1 spline, from distances between some rows."""
    rows = X[np.random.default_rng(0).permutation(len(X))[:1500]]
    square = ((rows * rows).sum(axis=1)[:, None] + (rows * rows).sum(axis=1)[None]
              - 2.0 * rows @ rows.T)  # fmt: skip
    return float(np.quantile(np.sqrt(np.maximum(square, 0.0)), 1.0 - ZEROS))


def blocks(parts, case):
    """What spom is given for a row of the table."""
    names, averaged = CASES[case]
    if not averaged:
        return {name: parts[name] for name in names}
    total = sum(parts[name] for name in names)
    dense = total if isinstance(total, np.ndarray) else total.toarray()
    return {"mean": np.asarray(dense / len(names), dtype=np.float32)}


def chosen(parts, y, lengths, case, grid, options):
    """C of the best mean accuracy over five folds of the training words."""
    word = np.random.default_rng(0).permutation(len(lengths)) % 5
    position = np.repeat(word, lengths)
    given, found = blocks(parts, case), []
    for C in grid:
        right = 0.0
        for fold in range(5):
            train, test = position != fold, position == fold
            cut = {name: K[np.ix_(train, train)] if isinstance(K, np.ndarray)
                   else K[train][:, train] for name, K in given.items()}  # fmt: skip
            new = {name: K[np.ix_(test, train)] if isinstance(K, np.ndarray)
                   else K[test][:, train] for name, K in given.items()}  # fmt: skip
            model = ss.spom(cut, y[train], lengths=lengths[word != fold], C=C, **options)
            right += model.score(new, y[test], lengths[word == fold])
        found.append(right / 5.0)
    print(f"  {case}: " + ", ".join(f"C {C:g} {100 * a:.1f} %" for C, a in zip(
        grid, found, strict=True)), flush=True)  # fmt: skip
    return grid[int(np.argmax(found))]


def threads(train, y, lengths, count):
    """Elapsed time of MKL on one thread and on more, the best of three, in turn."""
    best, bits = {1: np.inf, count: np.inf}, set()
    for _ in range(3):
        for n_threads in best:
            began = time.perf_counter()
            model = ss.spom(train, y, lengths=lengths, C=10.0, eta0=10.0, n_threads=n_threads)
            best[n_threads] = min(best[n_threads], time.perf_counter() - began)
            bits.add(model.parameters[0].tobytes())
    print(f"1 thread {best[1]:.2f} s, {count} threads {best[count]:.2f} s, "
          f"ratio {best[1] / best[count]:.2f}, same bits: {len(bits) == 1}")  # fmt: skip


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--letters", required=True, help="the npz of letters")
    options.add_argument("--folds", type=int, nargs="+", default=[3])
    options.add_argument("--C", type=float, default=10.0)
    options.add_argument("--auto", action="store_true", help="choose the step size by trials")
    options.add_argument("--choose", action="store_true", help="choose C by five folds")
    options.add_argument("--grid", type=float, nargs="+", default=[0.1, 1, 10, 100, 1e3, 1e4])
    options.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    options.add_argument("--certify", type=int, default=0, help="passes for a gap")
    options.add_argument("--threads", type=int)
    args = options.parse_args()
    wanted = {"eta0": "auto" if args.auto else 10.0}
    names = {name for case in args.only for name in CASES[case][0]}
    found = {case: [] for case in args.only}
    for fold in args.folds:
        with one_blas_thread():
            (X, y, lengths), (Z, truth, cuts) = letters(args.letters, fold)
            width = spline_width(X)
            train, test = kernels(X, X, names, width), kernels(Z, X, names, width)
            if args.threads:
                threads(blocks(train, "MKL"), y, lengths, args.threads)
                continue
            for case in args.only:
                C = args.C
                if args.choose:
                    C = chosen(train, y, lengths, case, args.grid, wanted)
                given = blocks(train, case)
                began = time.process_time()
                model = ss.spom(given, y, lengths=lengths, C=C, certify=args.certify, **wanted)
                took = time.process_time() - began
                weights = ", ".join(f"{k} {w:.2f}" for k, w in model.weights().items())
                found[case].append(100 * model.score(blocks(test, case), truth, cuts))
                print(f"fold {fold}, {case}: C {C:g}, {took:.2f} s, {found[case][-1]:.1f} %, "
                      f"objective {model.objective:.3f}, relative gap {model.relative_gap:.3f}, "
                      f"weights {weights}", flush=True)  # fmt: skip
    for case, scores in found.items():
        if len(scores) > 1:
            print(f"{case}: {np.mean(scores):.1f} +- {np.std(scores, ddof=1):.1f} %")


if __name__ == "__main__":
    main()
