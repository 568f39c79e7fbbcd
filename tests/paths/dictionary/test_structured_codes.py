"""Codes and atoms under structured penalties: other solvers, optimality, refusals."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.paths.dictionary.atoms import update_structured_atoms
from sparsesolve.paths.dictionary.structured_codes import read_convex

RNG = np.random.default_rng(0)
D = RNG.standard_normal((10, 12))
D /= np.linalg.norm(D, axis=0)
Y = RNG.standard_normal((10, 40))
TREE = [range(12), range(4), range(4, 8), *[[j] for j in range(12)]]
PENALTIES = {
    "tree l2": P.TreeL2(TREE), "tree linf": P.TreeLinf(TREE), "slope": P.Slope(),
    "overlap": P.OverlapLinf([[0, 1, 2], [2, 3, 4], range(4, 12)]),
    "groups": P.GroupL2([range(5), range(5, 12)]), "berhu": P.Berhu(0.5),
}  # fmt: skip


def test_the_l1_norm_gives_the_codes_of_the_homotopy():
    for options in ({}, {"alpha": 0.6}, {"positive": True}):
        plain = ss.sparse_code(Y, D, lam=0.3, **options)
        other = ss.sparse_code(Y, D, lam=0.3, penalty=P.L1(), tol=1e-12, **options)
        assert other.codes.toarray() == pytest.approx(plain.codes.toarray(), abs=1e-5)
        assert other.residuals == pytest.approx(plain.residuals, abs=1e-6)
        assert other.gaps.max() <= 1e-12 and not other.status.any()


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_codes_are_those_of_a_path_without_intercept(name, alpha):
    if name == "groups" and alpha < 1.0:
        pytest.skip("the ridge part of a path with GroupL2 has the groups' weights")
    penalty = PENALTIES[name]
    found = ss.sparse_code(Y[:, :4], D, lam=0.2, penalty=penalty, alpha=alpha, tol=1e-10)
    assert found.gaps.max() <= 1e-10
    for i in range(4):
        fit = ss.path(D, Y[:, i], penalty=penalty, alpha=alpha, lambdas=[0.02], intercept=False,
                      standardize=False, tol=1e-11)  # fmt: skip
        own = found.codes.toarray()[:, i]
        assert own == pytest.approx(fit.coefs.toarray()[:, 0], abs=1e-4)


def test_one_lambda_a_signal_and_signals_that_are_0():
    lam = np.linspace(0.1, 3.0, 40)
    signals = Y.copy()
    signals[:, 5] = 0.0
    found = ss.sparse_code(signals, D, lam=lam, penalty=PENALTIES["tree l2"])
    alone = ss.sparse_code(signals[:, 7:8], D, lam=lam[7], penalty=PENALTIES["tree l2"])
    assert found.codes.toarray()[:, 7] == pytest.approx(alone.codes.toarray()[:, 0], abs=1e-12)
    assert found.gaps[5] == 0.0 and not found.codes.toarray()[:, 5].any()
    with pytest.warns(ss.ConvergenceWarning, match="signals miss tol"):
        ss.sparse_code(Y, D, lam=0.1, penalty=PENALTIES["tree l2"], max_iter=3)


def test_gaps_are_upper_bounds_of_what_is_missed():
    penalty = PENALTIES["tree linf"]
    best = ss.sparse_code(Y, D, lam=0.2, penalty=penalty, tol=1e-13)
    with pytest.warns(ss.ConvergenceWarning):
        early = ss.sparse_code(Y, D, lam=0.2, penalty=penalty, tol=0.0, max_iter=10)

    def objectives(found):
        A = found.codes.toarray()
        sizes = np.array([penalty.value(a) for a in A.T])
        return 0.5 * np.square(Y - D @ A).sum(axis=0) + 0.2 * sizes

    missed = (objectives(early) - objectives(best)) / (0.5 * np.square(Y).sum(axis=0))
    assert (missed <= early.gaps + 1e-12).all() and missed.max() > 1e-6


LEARNERS = {
    "tree": {"penalty": P.TreeL2(TREE)},
    "overlap": {"penalty": P.OverlapLinf([[0, 1, 2], [2, 3], range(4, 12)]), "n_epochs": 2},
    "sparse pca": {"alpha": 0.0, "atom_penalty": P.L1(), "atom_lam": 0.01},
    "intervals": {"atom_penalty": P.OverlapLinf(P.interval_groups(10)), "atom_lam": 0.02},
    "pieces": {"atom_penalty": P.TotalVariation(), "atom_lam": 0.01, "alpha": 0.7},
    "positive": {"penalty": P.TreeLinf(TREE), "positive_codes": True, "positive_atoms": True,
                 "atom_penalty": P.TreeL2([range(5), range(10)]), "atom_lam": 0.003},
}  # fmt: skip


@pytest.mark.parametrize("name", LEARNERS)
def test_alternation_never_raises_the_objective_it_tells(name):
    options = {"n_epochs": 6, **LEARNERS[name]}
    signals = Y[:, :12] if name == "overlap" else Y
    learnt = ss.DictionaryLearning(12, lam=0.1, algorithm="batch", seed=0, **options).fit(signals)
    assert (np.diff(learnt.objectives) < 1e-9).all()
    assert learnt.objectives[-1] < 0.95 * learnt.objectives[0]
    assert np.linalg.norm(learnt.dictionary, axis=0).max() < 1.0 + 1e-12
    found = learnt.transform(signals)
    assert found.gaps.max() <= 1e-7
    if name == "positive":
        assert found.codes.min() >= 0.0 <= learnt.dictionary.min()
    if name in ("sparse pca", "intervals", "positive"):
        assert (learnt.dictionary == 0.0).mean() > 0.05
    online = ss.DictionaryLearning(12, lam=0.1, batch_size=6, seed=0, **options).fit(signals)
    assert np.isfinite(online.objectives).all() and online.transform(signals).gaps.max() <= 1e-7


def test_atoms_move_to_their_minimisers():
    """No other atom of the ball has a lower objective: by a condition on subgradients."""
    codes = RNG.standard_normal((5, 50))
    codes[3] = 0.0
    A, B = codes @ codes.T, Y[:, :40] @ codes[:, :40].T
    atoms = RNG.standard_normal((10, 5))
    omega, level = P.TreeL2([range(5), range(10)]).over(10), 3.0
    update_structured_atoms(atoms, A, B, omega, level, 400)
    assert not atoms[:, 3].any() and np.linalg.norm(atoms, axis=0).max() <= 1.0 + 1e-12
    rest = B - atoms @ A
    for j in (0, 1, 2, 4):
        d = atoms[:, j]
        if np.linalg.norm(d) > 1.0 - 1e-9:
            multiplier = (rest[:, j] @ d - level * omega.value(d)) / (d @ d)
            assert multiplier >= -1e-8
            rest[:, j] -= multiplier * d
        assert omega.polar(rest[:, j]) <= level * (1 + 1e-7)
        assert rest[:, j] @ d == pytest.approx(level * omega.value(d), abs=1e-6)


def test_sparse_pca_finds_planted_loadings_and_without_a_penalty_the_principal_subspace():
    rng = np.random.default_rng(3)
    loadings = np.zeros((20, 3))
    for k in range(3):
        loadings[5 * k : 5 * k + 5, k] = 1.0 / np.sqrt(5.0)
    signals = loadings @ (rng.standard_normal((3, 300)) * [[3.0], [2.0], [1.5]])
    signals += 0.1 * rng.standard_normal((20, 300))
    options = {"lam": 0.01, "alpha": 0.0, "algorithm": "batch", "n_epochs": 120, "seed": 0}
    sparse = ss.DictionaryLearning(3, atom_penalty=P.L1(), atom_lam=0.05, **options).fit(signals)
    likeness = np.abs(loadings.T @ sparse.dictionary / np.linalg.norm(sparse.dictionary, axis=0))
    assert likeness.max(axis=1).min() > 0.95
    assert (sparse.dictionary == 0.0).mean() > 0.5
    plain = ss.DictionaryLearning(3, atom_penalty=P.L1(), atom_lam=1e-9, **options).fit(signals)
    left = np.linalg.svd(signals, full_matrices=False)[0][:, :3]
    angles = np.linalg.svd(left.T @ np.linalg.qr(plain.dictionary)[0])[1]
    assert angles.min() > 0.999


@pytest.mark.parametrize("options, message", [
    ({"penalty": P.MCP()}, "penalty is MCP, which is not convex"),
    ({"atom_penalty": P.Log(1.0), "atom_lam": 1.0}, "atom_penalty is Log, which is not convex"),
    ({"penalty": P.Slope(), "positive_codes": True}, "Slope is no penalty of sizes alone"),
    ({"atom_penalty": P.L1()}, "atom_lam must be"),
    ({"atom_lam": 1.0}, "atom_lam is the strength of atom_penalty"),
    ({"alpha": 0.0}, "alpha must be"),
    ({"penalty": P.TreeL2([[0, 30]])}, "penalty, of 12 entries: group 0 holds 30"),
    ({"atom_penalty": P.TreeL2([[0, 11]]), "atom_lam": 1.0}, "atom_penalty, of 10 entries: group"),
    ({"penalty": P.TotalVariation()}, "TotalVariation has directions that it does not penalise"),
])  # fmt: skip
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ss.DictionaryLearning(12, lam=0.1, **options).fit(Y)


def test_what_sparse_code_refuses():
    for options in ({"method": "omp", "n_nonzero": 2}, {"n_nonzero": 2, "lam": 0.1}):
        with pytest.raises(ValueError, match="penalty belongs to method='lasso'"):
            ss.sparse_code(Y, D, penalty=P.L1(), **options)
    with pytest.raises(TypeError, match="penalty is 'tree'"):
        read_convex("penalty", "tree")
