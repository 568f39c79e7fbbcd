"""Lines of the groups of a path: the norms of their coefficients along it."""

import numpy as np
from scipy import sparse

from sparsesolve.penalties.groups import read_groups


def has_groups(path):
    """Return True if the path was fitted with groups, disjoint or nested."""
    return path.groups is not None or hasattr(_penalty(path), "group_members")


def group_lines(path, rows):
    """Return a row (L,) for each group, and its name; a single feature has its own name.

    rows : (p, L) sparse, the coefficients, or their norms over several responses
    """
    called = path.feature_names
    known = None if called is None else list(called)
    if path.groups is None:
        given = _penalty(path).group_members(path.n_features, known)
        labels, members = list(given), list(given.values())
        of = np.repeat(np.arange(len(members)), [len(which) for which in members])
        which = np.concatenate(members)
    else:
        of, which = path.groups, np.arange(path.n_features)
        labels = [None] * (int(of.max()) + 1)
        if _penalty(path) is not None:
            labels = read_groups(_penalty(path).groups, path.n_features, known).labels
    shape = (len(labels), path.n_features)
    holds = sparse.csr_array((np.ones(len(of)), (of, which)), shape=shape)
    names = [label if isinstance(label, str) else f"group {g if label is None else label}"
             for g, label in enumerate(labels)]  # fmt: skip
    if called is not None:
        for g in np.flatnonzero(np.diff(holds.indptr) == 1):
            names[g] = str(called[holds.indices[holds.indptr[g]]])
    return sparse.csr_array((holds @ rows.power(2)).sqrt()), names


def count_groups(rows):
    """Return how many rows of (G, L) are not 0 at each lambda, (L,)."""
    return np.asarray((rows != 0.0).sum(axis=0)).ravel()


def _penalty(path):
    return (path.options or {}).get("penalty")
