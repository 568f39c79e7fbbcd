"""Scalar options: numbers in a range, counts, flags and choices."""

import decimal
import difflib
import fractions
import math
import numbers

import numpy as np

# The largest number that fits in a C int. Larger counts are cut to it, which no run reaches.
LARGEST_COUNT = 2**31 - 1
# A message with more choices lists them without quotes.
MOST_QUOTED = 20
# A message shows at most this many characters of a value.
LONGEST = 80


def read_number(name, value, low, high, *, open_low=False, open_high=False):
    """Return `value`, a number, as a finite float between `low` and `high`, which may be infinite.

    Booleans, text, NaN and infinities are refused; `open_low` and `open_high` exclude the ends.
    """
    number = _real(name, value)
    try:
        number = float(number)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {number}")
    below = number <= low if open_low else number < low
    above = number >= high if open_high else number > high
    if below or above:
        raise ValueError(
            f"{name} must be {_range(low, high, open_low, open_high)}, not {number!r}"
        )
    return number


def read_count(name, value, low, high=None):
    """Return `value` as an int of at least `low` and, if given, at most `high`.

    Whole floats are accepted. Counts beyond 2**31 - 1 mean no limit and are returned as that
    number, which fits in every C int.
    """
    number = _real(name, value)
    if number != number or number in (math.inf, -math.inf) or number != int(number):
        raise ValueError(f"{name} must be a whole number, not {value}")
    count = int(number)
    if count < low or (high is not None and count > high):
        bound = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be {bound}, not {shown(count)}")
    return min(count, LARGEST_COUNT)


def read_seed(seed):
    """Return a numpy Generator: for a whole number of at least 0, for None, or the given one."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(
            "seed must be a whole number of at least 0, a numpy Generator or None, not "
            f"{shown(seed)}"
        ) from None


def read_flag(name, value, other=None):
    """Return `value` as a bool (True, False, 0 and 1 are accepted), or the word `other`."""
    value = _scalar(value)
    if other is not None and isinstance(value, str) and value == other:
        return other
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral) and value in (0, 1):
        return bool(value)
    choices = "True or False" if other is None else f"True, False or {other!r}"
    raise TypeError(f"{name} must be {choices}, not {shown(value)}")


def read_choice(name, value, choices):
    """Return the string `value` if it is one of `choices`; otherwise name the likely one."""
    if isinstance(value, str) and value in choices:
        return value
    long = len(choices) > MOST_QUOTED
    listed = ", ".join(choice if long else repr(choice) for choice in choices)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {listed}, not {shown(value)}")
    near = difflib.get_close_matches(value, choices, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{name} must be one of {listed}, not {value!r}{hint}")


def shown(value):
    """Return the text of an unexpected value in messages: its repr on one line, shortened."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({type(value).__name__})"


def some_of(names, most=5):
    """Return the first names of a list in messages, with an ellipsis if there are more."""
    return ", ".join(map(repr, names[:most])) + ", ..." * (len(names) > most)


def plain(value):
    """Return the Python number for a scalar, an array without dimensions or a Decimal."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    value = value.item() if hasattr(value, "item") and np.ndim(value) == 0 else value
    return float(value) if isinstance(value, (decimal.Decimal, fractions.Fraction)) else value


def _scalar(value):
    """Return the number in an array without dimensions."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _real(name, value):
    value = _scalar(value)
    is_real = isinstance(value, (numbers.Real, decimal.Decimal))
    if not is_real or isinstance(value, (bool, np.timedelta64)):
        array = isinstance(value, np.ndarray)
        found = f"an array of shape {value.shape}" if array else shown(value)
        raise TypeError(f"{name} must be a number, not {found}")
    return value


def _range(low, high, open_low, open_high):
    if math.isinf(high):
        return f"greater than {low:g}" if open_low else f"at least {low:g}"
    if math.isinf(low):
        return f"less than {high:g}" if open_high else f"at most {high:g}"
    return f"in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
