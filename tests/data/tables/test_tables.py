"""Which reader a data file gets, by its name or as asked for."""

import io
import os
from types import SimpleNamespace

import numpy as np
import pytest

from sparsesolve.data.tables import read_table


def test_layout_by_ending_or_by_name(written, refused):
    refused(written("a,y\n1,2\n3,4\n", "data.dat"), "none of .csv, .*say --format", "y")
    assert read_table(written("a,y\n1,2\n3,4\n", "data"), "y", layout="csv").X.shape == (2, 1)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "missing.csv", "y")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OSError):
        read_table(tmp_path / "folder.csv", "y")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs pipes with names")
@pytest.mark.parametrize("layout", ["csv", "npz"])
def test_what_comes_through_a_pipe_is_read(tmp_path, monkeypatch, layout):
    file = tmp_path / f"data.{layout}"
    if layout == "csv":
        file.write_text("a,b,y\n1,2,3\n2,1,4\n")
    else:
        np.savez(file, X=[[1.0, 2.0], [2.0, 1.0]], y=[3.0, 4.0])
    options = {"layout": layout, "response": "y"}
    wanted = read_table(file, **options)
    read, write = os.pipe()
    os.write(write, file.read_bytes())
    os.close(write)
    piped = read_table(f"/dev/fd/{read}", **options)
    os.close(read)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(file.read_bytes())))
    for table in (piped, read_table("-", **options)):
        assert np.array_equal(table.X, wanted.X) and np.array_equal(table.y, wanted.y)
    with pytest.raises(ValueError, match="^-: the ending of the name is none of"):
        read_table("-", response="y")
