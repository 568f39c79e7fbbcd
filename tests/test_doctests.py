"""The examples of the README and of every module's docstrings do what they print."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import sparsesolve

README = Path(__file__).parents[1] / "README.md"
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(sparsesolve.__path__, "sparsesolve.")
    if not module.name.endswith("__main__")
)


@pytest.fixture(autouse=True)
def scratch_folder(tmp_path, monkeypatch):
    """Examples may write files; they write them here."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["sparsesolve", *MODULES])
def test_docstring_examples(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


def test_readme_examples():
    result = doctest.testfile(str(README), module_relative=False, optionflags=OPTIONS)
    assert result.failed == 0
