"""Genotypes of 2 bits: a design of them is that of the imputed matrix, whatever n and weights."""

import numpy as np
import pytest
from packed_genotypes import drawn, imputed, packed
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.equal_rows import of_rows
from sparsesolve.linalg.design.genotypes import MixedColumns


def weights(n, kind, seed=3):
    rng = np.random.default_rng(seed)
    w = {"equal": np.ones(n), "uneven": rng.random(n), "some": (rng.random(n) < 0.7) + 0.0}[kind]
    w[0] = 1.0
    return w / w.sum()


@pytest.mark.parametrize("kind", ["equal", "uneven", "some"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 63, 64, 65, 130])
def test_a_design_of_genotypes_is_that_of_the_imputed_matrix(n, kind):
    G, w = drawn(n, 9, seed=n), weights(n, kind)
    X, mean = imputed(G, w)
    design = Design(packed(G, gap=1))
    assert design.moments(w)
    spread = np.sqrt(w @ (X - w @ X) ** 2)
    assert np.asarray(design.mean) == pytest.approx(mean, rel=1e-14)
    assert np.asarray(design.spread) == pytest.approx(spread, rel=1e-13, abs=1e-15)
    for centred in (True, False):
        design = Design(packed(G))
        design.moments(w)
        design.standardise(centred, np.linspace(0.5, 2.0, 9))
        Z = (X - mean * centred) * np.linspace(0.5, 2.0, 9)
        u = np.random.default_rng(1).standard_normal((2, n))
        assert design.products(u[0]) == pytest.approx(Z.T @ u[0], rel=1e-12, abs=1e-12)
        assert design.response_products(u) == pytest.approx(u @ Z, rel=1e-12, abs=1e-12)
        assert design.norms(w) == pytest.approx(np.sqrt(w @ Z**2), rel=1e-12, abs=1e-13)
        v = np.random.default_rng(2).random(n)
        assert design.norms(v) == pytest.approx(np.sqrt(v @ Z**2), rel=1e-12, abs=1e-13)
        for count in (1, 4, 9):
            which, b = np.arange(count, dtype=np.intc), np.linspace(-1.0, 2.0, count)
            got = design.combination(which, b)
            assert got == pytest.approx(Z[:, :count] @ b, rel=1e-12, abs=1e-12)
        assert design.unpacked(np.arange(9, dtype=np.intc)) == pytest.approx(Z, rel=1e-13)
        rows = np.flatnonzero(np.arange(n) % 3 != 1).astype(np.intc)
        part = of_rows(design, rows, np.full(len(rows), 1.0 / len(rows)))
        assert part.unpacked(np.arange(9, dtype=np.intc)) == pytest.approx(Z[rows], rel=1e-13)


def test_a_column_without_variance_has_none():
    """Exactly, whatever the weights: otherwise its rounding would be standardised."""
    G = np.tile([0, 1, 2, -1, 2, 1], (37, 1))
    G[:5, 4:] = -1
    for kind in ("equal", "uneven", "some"):
        design = Design(packed(G))
        design.moments(weights(37, kind))
        assert np.asarray(design.spread).tolist() == [0.0] * 6
        assert np.asarray(design.mean).tolist() == [0.0, 1.0, 2.0, 0.0, 2.0, 1.0]


def test_rows_without_weight_do_not_impute():
    """What a fold trains on decides what its missing values stand for."""
    G = drawn(200, 5, missing=0.3)
    w = np.repeat([1.0, 0.0], 100)
    design = Design(packed(G))
    design.moments(w / 100)
    assert np.asarray(design.mean) == pytest.approx(imputed(G[:100], w[:100])[1], rel=1e-14)


