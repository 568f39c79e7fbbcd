"""Measures against their definitions, one row at a time."""

import numpy as np
import pytest
from scipy import special, stats

from sparsesolve import families
from sparsesolve.selection.measures import deviance, known_measures, read_measure

N, L = 40, 3
RNG = np.random.default_rng(5)
ETA = np.round(RNG.standard_normal((N, L)), 1)  # with ties
W = RNG.uniform(0.2, 2.0, N)
W[3] = 0.0
YES = RNG.integers(0, 2, N).astype(float)
SHARE = RNG.uniform(size=N)
REAL = RNG.standard_normal(N)
COUNT = RNG.poisson(1.5, N).astype(float)
ETAS = RNG.standard_normal((N, 4, L))
CLASSES = np.eye(4)[RNG.integers(0, 4, N)]
DIED = np.arange(N) % 3 > 0
TIMES = np.column_stack([np.full(N, -np.inf), np.arange(N) + 1.0, DIED, np.zeros(N)])


def score(measure, family, y, eta, w=W):
    family = families.read_family(family)
    return read_measure(measure, family).score(family, y, eta, w)


def mean(values):
    return (W[:, None] * values).sum(axis=0) / W.sum()


def test_deviances_are_those_of_the_definitions():
    assert score(None, "gaussian", REAL, ETA) == pytest.approx(mean((REAL[:, None] - ETA) ** 2))
    rate = np.exp(ETA)
    log_ratio = special.xlogy(COUNT[:, None], COUNT[:, None] / rate)
    poisson = 2 * (log_ratio - COUNT[:, None] + rate)
    assert score("deviance", "poisson", COUNT, ETA) == pytest.approx(mean(poisson))
    for y in (YES, SHARE):
        p = special.expit(ETA)
        best = special.xlogy(y, y) + special.xlogy(1 - y, 1 - y)
        likelihood = y[:, None] * np.log(p) + (1 - y)[:, None] * np.log(1 - p)
        expected = mean(2 * (best[:, None] - likelihood))
        assert score(None, "binomial", y, ETA) == pytest.approx(expected)
    p = special.softmax(ETAS, axis=1)
    expected = mean(-2 * np.log((p * CLASSES[:, :, None]).sum(axis=1)))
    assert score(None, "multinomial", CLASSES, ETAS) == pytest.approx(expected)
    residual = CLASSES[:, :, None] - ETAS
    assert score(None, "multigaussian", CLASSES, ETAS) == pytest.approx(
        mean((residual**2).sum(axis=1)))  # fmt: skip


def test_any_family_has_a_deviance():
    """The generic one, of the loss, is that of a family that is written out."""
    y = np.where(YES > 0, 1.0, -1.0)
    hinge = np.maximum(0.0, 1 - y[:, None] * ETA) ** 2
    assert score(None, families.squared_hinge(), y, ETA) == pytest.approx(mean(hinge))
    p = special.ndtr(ETA)
    likelihood = YES[:, None] * np.log(p) + (1 - YES)[:, None] * np.log(1 - p)
    assert score(None, families.probit(), YES, ETA) == pytest.approx(mean(-2 * likelihood))
    y, mu = COUNT + 0.5, np.exp(ETA)
    gamma = 2 * (y[:, None] / mu - 1 - np.log(y[:, None] / mu))
    assert score(None, families.gamma(), y, ETA) == pytest.approx(mean(gamma))


def test_a_certain_error_costs_no_more_than_glmnets_bound():
    eta = np.array([[800.0], [-800.0]])
    found = score(None, "binomial", np.array([0.0, 1.0]), eta, np.ones(2))
    assert found == pytest.approx([-2 * np.log(1e-5)])
    three = np.array([[[0.0], [900.0], [0.0]]])
    assert score(None, "multinomial", np.array([[1.0, 0, 0]]), three, np.ones(1)) == pytest.approx(
        [-2 * np.log(1e-5)])  # fmt: skip


def test_squares_and_absolutes_count_both_classes():
    p = special.expit(ETA)
    assert score("mse", "binomial", SHARE, ETA) == pytest.approx(
        mean(2 * (SHARE[:, None] - p) ** 2))  # fmt: skip
    assert score("mae", "binomial", SHARE, ETA) == pytest.approx(
        mean(2 * abs(SHARE[:, None] - p)))  # fmt: skip
    assert score("mae", "poisson", COUNT, ETA) == pytest.approx(
        mean(abs(COUNT[:, None] - np.exp(ETA))))  # fmt: skip
    p = special.softmax(ETAS, axis=1)
    assert score("mse", "multinomial", CLASSES, ETAS) == pytest.approx(
        mean(((CLASSES[:, :, None] - p) ** 2).sum(axis=1)))  # fmt: skip


def test_misclassified_shares():
    likely = (ETA > 0).astype(float)
    assert score("class", "binomial", YES, ETA) == pytest.approx(mean(likely != YES[:, None]))
    shares = mean(np.where(likely > 0, 1 - SHARE[:, None], SHARE[:, None]))
    assert score("class", "binomial", SHARE, ETA) == pytest.approx(shares)
    wrong = ETAS.argmax(axis=1) != CLASSES.argmax(axis=1)[:, None]
    assert score("class", "multinomial", CLASSES, ETAS) == pytest.approx(mean(wrong))
    y = np.where(YES > 0, 1.0, -1.0)
    assert score("class", families.squared_hinge(), y, ETA) == pytest.approx(
        mean(likely != YES[:, None]))  # fmt: skip


