"""Total variation of graphs and images: worked numbers, paths, equal answers of equal problems."""


import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(4)
SHAPE = (4, 5)
X = RNG.standard_normal((70, 20))
IMAGE = np.zeros(SHAPE)
IMAGE[1:3, 1:4] = 1.0
SIGNAL = X @ IMAGE.ravel()
Y = SIGNAL + 0.5 * RNG.standard_normal(70)
RESPONSES = {
    "gaussian": Y, "binomial": Y > 0.5, "poisson": RNG.poisson(np.exp(0.3 * SIGNAL)),
    "cox": np.column_stack([RNG.exponential(np.exp(-0.3 * SIGNAL)), RNG.random(70) < 0.8]),
    "multigaussian": np.column_stack([Y, -Y]), "multinomial": np.digitize(Y, [0.0, 1.0]),
}  # fmt: skip


def grid_edges(rows, columns):
    place = np.arange(rows * columns).reshape(rows, columns)
    down = zip(place[:-1].ravel(), place[1:].ravel(), strict=True)
    return [*down, *zip(place[:, :-1].ravel(), place[:, 1:].ravel(), strict=True)]


def test_worked_numbers():
    graph = P.GraphTV([(0, 1), (1, 2)], weights=[2.0, 1.0], l1=0.5)
    assert graph.value([1.0, 3.0, -1.0]) == 4.0 + 4.0 + 2.5
    assert P.GraphTV([(0, 1)]).polar([2.0, -2.0]) == 2.0
    assert P.GraphTV([(0, 1)]).polar([2.0, 1.0]) == np.inf
    assert P.TotalVariation2D((2, 2)).value([0.0, 1.0, 0.0, 3.0]) == 1 + 3 + 2
    assert P.TotalVariation2D((2, 2), (2.0, 0.0)).value([0.0, 1.0, 0.0, 3.0]) == 4.0
    assert P.TotalVariation2D((2, 2), l1=1.0).polar([3.0, 0, 0, 0]) == 1.0
    assert P.TotalVariation2D((1, 3)).prox([1.0, 1.2, 3.0], 0.5).tolist() == [1.35, 1.35, 2.5]


def test_chains_and_grids_are_graphs():
    rng = np.random.default_rng(0)
    for l1 in (0.0, 0.4):
        chain = P.GraphTV([(j, j + 1) for j in range(9)], l1=l1)
        grid, image = P.GraphTV(grid_edges(2, 5), l1=l1), P.TotalVariation2D((2, 5), l1=l1)
        for one, other in ((chain, P.TotalVariation(l1=l1)), (grid, image)):
            for _ in range(20):
                b = rng.standard_normal(10)
                z = b - b.mean()
                assert one.value(b) == pytest.approx(other.value(b))
                assert one.polar(z) == pytest.approx(other.polar(z), rel=1e-12)
                assert one.prox(b, 0.3) == pytest.approx(other.prox(b, 0.3), abs=1e-13)
                assert one.degrees(one.prox(b, 0.3)) == other.degrees(other.prox(b, 0.3))


@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("penalty", [P.TotalVariation2D(SHAPE), P.TotalVariation2D(SHAPE, l1=0.3)])
def test_paths_of_all_families(family, penalty):
    options = {"family": family, "penalty": penalty, "n_lambdas": 5, "lambda_min_ratio": 0.05}
    fit = ss.path(X, RESPONSES[family], tol=1e-9, stop=None, **options)
    loose = ss.path(X, RESPONSES[family], tol=1e-5, solver="fista", stop=None, **options)
    assert not fit.status.any() and fit.gaps.max() <= 1e-9
    assert loose.dev_ratio == pytest.approx(fit.dev_ratio, abs=5e-3)


def test_pieces_are_found_and_the_first_lambda_is_the_last_of_the_null_model():
    penalty = P.TotalVariation2D(SHAPE)
    fit = ss.path(X, Y, penalty=penalty, n_lambdas=20, lambda_min_ratio=0.01)
    assert penalty.degrees(fit.coef(fit.lambdas[0])) == 1
    best = fit.coef(fit.lambdas[8]).reshape(SHAPE)
    assert np.ptp(best[1:3, 1:4]) < 0.2 and best[1:3, 1:4].min() > 2 * np.abs(best[0]).max()
    near = fit.lambdas[0] * np.array([1 + 1e-9, 1 - 1e-6])
    top = ss.path(X, Y, penalty=penalty, lambdas=near, tol=1e-15).coefs.toarray()
    assert np.ptp(top[:, 0]) < 1e-12 < np.ptp(top[:, 1])


def test_beside_other_features_and_names():
    names = [f"v{j}" for j in range(20)]
    graph = P.GraphTV([(names[a], names[b]) for a, b in grid_edges(*SHAPE)])
    options = {"n_lambdas": 6, "tol": 1e-11}
    fit = ss.path(X, Y, penalty=graph, feature_names=names, **options)
    image = ss.path(X, Y, penalty=P.TotalVariation2D(SHAPE), **options)
    assert fit.coefs.toarray() == pytest.approx(image.coefs.toarray(), abs=1e-4)
    wide = np.column_stack([X[:, 3], X])
    mixed = P.Separate({0: None, range(1, 21): P.TotalVariation2D(SHAPE)})
    both = ss.path(wide, Y + X[:, 3], penalty=mixed, n_lambdas=6)
    assert not both.status.any() and abs(both.coef(both.lambdas[0])[0]) > 0.3


@pytest.mark.parametrize("make, kind, sentence", [
    (lambda: P.GraphTV([(0, 0)]), ValueError, "joins feature 0 to itself"),
    (lambda: P.GraphTV([(0, 1), (1, 0)]), ValueError, "occurs twice"),
    (lambda: P.GraphTV([(0, 1, 2)]), ValueError, "an edge is a pair"),
    (lambda: P.GraphTV([(0, 9)]), ValueError, "edge 0 holds 9; features are numbered from 0 to 3"),
    (lambda: P.GraphTV([(0, "a")]), ValueError, "edge 0 names 'a', which is not a column of X"),
    (lambda: P.GraphTV([(0, 1)], [1, 2]), ValueError, "give one for each of 1 edges"),
    (lambda: P.GraphTV([(0, 1)], [-1.0]), ValueError, "weights has -1.0 at 0"),
    (lambda: P.GraphTV([(0, 1)], l1=-1), ValueError, "l1 must be at least 0"),
    (lambda: P.TotalVariation2D((2, 3)), ValueError, "has 6 entries for 4 features"),
    (lambda: P.TotalVariation2D(4), ValueError, "shape must be a pair"),
    (lambda: P.TotalVariation2D((2, 0)), ValueError, "shape must be a pair of positive"),
    (lambda: P.TotalVariation2D((2, 2), 1.0), ValueError, "weights must be a pair"),
    (lambda: P.TotalVariation2D((2, 2), (1, -1)), ValueError, r"weights\[1\] must be at least 0"),
])  # fmt: skip
def test_what_is_refused(make, kind, sentence):
    with pytest.raises(kind, match=sentence):
        make().value(np.ones(4))
