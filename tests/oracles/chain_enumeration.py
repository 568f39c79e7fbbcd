"""Chains by listing every labelling: slow, obvious, and of no line in common with the package."""

from itertools import product
from math import exp, fsum, inf, log


def labellings(S, T, start=None, stop=None):
    """Every labelling of one sequence with its score, as (labels, score)."""
    K = len(S[0])
    for labels in product(range(K), repeat=len(S)):
        score = fsum(S[i][k] for i, k in enumerate(labels)) if _finite(S, labels) else -inf
        for a, b in zip(labels, labels[1:], strict=False):
            score += T[a][b]
        score += (start[labels[0]] if start is not None else 0.0)
        score += (stop[labels[-1]] if stop is not None else 0.0)
        yield labels, score


def _finite(S, labels):
    return all(S[i][k] > -inf for i, k in enumerate(labels))


def partition(S, T, start=None, stop=None):
    """log Z, node marginals [L][K] and pair marginals [L - 1][K][K]."""
    found = list(labellings(S, T, start, stop))
    most = max(score for _, score in found)
    weights = [exp(score - most) for _, score in found]
    Z, L, K = fsum(weights), len(S), len(S[0])
    nodes = [[fsum(w for (y, _), w in zip(found, weights, strict=True) if y[i] == k) / Z
              for k in range(K)] for i in range(L)]  # fmt: skip
    pairs = [[[fsum(w for (y, _), w in zip(found, weights, strict=True)
                    if y[i] == a and y[i + 1] == b) / Z
               for b in range(K)] for a in range(K)] for i in range(L - 1)]  # fmt: skip
    return most + log(Z), nodes, pairs
