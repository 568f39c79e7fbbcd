"""Families: names, parameters, pickles, means that fit their losses, and families of users."""

import pickle

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.families import FAMILIES, Family, read_family
from sparsesolve.losses import LOSSES, PythonLoss

MEANS = [  # families of one response that model its mean
    families.gaussian,
    families.binomial,
    families.poisson,
    families.huber(1.5),
    families.probit(),
    families.cloglog(),
    families.gamma(),
    families.negative_binomial(0.7),
    families.tweedie(1.3),
]
ALL = [*MEANS, families.squared_hinge(), families.multinomial]
TWO_CLASSES = [f for f in ALL if f.classify is not None and f.name != "multinomial"]


class Quartic:
    """(eta - y)^4 / 4 + (eta - y)^2 / 2, as a user may write it."""

    def value(self, y, eta):
        return (eta - y) ** 4 / 4 + (eta - y) ** 2 / 2

    def gradient(self, y, eta):
        return (eta - y) ** 3 + (eta - y)

    def curvature(self, y, eta):
        return 3 * (eta - y) ** 2 + 1


def by_name(family):
    return family.name


@pytest.mark.parametrize("family", MEANS, ids=by_name)
def test_the_gradient_vanishes_where_the_response_is_the_mean(family):
    eta = np.linspace(-3, 2, 11)
    loss = family.loss(family.mean(eta), np.full(11, 1 / 11))
    assert loss.at(eta)[1] == pytest.approx(np.zeros(11), abs=1e-15)
    assert loss.at(eta)[0] == pytest.approx(loss.saturated, abs=1e-14)


@pytest.mark.parametrize("family", TWO_CLASSES, ids=by_name)
def test_the_likeliest_class_is_the_one_of_the_smaller_loss(family):
    eta = np.array([-3.0, -0.37, -0.36, -1e-9, 0.0, 1e-9, 2.0])
    first, second = family.read(["a", "b"], 2).values
    losses = [
        [family.loss(np.array([y]), np.ones(1)).at(np.array([e]))[0] for e in eta]
        for y in (first, second)
    ]
    assert family.classify(eta).tolist() == (np.array(losses[1]) < losses[0]).astype(int).tolist()


@pytest.mark.parametrize("family", ALL, ids=by_name)
def test_families_pickle(family):
    again = pickle.loads(pickle.dumps(family))
    assert again.name == family.name and again.stop == family.stop
    assert repr(again) == repr(family) == f"Family(name={family.name!r})"
    if family.name != "multinomial":
        y, w, eta = np.ones(2), np.array([0.25, 0.75]), np.array([-0.3, 2.5])
        assert again.loss(y, w).at(eta)[0] == family.loss(y, w).at(eta)[0]
    assert again.read(np.array([1, 2]), 2).values.tolist() == (
        family.read(np.array([1, 2]), 2).values.tolist()
    )


def test_the_names_carry_the_parameters():
    assert families.huber().name == "huber(delta=1.0)"
    assert families.huber(np.float32(1.5)).name == "huber(delta=1.5)"
    assert families.negative_binomial(2).name == "negative_binomial(theta=2.0)"
    assert families.tweedie(power=1.25).name == "tweedie(power=1.25)"
    y, w, eta = np.zeros(1), np.ones(1), np.array([10.0])
    for delta in (0.5, 2.0):
        assert families.huber(delta).loss(y, w).at(eta)[1] == -delta
    assert families.negative_binomial(3).loss(y, w).theta == 3.0
    assert families.tweedie(1.25).loss(y, w).power == 1.25


@pytest.mark.parametrize("make, error, words", [
    (lambda: families.huber(0), ValueError, "delta must be greater than 0, not 0.0"),
    (lambda: families.huber(np.nan), ValueError, "delta must be a finite number, not nan"),
    (lambda: families.huber("1"), TypeError, "delta must be a number, not '1'"),
    (lambda: families.negative_binomial(-1), ValueError, "theta must be greater than 0"),
    (lambda: families.negative_binomial(np.inf), ValueError, "theta must be a finite number"),
    (lambda: families.tweedie(1), ValueError, r"power must be in \(1, 2\), not 1.0"),
    (lambda: families.tweedie(2.5), ValueError, r"power must be in \(1, 2\), not 2.5"),
])  # fmt: skip
def test_parameters_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize("name, y", [
    ("gaussian", [-1.0, 2.0]), ("binomial", ["a", "b"]), ("poisson", [0.0, 2.5]),
])  # fmt: skip
def test_names_are_read(name, y):
    family = read_family(name)
    assert family is FAMILIES[name] and family.name == name
    assert family.loss(family.read(y, 2).values, np.full(2, 0.5)).n == 2


