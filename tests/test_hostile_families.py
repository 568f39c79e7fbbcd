"""Hostile responses, weights, groups, limits and lambdas to every family with every penalty.

Each call gives a path whose claims hold, or one clear sentence.
"""

import warnings

import numpy as np
import pytest
import random_problems
from hostile_designs import INF, NAN, N, P, X, Y, put
from random_problems import GROUPED, SEVERAL, Call
from test_hostile_calls import RESPONSES
from test_hostile_lasso import assert_sentence, time_limit

import sparsesolve as ss

PAIRS = [[0, 1], [2, 3], [4, 5]]
ONES = np.ones(N)
WHO = [(family, kind) for family in RESPONSES for kind in (None, *GROUPED)
       if not (kind and family in SEVERAL)]  # fmt: skip
RAGGED = {"a truth value": True, "text": "y", "nothing": None, "a number": 3.0}
OPTIONS = {
    "no option": {},
    "zero weights": {"weights": np.arange(N) % 2},
    "huge weights": {"weights": ONES * 1e308},
    "denormal weights": {"weights": ONES * 1e-320},
    "weights from 1e-30 to 1e30": {"weights": 10.0 ** np.linspace(-30, 30, N),
                                   "max_iter": 30},
    "one row of weight": {"weights": put(0 * ONES, 4, 2.0)},
    "no weight": {"weights": 0 * ONES},
    "a negative weight": {"weights": put(ONES, 1, -1)},
    "NaN in the weights": {"weights": put(ONES, 1, NAN)},
    "an infinite weight": {"weights": put(ONES, 1, INF)},
    "unsorted lambdas": {"lambdas": [0.01, 0.1, 0.01, 0.05]},
    "lambda 0": {"lambdas": [0.1, 0.0], "max_iter": 300},
    "a negative lambda": {"lambdas": [0.1, -0.1]},
    "an infinite lambda": {"lambdas": [INF]},
    "a huge lambda": {"lambdas": [1e300]},
    "a tiny lambda": {"lambdas": [1e-300], "max_iter": 300},
    "limits of 0": {"lower": 0, "upper": 0},
    "limits crossing 0": {"lower": 0.1},
    "not below 0": {"lower": 0},
    "narrow limits": {"lower": -1e-12, "upper": 1e-12},
    "NaN as a limit": {"upper": [NAN] * P},
    "all excluded": {"penalty_factor": INF},
    "all unpenalised": {"penalty_factor": 0.0, "max_iter": 300},
    "a negative factor": {"penalty_factor": -1.0},
    "tol 0": {"tol": 0.0, "max_iter": 30},
    "no iterations": {"max_iter": 0},
    "ridge": {"alpha": 0.0},
    "offset of 1e300": {"offset": Y * 1e300},
    "NaN in the offset": {"offset": put(ONES, 3, NAN)},
}  # fmt: skip
UNPENALISED = ["lambda 0", "a tiny lambda"]  # where the judges' dual points are none
MUST_REFUSE = {"no weight", "a negative weight", "NaN in the weights", "an infinite weight",
               "a negative lambda", "an infinite lambda", "limits crossing 0", "NaN as a limit",
               "a negative factor", "NaN in the offset"}  # fmt: skip


def answer(call, **more):
    """A path whose every claim has been judged, or the sentence that refuses it."""
    with warnings.catch_warnings(), time_limit():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            fit = call.fit(**more)
        except (ValueError, TypeError) as error:
            assert_sentence(error)
            return str(error)
    parts = fit.coefs if isinstance(fit.coefs, list) else [fit.coefs]
    assert all(np.isfinite(part.data).all() for part in parts)
    for values in (fit.intercepts, fit.dev_ratio, fit.gaps[fit.status == 0], fit.lambdas):
        assert np.isfinite(values).all()
    return fit


def call_of(family, kind, y, **options):
    options = {"standardize": True, **options}
    if family == "cox":
        options.pop("intercept", None)
    steer = {"n_lambdas": 4, "stop": None, "lambda_min_ratio": 0.05}
    steer |= {k: options.pop(k) for k in ("tol", "max_iter", "lambdas") if k in options}
    lists = PAIRS if kind else None
    factors = options.get("penalty_factor")
    if factors is not None:
        options["penalty_factor"] = np.full(len(PAIRS) if kind else P, factors)
    return Call(family, X, y, options, steer, kind=kind, lists=lists, stored=X)


