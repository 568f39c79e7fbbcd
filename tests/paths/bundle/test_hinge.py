"""The hinge risk of bundle methods against numpy, with and without a bias."""

import numpy as np
import pytest
from scipy import sparse

from sparsesolve.paths import bundle

RNG = np.random.default_rng(1)
X = 100.0 * RNG.normal(size=(30, 4))
Y = np.where(RNG.random(30) < 0.4, "b", "a")
SIDES = np.where(Y == "b", 1.0, -1.0)
W = RNG.random(30)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_value_and_subgradient(bias, store):
    risk = bundle.hinge_risk(store(X), Y, bias=bias, weights=W)
    shares = W / W.sum()

    def value(w):
        eta = X @ w
        shifts = (SIDES - eta) if bias else [0.0]
        return min(shares @ np.maximum(0, 1 - SIDES * (eta + b)) for b in shifts)

    places = 0.01 * RNG.normal(size=(10, 4))
    for w in places:
        found, slope = risk(w)
        assert found == pytest.approx(value(w), rel=1e-12)
        assert all(value(v) >= found + slope @ (v - w) - 1e-12 for v in places)
        b = risk.lowest(w)
        assert shares @ np.maximum(0, 1 - SIDES * (X @ w + b)) == pytest.approx(found, rel=1e-12)
    assert risk.n_features == 4 and risk.passes > 20


@pytest.mark.parametrize(("y", "message"), [
    (["a"] * 30, "one class"), (list("abc") * 10, "3 different labels"),
])  # fmt: skip
def test_what_is_no_problem_of_two_classes_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        bundle.hinge_risk(X, y)
    with pytest.raises(ValueError, match="nan"):
        bundle.hinge_risk(np.where(X > 150, np.nan, X), Y)
