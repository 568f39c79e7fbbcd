"""Which reader a data file gets, by its name or as asked for."""

import pytest

from sparsesolve.tables import read_table


def test_layout_by_ending_or_by_name(written, refused):
    refused(written("a,y\n1,2\n3,4\n", "data.dat"), "none of .csv, .*say --format", "y")
    assert read_table(written("a,y\n1,2\n3,4\n", "data"), "y", layout="csv").X.shape == (2, 1)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "missing.csv", "y")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OSError):
        read_table(tmp_path / "folder.csv", "y")
