"""Data files for the tests of their readers."""

import pytest

from sparsesolve.data.tables import read_table


@pytest.fixture
def written(tmp_path):
    """Write a text file and return its path."""

    def write(text, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


@pytest.fixture
def refused():
    """Check that reading fails with one line that begins with the file and matches `words`."""

    def refuse(path, words, *args, **options):
        with pytest.raises(ValueError, match=words) as caught:
            read_table(path, *args, **options)
        assert str(caught.value).startswith(f"{path}: ")
        assert "\n" not in str(caught.value)

    return refuse
