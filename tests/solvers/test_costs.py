"""Constants that steer an algorithm: each has a name, a number and a sentence that says why."""

import re
from pathlib import Path

import pytest

import sparsesolve.solvers.costs as costs

MODULES = sorted(Path(costs.__file__).parent.glob("*.py"))


def constants(text):
    """Yield (name, comment above it); constants one under the other share their comment."""
    comment, last = [], []
    for line in text.splitlines():
        found = re.match(r"([A-Z][A-Z_0-9]*) = ", line)
        if found:
            last = comment or last
            yield found[1], " ".join(last)
            comment = []
        else:
            comment = [*comment, line[1:].strip()] if line.startswith("#") else []
            last = [] if not line.strip() else last


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.stem)
def test_every_constant_says_in_a_sentence_what_it_decides(file):
    found = dict(constants(file.read_text()))
    assert found
    for name, comment in found.items():
        assert re.match(r"[A-Za-z0-9]", comment), f"{name} has no comment"
        assert comment.endswith(".") and len(comment.split()) >= 5, f"{name}: {comment}"


def test_a_constant_stands_once():
    """Compiled modules copy constants by name; a number in their place would be another one."""
    rooms = Path(costs.__file__).parents[1]
    for file in rooms.rglob("*.pyx"):
        for name, value in re.findall(r"(?m)^cdef \w+ (\w+) = costs\.(\S+)", file.read_text()):
            module, _, constant = value.rpartition(".")
            holder = getattr(costs, module) if module else costs
            assert hasattr(holder, constant), f"{file.name}: {name}"
