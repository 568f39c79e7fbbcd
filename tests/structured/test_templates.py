"""Templates against a slow twin that builds strings, and their way through a file."""

import json

import numpy as np
import pytest

from sparsesolve import structured

COLUMNS = {"form": ["The", "dog", "barks", "The", "McDonald-42", "x"], "n": [1, 2, 1, 1, 2, 3]}
LENGTHS = [3, 2, 1]
TEMPLATES = ["form", "form[-1].lower & n", "form.suffix2", "form[+1].prefix1", "form.shape",
             "form.first & n[-2]"]  # fmt: skip


def value(template, columns, i, first, last):
    """What a template says at a position, as text."""
    out = []
    for atom in template.split("&"):
        atom = atom.strip()
        name, _, function = atom.partition(".")
        offset = int(name[name.index("[") + 1 : -1]) if "[" in name else 0
        name, at = name.split("[")[0], i + offset
        if not first <= at < last:
            out.append("outside")
            continue
        word = str(columns[name][at])
        kind, size = function.rstrip("0123456789"), function.lstrip("abcdefghijklmnopqrstuvwxyz")
        out.append(str(at == first) if kind == "first" else {
            "": word, "lower": word.lower(), "shape": shape(word),
            "suffix": word[-int(size or 1):].lower(), "prefix": word[: int(size or 1)].lower(),
        }[kind])  # fmt: skip
    return "|".join(out)


def shape(word):
    text = "".join("X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c
                   for c in word)  # fmt: skip
    return "".join(c for c, before in zip(text, " " + text, strict=False) if c != before)


def slow(template, columns, lengths):
    ptr = np.r_[0, np.cumsum(lengths)]
    return [value(template, columns, i, a, b) for a, b in zip(ptr[:-1], ptr[1:], strict=True)
            for i in range(a, b)]  # fmt: skip


def test_equal_values_and_no_others_share_a_feature():
    made = structured.Templates(TEMPLATES)
    X = made.fit_transform(COLUMNS, LENGTHS).toarray()
    for template in TEMPLATES:
        part = X[:, made.groups == template]
        words = slow(template, COLUMNS, LENGTHS)
        assert part.shape[1] == len(set(words)) and (part.sum(axis=1) == 1).all()
        same = [[a == b for a in words] for b in words]
        np.testing.assert_array_equal(part @ part.T, same)


def test_new_tables_have_the_features_that_training_saw():
    made = structured.Templates(TEMPLATES)
    X = made.fit_transform(COLUMNS, LENGTHS)
    np.testing.assert_array_equal(made.transform(COLUMNS, LENGTHS).toarray(), X.toarray())
    new = {"form": ["dog", "The", "unseen"], "n": [2, 1, 7]}
    Z = made.transform(new, [3]).toarray()
    for template in TEMPLATES:
        known = dict(zip(slow(template, COLUMNS, LENGTHS), range(6), strict=True))
        for i, word in enumerate(slow(template, new, [3])):
            row = Z[i, made.groups == template]
            want = X.toarray()[known[word]][made.groups == template] if word in known else 0 * row
            np.testing.assert_array_equal(row, want)


def test_rare_values_are_left_out():
    made = structured.Templates(["form"], min_count=2)
    X = made.fit_transform(COLUMNS, LENGTHS)
    assert X.toarray().ravel().tolist() == [1, 0, 0, 1, 0, 0]


def test_state_goes_through_json():
    made = structured.Templates(TEMPLATES, 1)
    X = made.fit_transform(COLUMNS, LENGTHS)
    other = structured.Templates.from_state(json.loads(json.dumps(made.state())))
    np.testing.assert_array_equal(other.transform(COLUMNS, LENGTHS).toarray(), X.toarray())
    assert (other.groups == made.groups).all()


@pytest.mark.parametrize(
    "templates, sentence",
    [
        (["form[x]"], "holds 'form\\[x\\]'"),
        (["form.suffix"], "number after suffix"),
        (["form.upper"], "holds 'form.upper'"),
        (["form.lower2"], "'form.lower2' needs a number after suffix or prefix only"),
        (["n & a b"], "the template 'n & a b'"),
        ([], "templates is empty"),
        (["lemma"], "names the column 'lemma'; there are 'form', 'n'"),
    ],
)
def test_bad_templates_are_told(templates, sentence):
    with pytest.raises(ValueError, match=sentence):
        structured.Templates(templates).fit_transform(COLUMNS, LENGTHS)
