"""The diffs of CONTRIBUTING.md: each is applied to a copy of the package, and its tests pass."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
TRIED = re.findall(r"`git apply (docs/extending/\w+\.diff) && (?:CASE=(\w+) )?python (.+?)`", PAGE)


def compiled_are_linked(source, target):
    """Copy a file, or link it if it is a compiled module."""
    if source.endswith((".so", ".pyd")) and hasattr(os, "symlink"):
        os.symlink(source, target)
    else:
        shutil.copyfile(source, target)


def test_each_diff_is_shown():
    diffs = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/extending").iterdir()}
    assert {diff for diff, *_ in TRIED} == diffs and len(diffs) == len(TRIED) == 4
    text = (ROOT / "docs" / "extending.rst").read_text()
    assert diffs == {f"docs/{found}" for found in re.findall("literalinclude:: (.+)", text)}
    assert all((ROOT / diff).read_text().count("\n") <= 60 for diff in diffs)


@pytest.mark.parametrize("diff, case, command", TRIED,
                         ids=lambda word: word if word.endswith("diff") else "")
def test_a_diff_works(diff, case, command, tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git applies the diffs")
    unwanted = shutil.ignore_patterns("__pycache__", "_build", "api", "gallery", ".*")
    for name in ("sparsesolve", "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=unwanted,
                        copy_function=compiled_are_linked)  # fmt: skip
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "CASE": case,
           "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}  # fmt: skip
    for words in (["git", "apply", diff], [sys.executable, *shlex.split(command), "-q"]):
        done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
