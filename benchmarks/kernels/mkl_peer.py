"""EasyMKL over a grid of its parameter, in an environment that has MKLpy: run by mkl_paths.py.

usage: PYTHON mkl_peer.py data.npz out.npz lam...
The first file holds K (M, n, n), y (n,) and blocks B (M, n_new, n); the second gets processor
seconds (L,), scores (L, n_new) and weights (L, M).
"""

import sys
import time
import warnings

import numpy as np
import torch
from MKLpy.algorithms import EasyMKL

warnings.filterwarnings("ignore")
torch.set_num_threads(1)


def main(source, target, *grid):
    data = np.load(source)
    kernels = [torch.tensor(K) for K in data["K"]]
    blocks, y = [torch.tensor(B) for B in data["B"]], torch.tensor(data["y"])
    scores, weights, seconds = [], [], []
    for lam in map(float, grid):
        start = time.process_time()
        model = EasyMKL(lam=lam).fit(kernels, y)
        seconds.append(time.process_time() - start)
        scores.append(np.asarray(model.decision_function(blocks)).ravel())
        weights.append(np.asarray(model.solution.weights).ravel())
    np.savez(target, seconds=seconds, scores=scores, weights=weights)


if __name__ == "__main__":
    main(*sys.argv[1:])
