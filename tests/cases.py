"""Many cases in one test, which runs them all and lists those that fail.

``CASE=Slope pytest tests/laws/test_penalties.py`` runs only cases with that text in their label.
"""

import csv
import importlib
import inspect
import os
from functools import wraps
from itertools import product
from reprlib import repr as shown

import pytest

Case = type(pytest.param())


def every(names, values):
    """Decorate a test as ``pytest.mark.parametrize`` does, but make one test of all its cases.

    Decorators multiply, as pytest's do. Skipped cases are left out; a test whose cases are all
    skipped is skipped. A test that needs a fresh fixture for each case is no test for this.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    axis = []
    for value in values:
        assert not getattr(value, "marks", ()), "give pytest.mark.parametrize what has marks"
        row = value.values if isinstance(value, Case) else value if len(names) > 1 else (value,)
        given = dict(zip(names, row, strict=True))
        label = value.id if isinstance(value, Case) else ", ".join(map(shown, row))
        axis.append((label, given))
    assert axis, f"no case of {names}"

    def decorate(test):
        inner, axes = getattr(test, "axes", (test, []))
        signature, axes = inspect.signature(inner), [axis, *axes]
        known = {name for own in axes for name in own[0][1]}
        others = [p for name, p in signature.parameters.items() if name not in known]

        @wraps(inner)
        def run(**fixtures):
            _run(inner, [*product(*axes)], fixtures)

        del run.__wrapped__  # pytest would look for fixtures of these names
        run.__signature__ = signature.replace(parameters=others)
        run.axes = inner, axes
        return run

    return decorate


def _run(test, cases, fixtures):
    failed, skipped, wanted = [], [], os.environ.get("CASE", "")
    for case in cases:
        if not any(wanted in label for label, _ in case):
            skipped.append(f"no label has CASE={wanted}")
            continue
        given = {name: value for _, part in case for name, value in part.items()}
        try:
            test(**given, **fixtures)
        except pytest.skip.Exception as reason:
            skipped.append(str(reason))
        except (Exception, pytest.fail.Exception) as error:
            label = "; ".join(label for label, _ in case)
            failed.append((f"[{label}] {type(error).__name__}: {error}"[:2000], error))
    if failed:
        listed = "\n".join(line for line, _ in failed[:20])
        raise AssertionError(f"{len(failed)} of {len(cases)} cases fail:\n{listed}") from failed[
            0
        ][1]
    if len(skipped) == len(cases):
        pytest.skip(skipped[0])


def run(*words):
    """Call the command line with these words; return its exit code."""
    from sparsesolve.__main__ import main

    return main([str(word) for word in words])


def printed(capsys, *words):
    """Run a command that must do; return what it prints."""
    code, told = run(*words), capsys.readouterr()
    assert code == 0, told.err
    return told.out


def refused(capsys, *words):
    """Run a command that must fail with code 2; return its one line."""
    try:
        code = run(*words)
    except SystemExit as exit:  # how argparse ends
        code = exit.code
    told = capsys.readouterr()
    assert code == 2 and told.out == ""
    assert told.err.startswith("sparsesolve: error: ") and told.err.count("\n") == 1
    return told.err


def write_csv(path, **columns):
    """Write columns under their names; return the path."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def estimators(*without):
    """Yield every estimator but those named, by name."""
    found = importlib.import_module("sparsesolve.estimators")
    for name in found.__all__:
        kind = getattr(found, name)
        if inspect.isclass(kind) and name not in without:
            yield name, kind


def response_of(kind, *, real, classes, counts, times, tasks):
    """Return the response that an estimator is made for."""
    name = kind.__name__
    if name.startswith("MultiTask"):
        return tasks
    if name.startswith("Cox"):
        return times
    if any(word in name for word in ("Poisson", "Gamma", "Tweedie", "NegativeBinomial")):
        return counts
    apart = hasattr(kind, "decision_function") or "Chain" in name or "SPOM" in name
    return classes if apart else real
