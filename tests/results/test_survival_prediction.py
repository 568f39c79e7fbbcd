"""Survival curves and concordance of cox paths against their definitions, sample by sample."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sparsesolve as ss
from sparsesolve import families

N, P = 80, 6
RNG = np.random.default_rng(5)
X = RNG.standard_normal((N, P))
START = np.where(RNG.random(N) < 0.3, RNG.integers(0, 2, N), 0).astype(float)
STOP = START + np.ceil(8 * RNG.exponential(np.exp(-X[:, 0] + 0.5 * X[:, 1])))
STATUS = RNG.random(N) < 0.7
LATE = np.column_stack([START, STOP, STATUS])
RIGHT = {"time": STOP, "status": STATUS}
CLINIC = np.array(["north", "south"])[RNG.integers(0, 2, N)]
WEIGHTS = RNG.uniform(0.5, 2.0, N)
OFFSET = 0.3 * RNG.standard_normal(N)
NEW, NEW_OFFSET = RNG.standard_normal((4, P)), np.array([0.0, 0.5, -0.5, 1.0])
TIMES = [0.5, 2.0, 7.0, 1000.0]


def naive_survival(start, w, risk, new_risk, time, ties, rows):
    """exp(-hazard) at one time, the hazard summed over the deaths of `rows` until then."""
    hazard = 0.0
    for t in np.unique(STOP[rows & STATUS & (STOP <= time)]):
        at_risk, dead = rows & (start < t) & (t <= STOP), rows & STATUS & (STOP == t)
        m = dead.sum() if ties == "efron" else 1
        for k in range(m):
            left = (w * risk)[at_risk].sum() - k / m * (w * risk)[dead].sum()
            hazard += w[dead].sum() / m / left
    return np.exp(-hazard * new_risk)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("given", [False, True], ids=["plain", "weights and offset"])
@pytest.mark.parametrize("stratified", [False, True])
def test_curves_are_those_of_the_definition(ties, late, given, stratified):
    family = families.cox(ties, strata=CLINIC if stratified else None)
    y, start = (LATE, START) if late else (RIGHT, np.full(N, -np.inf))
    options = {"weights": WEIGHTS, "offset": OFFSET} if given else {}
    fit = ss.path(X, y, family=family, n_lambdas=15, stop=None, **options)
    where = np.array(["south", "north", "north", "south"])
    s = [fit.lambdas[3], 0.9 * fit.lambdas[7]]
    curves = fit.predict(
        NEW, s, "survival", NEW_OFFSET if given else None, times=TIMES, data=(X, y),
        strata=where if stratified else None,
    )  # fmt: skip
    assert curves.shape == (4, len(TIMES), 2)
    w, o, new_o = (WEIGHTS, OFFSET, NEW_OFFSET) if given else (np.ones(N), 0.0, np.zeros(4))
    for k in range(2):
        b = fit.coef(s[k])
        risk, new_risk = np.exp(X @ b + o), np.exp(NEW @ b + new_o)
        for i in range(4):
            rows = CLINIC == where[i] if stratified else np.ones(N, dtype=bool)
            wanted = [naive_survival(start, w, risk, new_risk[i], t, ties, rows) for t in TIMES]
            assert curves[i, :, k] == pytest.approx(wanted, rel=1e-10)


REFERENCE = Path(__file__).parents[1] / "reference"


@pytest.mark.parametrize("setting", ["plain", "strata", "weights"])
def test_curves_and_concordance_are_those_of_glmnet(setting):
    """The same data, settings and lambdas as in reference/cox_curves.R."""
    with open(REFERENCE / "gaussian_data.csv", newline="") as file:
        Z = np.array([[float(row[f"x{j}"]) for j in range(1, 7)] for row in csv.DictReader(file)])
    i = np.arange(1, len(Z) + 1)
    y = (i * 37 % 101 + i / 1000 + 1, i % 3 != 0)
    family = families.cox(strata=i % 2 if setting == "strata" else None)
    weights = 1 + i % 4 if setting == "weights" else None
    fit = ss.path(Z, y, family=family, weights=weights, lambdas=[0.06, 0.02], tol=1e-12)
    with open(REFERENCE / "cox_curves.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["setting"] == setting]
    assert len(rows) == 2 * 4 * 3
    for row in rows:
        k, lam = int(row["row"]) - 1, float(row["lambda"])
        curve = fit.predict(
            Z[[k]], lam, "survival", times=float(row["time"]), data=(Z, y),
            strata=i[k] % 2 if setting == "strata" else None,
        )  # fmt: skip
        assert curve[0, 0] == pytest.approx(float(row["survival"]), abs=1e-7)
        C = fit.concordance(Z, y, lam, weights=weights)
        assert C == pytest.approx(float(row["concordance"]), abs=1e-10)


def test_the_relative_risk_is_the_response():
    fit = ss.path(X, RIGHT, family="cox", n_lambdas=8)
    assert fit.predict(NEW, kind="response") == pytest.approx(np.exp(NEW @ fit.coefs))
    assert not fit.intercepts.any()


def test_strata_as_codes_of_y_and_one_label_for_all():
    codes = (CLINIC == "south").astype(float)
    y = np.column_stack([np.full(N, -np.inf), STOP, STATUS, 3 + codes])
    fit = ss.path(X, y, family="cox", n_lambdas=8)
    named = ss.path(X, RIGHT, family=families.cox(strata=CLINIC), n_lambdas=8)
    asked = {"s": fit.lambdas[5], "kind": "survival", "times": TIMES}
    curves = fit.predict(NEW, strata=4, data=(X, y), **asked)
    assert np.array_equal(named.predict(NEW, strata="south", data=(X, RIGHT), **asked), curves)
    assert np.array_equal(fit.predict(NEW, strata=[4] * 4, data=(X, y), **asked), curves)
    with pytest.raises(ValueError, match="fitted with 2 strata"):
        fit.predict(NEW, data=(X, y), **asked)
    with pytest.raises(ValueError, match="'west' at position 1, where the fit knew 'north', 'so"):
        named.predict(NEW[:2], strata=["south", "west"], data=(X, RIGHT), **asked)
    with pytest.raises(ValueError, match="strata has 3 labels but X has 4 rows"):
        named.predict(NEW, strata=["south"] * 3, data=(X, RIGHT), **asked)


def naive_concordance(eta, w, strata):
    score = pairs = 0.0
    for i in np.flatnonzero(STATUS):
        for j in range(N):
            outlives = STOP[j] > STOP[i] or (STOP[j] == STOP[i] and not STATUS[j])
            if outlives and strata[i] == strata[j]:
                pairs += w[i] * w[j]
                score += w[i] * w[j] * ((eta[i] > eta[j]) + 0.5 * (eta[i] == eta[j]))
    return score / pairs


def test_concordance():
    fit = ss.path(X, RIGHT, family="cox", offset=OFFSET, n_lambdas=8)
    every = fit.concordance(X, RIGHT, offset=OFFSET, weights=WEIGHTS, strata=CLINIC)
    assert every.shape == fit.lambdas.shape
    eta = fit.predict(X, offset=OFFSET)
    for k in (0, 4, 7):
        assert every[k] == pytest.approx(naive_concordance(eta[:, k], WEIGHTS, CLINIC))
    plain = fit.concordance(X, RIGHT, fit.lambdas[4], offset=OFFSET)
    assert isinstance(plain, float)
    assert plain == pytest.approx(naive_concordance(eta[:, 4], np.ones(N), np.zeros(N)))
    with pytest.raises(ValueError, match="fitted with an offset"):
        fit.concordance(X, RIGHT)


def test_frames_keep_their_names():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    fit = ss.path(frame, pd.DataFrame(RIGHT), family="cox", n_lambdas=5)
    data = (frame, pd.DataFrame(RIGHT))
    assert fit.predict(frame[:3], 0.1, kind="survival", times=[1, 2], data=data).shape == (3, 2)
    turned = frame[list("bacdef")]
    assert np.array_equal(fit.concordance(turned, RIGHT), fit.concordance(X, RIGHT))
    with pytest.raises(ValueError, match="X has no column 'f'"):
        fit.concordance(frame[list("bacde")], RIGHT)


@pytest.mark.parametrize(
    "given, error, words",
    [
        ({}, ValueError, r"give the data of the fit as data=\(X, y\)"),
        ({"data": X}, ValueError, r"give the data of the fit as data=\(X, y\)"),
        ({"data": (X[::-1], RIGHT)}, ValueError, "data is not that of the fit: the last lambda"),
        ({"data": (X, LATE)}, ValueError, "data is not that of the fit: the last lambda"),
        ({"data": (X[1:], RIGHT)}, ValueError, "y has 80 rows but X has 79"),
        ({"data": (X[:, 1:], RIGHT)}, ValueError, "X has 5 columns; the path was fitted to 6"),
        ({"data": (X, RIGHT), "times": [np.nan]}, ValueError, "none of them NaN"),
        ({"data": (X, RIGHT), "times": ["1"]}, TypeError, "times .* holds text"),
        ({"data": (X, RIGHT), "times": np.array(["1970-01-02"], dtype="M8[D]")}, TypeError,
         "times .* holds dates"),
        ({"data": (X, RIGHT), "strata": pd.DataFrame([["a", "b"]] * 4)}, ValueError,
         r"strata has shape \(4, 2\); give one label"),
        ({"data": (X, RIGHT), "X": None}, ValueError, "X is missing"),
    ],
)
def test_what_is_refused(given, error, words):
    fit = ss.path(X, RIGHT, family="cox", n_lambdas=20)
    with pytest.raises(error, match=words):
        fit.predict(**{"X": NEW, "kind": "survival", **given})


def test_other_families_have_no_survival():
    fit = ss.path(X, STATUS, family="binomial", n_lambdas=5)
    with pytest.raises(ValueError, match="A binomial path has no survival curves; family='cox'"):
        fit.predict(NEW, kind="survival", data=(X, STATUS))
    with pytest.raises(ValueError, match="A binomial path has no concordance"):
        fit.concordance(X, RIGHT)


def test_no_lambda_no_row_and_no_event_have_answers():
    fit = ss.path(X, RIGHT, family="cox", n_lambdas=4)
    data, s = (X, RIGHT), fit.lambdas[2]
    assert fit.predict(NEW, [], "survival", times=TIMES, data=data).shape == (4, len(TIMES), 0)
    assert fit.predict(NEW[:0], s, "survival", times=TIMES, data=data).shape == (0, len(TIMES))
    assert np.isnan(fit.concordance(X, {"time": STOP, "status": 0 * STOP}, s=s))
    assert np.isnan(fit.concordance(X[:0], {"time": STOP[:0], "status": STATUS[:0]}, s=s))


def test_curves_know_their_times():
    pytest.importorskip("matplotlib").use("Agg")
    fit = ss.path(X, RIGHT, family="cox", n_lambdas=4)
    curves = fit.predict(NEW, fit.lambdas[2], "survival", data=(X, RIGHT))
    assert curves.times.tolist() == np.unique(STOP[STATUS.astype(bool)]).tolist()
    frame = curves.to_frame()
    np.testing.assert_array_equal(frame["time"], curves.times)
    np.testing.assert_array_equal(frame["row 1"], curves[1])
    both = fit.predict(NEW, fit.lambdas[1:3], "survival", times=TIMES, data=(X, RIGHT))
    at = both.to_frame().set_index(["lambda", "time"])["row 0"]
    assert at[fit.lambdas[2], TIMES[1]] == both[0, 1, 1]
    assert curves[:2].times is curves.times and curves[:, :2].times is None
    drawn = curves.plot().get_lines()
    np.testing.assert_array_equal(drawn[1].get_ydata(), curves[1])
    assert drawn[0].get_drawstyle() == "steps-post"