def test_auc_counts_pairs():
    """Over all pairs, ties half; without weights it is the Mann-Whitney statistic."""
    expected = []
    for column in ETA.T:
        won = np.sign(column[:, None] - column[None, :]) / 2 + 0.5
        pairs = np.outer(W * SHARE, W * (1 - SHARE))
        expected.append((won * pairs).sum() / pairs.sum())
    assert score("auc", "binomial", SHARE, ETA) == pytest.approx(expected)
    u = stats.mannwhitneyu(ETA[YES > 0, 0], ETA[YES == 0, 0]).statistic
    whole = score("auc", "binomial", YES, ETA, np.ones(N))[0]
    assert whole == pytest.approx(u / (YES.sum() * (1 - YES).sum()))
    assert np.isnan(score("auc", "binomial", np.ones(N), ETA)).all()


def test_cox_deviance_is_twice_what_the_likelihood_lacks_for_each_death():
    time, status = RNG.permutation(N) + 1.0, (RNG.random(N) < 0.6) * 1.0
    y = np.column_stack([np.full(N, -np.inf), time, status, np.zeros(N)])
    expected = []
    for eta in ETA.T:
        terms = [W[i] * (eta[i] - np.log((W * np.exp(eta))[time >= time[i]].sum()) + np.log(W[i]))
                 for i in np.flatnonzero(status * W)]  # fmt: skip
        expected.append(-2 * sum(terms) / (W @ status))
    assert deviance(families.cox(), y, ETA, W) == pytest.approx(expected)
    measure = read_measure(None, families.cox())
    assert measure.partial and measure.weight(y, W) == pytest.approx(W @ status)
    assert read_measure("C", families.cox()).weight(y, W) == pytest.approx(W.sum())


@pytest.mark.parametrize("family, name, y, far", [
    ("gaussian", "deviance", REAL, 1e200),
    ("gaussian", "mse", REAL, 1e200),
    ("poisson", "deviance", COUNT, 800.0),
    ("poisson", "mse", COUNT, 400.0),
    ("poisson", "mae", COUNT, 800.0),
    (families.gamma(), "mae", COUNT + 0.5, 800.0),
    (families.huber(), "mse", REAL, 1e200),
    ("binomial", "deviance", YES, np.inf),
    ("binomial", "auc", YES, np.inf),
    ("multinomial", "deviance", CLASSES, 1e308),
    ("multinomial", "class", CLASSES, 1e308),
    ("multigaussian", "mae", CLASSES, 1e308),
    ("cox", "deviance", TIMES, 800.0),
    ("cox", "C", TIMES, np.inf),
])  # fmt: skip
def test_rows_of_weight_0_count_for_nothing(family, name, y, far):
    """Not even where their cost is beyond all floats: 0 times infinity is not 0."""
    eta = (ETA if np.ndim(y) == 1 or family == "cox" else ETAS).copy()
    eta[3] = far * np.where(np.arange(eta[3].size) % 2, -1.0, 1.0).reshape(eta[3].shape)
    rest = W > 0.0
    expected = score(name, family, y[rest], eta[rest], W[rest])
    assert np.isfinite(expected).all()
    assert score(name, family, y, eta).tolist() == expected.tolist()


def test_a_callable_sees_responses_means_and_weights():
    def largest_error(y, prediction, weights):
        assert (y == COUNT).all() and (weights == W).all()
        return abs(y - prediction).max()

    measure = read_measure(largest_error, families.poisson)
    assert (measure.label, measure.larger) == ("largest_error", False)
    assert measure.score(families.poisson, COUNT, ETA, W) == pytest.approx(
        abs(COUNT[:, None] - np.exp(ETA)).max(axis=0))  # fmt: skip


@pytest.mark.parametrize("family, names", [
    ("gaussian", ["deviance", "mse", "mae"]),
    ("binomial", ["deviance", "class", "mse", "mae", "auc"]),
    ("multinomial", ["deviance", "class", "mse", "mae"]),
    ("cox", ["deviance", "C"]),
    (families.squared_hinge(), ["deviance", "class", "auc"]),
    (families.tweedie(1.5), ["deviance", "mse", "mae"]),
])  # fmt: skip
def test_measures_that_a_family_has(family, names):
    family = families.read_family(family)
    assert known_measures(family) == names
    with pytest.raises(ValueError, match="measure must be one of 'deviance'"):
        read_measure("rmse", family)


def test_scores_of_other_packages_lead_to_measures():
    with pytest.raises(ValueError, match="not 'accuracy'; 'class' ranks models in the same way"):
        read_measure("accuracy", families.read_family("multinomial"))
    with pytest.raises(ValueError, match="not 'rmse'; 'mse' ranks"):
        read_measure("rmse", families.read_family("gaussian"))


@pytest.mark.parametrize("answer", [None, "low", {}, np.zeros(3)])
def test_a_measure_that_returns_no_number_is_refused(answer):
    score = read_measure(lambda y, mean, w: answer, families.read_family("gaussian")).score
    words = r"measure returned (an array of shape \(3,\)|None|'low'|{}); return one number"
    with pytest.raises((TypeError, ValueError), match=words):
        score(families.read_family("gaussian"), np.zeros(3), np.zeros((3, 2)), np.ones(3))
