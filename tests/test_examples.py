"""The examples run, in small."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import sparsesolve as ss

EXAMPLE = Path(__file__).parents[1] / "examples/dictionaries/dictionary.py"


@pytest.fixture
def example(monkeypatch):
    """The example on dictionaries, with few patches and atoms."""
    spec = importlib.util.spec_from_file_location("example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PATCHES", 2000)
    monkeypatch.setattr(module, "ATOMS", 20)
    return module


def test_a_dictionary_of_photographs_is_learnt_and_drawn(example, tmp_path):
    Y = example.patches(np.random.default_rng(0))
    assert Y.shape[0] == 64 and 500 < Y.shape[1] <= 2000
    np.testing.assert_allclose(Y.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(Y, axis=0), 1.0)
    learnt = ss.DictionaryLearning(20, lam=0.15, n_epochs=3, batch_size=50, seed=0).fit(Y)
    example.draw(learnt, np.arange(20), tmp_path / "atoms.png")
    assert (tmp_path / "atoms.png").stat().st_size > 10_000
    picture = example.mosaic(learnt.dictionary)
    assert picture.shape == (46, 46) and picture.min() >= 0.0 and picture.max() == 1.0
