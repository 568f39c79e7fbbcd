"""What users read has the field's words and plain English: README, pages, examples."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.rst"))]
PAGES += sorted((ROOT / "examples").glob("*.py"))
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
}
WORDS = re.compile("|".join(rf"\b(?:{word})\b" for word in PRIVATE), re.IGNORECASE)
OPENING = re.compile(r"(?:^\s*|[.:] +)Of (?!course\b)", re.MULTILINE)  # "Of groups it takes ..."


def found(text):
    """Private words and openings of a text, each with its line."""
    places = [*WORDS.finditer(text), *OPENING.finditer(text)]
    return [(text.count("\n", 0, m.start()) + 1, m[0].strip()) for m in places]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_private_words(page):
    assert found(page.read_text()) == []


def test_private_words_are_found():
    text = "Columns come to work.\nOf groups it takes two. A loss of yours, beside ours.\n"
    assert found(text) == [(1, "come to work"), (2, "of yours"), (2, "beside"), (2, "Of")]
    assert found("Besides, of course, the sleep of the just.") == []


@pytest.mark.parametrize(
    "word",
    ["overfit", "imbalance", "outlier", "confidence interval", "interaction", "regularization",
     "feature selection", "variable selection", "robust", "one-hot", "hyperparameter",
     "active set", "missing values", "collinear", "survival"],
)  # fmt: skip
def test_words_that_people_search_for_stand_in_the_pages(word):
    """On the page of terms, or where it is the subject."""
    texts = [page.read_text().lower() for page in PAGES if page.suffix == ".rst"]
    assert any(word in text for text in texts)
