"""The examples of the README, of the documentation and of docstrings do what they print."""

import doctest
import importlib
from pathlib import Path

import pytest

import sparsesolve

README = Path(__file__).parents[1] / "README.md"
PAGES = sorted((README.parent / "docs").glob("*.rst"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SOURCES = Path(sparsesolve.__file__).parent
MODULES = sorted(
    ".".join(file.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
    for file in SOURCES.rglob("*.py*")
    if file.suffix in (".py", ".pyx") and ">>> " in file.read_text()
)


@pytest.fixture(autouse=True)
def scratch_folder(tmp_path, monkeypatch):
    """Examples may write files; they write them here."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.name)
def test_examples_of_pages(page):
    result = doctest.testfile(str(page), module_relative=False, optionflags=OPTIONS)
    assert result.failed == 0
