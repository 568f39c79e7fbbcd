"""Dictionaries: planted ones are found, objectives fall, constraints hold; atoms, their start."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.paths.dictionary.coding import update_atoms

import sparsesolve as ss
from sparsesolve.paths.dictionary import learning
from sparsesolve.paths.dictionary.atoms import (
    SILENT,
    Statistics,
    draw_atoms,
    mean_objective,
    read_atoms,
)


def planted(m=10, p=15, n=1500, seed=0, positive=False):
    """Signals that are sparse combinations of unit atoms, and the atoms."""
    rng = np.random.default_rng(seed)
    D = rng.standard_normal((m, p))
    A = rng.standard_normal((p, n)) * (rng.random((p, n)) < 0.1)
    if positive:
        D, A = np.where(rng.random((m, p)) < 0.5, np.abs(D), 0.0), np.abs(A)
    D /= np.linalg.norm(D, axis=0)
    return D @ A, D


def objective(Y, D, lam, alpha=1.0, positive=False):
    """Mean objective of optimal codes over D."""
    A = ss.sparse_code(Y, D, lam=lam, alpha=alpha, positive=positive).codes.toarray()
    penalty = lam * (alpha * np.abs(A).sum() + (1 - alpha) / 2 * np.square(A).sum())
    return (0.5 * np.square(Y - D @ A).sum() + penalty) / Y.shape[1]


@pytest.mark.parametrize("algorithm", ["online", "batch"])
def test_planted_atoms_are_found(algorithm):
    Y, D = planted()
    learnt = ss.DictionaryLearning(15, lam=0.05, algorithm=algorithm, n_epochs=60, batch_size=250,
                                   seed=3).fit(Y)  # fmt: skip
    likeness = np.abs(D.T @ learnt.dictionary).max(axis=1)
    assert (likeness > 0.97).sum() >= 12
    assert objective(Y, learnt.dictionary, 0.05) < 1.1 * objective(Y, D, 0.05)


@pytest.mark.parametrize("positive_codes", [False, True])
@pytest.mark.parametrize("positive_atoms", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.7])
def test_alternation_never_raises_the_objective_it_tells(alpha, positive_atoms, positive_codes):
    Y, _ = planted(n=200, positive=True)
    options = dict(alpha=alpha, positive_codes=positive_codes, positive_atoms=positive_atoms)
    learnt = ss.DictionaryLearning(12, lam=0.1, algorithm="batch", n_epochs=12, seed=0, **options)
    objectives = learnt.fit(Y).objectives
    assert len(objectives) == 12 and (np.diff(objectives) < 1e-9).all()
    start = objective(Y, learnt.dictionary, 0.1, alpha, positive_codes)
    again = ss.DictionaryLearning(12, lam=0.1, algorithm="batch", n_epochs=1,
                                  dictionary=learnt.dictionary, **options).fit(Y)  # fmt: skip
    np.testing.assert_allclose(again.objectives, [start], rtol=1e-6)
    assert start < objectives[-1] < 0.9 * objectives[0]
    for D in (learnt.dictionary, again.dictionary):
        assert np.linalg.norm(D, axis=0).max() < 1 + 1e-12
        assert D.min() >= 0 or not positive_atoms
    assert learnt.transform(Y).codes.min() >= 0 or not positive_codes


def test_statistics_are_the_sums_and_the_objective_is_the_mean():
    Y, D = planted(n=60)
    halves = [Y[:, :40], Y[:, 40:]]
    codes = [ss.sparse_code(half, D, lam=0.1, alpha=0.8).codes for half in halves]
    first, second = Statistics(10, 15), Statistics(10, 15)
    first.add(halves[0], codes[0])
    second.add(halves[1], codes[1])
    both = first.after(second, step=2, forgetting=0.0)
    a = np.hstack([c.toarray() for c in codes])
    np.testing.assert_allclose(both.A, a @ a.T, atol=1e-12)
    np.testing.assert_allclose(both.B, Y @ a.T, atol=1e-12)
    found = mean_objective(Y, D, sparse.csc_array(a), 0.1, 0.8)
    np.testing.assert_allclose(found, objective(Y, D, 0.1, 0.8))
    faded = first.after(second, step=2, forgetting=3.0)
    np.testing.assert_allclose(faded.B, first.B / 8 + second.B)


def test_the_objective_of_signals_far_from_0_is_no_difference_of_large_numbers():
    Y = np.random.default_rng(0).normal(size=(5, 40)) + 1e3
    learnt = ss.DictionaryLearning(5, lam=1e-10, algorithm="batch", seed=0, n_epochs=10).fit(Y)
    assert np.diff(learnt.objectives).max() <= 1e-6 * learnt.objectives[0]


@pytest.mark.parametrize("positive", [False, True])
def test_every_atom_moves_to_its_minimiser(positive):
    """After many sweeps no projected gradient step on an atom changes it."""
    rng = np.random.default_rng(0)
    codes = rng.standard_normal((5, 50))
    codes[3] = 0.0
    Y = rng.standard_normal((6, 50))
    A, B = np.asfortranarray(codes @ codes.T), np.asfortranarray(Y @ codes.T)
    D = np.asfortranarray(np.abs(rng.standard_normal((6, 5))))
    before = D.copy()
    assert update_atoms(D, A, B, positive, 500).tolist() == [3]
    np.testing.assert_array_equal(D[:, 3], before[:, 3])
    stepped = D - 0.01 * (D @ A - B)
    stepped = np.maximum(stepped, 0.0) if positive else stepped
    stepped /= np.maximum(np.linalg.norm(stepped, axis=0), 1.0)
    used = [0, 1, 2, 4]
    np.testing.assert_allclose(stepped[:, used], D[:, used], atol=1e-9)


def test_seeds_threads_and_storage():
    Y, _ = planted(n=600)
    options = dict(lam=0.1, n_epochs=3, batch_size=100)
    one = ss.DictionaryLearning(12, seed=5, **options).fit(Y)
    for n_threads, form in ((3, Y), (1, sparse.csr_array(Y)), (1, np.asfortranarray(Y))):
        other = ss.DictionaryLearning(12, seed=5, n_threads=n_threads, **options).fit(form)
        np.testing.assert_array_equal(one.dictionary, other.dictionary)
        assert one.objectives == other.objectives
    other = ss.DictionaryLearning(12, seed=6, **options).fit(Y)
    assert np.abs(one.dictionary - other.dictionary).max() > 0.1


def test_float32_signals_are_learnt_from_in_double_precision():
    Y = np.random.default_rng(1).standard_normal((10, 300)).astype(np.float32)
    options = dict(lam=0.5, n_epochs=2, batch_size=100, seed=5)
    single = ss.DictionaryLearning(12, **options).fit(Y)
    double = ss.DictionaryLearning(12, **options).fit(Y.astype(float))
    np.testing.assert_array_equal(single.dictionary, double.dictionary)


def test_partial_fit_takes_signals_as_they_come():
    Y, _ = planted(n=1000)
    whole = ss.DictionaryLearning(15, lam=0.05, seed=0)
    for _ in range(10):
        for first in range(0, 1000, 100):
            whole.partial_fit(Y[:, first : first + 100])
    assert len(whole.objectives) == 100
    assert np.mean(whole.objectives[-10:]) < 0.8 * np.mean(whole.objectives[1:11])
    D = whole.dictionary.copy()
    whole.fit(Y[:, :200])  # starts anew
    assert len(whole.objectives) == 10 and np.abs(whole.dictionary - D).max() > 0.1
    with pytest.raises(ValueError, match="belongs to algorithm='online'"):
        ss.DictionaryLearning(5, lam=1.0, algorithm="batch").partial_fit(Y)


def test_unused_atoms_give_their_place_to_signals():
    Y, _ = planted()
    start = np.zeros((10, 15))
    start[0, :] = 1.0  # one atom fifteen times: at most one is used
    learnt = ss.DictionaryLearning(15, lam=0.05, dictionary=start, n_epochs=40, seed=0).fit(Y)
    assert np.linalg.matrix_rank(learnt.dictionary) == 10
    assert objective(Y, learnt.dictionary, 0.05) < 0.7 * learnt.objectives[0]


def test_silent_signals_still_make_a_dictionary():
    zeros = ss.DictionaryLearning(3, lam=0.1, seed=0).fit(np.zeros((4, 5)))
    assert np.isfinite(zeros.dictionary).all() and zeros.objectives == [0.0] * 10


def test_epochs_end_when_nothing_falls_any_more():
    Y, _ = planted(n=300)
    learnt = ss.DictionaryLearning(5, lam=0.1, algorithm="batch", n_epochs=1000, tol=1e-3, seed=0)
    objectives = learnt.fit(Y).objectives
    assert 2 < len(objectives) < 200
    assert objectives[-1] > 0.999 * objectives[-2] and objectives[-2] < 0.999 * objectives[-3]


def test_codes_that_miss_their_certificate_are_warned_of_once(monkeypatch):
    Y, _ = planted(n=300)
    monkeypatch.setattr(learning, "TOL", 0.0)
    with pytest.warns(ss.ConvergenceWarning, match="of 900 signals miss tol = 0") as caught:
        ss.DictionaryLearning(5, lam=0.1, n_epochs=3, batch_size=100, seed=0).fit(Y)
    assert len(caught) == 1


def test_progress_is_shown(capsys):
    Y, _ = planted(n=300)
    ss.DictionaryLearning(5, lam=0.1, n_epochs=2, batch_size=100, progress=True).fit(Y)
    shown = capsys.readouterr().err
    assert "6/6" in shown and "objective" in shown


@pytest.mark.parametrize(
    "options, message",
    [
        ({"lam": 0.0}, "lam must be"),
        ({"alpha": 0.0}, "alpha must be"),
        ({"algorithm": "ksvd"}, "algorithm"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"dictionary": np.ones((10, 3))}, "dictionary has 3 columns, not 4 atoms"),
        ({"dictionary": -np.ones((10, 4)), "positive_atoms": True}, "negative entries"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ss.DictionaryLearning(4, **{"lam": 0.1, **options})


def test_bad_signals_are_refused_and_the_dictionary_stays():
    Y, D = planted(n=50)
    learnt = ss.DictionaryLearning(15, lam=0.1, dictionary=D)
    with pytest.raises(ValueError, match="Y has 9 rows; atoms have 10 entries"):
        learnt.partial_fit(Y[1:])
    with pytest.raises(ValueError, match="^Y holds nan"):
        learnt.partial_fit(np.where(Y == Y[0, 0], np.nan, Y))
    np.testing.assert_allclose(learnt.dictionary, D)
    with pytest.raises(ValueError, match="no dictionary yet"):
        ss.DictionaryLearning(5, lam=0.1).transform(Y)


def test_it_says_how_far_it_is_and_learns_anew():
    learnt = ss.DictionaryLearning(3, lam=0.1, seed=0)
    assert repr(learnt) == "<DictionaryLearning: 3 atoms, 0 steps, no signals yet>"
    Y = np.random.default_rng(1).standard_normal((5, 40))
    first = learnt.fit(Y).dictionary
    assert f"10 steps, objective {learnt.objectives[-1]:.5g}>" in repr(learnt)
    assert np.array_equal(learnt.fit(Y).dictionary, first)


RNG = np.random.default_rng(5)


@pytest.mark.parametrize("store", [np.array, list, sparse.csr_array, np.asfortranarray])
def test_given_atoms_are_shortened_to_norm_1_but_never_made_longer(store):
    given = np.array([[3.0, 0.3, 0.0], [-4.0, 0.4, 0.0]])
    atoms = read_atoms(store(given), 3, False)
    assert atoms.flags.f_contiguous and atoms.dtype == np.float64
    assert atoms == pytest.approx(np.array([[0.6, 0.3, 0.0], [-0.8, 0.4, 0.0]]))
    assert given[0, 0] == 3.0


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
