"""Chains on handwritten words: an l1 fit to a gap of 1e-4, and a path over groups of pixels.

    python benchmarks/structured/chains.py --letters ocr_letters.npz

The file has pixels (n, p), letters (n,), word_ptr and word_fold; fold 3 trains, the others test.
What the constants of structured/state.py were chosen by; crfsuite is raced in paths/rooms.py.
Processor time of one thread, the lesser of two runs.
"""

import argparse
import time

import numpy as np
from scipy import sparse
from spom import letters

import sparsesolve as ss
from sparsesolve.linalg.threads import one_blas_thread


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--letters", required=True, help="the npz of letters")
    (X, y, lengths), (Z, truth, cuts) = letters(parser.parse_args().letters, 3)
    X, Z = (sparse.csr_array(part.astype(float)) for part in (X, Z))
    for name, options in (
        ("l1", {"lambdas": [1.0 / len(lengths)], "tol": 1e-4, "transitions": "l1"}),
        ("groups", {"groups": np.arange(X.shape[1]), "transitions": "group", "n_lambdas": 10,
                    "tol": 1e-3}),
    ):  # fmt: skip
        seconds = []
        for _ in range(2):
            began = time.process_time()
            fit = ss.crf_path(X, y, lengths=lengths, **options)
            seconds.append(time.process_time() - began)
        scores = (f"{100 * fit.score(Z, truth, cuts, s=lam):.1f}" for lam in fit.lambdas)
        print(f"{name}: {min(seconds):.2f} s, {fit.n_iters.sum()} steps, worst gap "
              f"{fit.gaps.max():.1e}; df {fit.df.tolist()}; accuracy {', '.join(scores)} %",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    with one_blas_thread():
        main()
