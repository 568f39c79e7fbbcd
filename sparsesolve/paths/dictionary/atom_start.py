"""Starts of dictionary learning: atoms that the user gives, or signals drawn at random."""

import numpy as np

from sparsesolve.paths.dictionary.encoding import dense_columns, read_columns

# A signal becomes an atom only if its norm exceeds this share of the largest norm.
SILENT = 1e-6


def read_atoms(dictionary, n_atoms, positive):
    """Return the user's atoms (m, n_atoms); atoms of a norm beyond 1 are divided by it."""
    atoms = dense_columns(read_columns("dictionary", dictionary))
    if atoms.shape[1] != n_atoms:
        raise ValueError(f"dictionary has {atoms.shape[1]} columns, not {n_atoms} atoms")
    if positive and atoms.min() < 0:
        raise ValueError("dictionary has negative entries; leave out positive_atoms")
    return np.asfortranarray(atoms / np.maximum(np.linalg.norm(atoms, axis=0), 1.0))


def draw_atoms(Y, count, positive, rng):
    """Return atoms (m, count) of norm 1, signals of Y (m, N) drawn by the generator `rng`.

    Where there are too few signals, the others are random directions. With `positive` negative
    entries become 0.
    """
    Y = np.maximum(Y, 0.0) if positive else Y
    norms = np.linalg.norm(Y, axis=0)
    loud = rng.permutation(np.flatnonzero(norms > SILENT * norms.max(initial=0.0)))[:count]
    rest = rng.standard_normal((Y.shape[0], count - len(loud)))
    rest = np.abs(rest) if positive else rest
    atoms = np.hstack([Y[:, loud] / norms[loud], rest / np.linalg.norm(rest, axis=0)])
    return np.asfortranarray(atoms)
