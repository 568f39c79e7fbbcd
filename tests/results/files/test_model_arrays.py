"""Arrays of a model file: those that fit together pass, each single fault gets its sentence."""

import json

import numpy as np
import pytest

from sparsesolve.results.files.fit_arrays import KINDS
from sparsesolve.results.files.model_arrays import checked

CURVE = {"measure": "mse", "larger_is_better": False, "alpha": 1.0, "gamma": None,
         "index_min": 2, "index_1se": 0}  # fmt: skip


def path_arrays(K=1, L=3, p=4, **changed):
    """Those of a path: `p` features at `L` lambdas, of K responses."""
    count = 2 * L
    arrays = {
        "family": np.array("gaussian" if K == 1 else "multinomial"),
        "stop_reason": np.array("done"),
        "lambdas": np.linspace(1.0, 0.0, L),
        "df": np.arange(L),
        "dev_ratio": np.full(L, np.nan),
        "gaps": np.full(L, np.inf),
        "n_iters": np.arange(L),
        "status": np.arange(L, dtype=np.int8) % 3,
        "null_deviance": np.array(np.nan),
        "coef_data": np.ones(count),
        "coef_indices": np.tile([0, K * p - 1], L),
        "coef_indptr": 2 * np.arange(L + 1),
        "coef_shape": np.array([K * p, L]),
        "intercepts": np.zeros(L) if K == 1 else np.zeros((K, L)),
        "options": np.array(json.dumps({"has_offset": False, "alpha": 1.0})),
    }
    return {**arrays, **changed}


def curve_arrays(L=3, F=5, **changed):
    """Those of a cross-validated path besides: F folds."""
    arrays = path_arrays(L=L)
    arrays |= {
        "mean": np.ones(L),
        "std": np.full(L, np.nan),
        "n_nonzero": np.arange(L),
        "fold_scores": np.full((F, L), np.nan),
        "fold_weights": np.ones(F),
        "cv_options": np.array(json.dumps(CURVE)),
    }
    return {**arrays, **changed}


def passed(arrays):
    checked(arrays, KINDS["cv" if "mean" in arrays else "path"].members)


@pytest.mark.parametrize("arrays", [
    path_arrays(),
    path_arrays(K=3),
    path_arrays(coef_indptr=np.array([0, 0, 6, 6])),
    path_arrays(L=0, coef_indptr=np.array([0])),
    path_arrays(status=np.array([2, 2, 0], np.uint8), coef_shape=np.array([4, 3], np.uint32)),
    path_arrays(lambdas=np.array([3, 2, 1], np.float32)),
    path_arrays(feature_names=np.array([*"abcd"]), groups=np.array([0, 0, 1, 1])),
    path_arrays(class_names=np.array(["no", "yes"])),
    path_arrays(K=3, class_names=np.array([1, 2, 3]), feature_names=np.array([*"abcd"])),
    curve_arrays(),
    curve_arrays(F=1, n_nonzero=np.array([0.0, 0.5, 1.0]), fold_weights=np.array([3])),
    curve_arrays(cv_options=np.array(json.dumps({**CURVE, "index_min": 0, "index_1se": 2}))),
])  # fmt: skip
def test_what_fits_together_passes(arrays):
    passed(arrays)


def cv_options(**changed):
    return curve_arrays(cv_options=np.array(json.dumps({**CURVE, **changed})))


@pytest.mark.parametrize("arrays, sentence", [
    (path_arrays(lambdas=np.array([3, 2, 1])),
     "lambdas is of type int64 and shape (3,), not 1-dimensional numbers"),
    (path_arrays(df=np.zeros(2, int)), "df has shape (2,), which does not fit the others"),
    (path_arrays(df=np.full(3, 9)), "df holds 9 for 4 features"),
    (path_arrays(lambdas=np.array([np.inf, 2, 1])), "lambdas holds NaN or infinity"),
    (path_arrays(lambdas=np.array([3.0, 1, 1])), "lambdas is not falling and at least 0"),
    (path_arrays(lambdas=np.array([1.0, 0, -1])),
     "lambdas holds -1.0, which is not from 0 to below inf"),
    (path_arrays(status=np.array([0, 5, 0])), "status holds 5, which is not from 0 to below 5"),
    (path_arrays(family=np.array("gauss")), "family is 'gauss', which is none of this package"),
    (path_arrays(K=3, family=np.array("gaussian")),
     "intercepts has shape (3, 3) for 'gaussian'"),
    (path_arrays(coef_shape=np.array([4, 3, 1])), "coef_shape is not of two numbers"),
    (path_arrays(coef_shape=np.array([0, 3])), "coef_shape is (0, 3) for 1 responses"),
    (path_arrays(coef_indptr=np.array([0, 2, 4])), "coef_indptr does not fit the coefficients"),
    (path_arrays(coef_indptr=np.array([0, 4, 2, 6], np.uint64)), "coef_indptr falls"),
    (path_arrays(coef_indices=np.array([0, 1, 2, 3, 4, 0])),
     "coef_indices leads beyond the 4 rows"),
    (path_arrays(coef_indices=np.array([0, 1, 2, -1, 3, 0])),
     "coef_indices holds -1, which is not from 0 to below inf"),
    (path_arrays(K=2, class_names=np.array(["a", "b", "c"])),
     "class_names has shape (3,), which does not fit the others"),
    (path_arrays(options=np.array("[]")), "options is not what was written"),
    (path_arrays(options=np.array("{")), "options is no JSON"),
    (path_arrays(options=np.array("{}")), "options lacks has_offset"),
    (cv_options(index_min=3), "index_min of cv_options holds 3, which is not from 0 to below 3"),
    (cv_options(index_min=True), "index_min of cv_options is not what was written"),
])  # fmt: skip
def test_each_fault_gets_its_sentence(arrays, sentence):
    with pytest.raises(ValueError) as caught:
        passed(arrays)
    assert str(caught.value) == sentence
