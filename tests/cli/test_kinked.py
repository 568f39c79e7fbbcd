"""Hinge, quantile and epsilon-insensitive losses on the command line."""

import numpy as np
import pytest

pytest.importorskip("pandas")
import pandas  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.__main__ import main  # noqa: E402


@pytest.mark.parametrize(("word", "family"), [
    ("hinge", ss.families.hinge()), ("quantile(0.2)", ss.families.quantile(0.2)),
    ("epsilon_insensitive(0.5)", ss.families.epsilon_insensitive(0.5)),
])  # fmt: skip
def test_a_path_of_the_command_is_that_of_the_function(word, family, tmp_path, capsys):
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y = table.a - table.b + rng.normal(size=60)
    table["y"] = np.where(y > 0, "yes", "no") if word == "hinge" else y
    table.to_csv(tmp_path / "data.csv", index=False)
    words = ["path", tmp_path / "data.csv", "--response", "y", "--family", word, "--alpha", 0,
             "--n-lambdas", 5, "--save", tmp_path / "model.npz"]  # fmt: skip
    assert main([str(word) for word in words]) == 0
    capsys.readouterr()
    model = ss.load(tmp_path / "model.npz")
    fit = ss.path(table[list("abc")], table.y, family=family, alpha=0, n_lambdas=5)
    assert model.coefs.toarray() == pytest.approx(fit.coefs.toarray(), abs=1e-10)
    assert model.gaps.max() <= 1e-7
