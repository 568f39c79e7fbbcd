"""Public docstrings are whole and well formed, by numpydoc's own validation.

Public is what docs/reference.rst lists. Functions, and classes that users construct, say what
every parameter is and show an example, which test_doctests.py runs; functions what they return.
"""

import inspect
import re
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
import pytest
from cases import every
from numpydoc.validate import Validator, validate
from sklearn.base import is_classifier

from sparsesolve import estimators, mkl
from sparsesolve.data.paragraphs import described_by, paragraphs, sections

REFERENCE = Path(__file__).parents[1] / "docs" / "reference.rst"
# and results, which are dataclasses
MADE_HERE = {"Grams", "HingeRisk", "Scores", "OnlineFit", "Status", "ConvergenceWarning",
             "SurvivalCurves", "Genotypes"}  # fmt: skip
UNTYPED = re.compile(r"estimators\.|\.plot")  # after scikit-learn's and matplotlib's manner
ROUTING = re.compile(r"set_\w+_request")  # methods that scikit-learn adds to estimators

HOMES = {"sparsesolve.online": "sparsesolve.online.online.online"}  # a function named as its room

FORM = {  # numpydoc's codes
    "GL03", "GL05", "GL06", "GL07", "GL08", "GL10",  # sections that it knows, in its order
    "SS01", "SS02", "SS03", "SS04", "SS06",  # a summary: one line, one sentence
    "PR02", "PR05", "PR06", "PR10",  # no parameter that does not exist
}  # fmt: skip
WHOLE = FORM | {"PR01", "EX01"}  # every parameter, an example


def listed():
    """Full names of what the reference lists, below the module that it names last."""
    module, names = "", []
    for line in REFERENCE.read_text().splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.fullmatch(r"   ([\w.]+)", line):
            names.append(HOMES.get(f"{module}.{found[1]}", f"{module}.{found[1]}"))
    return names


def wanted(name):
    """The checks of a function or class, and of its methods and properties, the inherited too.

    A method without a docstring has that of the base whose method it overrides.
    """
    thing = Validator._load_obj(name)
    if inspect.isfunction(thing):
        return {name: WHOLE | {"RT01"}}
    ours = [base for base in thing.__mro__ if base.__module__.startswith("sparsesolve.")]
    members = {key: value for base in reversed(ours) for key, value in vars(base).items()
               if (inspect.isfunction(value) or isinstance(value, property))
               and not key.startswith("_") and not ROUTING.fullmatch(key)}  # fmt: skip
    own = {f"{name}.{key}": FORM for key, value in members.items()
           if value.__doc__ or not any(key in vars(base) and vars(base)[key].__doc__
                                       for base in ours)}  # fmt: skip
    if is_dataclass(thing) or thing.__name__ in MADE_HERE:
        return {name: FORM, **own}
    return {name: WHOLE, **own}


def without_hints(name):
    """Parameters of a function or method that have no type, and "return" if it says none."""
    thing = Validator._load_obj(name)
    if inspect.isclass(thing):
        return []
    signature = inspect.signature(getattr(thing, "fget", thing))
    bare = [p.name for p in signature.parameters.values() if p.annotation is p.empty]
    bare += ["return"] if signature.return_annotation is signature.empty else []
    return [part for part in bare if part != "self"]


@every("name", [name for name in listed() if not UNTYPED.search(name)])
def test_hints(name):
    assert {part: without_hints(part) for part in wanted(name) if without_hints(part)} == {}


@every("name", listed())
def test_docstring(name):
    found = [(part, code, message) for part, codes in wanted(name).items()
             for code, message in validate(part)["errors"] if code in codes]  # fmt: skip
    assert found == []


@every("name", listed())
def test_errors_are_said(name):
    """Of every function that is given something."""
    thing = Validator._load_obj(name)
    if inspect.isfunction(thing) and inspect.signature(thing).parameters:
        assert "\nRaises\n---" in inspect.getdoc(thing)


ROWS = np.random.default_rng(0).uniform(0.1, 1.0, (40, 3))
RARE = {"sigmoids_"}  # of probability=True


def test_pages_of_estimators_are_whole_and_promise_no_more_than_a_fit_sets():
    """Docstrings are completed from bases, from functions and from one table."""
    pandas = pytest.importorskip("pandas")
    X, faults = pandas.DataFrame(ROWS, columns=list("abc")), {}
    for name in estimators.__all__:
        kind = getattr(estimators, name)
        if not inspect.isclass(kind):
            continue
        y = ROWS[:, 0] + ROWS[:, 1]
        y = np.column_stack([y, -y]) if name.startswith("MultiTask") else y
        y = y > np.median(y) if is_classifier(kind()) else y
        kernels = {"kernels": [(mkl.gaussian(1.0), None)]} if name.startswith("MKL") else {}
        model, page = kind(**kernels).fit(X, y), sections(kind.__doc__)
        elsewhere = [part for part, each in paragraphs(page["Parameters"]).items()
                     if not each.text.strip() or re.match(r"\s*(As|See) ", each.text)]  # fmt: skip
        missing = [part for part in paragraphs(page["Attributes"]) if not hasattr(model, part)]
        faults[name] = {*elsewhere, *missing, *{"Returns", "Yields"} & page.keys()} - RARE
    assert {name: found for name, found in faults.items() if found} == {}


def test_shared_paragraphs_are_completed():
    """Own paragraphs first, defaults of the signature, groups of names only where all are left."""

    @described_by(
        "A.\n\nParameters\n----------\na, b : int, default 7\n    Both.\nc : x\n", shared
    )
    def function(a, *, b=2, c="z", d=None, **rest):
        """Do it.

        Parameters
        ----------
        b : float
            Own.
        **rest
            More.

        Returns
        -------
        int
        """

    assert (
        function.__doc__
        == """Do it.

Parameters
----------
a : int
    Both.
b : float, default 2
    Own.
c : x, default "z"
d : y, default None
    Last.
**rest
    More.

Returns
-------
int"""
    )


def shared(d):
    """Name a parameter.

    Parameters
    ----------
    d : y, default 3
        Last.
    """