def test_stop_rules_are_glmnets():
    assert FAMILIES["gaussian"].stop == (1e-5, 1, True, 0.999)
    assert FAMILIES["binomial"].stop == FAMILIES["multinomial"].stop == (1e-5, 1, False, 0.999)
    assert FAMILIES["poisson"].stop == (1e-4, 4, True, 0.999)


def test_families_pass_through_and_objects_are_made_into_one():
    family = families.huber(2)
    assert read_family(family) is family
    made = read_family(Quartic())
    assert isinstance(made, Family) and made.name == "Quartic"


@pytest.mark.parametrize("family, error, words", [
    ("poison", ValueError, "must be one of 'gaussian', 'binomial', .*did you mean 'poisson'"),
    ("huber", ValueError, r"family must be one of .*, which is families.huber\(...\) here"),
    ("mgaussian", ValueError, "which is 'multigaussian' here"),
    (families.huber, TypeError, r"the function huber; call it: family=families.huber\(...\)"),
    (Quartic, TypeError, r"family is the class Quartic; pass an object, Quartic\(\)"),
    (None, TypeError, "family must be one of 'gaussian', .* not None"),
    (np.ones(2), TypeError, "family must be one of"),
    (type("Half", (), {"value": lambda s, y, eta: eta})(), TypeError, "Half has no method grad"),
    (type("Named", (Quartic,), {"name": 3})(), TypeError, "must be a string, not 3"),
])  # fmt: skip
def test_what_is_no_family_is_refused(family, error, words):
    with pytest.raises(error, match=words) as caught:
        read_family(family)
    assert "\n" not in str(caught.value)


def test_a_users_family_reads_fits_and_pickles():
    family = families.from_object(Quartic())
    y, w = family.read([1, 3, 2], 3).values, np.full(3, 1 / 3)
    for made in (family, pickle.loads(pickle.dumps(family))):
        loss = made.loss(y, w)
        assert isinstance(loss, PythonLoss) and loss.saturated == pytest.approx(0.0, abs=1e-12)
        assert loss.at(np.zeros(3))[1] == pytest.approx(np.array([2, 30, 10]) / 3)
        assert made.mean(y) is y and made.classify is None


def test_a_users_mean_is_used():
    class Exponential(Quartic):
        name = "exponential"

        def mean(self, eta):
            return np.exp(eta)

    family = families.from_object(Exponential())
    assert family.name == "exponential" and family.mean(np.zeros(1)) == 1.0


def test_derivatives_are_looked_at_where_the_responses_are():
    """Right at 0 and 1, wrong at 5: said before any work starts."""
    class Wrong(Quartic):
        def gradient(self, y, eta):
            return super().gradient(y, eta) + (y > 2)

    family = families.from_object(Wrong())
    family.read([0, 1, 2], 3)
    with pytest.raises(ValueError, match="Wrong: gradient is .* at y = 5, .* correct one"):
        family.read([0, 1, 5], 3)
    with pytest.raises(ValueError, match="Wrong: gradient is .* at y = 3"):
        families.from_object(Wrong(), y=[3.0])
    with pytest.raises(ValueError, match="y holds nan at position 1"):
        family.read([0, np.nan], 2)


def test_the_package_offers_families():
    assert ss.families is families and "families" in ss.__all__
    assert set(LOSSES) >= {f.name.split("(")[0] for f in ALL} - {"multinomial"}


def test_cox_reads_ties_and_strata():
    y = ([1.0, 1.0, 2.0, 3.0], [1, 1, 0, 1])
    w = np.full(4, 0.25)
    both = families.cox(), pickle.loads(pickle.dumps(families.cox("efron")))
    breslow, efron = (family.loss(family.read(y, 4).values, w) for family in both)
    assert breslow.at(np.zeros(4))[0] > efron.at(np.zeros(4))[0]
    strata = families.cox(strata=["b", "a", "b", "a"]).read(y, 4).values
    assert strata[:, 3].tolist() == [1, 0, 1, 0]
    assert read_family("cox").read(y, 4).values[:, 3].tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="ties must be one of 'breslow', 'efron', not 'exact'"):
        families.cox("exact")
    with pytest.raises(ValueError, match="strata has 2 labels but X has 4 rows"):
        families.cox(strata=[0, 1]).read(y, 4)
    with pytest.raises(TypeError, match="family is the function cox; call it"):
        read_family(families.cox)


def test_cox_has_no_intercept_and_the_rule_of_glmnet():
    assert not families.cox().intercept
    assert families.cox().stop == (1e-3, 4, True, 0.99)
