"""Keywords of other packages are answered with ours, as the documentation says."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from cases import every

import sparsesolve as ss
from sparsesolve.data.keywords import KEYWORDS, MAKERS, answers_keywords, refuse_unknown

PAGE = Path(__file__).parents[2] / "docs" / "keywords.rst"
X, Y = np.eye(3), [1.0, 2.0, 4.0]
FUNCTIONS = [name for name in ss.__all__ if inspect.isfunction(getattr(ss, name))]
OPEN = ("adaptive_factors", "cv_path", "stability_path")  # pass options of path on
FUNCTIONS = [name for name in FUNCTIONS
             if name in OPEN or hasattr(getattr(ss, name), "__wrapped__")]  # fmt: skip


@every("keyword", KEYWORDS)
def test_path_answers_each_keyword(keyword):
    """With what the table says, where the name is not path's own; and so do the estimators."""
    if keyword.name not in inspect.signature(ss.path).parameters:
        with pytest.raises(TypeError, match=f"{keyword.source}'s {keyword.name} is ") as error:
            ss.path(X, Y, **{keyword.name: 1})
        assert keyword.function.removeprefix("nothing: ") in str(error.value)
    known = inspect.signature(ss.estimators.MultiTaskLasso).parameters
    if keyword.name not in known and keyword.name != keyword.estimator:
        with pytest.raises(TypeError, match=r"MultiTaskLasso\(\) has no argument") as error:
            ss.estimators.MultiTaskLasso(**{keyword.name: 1})
        assert keyword.estimator.removeprefix("nothing: ") in str(error.value)


def test_the_page_shows_the_table():
    rows = re.findall(r"   \* - ``(\w+)``\n     - (.*)\n     - (.*)\n     - (.*)\n",
                      PAGE.read_text())  # fmt: skip
    assert rows == [tuple(keyword) for keyword in KEYWORDS]
    assert [row[0] for row in rows] == sorted({row[0] for row in rows})


def test_what_is_offered_exists():
    """The first word of an answer for functions is an argument, or a name of the package."""
    faces = [ss.Path.predict, ss.DictionaryLearning, *(getattr(ss, name) for name in FUNCTIONS)]
    words = {name for face in faces for name in inspect.signature(face).parameters}
    for keyword in KEYWORDS:
        first = re.split(r"[ =,;:]", keyword.function)[0]
        assert first in words or first == "nothing" or hasattr(ss, first.split(".")[-1]), keyword


@every("name", FUNCTIONS)
def test_every_function_answers(name):
    with pytest.raises(TypeError, match=f"(?s){name}.* has no argument 'frobnicate'"):
        getattr(ss, name)(np.eye(2), np.zeros(2), frobnicate=1)


def callees():
    """Yield every function and estimator with the keywords that it takes, and its face."""
    for name in FUNCTIONS:
        known = [*inspect.signature(getattr(ss, name)).parameters]
        yield name, known + list(ss.path.__kwdefaults__) * (name in OPEN), "function"
    yield "DictionaryLearning", [*inspect.signature(ss.DictionaryLearning).parameters], "function"
    for name in ss.estimators.__all__:
        if inspect.isclass(getattr(ss.estimators, name)):
            yield name, [*inspect.signature(getattr(ss.estimators, name)).parameters], "estimator"


def test_no_answer_names_an_argument_that_the_callee_lacks():
    """Others say whose argument it is, and what this one takes."""
    wrong, said = [], 0
    for name, known, face in callees():
        for keyword in {keyword.name for keyword in KEYWORDS} - set(known):
            with pytest.raises(TypeError) as error:
                refuse_unknown(name, [keyword], known, face)
            answer = str(error.value).split("; ", 1)[1]
            said += 1
            offered = re.match(r"\S+'s \S+ is (.*) here$|did you mean (.*)\?$", answer)
            words = set(re.findall(r"\w+", "".join(filter(None, offered.groups())))
                        if offered else ())  # fmt: skip
            named = words & set(known) or not offered
            told = offered or " not needed here, " in answer or re.search(
                r"(it takes .*|lists its own)$", answer)  # fmt: skip
            if not (named and told):
                wrong.append((name, keyword, answer))
    assert said > 3000 and not wrong


def makers():
    """Families that are functions, and every penalty, by name."""
    for module in (ss.families, ss.penalties):
        for name in module.__all__:
            made = getattr(module, name)
            penalty = inspect.isclass(made) and module is ss.penalties
            if penalty or hasattr(made, "__wrapped__"):
                yield name, made


@every("name, made", makers())
def test_families_and_penalties_answer_in_the_same_way(name, made):
    known = inspect.signature(made).parameters
    with pytest.raises(TypeError, match=rf"{name}\(\) has no argument 'frobnicate'"):
        made(frobnicate=1)
    for word, _, own in MAKERS:
        if own in known and word not in known:
            with pytest.raises(TypeError, match=rf"{name}\(\).*'{word}'; .*{word} is (\w+) here"):
                made(**{word: 1})


def test_each_word_of_a_maker_is_used():
    owned = {own for _, made in makers() for own in inspect.signature(made).parameters}
    assert {own for _, _, own in MAKERS} <= owned


def test_names_of_r_and_near_ones():
    with pytest.raises(TypeError, match="glmnet's lambda is lambdas here"):
        ss.path(X, Y, **{"lambda": 0.1})
    with pytest.raises(TypeError, match="glmnet's lower.limits is lower here"):
        ss.path(X, Y, **{"lower.limits": 0})
    with pytest.raises(TypeError, match="did you mean 'standardize'?"):
        ss.path(X, Y, standardise=False)
    with pytest.raises(TypeError, match=r"relax\(\) .*; it takes fit, X, y, gamma"):
        ss.relax(None, X, Y, zeta=1)
    with pytest.raises(TypeError, match="glmnet's type is kind here"):
        ss.path(X, Y).predict(X, type="link")


def test_a_decorated_function_is_what_it_was():
    @answers_keywords()
    def double(x, *, by=2.0):
        """Say it."""
        return x * by

    assert double(3) == 6.0 and double(3, by=3) == 9.0 and double.__kwdefaults__ == {"by": 2.0}
    assert str(inspect.signature(double)) == "(x, *, by=2.0)" and double.__doc__ == "Say it."


def test_signatures_are_of_names():
    """What help() opens with: no type is shown as what it evaluates to."""
    for name in FUNCTIONS:
        shown = signature(name)
        assert "_" not in re.sub(r"\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b|_X", "", shown), shown
    assert len(signature("path")) < 900


def signature(name):
    return str(inspect.signature(getattr(ss, name)))
