"""Constants that steer an algorithm: each says what it decides, and tripled it changes no answer
beyond the tolerance. How many of them a room has is tests/test_rooms.py's."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sparsesolve as ss
import sparsesolve.solvers as solvers
from sparsesolve.solvers import state, tolerances

ROOT = Path(solvers.__file__).parent
FILES = sorted(f for f in ROOT.rglob("*") if f.suffix in (".py", ".pyx", ".pxd", ".h"))
CONSTANT = re.compile(r"(?:cdef [\w ]+ |DEF )?([A-Z][A-Z_0-9]+) = (.*\d.*)$")
TOL = 1e-8


def constants(text):
    """Yield each constant of a file with the comment above it, or beside it; neighbours share."""
    comment, last = [], []
    for line in text.splitlines():
        found = CONSTANT.match(line)
        if found:
            last = comment or last
            yield found[1], " ".join([*last, found[2].partition("#")[2]]).strip()
            comment = []
        else:
            comment = [*comment, line[1:].strip()] if line.startswith("#") else []
            last = last if line else []


def test_every_constant_says_what_it_decides():
    bare = [(str(file.relative_to(ROOT)), name) for file in FILES
            for name, comment in constants(file.read_text()) if len(comment.split()) < 3]
    assert bare == []


RNG = np.random.default_rng(0)
X = np.asfortranarray(RNG.standard_normal((60, 120)))
Y = X[:, :8] @ RNG.standard_normal(8) + RNG.standard_normal(60)
GROUPS = ss.penalties.GroupL2(np.arange(120) // 4)
SLOPE = ss.penalties.Slope(np.linspace(2.0, 1.0, 30))
CLASSES = np.digitize(Y, np.quantile(Y, [0.3, 0.7]))
SIGNS = np.sign(Y)
GRID = {"n_lambdas": 4, "lambda_min_ratio": 0.1, "stop": None, "tol": TOL}
PROBLEMS = {
    "lasso": lambda: ss.path(X, Y, **GRID),
    "groups": lambda: ss.path(X, Y > 0, family="binomial", penalty=GROUPS, **GRID),
    "softmax": lambda: ss.path(X[:, :30], CLASSES, family="multinomial", **GRID),
    "real": lambda: ss.path(X, np.c_[Y, Y**2, X[:, 3]], family="multigaussian", **GRID),
    "slope": lambda: ss.path(X[:, :30], Y, penalty=SLOPE, **GRID),
    "hinge": lambda: ss.path(X[:, :20], SIGNS, family=ss.families.hinge(), alpha=0.0,
                             n_lambdas=3, lambda_min_ratio=0.1, tol=1e-6),
    "ridge": lambda: ss.path(X, Y > 0, family="binomial", alpha=0.0, n_lambdas=3, tol=TOL),
    "lars": lambda: ss.lars_path(X[:, :30], Y),
}  # fmt: skip
OWN = {  # which problems use a room
    "homotopy": ["lars"], "margin": ["hinge"], "first_order": ["slope"],
    "responses": ["softmax", "real"], "reductions": ["ridge", "slope"],
}  # fmt: skip


def answer(fit):
    """Return predictions at the fit's lambdas, once they are certified."""
    gaps = getattr(fit, "gaps", None)
    if gaps is not None:
        assert not np.any(fit.status) and (gaps <= 1e-6).all()
    return fit.predict(X[:, : fit.n_features])


def same(found, expected):
    """Both are within the tolerance of the optimum, so that predictions differ by its root."""
    np.testing.assert_allclose(found, expected, atol=1e-2 * (1.0 + np.abs(expected).max()))


def changed(value):
    """Three times a number; of a share beyond 0.3, a third of its distance from 1."""
    if isinstance(value, int):
        return 3 * value
    return 1.0 - (1.0 - value) / 3.0 if 0.3 < value < 1.0 else 3.0 * value


def patchable():
    """Yield (room, module, name) of the numbers that can be changed after the import."""
    shared = {name for name in vars(tolerances) if name.isupper()}
    for label, module in sorted(sys.modules.items()):
        if not label.startswith("sparsesolve.solvers.") or module in (state, tolerances):
            continue
        for name, value in sorted(vars(module).items()):
            number = type(value) in (int, float) and np.isfinite(value)
            codes = name in vars(state) or name in shared or name in ("UNBOUNDED", "EPSILON")
            if re.fullmatch(r"[A-Z][A-Z_0-9]+", name) and number and not codes:
                yield label.split(".")[2], module, name


def test_a_number_tripled_changes_no_answer(monkeypatch):
    expected = {name: answer(solve()) for name, solve in PROBLEMS.items()}
    tripled = 0
    for room, module, name in list(patchable()):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, changed(getattr(module, name)))
            for problem in OWN.get(room, ["lasso", "groups"]):
                same(answer(PROBLEMS[problem]()), expected[problem])
        tripled += 1
    assert tripled > 50


CHILD = """
import importlib.util, json, os, sys
spec = importlib.util.spec_from_file_location("sparsesolve.solvers.tolerances", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
setattr(module, sys.argv[2], json.loads(sys.argv[3]))
sys.modules[spec.name] = module
sys.path.insert(0, sys.argv[4])
import test_constants as own
assert own.tolerances is module
print(json.dumps({k: own.answer(own.PROBLEMS[k]()).tolist() for k in ("lasso", "groups")}))
"""


@pytest.mark.parametrize("name", [name for name in vars(tolerances) if name.isupper()])
def test_a_shared_number_tripled_changes_no_answer(name):
    """Compiled files copy these when they are imported, so that each has a process of its own."""
    value = json.dumps(changed(getattr(tolerances, name)))
    given = [sys.executable, "-c", CHILD, tolerances.__file__, name, value, Path(__file__).parent]
    done = subprocess.run(given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for problem, found in json.loads(done.stdout).items():
        same(found, answer(PROBLEMS[problem]()))
