"""Every family: a mean that fits its loss, the likeliest class, pickles, parameters, ends."""

import pickle

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.families import FAMILIES

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
KINKED = [families.hinge(), families.quantile(0.25), families.epsilon_insensitive(0.5)]
ALL = [*MEANS, families.squared_hinge(), families.multinomial, *KINKED]
TWO_CLASSES = [f for f in ALL if f.classify is not None and f.name != "multinomial"]


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
    assert not any(family.smooth or family.several for family in KINKED)
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
    (lambda: families.quantile(0.0), ValueError, "q must be"),
    (lambda: families.quantile("half"), TypeError, "q must be"),
    (lambda: families.epsilon_insensitive(-1), ValueError, "epsilon must"),
    (lambda: families.epsilon_insensitive(None), TypeError, "epsilon must"),
])  # fmt: skip
def test_parameters_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_stop_rules_are_glmnets():
    assert FAMILIES["gaussian"].stop == (1e-5, 1, True, 0.999)
    assert FAMILIES["binomial"].stop == FAMILIES["multinomial"].stop == (1e-5, 1, False, 0.999)
    assert FAMILIES["poisson"].stop == (1e-4, 4, True, 0.999)


@pytest.mark.parametrize("q", [0.2, 0.5, 0.8])
def test_that_share_of_the_rows_lies_below(q):
    """With an intercept at most q of the rows are below the fit, at most 1 - q above."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.standard_t(2, size=80)
    fit = ss.path(X, y, family=families.quantile(q), lambdas=[0.02], tol=1e-9)
    left = y - fit.predict(X, s=0.02)
    assert (left < -1e-4).mean() <= q + 1e-9 and (left > 1e-4).mean() <= 1 - q + 1e-9


def test_a_saved_model_knows_its_family(tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 3))
    fit = ss.path(X, X[:, 0], family=families.epsilon_insensitive(0.3), lambdas=[0.1])
    ss.save(fit, tmp_path / "fit.npz")
    assert ss.load(tmp_path / "fit.npz").family == "epsilon_insensitive(epsilon=0.3)"
