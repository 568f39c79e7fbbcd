"""Several Parquet files, read by dask, as one file that is read into memory."""

import re

import numpy as np
import pytest
from cases import run as run_one

import sparsesolve as ss

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
pytest.importorskip("dask.dataframe")

RNG = np.random.default_rng(5)
N = 150
TABLE = pd.DataFrame({
    "age": RNG.normal(60.0, 9.0, N), "ward": RNG.choice(["north", "south", "east"], N),
    "row": np.arange(N), "mass": RNG.integers(1, 4, N), "since": RNG.uniform(size=N),
})  # fmt: skip
TABLE["dose"] = TABLE.age / 9 + (TABLE.ward == "south") + RNG.normal(size=N)
TABLE["ill"] = np.where(TABLE.dose > TABLE.dose.median(), "yes", "no")
TABLE.loc[::8, "age"] = np.nan


@pytest.fixture
def files(tmp_path):
    """One file of all rows, and three with some each."""
    TABLE.to_parquet(tmp_path / "whole.parquet")
    cut = [TABLE[:40], TABLE[40:100], TABLE[100:]]
    for k, part in enumerate(cut):
        part.reset_index(drop=True).to_parquet(tmp_path / f"part-{k}.parquet")
    return tmp_path / "whole.parquet", [tmp_path / f"part-{k}.parquet" for k in range(3)]


def run(command, files, *options):
    return run_one(command, *files, *options)


@pytest.mark.parametrize("options", [
    ["--response", "dose", "--drop", "ill"],
    ["--response", "dose", "--drop", "ill", "--weights", "mass", "--offset", "since"],
    ["--response", "ill", "--drop", "dose", "--family", "binomial", "--alpha", "0.5"],
    ["--response", "mass", "--drop", "ill", "--family", "multinomial", "--n-lambdas", "8"],
])  # fmt: skip
def test_paths_are_those_of_one_file(files, tmp_path, options):
    whole, parts = files
    options = [*options, "--drop", "row", "--lambda-min-ratio", "0.05", "--quiet", "--save"]
    assert run("path", [whole], *options, str(tmp_path / "one.npz")) == 0
    assert run("path", parts, *options, str(tmp_path / "more.npz")) == 0
    one, more = ss.load(tmp_path / "one.npz"), ss.load(tmp_path / "more.npz")
    assert one.feature_names.tolist() == more.feature_names.tolist()
    assert np.array_equal(one.class_names, more.class_names) and more.gaps.max() <= 1e-7
    moved = {"offset": TABLE.since} if "--offset" in options else {}
    found, wanted = (fit.predict(TABLE, **moved) for fit in (more, one))
    np.testing.assert_allclose(found, wanted, atol=5e-3)


def test_a_folder_goes_to_a_chosen_model(files, tmp_path, capsys):
    whole, parts = files
    options = ["--response", "ill", "--family", "binomial", "--drop", "dose", "--folds", "4",
               "--seed", "0", "--save"]  # fmt: skip
    assert run("cv", [whole], *options, str(tmp_path / "one.npz")) == 0
    assert run("cv", parts, *options, str(tmp_path / "more.npz")) == 0
    assert capsys.readouterr().err.count("columns of text, encoded by their levels: ward") == 2
    one, more = ss.load(tmp_path / "one.npz"), ss.load(tmp_path / "more.npz")
    np.testing.assert_allclose(one.mean, more.mean, rtol=2e-3)
    assert run("predict", [tmp_path / "more.npz", whole], "--out", str(tmp_path / "p.csv")) == 0
    found = pd.read_csv(tmp_path / "p.csv").to_numpy().ravel()
    np.testing.assert_allclose(found, one.predict(TABLE, kind="response"), atol=5e-3)


def test_what_is_wrong_with_several_files_is_said(files, tmp_path, capsys):
    whole, parts = files
    TABLE.drop(columns="ward").to_parquet(tmp_path / "odd.parquet")
    gap = tmp_path / "gap.parquet"
    TABLE.assign(dose=TABLE.dose.where(TABLE.row != 7)).to_parquet(gap)
    cases = [
        ([*parts, tmp_path / "odd.parquet"], ["--response", "dose"],
         "odd.parquet: its columns are not those of .*part-0.parquet: 'ward' is in one"),
        ([*parts, tmp_path / "x.csv"], ["--response", "dose"], "x.csv: several files are read"),
        (parts, ["--response", "dos"], "did you mean 'dose'"),
        (parts, ["--formula", "dose ~ age"], "--formula takes one file"),
        ([gap, parts[0]], ["--response", "dose"], "column 'dose' holds no value in row 8 of all"),
        (parts, ["--response", "dose", "--missing", "error"], "'age' is missing in row 0 "),
    ]  # fmt: skip
    for given, options, sentence in cases:
        assert run("path", given, *options) == 2
        assert re.search(sentence, capsys.readouterr().err)
