"""Atoms of templates: what each text names, and what the functions make of a word."""

import pytest

from sparsesolve.structured.templates import FUNCTIONS, TAGGING, Atom, read_atom, shape


@pytest.mark.parametrize(
    ("part", "atom"),
    [
        ("form", Atom("form", 0, "", 0)),
        (" form[-2].lower ", Atom("form", -2, "lower", 0)),
        ("tag[+1].suffix3", Atom("tag", 1, "suffix", 3)),
        ("form.first", Atom("form", 0, "first", 0)),
    ],
)
def test_an_atom_is_column_offset_and_function(part, atom):
    assert read_atom(part, part) == atom


@pytest.mark.parametrize("part", ["form.upper", "form[a]", "form.suffix", "form.lower2", "a b"])
def test_other_texts_are_refused_by_the_template_they_stand_in(part):
    with pytest.raises(ValueError, match=r"the template 'x & .*' "):
        read_atom(part, f"x & {part}")


def test_functions_of_a_word():
    word = "McDonald-42"
    assert shape(word) == "XxXx-9"
    assert FUNCTIONS["suffix"](word, 4) == "d-42" and FUNCTIONS["prefix"](word, 2) == "mc"
    assert FUNCTIONS["lower"](word, 0) == word.lower() and FUNCTIONS[""](word, 0) == word


def test_the_default_templates_are_readable():
    assert all(read_atom(part, text) for text in TAGGING for part in text.split("&"))
