"""Pragam on chains: the projection against all labellings, and the gap against its theorem."""

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls

from sparsesolve import structured
from sparsesolve.paths import bundle
from sparsesolve.structured.chain_marginals import ChainMargin, ChainTables
from sparsesolve.structured.margin_learner import MaxMargin

LENGTHS = [4, 1, 2, 5, 3]


def draw(seed=0, p=4, K=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(sum(LENGTHS), p))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] + 0.5 * rng.normal(size=len(X)) > 0.5) * (K > 2)
    y[:K] = np.arange(K)
    return X, y


def labellings(L, K, allowed):
    """The tables of every labelling that may be taken, one below the other."""
    found = []
    for y in itertools.product(range(K), repeat=L):
        if all(allowed[a, b] for a, b in itertools.pairwise(y)):
            tables = np.zeros((max(L - 1, 1), K, K))
            pairs = [(0, y[0])] if L == 1 else list(itertools.pairwise(y))
            for e, (a, b) in enumerate(pairs):
                tables[e, a, b] = 1.0
            found.append(tables.ravel())
    return np.array(found)


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("K", [2, 3])
def test_the_projection_is_that_onto_mixtures_of_labellings(K, forbidden, scale):
    rng = np.random.default_rng(K)
    ptr = np.append(0, np.cumsum(LENGTHS))
    allowed = np.ones((K, K), dtype=bool)
    allowed[0, K - 1] = not forbidden
    tables = ChainTables(ptr, K, allowed)
    for _ in range(3):  # later ones start at the multipliers of the last
        m = scale * rng.normal(size=(tables.E, K, K))
        alpha = tables.project(m)
        assert alpha.min() >= 0.0 and np.abs(alpha.sum(axis=(1, 2)) - 1.0).max() < 1e-12
        for s, L in enumerate(LENGTHS):
            mine = tables.sequence == s
            both = alpha[mine]
            assert L < 3 or np.abs(both[:-1].sum(axis=1) - both[1:].sum(axis=2)).max() < 1e-14
            V, near = labellings(L, K, allowed).T, m[mine].ravel().copy()
            near[~tables.open[mine].ravel()] = 0.0
            weight = 1e3 * max(scale, 1.0)  # of the row that asks for a sum of 1
            mix, _ = nnls(np.vstack([V, np.full(V.shape[1], weight)]), np.append(near, weight))
            exact = V @ (mix / mix.sum())
            assert np.abs(exact - both.ravel()).max() < 1e-4 * max(scale, 1.0)
            # no labelling lies further along the residual than the projection
            rest = near - both.ravel()
            assert (V.T @ rest).max() <= both.ravel() @ rest + 1e-6 * max(scale, 1.0)


@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("lam", [1.0, 0.05])
def test_the_gap_keeps_the_bound_of_theory(lam, forbidden):
    X, y = draw(3)
    allowed = np.ones((3, 3), dtype=bool)
    if forbidden:
        taken = {(a, b) for L, s in zip(LENGTHS, np.cumsum(LENGTHS), strict=True)
                 for a, b in itertools.pairwise(y[s - L : s])}  # fmt: skip
        free = [pair for pair in itertools.product(range(3), repeat=2) if pair not in taken]
        allowed[free[0]] = False
    fit = structured.max_margin(X, y, lengths=LENGTHS, algorithm="pragam", lam=lam, epochs=60,
                                allowed=allowed)  # fmt: skip
    learner = MaxMargin(X, y, LENGTHS, allowed)
    exact = bundle.bmrm(learner.step.risk, lam, 200, start=np.zeros(len(learner.w)), tol=1e-7)
    trace, k = fit.trace, np.arange(61)
    assert exact.gap < 1e-5
    assert trace.bounds.max() <= exact.objectives.min() + 1e-10
    assert trace.objectives.min() >= exact.bounds.max() - 1e-10
    assert (trace.objectives - trace.bounds <= trace.theory * (1 + 1e-9)).all()
    bound = 4 * trace.lipschitz * trace.radius / ((k + 1) * (k + 2))
    np.testing.assert_allclose(trace.theory, bound)
    w = fit.coefs.toarray()[:, 0]
    assert learner.step.objective(w, lam) == pytest.approx(trace.objectives.min())
    assert fit.gaps[0] == pytest.approx(trace.gap / (sum(LENGTHS) / len(LENGTHS)))
    # L and D2: the products as a dense matrix, and all labellings
    risk = ChainMargin(*learner.data, 3, allowed)
    dense = np.stack([risk.forward(e) for e in np.eye(len(w))], axis=1)
    assert trace.lipschitz == pytest.approx(np.linalg.norm(dense, 2) ** 2 / lam, rel=2e-4)
    far, centre = 0.0, risk.gold - 5 * risk.centre.reshape(risk.gold.shape)
    for s, L in enumerate(LENGTHS):
        c = centre[risk.tables.sequence == s].ravel()
        far += max(np.sum((v - c) ** 2) for v in labellings(L, 3, allowed))
    assert far / (2 * 25) <= trace.radius * (1 + 1e-9) and trace.radius <= 1.3 * far / (2 * 25)


def test_it_stops_at_its_tolerance_and_is_saved_without_the_trace(tmp_path):
    import sparsesolve as ss

    X, y = draw()
    fit = structured.max_margin(X, y, lengths=LENGTHS, algorithm="pragam", lam=1.0, epochs=500,
                                tol=0.01)  # fmt: skip
    assert fit.gaps[0] <= 0.01 and len(fit.trace.gaps) < 500
    ss.save(fit, tmp_path / "chain.npz")
    again = ss.load(tmp_path / "chain.npz")
    assert again.trace is None
    np.testing.assert_array_equal(again.predict(X, LENGTHS), fit.predict(X, LENGTHS))
