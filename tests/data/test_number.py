"""Scalar options: what counts as a number, a count, a flag or a choice, and what does not."""

import decimal

import numpy as np
import pytest

from sparsesolve.data import read_choice, read_count, read_flag, read_number

INF, NAN = np.inf, np.nan

NUMBERS = [1, 1.0, np.float32(1), np.int8(1), np.array(1.0), decimal.Decimal(1)]


@pytest.mark.parametrize("value", NUMBERS)
def test_numbers_accepted(value):
    number = read_number("alpha", value, 0, 1)
    assert number == 1 and type(number) is float
    count = read_count("n_lambdas", value, 1)
    assert count == 1 and type(count) is int


@pytest.mark.parametrize(
    "value, error, match",
    [
        (True, TypeError, "alpha must be a number, not True"),
        (np.True_, TypeError, "alpha must be a number, not"),
        ("1", TypeError, "alpha must be a number, not '1'"),
        (None, TypeError, "alpha must be a number, not None"),
        (1j, TypeError, "alpha must be a number"),
        ([1.0], TypeError, "alpha must be a number"),
        (np.ones(2), TypeError, r"alpha must be a number, not an array of shape \(2,\)"),
        (np.timedelta64(1, "s"), TypeError, "alpha must be a number"),
        (NAN, ValueError, "alpha must be a finite number, not nan"),
        (INF, ValueError, "alpha must be a finite number, not inf"),
        (10**400, ValueError, "alpha must be a finite number, not inf"),
        (1.5, ValueError, r"alpha must be in \[0, 1\], not 1.5"),
        (-1e-9, ValueError, r"alpha must be in \[0, 1\]"),
    ],
)
def test_numbers_refused(value, error, match):
    with pytest.raises(error, match=match):
        read_number("alpha", value, 0, 1)


def test_open_ends_and_half_lines():
    for call, match in [
        (lambda: read_number("t", 0, 0, 1, open_low=True), r"t must be in \(0, 1\]"),
        (lambda: read_number("t", 1, 0, 1, open_high=True), r"t must be in \[0, 1\)"),
        (lambda: read_number("t", -1, 0, INF), "t must be at least 0, not -1.0"),
        (lambda: read_number("t", 0, 0, INF, open_low=True), "t must be greater than 0"),
        (lambda: read_number("t", 2, -INF, 1), "t must be at most 1"),
        (lambda: read_number("t", 1, -INF, 1, open_high=True), "t must be less than 1"),
    ]:
        with pytest.raises(ValueError, match=match):
            call()


@pytest.mark.parametrize(
    "value, error, match",
    [
        (0, ValueError, "k must be between 1 and 5, not 0"),
        (6, ValueError, "k must be between 1 and 5, not 6"),
        (2.5, ValueError, "k must be a whole number, not 2.5"),
        (NAN, ValueError, "k must be a whole number, not nan"),
        (INF, ValueError, "k must be a whole number, not inf"),
        (True, TypeError, "k must be a number, not True"),
        ("3", TypeError, "k must be a number, not '3'"),
    ],
)
def test_counts_refused(value, error, match):
    with pytest.raises(error, match=match):
        read_count("k", value, 1, 5)


def test_counts_beyond_a_c_int_mean_no_limit():
    assert read_count("max_iter", 10**30, 1) == 2**31 - 1
    with pytest.raises(ValueError, match="k must be at least 1, not -3"):
        read_count("k", -3, 1)


def test_flags():
    for value in (True, np.True_, 1, np.int64(1), np.array(True)):
        assert read_flag("intercept", value) is True
    for value in ("no", 2, None, 0.0, np.ones(2)):
        with pytest.raises(TypeError, match="intercept must be True or False"):
            read_flag("intercept", value)


def test_choices():
    families = ("gaussian", "binomial")
    assert read_choice("family", "gaussian", families) == "gaussian"
    with pytest.raises(ValueError, match="not 'gausian'; did you mean 'gaussian'"):
        read_choice("family", "gausian", families)
    with pytest.raises(TypeError, match="family must be one of 'gaussian', 'binomial', not None"):
        read_choice("family", None, families)