@pytest.mark.parametrize("family, kind", WHO)
def test_options_are_right_or_refused(family, kind):
    for name, options in OPTIONS.items():
        call = call_of(family, kind, RESPONSES[family], **options)
        found = answer(call)
        if name in MUST_REFUSE:
            assert isinstance(found, str), name
        if isinstance(found, str):
            continue
        if name == "offset of 1e300" or name in UNPENALISED:
            assert found.null_deviance > 0, name
            continue  # beyond the judges
        for option in {"lower", "upper", "weights"} & set(call.options):  # as the judges take them
            value = np.full(P, call.options[option]) if option != "weights" else options[option]
            call.options[option] = value / (1.0 if option != "weights" else value.max())
        with np.errstate(all="ignore"):
            false = random_problems.judged(call, found)[2]
        assert not false, (name, false)


@pytest.mark.parametrize("family, kind", WHO)
def test_responses_are_right_or_refused(family, kind):
    """Wrong and degenerate ones: those of other families, constant, separable, of one class."""
    own = RESPONSES[family]
    flat = own.reshape(N, -1)[:, 0]
    wrong = {
        **{f"of {other}": y for other, y in RESPONSES.items() if other != family},
        "constant": np.broadcast_to(own[:1], own.shape), "zeros": 0 * own,
        "all the largest": np.broadcast_to(own[[flat.argmax()]], own.shape),
        "NaN": put(own * 1.0, 2, NAN), "inf": put(own * 1.0, 2, INF), "short": own[:-1],
        "complex": own * 1j, "text": flat.astype(str), "negative": -1.0 - np.abs(own),
        "huge": own * 1e300, "denormal": own * 1e-310, "one row": own[:1],
        "separable": np.where(X[:, [0]] > 0, own[[flat.argmax()]].reshape(1, -1),
                              own[[flat.argmin()]].reshape(1, -1)).reshape(own.shape),
        **RAGGED,
    }  # fmt: skip
    for name, y in wrong.items():
        found = answer(call_of(family, kind, y), max_iter=100)
        if name in {"NaN", "inf", "short", "complex", "one row", *RAGGED}:
            assert isinstance(found, str), name


GROUPS = {
    "one giant": [list(range(P))], "uncovered": [[1, 2]], "of one": [[j] for j in range(P)],
    "labels": [0, 0, 1, 1, 2, 2], "in any order": [[5, 0], [3, 1]], "None for some": [
        0, None, 0, None, 1, 1], "a mapping": {"a": [0, 1], "b": [4]},
}  # fmt: skip
NOT_GROUPS = {
    "overlapping": [[0, 1], [1, 2]], "twice in one": [[0, 0], [1]], "beyond": [[0, P]],
    "negative": [[-1]], "halves": [[0.5]], "too many labels": [0] * (P + 1), "text": "groups",
    "nothing": None, "a number": 3, "NaN": [[NAN]], "an empty group": [[], [1]], "none": [],
}  # fmt: skip


@pytest.mark.parametrize("family", [f for f in RESPONSES if f not in SEVERAL])
@pytest.mark.parametrize("kind", GROUPED)
def test_groups_are_right_or_refused(family, kind):
    y = RESPONSES[family]
    family = random_problems.MADE.get(family, family)
    for name, groups in {**GROUPS, **NOT_GROUPS}.items():
        with warnings.catch_warnings(), time_limit():
            warnings.simplefilter("error")
            try:
                penalty = GROUPED[kind](groups)
                fit = ss.path(X, y, family=family, penalty=penalty, n_lambdas=4)
            except (ValueError, TypeError) as error:
                assert name in NOT_GROUPS, name
                assert_sentence(error)
                continue
        assert name in GROUPS or name in ("an empty group", "none"), name
        assert not fit.status.any() and np.isfinite(fit.coefs.data).all()
