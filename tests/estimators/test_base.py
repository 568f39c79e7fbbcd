"""How estimators validate arrays, and new rows against those of the fit."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators.base import TYPES, validate_data, validated  # noqa: E402

RNG = np.random.default_rng(23)
X = RNG.standard_normal((30, 4))
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(30)


class Subclass(np.ndarray):
    """What a matrix of another package may be."""


ODD = X.copy()
ODD[3, 2] = np.inf
WAYS = {
    "plain": (X, Y), "fortran": (np.asfortranarray(X), Y), "every other": (X[::2], Y[::2]),
    "single": (X.astype(np.float32), Y), "whole": (X.round().astype(int), Y),
    "classes": (X, Y > 0), "words": (X, np.where(Y > 0, "a", "b")), "list": (X.tolist(), Y),
    "other bytes": (X.astype(">f8"), Y), "subclass": (X.view(Subclass), Y),
    "sparse": (sparse.csc_array(X), Y), "infinite": (ODD, Y), "y infinite": (X, ODD[:, 2]),
    "y has nan": (X, np.where(Y > 0, np.nan, Y)), "short": (X, Y[:-1]), "column": (X, Y[:, None]),
    "flat": (Y, Y), "empty": (X[:0], Y[:0]), "no columns": (X[:, :0], Y), "no y": (X, None),
    "complex": (X + 1j, Y), "huge": (np.full((30, 4), 1e308), Y),
    "y strided": (X, np.repeat(Y, 2)[::2]),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("order", [None, "F"])
def test_arrays_are_validated_as_scikit_learn_does(way, order):
    """Results, errors and what the estimator remembers are those of scikit-learn."""
    from sklearn.linear_model import Ridge

    found = []
    for check in (validated, validate_data):
        for at in (WAYS[way], WAYS[way][:1]):
            model = Ridge()
            try:
                out = check(model, *at, dtype=TYPES, order=order, accept_sparse="csc")
            except (ValueError, TypeError) as error:
                found.append((type(error), str(error)))
                continue
            parts = out if isinstance(out, tuple) else (out,)
            parts = [part.toarray() if sparse.issparse(part) else part for part in parts]
            found.append([(type(part), part.dtype, part.flags.f_contiguous, part.tolist())
                          for part in parts] + [model.n_features_in_])  # fmt: skip
    half = len(found) // 2
    assert found[:half] == found[half:]


def test_new_rows_are_validated_against_the_fit():
    model = ss.estimators.Lasso(0.1).fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but Lasso is expecting 4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(ODD)
    pd = pytest.importorskip("pandas")
    named = ss.estimators.Lasso(0.1).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X)
    named.fit(X, Y)
    assert not hasattr(named, "feature_names_in_")
    assert named.predict(X) == pytest.approx(model.predict(X))
