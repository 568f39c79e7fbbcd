"""What a user's family= stands for: names, families, objects, and mistakes."""

import numpy as np
import pytest

from sparsesolve import families
from sparsesolve.families import FAMILIES, Family, read_family


class Square:
    """Half a squared error, as a user may write it."""

    def value(self, y, eta):
        return (eta - y) ** 2 / 2

    def gradient(self, y, eta):
        return eta - y

    def curvature(self, y, eta):
        return np.ones_like(eta)


@pytest.mark.parametrize("name, y", [
    ("gaussian", [-1.0, 2.0]), ("binomial", ["a", "b"]), ("poisson", [0.0, 2.5]),
])  # fmt: skip
def test_names_are_read(name, y):
    family = read_family(name)
    assert family is FAMILIES[name] and family.name == name
    assert family.loss(family.read(y, 2).values, np.full(2, 0.5)).n == 2


@pytest.mark.parametrize("word, family", [
    ("hinge", families.hinge()), ("quantile", families.quantile()),
    ("quantile(0.9)", families.quantile(0.9)), ("huber(delta=2)", families.huber(2)),
    ("epsilon-insensitive(0.2)", families.epsilon_insensitive(0.2)),
    ("tweedie( power = 1.5 )", families.tweedie(1.5)),
])  # fmt: skip
def test_words_with_parameters(word, family):
    assert read_family(word).name == family.name == read_family(family.name).name


def test_families_pass_through_and_objects_are_made_into_one():
    family = families.huber(2)
    assert read_family(family) is family
    made = read_family(Square())
    assert isinstance(made, Family) and made.name == "Square"


@pytest.mark.parametrize("family, error, words", [
    ("poison", ValueError, "must be one of 'gaussian', 'binomial', .*did you mean 'poisson'"),
    ("hubert(2)", ValueError, "family must be one of .*did you mean 'huber'"),
    ("huber(q=2)", ValueError, "family 'huber\\(q=2\\)': huber takes no parameter 'q'"),
    ("huber(0)", ValueError, "family 'huber\\(0\\)': delta must be greater than 0"),
    ("normal", ValueError, "not 'normal', which is 'gaussian' here"),
    ("mgaussian", ValueError, "which is 'multigaussian' here"),
    ("multiclass", ValueError, "which is 'multinomial' here"),
    ("svm", ValueError, "which is 'hinge' here"),
    ("survival", ValueError, "which is 'cox' here"),
    (families.huber, TypeError, r"the function huber; call it: family=families.huber\(...\)"),
    (families.cox, TypeError, "family is the function cox; call it"),
    (Square, TypeError, r"family is the class Square; pass an object, Square\(\)"),
    (None, TypeError, "family must be one of 'gaussian', .* not None"),
    (np.ones(2), TypeError, "family must be one of"),
    (type("Half", (), {"value": lambda s, y, eta: eta})(), TypeError, "Half has no method grad"),
    (type("Named", (Square,), {"name": 3})(), TypeError, "must be a string, not 3"),
])  # fmt: skip
def test_what_is_no_family_is_refused(family, error, words):
    with pytest.raises(error, match=words) as caught:
        read_family(family)
    assert "\n" not in str(caught.value)
