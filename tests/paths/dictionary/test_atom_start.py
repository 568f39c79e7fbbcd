"""First atoms: those given, or signals drawn at random."""

import numpy as np
import pytest
from scipy import sparse

from sparsesolve.paths.dictionary.atoms import SILENT, draw_atoms, read_atoms

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("store", [np.array, list, sparse.csr_array, np.asfortranarray])
def test_given_atoms_are_shortened_to_norm_1_but_never_made_longer(store):
    given = np.array([[3.0, 0.3, 0.0], [-4.0, 0.4, 0.0]])
    atoms = read_atoms(store(given), 3, False)
    assert atoms.flags.f_contiguous and atoms.dtype == np.float64
    assert atoms == pytest.approx(np.array([[0.6, 0.3, 0.0], [-0.8, 0.4, 0.0]]))
    assert given[0, 0] == 3.0


@pytest.mark.parametrize("n_atoms, positive, sentence", [
    (3, False, "dictionary has 2 columns, not 3 atoms"),
    (2, True, "dictionary has negative entries; leave out positive_atoms"),
])  # fmt: skip
def test_atoms_that_do_not_suit(n_atoms, positive, sentence):
    with pytest.raises(ValueError) as caught:
        read_atoms([[1.0, 0.0], [-1e-9, 1.0]], n_atoms, positive)
    assert str(caught.value) == sentence
    assert read_atoms([[1.0, 0.0], [0.0, 1.0]], 2, True).tolist() == [[1, 0], [0, 1]]


def test_drawn_atoms_are_signals_of_norm_1_each_once():
    Y = RNG.normal(size=(6, 20)) * np.geomspace(1e-3, 1e3, 20)
    atoms = draw_atoms(Y, 8, False, np.random.default_rng(0))
    assert atoms.shape == (6, 8) and atoms.flags.f_contiguous
    likeness = (Y / np.linalg.norm(Y, axis=0)).T @ atoms
    which = likeness.argmax(axis=0)
    assert likeness.max(axis=0) == pytest.approx(np.ones(8)) and len(set(which)) == 8
    assert (draw_atoms(Y, 8, False, np.random.default_rng(0)) == atoms).all()
    assert (draw_atoms(Y, 8, False, np.random.default_rng(1)) != atoms).any()


@pytest.mark.parametrize("positive", [False, True])
def test_where_signals_are_too_few_directions_are_random(positive):
    Y = np.abs(RNG.normal(size=(6, 5)))
    Y[:, 1] = 0.0
    Y[:, 3] *= 0.5 * SILENT * np.linalg.norm(Y, axis=0).max() / np.linalg.norm(Y[:, 3])
    atoms = draw_atoms(Y, 7, positive, np.random.default_rng(0))
    assert np.linalg.norm(atoms, axis=0) == pytest.approx(np.ones(7))
    signals = Y[:, [0, 2, 4]] / np.linalg.norm(Y[:, [0, 2, 4]], axis=0)
    like = (signals.T @ atoms[:, :3]).max(axis=1)
    assert like == pytest.approx(np.ones(3))  # all that are loud enough
    assert (signals.T @ atoms[:, 3:]).max() < 1 - 1e-6
    assert (atoms[:, 3:].min() >= 0.0) == positive


def test_positive_atoms_are_made_of_what_is_positive():
    Y = np.array([[1.0, -1.0], [-5.0, -2.0]])
    atoms = draw_atoms(Y, 1, True, np.random.default_rng(0))
    assert atoms.ravel().tolist() == [1.0, 0.0]  # the second signal is nothing then
    silent = draw_atoms(np.zeros((3, 4)), 2, False, np.random.default_rng(0))
    assert np.linalg.norm(silent, axis=0) == pytest.approx(np.ones(2))
