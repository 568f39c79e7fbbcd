"""The import law: imports and cimports point down, room by room, and file names say something."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import sparsesolve

ROOT = Path(__file__).parents[1] / "sparsesolve"
FILES = sorted(path for path in ROOT.rglob("*") if path.suffix in {".py", ".pyx", ".pxd"})
COMPILED = sorted(path for path in ROOT.rglob("*") if path.suffix in {".pyx", ".pxd", ".h"})
ROOMS = [  # from the top down; rooms of one line may not import from each other
    {"__init__", "__main__", "cli"},
    {"estimators"},
    {"inference"},
    {"selection"},
    {"mkl", "structured", "online"},
    {"paths"},
    {"results"},
    {"families"},
    {"data"},
    {"solvers"},
    {"losses", "penalties"},
    {"linalg"},
]
STRANGERS = [("losses", "penalties"), ("penalties", "losses"), ("penalties", "linalg.design")]
VAGUE = re.compile(r"(^|_)(utils?|helpers?|common|misc|tools?|fast|v\d+)$")
CYTHON_IMPORT = re.compile(
    r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?c?import[ \t]+(?:\([^)]*\)|[^\n]+))", re.MULTILINE
)


def imports(file, text):
    """Yield what a file imports from this package, as "linalg.design.Design"."""
    if file.suffix != ".py":  # of a Cython file the imports alone, cimport read as import
        text = "\n".join(CYTHON_IMPORT.findall(text)).replace("cimport", "import")
    package = ("sparsesolve", *file.relative_to(ROOT).parts[:-1])
    for node in ast.walk(ast.parse(text)):
        origin = []
        if isinstance(node, ast.ImportFrom):
            origin = [*package[: len(package) + 1 - node.level]] if node.level else []
            origin += node.module.split(".") if node.module else []
        elif not isinstance(node, ast.Import):
            continue
        for alias in node.names:
            top, *inside = [*origin, *alias.name.split(".")]
            if top == "sparsesolve":
                yield ".".join(inside)


def floor(room):
    """Return the position of a room in ROOMS; a file that is in none is an error."""
    return next(position for position, rooms in enumerate(ROOMS) if room in rooms)


def room_of(target):
    """Return the room of what is imported; what is no folder is a name of the package itself."""
    name = target.split(".")[0]
    return name if (ROOT / name).is_dir() and name else "__init__"


def broken_laws(file, text):
    """Return imports of a file that point up, to another room of its floor, or at a stranger."""
    source = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    room = source.split(".")[0]
    strangers = tuple(b for a, b in STRANGERS if source.startswith(a))
    return [
        target
        for target in imports(file, text)
        if floor(room_of(target)) < floor(room)
        or (floor(room_of(target)) == floor(room) > 0 and room_of(target) != room)
        or target.startswith(strangers)
    ]


def test_imports_point_down_and_names_say_something():
    faults = {str(file): broken_laws(file, file.read_text()) for file in FILES}
    assert {file: targets for file, targets in faults.items() if targets} == {}
    assert [file for file in FILES if VAGUE.search(file.stem)] == [], "name the noun it defines"


@pytest.mark.parametrize(
    "name, text",
    [
        ("results/path.py", "def plot():\n    from sparsesolve import paths"),
        ("results/path.py", "import sparsesolve as ss"),
        ("linalg/design.pyx", "from sparsesolve.solvers.cd cimport (\n    sweep,\n)"),
        ("linalg/design.pyx", "from ..losses cimport gaussian  # why"),
        ("losses/gaussian.pyx", "cimport sparsesolve.penalties.base as base"),
        ("penalties/lasso.pyx", "from sparsesolve.losses.base cimport Loss"),
        ("penalties/lasso.pyx", "from ..linalg.design cimport Design"),
        ("penalties/lasso.pxd", "from sparsesolve.linalg cimport column, design"),
        ("solvers/cd.pyx", "from sparsesolve.results.path import Status"),
        ("mkl/path.py", "from sparsesolve.online.online import online"),
        ("paths/path.py", "from ..selection.cv import cv_path"),
    ],
)
def test_the_law_is_enforced(name, text):
    assert len(broken_laws(ROOT / name, text)) == 1


def test_compiled_lines():
    """They fit a screen, which the linter checks in Python files only; and no index is negative,
    as Cython's wraparound is off: what that means of an array is up to numpy.
    """
    faults = [
        f"{file.relative_to(ROOT)}, line {number}: {line}"
        for file in COMPILED
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if len(line) > 100 or re.search(r"\w\[-\d+\]", line)
    ]
    assert faults == []


def test_importing_the_package_is_cheap(fresh_python):
    """Plots, tables and estimators are loaded when they are asked for, not before."""
    heavy = {"dask", "matplotlib", "pandas", "polars", "sklearn", "tqdm", "pyarrow", "scipy.stats",
             "sparsesolve.selection.cv", "sparsesolve.paths.dictionary", "sparsesolve.estimators",
             "sparsesolve.paths.lars", "sparsesolve.mkl", "scipy.special", "scipy.sparse.linalg",
             "scipy.sparse.csgraph"}  # fmt: skip
    script = (  # older versions of scipy.sparse import some of them
        "import sys, scipy.linalg, scipy.sparse; before = set(sys.modules); import sparsesolve\n"
        f"print(*sorted({heavy} & set(sys.modules) - before))"
    )
    assert fresh_python(script) == ""


def test_what_is_imported_when_asked_for_is_what_type_checkers_see(fresh_python):
    """Each name in an interpreter that was asked for no other, where processes can fork."""
    script = """if True:
        import os, sys
        import sparsesolve as ss
        for name in ss.__all__:
            if not hasattr(os, "fork") or os.fork() == 0:
                print(name, name in dir(ss), getattr(ss, name).__name__, flush=True)
                if hasattr(os, "fork"):
                    os._exit(0)
            else:
                os.wait()"""
    expected = []
    for name in sparsesolve.__all__:
        module = "sparsesolve." if inspect.ismodule(getattr(sparsesolve, name)) else ""
        expected.append(f"{name} True {module}{name}")
    assert fresh_python(script).splitlines() == expected


def test_the_root_is_small():
    """Sixteen rooms, and the three files that Python asks for there."""
    entries = {path.name for path in ROOT.iterdir() if path.suffix != ".so"} - {"__pycache__"}
    assert entries == {"__init__.py", "__main__.py", "py.typed"} | set().union(*ROOMS) - {
        "__init__", "__main__"
    }  # fmt: skip


def test_threads_may_ask_at_the_same_time(fresh_python):
    script = """if True:
        import sys, threading
        import sparsesolve as ss
        sys.setswitchinterval(1e-6)
        names, failed = [name for name in ss.__all__ if name not in vars(ss)], []
        start = threading.Barrier(len(names))

        def ask(name):
            start.wait()
            try:
                getattr(ss, name)
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=ask, args=[name]) for name in names]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(len(names) > 20, failed)"""
    for _ in range(3):
        assert fresh_python(script) == "True []"


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'sparsesolve' has no attribute 'pathh'"):
        sparsesolve.pathh  # noqa: B018
