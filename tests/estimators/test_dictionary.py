"""DictionaryLearning as a transformer against the function of this package."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.pipeline import make_pipeline  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import DictionaryLearning, SparseLogisticRegression  # noqa: E402

RNG = np.random.default_rng(6)
ATOMS = np.linalg.qr(RNG.normal(size=(8, 8)))[0][:5]
X = (RNG.normal(size=(300, 5)) * (RNG.random(size=(300, 5)) < 0.3)) @ ATOMS


def test_atoms_are_found_and_rows_coded():
    model = DictionaryLearning(5, alpha=0.05, algorithm="batch", max_iter=30, random_state=0)
    codes = model.fit_transform(X)
    assert np.abs(ATOMS @ model.components_.T).max(axis=1).min() > 0.98
    assert (model.components_**2).sum(axis=1).max() <= 1 + 1e-12
    certified = ss.sparse_code(X.T, model.components_.T, lam=0.05)
    assert codes == pytest.approx(certified.codes.toarray().T) and certified.gaps.max() <= 1e-7
    error = ((X - model.inverse_transform(codes)) ** 2).sum()
    assert error < 0.1 * (X**2).sum() and model.n_iter_ == len(model.objectives_) <= 30


def test_the_start_the_signs_and_the_seed():
    options = {"alpha": 0.05, "max_iter": 3, "random_state": 4}
    one, two = (DictionaryLearning(4, **options).fit(np.abs(X)) for _ in range(2))
    assert np.array_equal(one.components_, two.components_)
    positive = DictionaryLearning(4, positive_code=True, positive_dict=True, **options)
    assert positive.fit_transform(np.abs(X)).min() == 0.0 and positive.components_.min() >= 0.0
    kept = DictionaryLearning(5, dict_init=ATOMS, alpha=0.05, max_iter=1).fit(X)
    assert np.abs(kept.components_ @ ATOMS.T).diagonal().min() > 0.9
    with pytest.raises(ValueError, match="dict_init has shape"):
        DictionaryLearning(4, dict_init=ATOMS).fit(X)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_out_where_they_are_asked_for(library):
    frames = pytest.importorskip(library)
    table = frames.DataFrame({f"x{j}": X[:, j] for j in range(8)})
    model = DictionaryLearning(3, alpha=0.1, random_state=0).set_output(transform=library)
    codes = model.fit_transform(table)
    assert isinstance(codes, frames.DataFrame)
    assert list(codes.columns) == [f"dictionarylearning{k}" for k in range(3)]
    assert model.feature_names_in_.tolist() == [f"x{j}" for j in range(8)]


def test_codes_feed_a_classifier():
    y = np.where(X @ ATOMS[0] > 0.3, "up", "rest")
    pipe = make_pipeline(DictionaryLearning(5, alpha=0.02, random_state=0, max_iter=3),
                         SparseLogisticRegression(alpha=1e-3))  # fmt: skip
    assert pipe.fit(X, y).score(X, y) > 0.95 > np.mean(y == "rest")
