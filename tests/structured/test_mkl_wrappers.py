"""Wrappers around a structured SVM: the same optimum from both, and from SPOM's own bound."""

import numpy as np
import pytest
from structured.test_spom import GROUPS, LENGTHS, draw

import sparsesolve as ss
from sparsesolve import structured


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_both_wrappers_find_one_optimum(loss):
    X, y = draw(11)
    found = [structured.wrapped_mkl(X, y, lengths=LENGTHS, groups=GROUPS, algorithm=algorithm,
                                    loss=loss, lam=0.05, epochs=30, rounds=60, tol=5e-3)
             for algorithm in ("gauss_seidel", "simplemkl")]  # fmt: skip
    for model in found:
        assert 0.0 <= model.relative_gap < 0.04
        np.testing.assert_allclose(model.kernel_weights.sum(axis=1), 1.0)
    assert abs(found[0].objective - found[1].objective) <= max(m.gap for m in found) + 1e-9
    online = ss.spom(X, y, lengths=LENGTHS, groups=GROUPS, loss=loss, lam=0.05, eta0=0.3,
                     epochs=200, average="epoch")  # fmt: skip
    assert online.objective >= max(model.bound for model in found)
    assert online.objective <= found[0].objective + 0.1 * found[0].null_objective


def test_kernels_and_features_take_the_same_course():
    X, y = draw(12)
    kernels = [X[:, g == GROUPS] @ X[:, g == GROUPS].T for g in range(3)]
    options = {"lengths": LENGTHS, "lam": 0.1, "rounds": 5, "tol": 0.0}
    one = structured.wrapped_mkl(X, y, groups=GROUPS, **options)
    two = structured.wrapped_mkl(kernels, y, **options)
    np.testing.assert_allclose(one.objectives, two.objectives, rtol=1e-9)
    np.testing.assert_allclose(one.kernel_weights, two.kernel_weights, atol=1e-9)


def test_pegasos_is_the_l2_norm_with_its_own_steps():
    X, y = draw(13)
    model = structured.pegasos(X, y, lengths=LENGTHS, lam=0.2, epochs=60)
    assert 0.0 <= model.relative_gap < 0.3
    assert model.options["norm"] == "l2" and model.options["schedule"] == "pegasos"
    with pytest.raises(ValueError, match="norm='l2' alone"):
        ss.spom(X, y, lengths=LENGTHS, schedule="pegasos")
    with pytest.raises(ValueError, match="algorithm"):
        structured.wrapped_mkl(X, y, lengths=LENGTHS, algorithm="simple")
