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


def test_families_pass_through_and_objects_are_made_into_one():
    family = families.huber(2)
    assert read_family(family) is family
    made = read_family(Square())
    assert isinstance(made, Family) and made.name == "Square"


@pytest.mark.parametrize("family, error, words", [
    ("poison", ValueError, "must be one of 'gaussian', 'binomial', .*did you mean 'poisson'"),
    ("huber", ValueError, r"family must be one of .*, which is families.huber\(...\) here"),
    ("mgaussian", ValueError, "which is 'multigaussian' here"),
    ("multiclass", ValueError, "which is 'multinomial' here"),
    ("svm", ValueError, r"which is families.hinge\(...\) here"),
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


def test_the_normal_family_is_called_gaussian():
    with pytest.raises(ValueError, match="not 'normal', which is 'gaussian' here"):
        read_family("normal")
