"""The public names: where each is, and where a name that moved leads.

What docs/reference.rst lists is public. Adding a name there is a decision: one name a thing, one
place a name.
"""

import importlib
import inspect
import re
import warnings
from pathlib import Path

import pytest
from test_docstrings import HOMES, listed

import sparsesolve as ss
from sparsesolve.data.paragraphs import sections

REFERENCE = (Path(__file__).parents[1] / "docs" / "reference.rst").read_text()
ROOMS = (
    "", "paths", "paths.bundle", "results", "selection", "families", "penalties", "penalties.prox",
    "mkl", "structured", "inference", "estimators",
)  # fmt: skip
MOVED = {
    "adaptive_factors": "selection.adaptive_factors", "at_radius": "selection.at_radius",
    "bundle": "paths.bundle", "hard_threshold_path": "paths.hard_threshold_path",
    "lars_path_gram": "paths.lars_path_gram", "prox": "penalties.prox",
    "mkl.MKLPath": "MKLPath", "mkl.hinge": "families.hinge", "mkl.mkl_path": "mkl_path",
    "structured.CRFPath": "CRFPath", "structured.crf_path": "crf_path",
    "structured.load": "load", "structured.load_parser": "load", "structured.load_spom": "load",
    "structured.spom": "spom",
    **{f"estimators.{name}Regression{cv}": f"estimators.{name}Regressor{cv}"
       for name in ("MCP", "Penalized", "SCAD", "Slope") for cv in ("", "CV")},
}  # fmt: skip
# After LogisticRegression; after SVC; a transformer; a selector.
OTHERWISE = {"SparseLogisticRegression", "ChainSVM", "DesignEncoder", "KnockoffSelector"}


def room(name):
    return importlib.import_module(f"sparsesolve.{name}" if name else "sparsesolve")


def at(name):
    """The object of a name below sparsesolve."""
    home, _, last = name.rpartition(".")
    return getattr(room(home), last)


def test_each_room_shows_the_names_that_the_reference_lists():
    """Rooms and families without parameters are told in words instead."""
    names = listed()
    assert len(names) == len(set(names))
    shorter = {long: short for short, long in HOMES.items()}
    names, public, homes = {shorter.get(name, name) for name in names}, set(), {}
    for name in ROOMS:
        module = room(name)
        assert dir(module) == sorted([*module.__all__] + ["estimators"] * (not name))
        for shown in module.__all__:
            thing = getattr(module, shown)
            homes.setdefault(id(thing), []).append((name, shown))
            if not inspect.ismodule(thing) and not isinstance(thing, ss.families.Family):
                public.add(".".join(filter(None, ("sparsesolve", name, shown))))
    assert public ^ names == set()
    assert [found for found in homes.values() if len(found) > 1] == []


@pytest.mark.parametrize("old", MOVED)
def test_a_name_that_moved_warns_and_leads_to_the_new_one(old):
    new = at(MOVED[old])
    with pytest.warns(FutureWarning, match=rf"{old} will go; sparsesolve\.{MOVED[old]} takes"):
        found = at(old)
    assert found is new
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        at(MOVED[old])


def test_modules_that_moved_are_imported_by_their_old_names(fresh_python):
    script = """if True:
        import warnings
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            import sparsesolve.bundle
            import sparsesolve.prox as old
            from sparsesolve.prox import project_l1
            from sparsesolve.bundle import Trace
        from sparsesolve.penalties import prox
        from sparsesolve.paths import bundle
        print(old is prox, project_l1 is prox.project_l1, Trace is bundle.Trace,
              *{warning.category.__name__ for warning in met}, len(met) >= 3)"""
    assert fresh_python(script).split() == ["True"] * 3 + ["FutureWarning", "True"]


def test_results_are_where_the_reference_says():
    listed = [line.strip() for line in REFERENCE.splitlines()]
    for name in ss.results.__all__:
        assert f"results.{name}" in listed
        assert inspect.isfunction(at(f"results.{name}")) or inspect.isclass(at(f"results.{name}"))
    assert not [line for line in listed if line.count(".") > 1 and line.startswith("results.")]


def test_what_a_page_says_is_returned_has_a_page():
    """No class of this package that is in no room; methods count, too."""
    sources = [file.read_text() for file in Path(ss.__file__).parent.rglob("*.py")]
    hidden = {name for text in sources for name in re.findall(r"^class ([A-Z]\w+)", text, re.M)}
    hidden -= {shown for name in ROOMS for shown in room(name).__all__}
    faults = {}
    for name in ROOMS:
        for thing in [getattr(room(name), shown) for shown in room(name).__all__]:
            members = inspect.getmembers(thing) if inspect.isclass(thing) else []
            for each in [thing, *(value for key, value in members if not key.startswith("_"))]:
                returned = sections(inspect.getdoc(each)).get("Returns", "")
                words = re.findall(r"\w+", " ".join(re.findall(r"^\S.*", returned, re.MULTILINE)))
                faults[getattr(each, "__qualname__", "")] = hidden.intersection(words)
    assert {name: found for name, found in faults.items() if found} == {}


def test_lambda_best_of_chains_is_lambda_min():
    cv = ss.structured.cv_crf_path([[1.0], [0.0]] * 8, ["a", "b"] * 8, lengths=[2] * 8, n_folds=2,
                                   lambdas=[0.5, 0.1])  # fmt: skip
    with pytest.warns(FutureWarning, match="lambda_best will go; lambda_min takes its place"):
        assert cv.lambda_best == cv.lambda_min


def test_estimators_follow_one_scheme_of_names():
    from sklearn.utils import all_estimators

    theirs = {name for name, _ in all_estimators()} | {"LinearSVC", "LinearSVR"}
    scheme = re.compile(r"\w+(Lasso|Net|Regressor|Classifier)")
    names = [name for name in dir(ss.estimators) if inspect.isclass(getattr(ss.estimators, name))]
    assert len(names) > 60
    wrong = [name for name in names if name not in theirs
             and not scheme.fullmatch(name.removesuffix("CV"))
             and name.removesuffix("CV") not in theirs | OTHERWISE]  # fmt: skip
    assert wrong == []
