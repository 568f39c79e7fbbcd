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


def grid_edges(rows, columns):
    place = np.arange(rows * columns).reshape(rows, columns)
    down = zip(place[:-1].ravel(), place[1:].ravel(), strict=True)
    return [*down, *zip(place[:, :-1].ravel(), place[:, 1:].ravel(), strict=True)]


def test_pieces_are_found():
    penalty = P.TotalVariation2D(SHAPE)
    fit = ss.path(X, Y, penalty=penalty, n_lambdas=20, lambda_min_ratio=0.01)
    assert penalty.degrees(fit.coef(fit.lambdas[0])) == 1
    best = fit.coef(fit.lambdas[8]).reshape(SHAPE)
    assert np.ptp(best[1:3, 1:4]) < 0.2 and best[1:3, 1:4].min() > 2 * np.abs(best[0]).max()


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