@pytest.mark.parametrize("n", [1, 5, 32, 70])
def test_counts_rows_and_columns_of_genotypes(n):
    G = drawn(n, 6, seed=n)
    bits = packed(G)
    expected = np.array([[(g == value).sum() for value in (0, 1, 2, -1)] for g in G.T])
    assert bits.counts().tolist() == expected.tolist()
    rows = np.random.default_rng(n).random(n) < 0.5
    some = np.array([[(g == value).sum() for value in (0, 1, 2, -1)] for g in G[rows].T])
    assert bits.counts(rows).tolist() == some.tolist()
    which = np.random.default_rng(n).permutation(n)[: n // 2 + 1]
    again = bits.of_rows(which).columns(np.arange(6), np.full(6, -1.0))
    assert again.tolist() == G[which].tolist()
    assert bits.of_columns([4, 1]).columns([0, 1], [-1.0, -1.0]).tolist() == G[:, [4, 1]].tolist()


def test_rows_beyond_the_last_do_not_count():
    """The bits that fill the last byte up can be anything."""
    G = drawn(37, 4)
    bits, dirty = packed(G), packed(G)
    dirty.data[9::10] |= 0xFC  # 37 = 4 * 9 + 1
    w, u = weights(37, "uneven"), np.random.default_rng(0).standard_normal(37)
    for part in (bits, dirty):
        part.design = Design(part)
        part.design.moments(w)
    assert dirty.counts().tolist() == bits.counts().tolist()
    assert dirty.design.products(u).tolist() == bits.design.products(u).tolist()


def test_columns_of_several_kinds_stand_side_by_side():
    G, rng = drawn(50, 7), np.random.default_rng(0)
    numbers, few = rng.standard_normal((50, 2)), sparse.random(50, 3, 0.3, format="csc", rng=0)
    few = sparse.csc_array(few)
    mixed = MixedColumns([np.asfortranarray(numbers), packed(G), few])
    w = weights(50, "uneven")
    X = np.hstack([numbers, imputed(G, w)[0], few.toarray()])
    design = Design(mixed)
    assert mixed.shape == X.shape and design.stored == 50 * 9 + few.nnz
    design.moments(w)
    u = rng.standard_normal(50)
    Z = X - w @ X
    assert design.products(u) == pytest.approx(Z.T @ u, rel=1e-12, abs=1e-12)
    known = mixed.imputed(design.imputed)
    assert known[:, [11, 0, 5]] == pytest.approx(X[:, [11, 0, 5]], rel=1e-14)
    assert known[np.array([[3], [1]]), [5, 2]] == pytest.approx(X[[3, 1]][:, [5, 2]], rel=1e-14)
    values = rng.standard_normal((12, 2))
    assert known.product(np.arange(12), values) == pytest.approx(X @ values, rel=1e-12)
    with pytest.raises(ValueError, match=r"row \d+, column \d+ of X .* is missing"):
        mixed[:, 2:9]
    assert mixed[:, :2].tolist() == numbers.tolist()


def test_products_do_not_depend_on_the_number_of_threads():
    G = drawn(4000, 600)
    u = np.random.default_rng(0).standard_normal(4000)
    design = Design(packed(G[:, :3]).of_columns(np.arange(600) % 3))
    design.moments(weights(4000, "equal"))
    assert design.products(u, 1).tolist() == design.products(u, 2).tolist()


RESIDUALS = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "one row": lambda rng, n: np.where(np.arange(n) == n - 1, 1e9, rng.standard_normal(n)),
    "equal": lambda rng, n: np.full(n, -3.0),
    "tiny": lambda rng, n: 1e-230 * rng.standard_normal(n),
    "huge": lambda rng, n: 1e230 * rng.standard_normal(n),
    "many sizes": lambda rng, n: rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-12, 0, n),
}


@pytest.mark.parametrize("residual", RESIDUALS)
@pytest.mark.parametrize("kind", ["equal", "uneven", "some"])
@pytest.mark.parametrize("n", [256, 257, 258, 259, 511, 512, 515, 1030])
def test_near_products_are_as_near_as_they_say(n, kind, residual):
    """Against sums in extended precision, of common, rare, missing and constant genotypes."""
    rng = np.random.default_rng(n)
    G, w = drawn(n, 60, seed=n, missing=0.02), weights(n, kind)
    G[:, 20:30] = np.where(rng.random((n, 10)) < 2 / n, 1, 2 * (np.arange(10) % 2))
    G[:, 30:33], G[:, 33:40], G[1:, 40] = [0, 1, 2], drawn(n, 7, missing=0.9), -1
    G[:, 41], G[::2, 31], G[:, 42] = -1, -1, np.where(G[:, 43] < 0, -1, 2 - G[:, 43])
    G[:, 44:] = np.where(G[:, 44:] < 0, 1, G[:, 44:])
    numbers = rng.standard_normal((n, 2))
    design = Design(MixedColumns([np.asfortranarray(numbers), packed(G)]))
    design.moments(w)
    factor = np.append([1.0, 1.0], rng.uniform(0.5, 2.0, 60))
    design.standardise(True, factor)
    X, mean = imputed(G, w)
    Z = np.column_stack([numbers - w @ numbers, X - mean]).astype(np.longdouble) * factor
    root_w = np.sqrt(w)
    r = RESIDUALS[residual](rng, n)
    out, distance = design.near_products(root_w * r, root_w)
    off = np.abs(out - Z.T @ (root_w * r).astype(np.longdouble))
    norms = np.sqrt((w[:, None] * Z**2).sum(axis=0))
    norms[:2] = np.abs(Z[:, :2]).max()  # products of numbers, rounded as ever
    assert (off <= distance * norms + 1e-13 * np.abs(root_w * r).max()).all()
    assert np.array_equal(out[2 + 30 : 2 + 33], np.zeros(3))
    if kind != "uneven" and residual == "normal":
        assert distance < 2e-3 * np.linalg.norm(r[w > 0])


@pytest.mark.parametrize("wrong", [0.0, np.nan, np.inf, 1e300, 1e-300])
def test_vectors_of_no_usual_size_have_no_near_products(wrong):
    design = Design(packed(drawn(300, 8)))
    design.moments(np.full(300, 1 / 300))
    u = np.zeros(300)
    u[3] = wrong
    assert not design.near_products(u, np.full(300, 300**-0.5))[1] < np.inf
