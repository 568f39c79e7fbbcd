"""Squared error of K responses: one gaussian loss a response."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES


def test_is_the_sum_of_the_gaussian_losses_of_its_responses():
    rng = np.random.default_rng(1)
    y, w = rng.standard_normal((30, 4)), rng.uniform(size=30)
    w /= w.sum()
    loss = LOSSES["multigaussian"](y, w)
    eta, v = rng.standard_normal((2, 4, 30))
    each = [LOSSES["gaussian"](y[:, k], w) for k in range(4)]
    assert loss.n_responses == 4
    assert loss.at(eta)[0] == pytest.approx(sum(each[k].at(eta[k])[0] for k in range(4)))
    assert loss.at(eta)[1] == pytest.approx(np.array([each[k].at(eta[k])[1] for k in range(4)]))
    for name, arguments in [("curvature_at", (eta,)), ("curvature_product", (eta, v))]:
        rows = [getattr(each[k], name)(*(a[k] for a in arguments)) for k in range(4)]
        assert getattr(loss, name)(*arguments) == pytest.approx(np.array(rows))
    u = 0.3 * loss.at(v)[1]
    parts = sum(each[k].fenchel_young_at(eta[k], u[k]) for k in range(4))
    assert loss.fenchel_young_at(eta, u) == pytest.approx(parts)
