"""SPOM against wrappers: accuracy by training time (Fig. 1), objective by passes (Fig. 2).

    python benchmarks/structured/spom_figures.py --letters ocr_letters.npz [--fold 3] [--words 300]
        [--C 100] [--passes 40] [--out FOLDER]

Three kernels of one fold of the letters, as in spom.py; C = 100 as in Fig. 2 of Martins et al.
(2011). Prints the two tables, and draws them with --out (matplotlib). Other than in the paper: the
wrappers go around block Frank-Wolfe, whose objective is exact for a dual point, and `words` may
limit the training set. Processor time, Gram matrices left out.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from spom import kernels, letters

import sparsesolve as ss
from sparsesolve import structured
from sparsesolve.linalg.threads import one_blas_thread

AFTER = (1, 2, 3, 5, 10, 20, 40)  # passes after which methods are compared


def online(train, y, lengths, C, passes, **options):
    """(passes, seconds, objective, model) of SPOM; each entry is a fit of its own."""
    for count in (p for p in AFTER if p <= passes):
        began = time.process_time()
        model = ss.spom(train, y, lengths=lengths, C=C, epochs=count, **options)
        yield count, time.process_time() - began, model


def wrapper(train, y, lengths, C, passes, algorithm):
    """A wrapper's objective: 20 passes with equal weights, then 3 a round, as in the paper."""
    for rounds in (0, 1, 2, 4, 7, 12, 27):
        if 20 + 3 * rounds <= max(passes, 20):
            began = time.process_time()
            model = structured.wrapped_mkl(train, y, lengths=lengths, C=C, algorithm=algorithm,
                                           rounds=rounds, tol=0.0)  # fmt: skip
            yield 20 + 3 * rounds, time.process_time() - began, model


def draw(courses, bound, folder):
    """Both figures as PNG files."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for name, course in courses.items():
        passes, seconds, values, scores = np.array(course).T
        left.plot(seconds, 100 * scores, marker="o", label=name)
        right.plot(passes, values - bound, marker="o", label=name)
    left.set(xlabel="Seconds of training", ylabel="Letters that are right (%)")
    right.set(xlabel="Passes over the words", ylabel="Objective less the best bound",
              yscale="log")  # fmt: skip
    left.legend()
    figure.tight_layout()
    figure.savefig(Path(folder) / "spom.png", dpi=100)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--letters", required=True, help="the npz of letters")
    options.add_argument("--fold", type=int, default=3)
    options.add_argument("--words", type=int, default=10**6, help="of training, at most")
    options.add_argument("--C", type=float, default=100.0)
    options.add_argument("--passes", type=int, default=40)
    options.add_argument("--out", help="a folder for the picture")
    args = options.parse_args()
    with one_blas_thread():
        (X, y, lengths), (Z, truth, cuts) = letters(args.letters, args.fold)
        lengths = lengths[: args.words]
        X, y = X[: lengths.sum()], y[: lengths.sum()]
        train, test = kernels(X, X), kernels(Z, X)
        data = train, y, lengths, args.C, args.passes
        methods = {
            "SPOM, eta0 1": online(*data, eta0=1.0), "SPOM, eta0 10": online(*data, eta0=10.0),
            "SPOM, mean of the last epoch": online(*data, eta0=10.0, average="epoch"),
            "Gauss-Seidel": wrapper(*data, "gauss_seidel"),
            "SimpleMKL": wrapper(*data, "simplemkl"),
        }  # fmt: skip
        courses, bound = {}, 0.0
        for name, course in methods.items():
            courses[name] = []
            for passes, seconds, model in course:
                score = model.score(test, truth, cuts)
                bound = max(bound, model.bound)
                courses[name].append((passes, seconds, model.objective, score))
                weights = ", ".join(f"{w:.2f}" for w in model.weights().values())
                print(f"{name}: {passes} passes, {seconds:.2f} s, objective "
                      f"{model.objective:.4f}, {100 * score:.1f} %, weights {weights}",
                      flush=True)  # fmt: skip
        print(f"no objective is below {bound:.4f}")
        if args.out:
            draw(courses, bound, args.out)


if __name__ == "__main__":
    main()
