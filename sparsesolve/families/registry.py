"""The table of families, and the one that a user means."""

import re

from sparsesolve.data import read_choice, shown
from sparsesolve.families.amounts import gamma, negative_binomial, poisson, tweedie
from sparsesolve.families.classes import (
    binomial,
    cloglog,
    hinge,
    multinomial,
    probit,
    squared_hinge,
)
from sparsesolve.families.family import Family
from sparsesolve.families.python import from_object
from sparsesolve.families.real import epsilon_insensitive, gaussian, huber, multigaussian, quantile
from sparsesolve.families.survival import cox

NAMED = (gaussian, binomial, multinomial, poisson, cox(), multigaussian)
FAMILIES = {family.name: family for family in NAMED}

MADE = (
    huber, hinge, squared_hinge, quantile, epsilon_insensitive, probit, cloglog, cox, gamma,
    negative_binomial, tweedie,
)  # fmt: skip
MAKERS = {maker.__name__: maker for maker in MADE}
# All words of `family`, for messages.
WORDS = [*FAMILIES, *(name for name in MAKERS if name not in FAMILIES)]

# Other packages use these names for the same families.
ELSEWHERE = {
    "mgaussian": "'multigaussian'",
    "normal": "'gaussian'",
    "logistic": "'binomial'",
    "logit": "'binomial'",
    "softmax": "'multinomial'",
    "multiclass": "'multinomial'",
    "squared_error": "'gaussian'",
    "coxph": "'cox'",
    "survival": "'cox'",
    "svm": "'hinge'",
}


def read_family(family):
    """Return the Family for a word, a Family or a user's object."""
    if isinstance(family, Family):
        return family
    if isinstance(family, str):
        return _by_word(family)
    if any(family is maker for maker in MAKERS.values()):
        name = family.__name__
        raise TypeError(f"family is the function {name}; call it: family=families.{name}(...)")
    if isinstance(family, type) or hasattr(family, "value"):
        return from_object(family)
    listed = ", ".join(map(repr, FAMILIES))
    raise TypeError(
        f"family must be one of {listed}, or one made by sparsesolve.families, not "
        f"{shown(family)}"
    )


def _by_word(text):
    """Return the Family of a word, perhaps with a parameter: "huber(1.5)", "huber(delta=1.5)"."""
    word, name, parameter = re.fullmatch(
        r"\s*(.*?)\s*(?:\(\s*(?:(\w+)\s*=)?(.*?)\s*\))?\s*", text, re.DOTALL).groups()  # fmt: skip
    word = word.replace("-", "_")
    if word in FAMILIES and not parameter:
        return FAMILIES[word]
    if word not in MAKERS:
        here = ELSEWHERE.get(text)
        if here is not None:
            listed = ", ".join(WORDS)
            raise ValueError(f"family must be one of {listed}, not {text!r}, which is {here} here")
        read_choice("family", text, WORDS)
    value = _parameter(parameter) if parameter else None
    given = {} if not parameter else {name: value} if name else None
    try:
        return MAKERS[word](value) if given is None else MAKERS[word](**given)
    except (TypeError, ValueError) as error:
        if not str(error).startswith(f"{word}() "):  # the call of the function itself
            raise ValueError(f"family {text!r}: {error}") from None
        takes = f"no parameter {name!r}" if name else "no parameter"
        takes = takes if parameter else f"a parameter, as in '{word}(1.5)'"
        raise ValueError(f"family {text!r}: {word} takes {takes}") from None


def _parameter(text):
    """Return a number, or the word itself (the ties of cox)."""
    try:
        return float(text)
    except ValueError:
        return text.strip(" '\"")
