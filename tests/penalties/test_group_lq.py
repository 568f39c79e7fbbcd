"""Groups by lq norms: against the penalties that stand, another optimiser, and enumeration."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(0)


def test_a_group_of_weight_0_is_left_alone():
    X = RNG.standard_normal((30, 4))
    fit = ss.path(X, X[:, 0] + X[:, 2], penalty=P.GroupLq([0, 0, 1, 1], 1.5, [0.0, 1.0]),
                  n_lambdas=3)  # fmt: skip
    assert fit.gaps.max() <= 1e-7
    least = np.linalg.lstsq(np.c_[np.ones(30), X[:, :2]], X[:, 0] + X[:, 2], rcond=None)[0]
    assert fit.coefs.toarray()[:, 0] == pytest.approx([*least[1:], 0.0, 0.0], abs=1e-6)
