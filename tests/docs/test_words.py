"""What users read has the field's words and plain English.

That is README, changelog, pages, examples, public docstrings, and what errors and warnings say.
"""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest
from cases import every

import sparsesolve

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "sparsesolve"
ROOMS = ("", "estimators", "families", "inference", "mkl", "paths", "paths.bundle", "penalties",
         "penalties.prox", "results", "selection", "structured")  # fmt: skip
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.rst"))]
PAGES += sorted((ROOT / "examples").rglob("*.py"))
# Words that an earlier state of the project had for things that the field has names for, and turns
# of phrase that no reader of English expects. Left: what to look for; right: what to write.
PRIVATE = {
    r"sleepers?": "safe balls, inactive features",
    r"foretold": "predicted",
    r"unheld": "unpenalised",
    r"outweigh\w*": "unpenalised",
    r"stirred": "stale",
    r"restless": "candidates",
    r"recruit\w*": "add to the working set",
    r"at work": "in the working set, active",
    r"c[oa]mes? to work": "become active",
    r"hold\w* (?:it |them )?back": "penalise",
    r"anew": "again",
    r"as a rule": "mostly",
    r"beside": "with, next to, compared with",
    r"of yours": "your own",
    r"at hand": "a sample, available",
    r"the same of": "say the sentence again",
    r"whether that is": "return True if",
    r"whether that was": "return True if",
    r"met as one": "merged",
    r"told apart": "distinguished",
    r"tells? apart": "distinguish",
    r"(?:is|are) dealt": "is drawn",
    r"deals the": "draws the",
    r"falls? for ever": "keeps falling",
    r"mend it": "correct it",
    r"(?:is|are) no (?:number|array|pair|vector)": "is not a ...",
    r"(?<!as )so many (?:features|steps|knots|rows|passes|atoms)": "this many",
    r"has not the": "lacks, does not have",
    r"which it has not": "which it does not have",
    r"stands? there": "is given there, occurs",
    r"as of :class:": "as in",
}
WORDS = re.compile("|".join(rf"\b(?:{word})\b" for word in PRIVATE), re.IGNORECASE)
OPENING = re.compile(r"(?:^\s*|[.:] +)Of (?!course\b)", re.MULTILINE)  # "Of groups it takes ..."


def found(text):
    """Private words and openings of a text, each with its line."""
    places = [*WORDS.finditer(text), *OPENING.finditer(text)]
    return [(text.count("\n", 0, m.start()) + 1, m[0].strip()) for m in places]


@every("page", PAGES)
def test_no_private_words(page):
    assert found(page.read_text()) == []


def public(room):
    """(name, docstring) of what a room offers, methods and properties of its classes among it."""
    module = importlib.import_module(f"sparsesolve.{room}") if room else sparsesolve
    for name in module.__all__:
        value = getattr(module, name)
        yield name, inspect.getdoc(value) or ""
        if not inspect.isclass(value):
            continue
        for key, part in vars(value).items():
            part = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
            if not key.startswith("_") and inspect.isroutine(part):
                yield f"{name}.{key}", inspect.getdoc(part) or ""


@pytest.mark.parametrize("room", ROOMS)
def test_no_private_words_in_docstrings(room):
    if room == "estimators":
        pytest.importorskip("sklearn")
    documented = dict(public(room))
    assert len(documented) > 1
    assert {name: found(text) for name, text in documented.items() if found(text)} == {}


def messages(source):
    """(line, text) of what `raise` and `warn` say in a module; numbers and names are left out."""
    for node in ast.walk(ast.parse(source)):
        call = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(call, ast.Call):
            continue
        named = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if call is not node or named == "warn":
            parts = [part.value for part in ast.walk(call) if isinstance(part, ast.Constant)]
            yield node.lineno, " ".join(part for part in parts if isinstance(part, str))


def test_no_private_words_in_errors_and_warnings():
    heard = {(str(file.relative_to(ROOT)), line): text for file in PACKAGE.rglob("*.py")
             for line, text in messages(file.read_text())}  # fmt: skip
    assert len(heard) > 500
    assert {place: found(text) for place, text in heard.items() if found(text)} == {}


def test_messages_are_found():
    source = 'warn(f"{x} anew", UserWarning)\ndef f(a):\n    raise ValueError("of " + "yours")\n'
    assert list(messages(source)) == [(1, " anew"), (3, "of  yours")]
    assert list(messages("raise\nlog('beside')\n")) == []


def test_private_words_are_found():
    text = "Columns come to work.\nOf groups it takes two. A loss of yours, beside ours.\n"
    assert found(text) == [(1, "come to work"), (2, "of yours"), (2, "beside"), (2, "Of")]
    assert found("Besides, of course, the sleep of the just.") == []


@every(
    "word",
    ["overfit", "imbalance", "outlier", "confidence interval", "interaction", "regularization",
     "feature selection", "variable selection", "robust", "one-hot", "hyperparameter",
     "active set", "missing values", "collinear", "survival"],
)  # fmt: skip
def test_words_that_people_search_for_stand_in_the_pages(word):
    """On the page of terms, or where it is the subject."""
    texts = [page.read_text().lower() for page in PAGES if page.suffix == ".rst"]
    assert any(word in text for text in texts)
