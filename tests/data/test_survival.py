"""Survival responses in every form they come in, and the sentences for those that are none."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsesolve.data import read_strata, read_survival

START, TIME, STATUS = [0.0, 0.5, 1.0], [2.0, 1.0, 3.0], [1, 0, 1]
RIGHT = np.column_stack([np.full(3, -np.inf), TIME, STATUS, np.zeros(3)])
LATE = np.column_stack([START, TIME, STATUS, np.zeros(3)])


def _record(**fields):
    types = [(name, np.asarray(values).dtype) for name, values in fields.items()]
    return np.array(list(zip(*fields.values(), strict=True)), dtype=types)


DEAD = [True, False, True]
RIGHT_FORMS = {
    "array": np.column_stack([TIME, STATUS]),
    "float32": np.column_stack([TIME, STATUS]).astype(np.float32),
    "rows": [[2.0, 1], [1.0, 0], [3.0, 1]],
    "tuple": (TIME, STATUS),
    "tuple of booleans": (np.array(TIME), np.array(DEAD)),
    "status first, but boolean": (np.array(DEAD), np.array(TIME)),
    "dict": {"status": STATUS, "time": TIME},
    "dict of an event": {"Event": DEAD, "Time": TIME},
    "pandas": pd.DataFrame({"status": STATUS, "time": TIME}, index=[7, 8, 9]),
    "pandas, names unknown": pd.DataFrame({"months": TIME, "relapse": STATUS}),
    "pandas, relapse boolean": pd.DataFrame({"relapse": DEAD, "months": TIME}),
    "arrow": pa.table({"status": STATUS, "time": TIME}),
    "polars": pl.DataFrame({"status": STATUS, "time": TIME}),
    "series": (pd.Series(TIME), pd.Series(STATUS)),
    "records": _record(cens=DEAD, months=TIME),
    "columns": (np.array([TIME]).T, np.array([STATUS]).T),
}
LATE_FORMS = {
    "array": np.column_stack([START, TIME, STATUS]),
    "tuple": (START, TIME, STATUS),
    "dict": {"status": STATUS, "stop": TIME, "start": START},
    "pandas": pd.DataFrame({"event": DEAD, "stop": TIME, "start": START}),
    "records": _record(status=STATUS, start=START, stop=TIME),
    "read already": LATE,
}


@pytest.mark.parametrize("form", RIGHT_FORMS)
def test_times_and_status_are_read(form):
    assert read_survival(RIGHT_FORMS[form], 3).tolist() == RIGHT.tolist()


@pytest.mark.parametrize("form", LATE_FORMS)
def test_intervals_are_read(form):
    assert read_survival(LATE_FORMS[form], 3).tolist() == LATE.tolist()


def test_what_was_read_is_read_again_and_left_alone():
    y = np.column_stack([np.full(3, -np.inf), TIME, STATUS, [2.0, 0.0, 2.0]])
    before = y.copy()
    again = read_survival(y, 3)
    assert again.tolist() == before.tolist()
    again[:] = 7.0
    assert y.tolist() == before.tolist()


@pytest.mark.parametrize(
    "labels, codes, names",
    [
        (["b", "a", "b"], [1, 0, 1], ["a", "b"]),
        ([30, 10, 20], [2, 0, 1], [10, 20, 30]),
        ([True, False, True], [1, 0, 1], [False, True]),
        (pd.Categorical(["x", "y", "x"]), [0, 1, 0], ["x", "y"]),
        (pd.Series(["x", "y", "x"], dtype="string"), [0, 1, 0], ["x", "y"]),
        (np.array([[1.5], [1.5], [0.5]]), [1, 1, 0], [0.5, 1.5]),
    ],
)
def test_strata_are_coded_in_the_order_of_their_labels(labels, codes, names):
    found = read_strata(labels, 3)
    assert found[0].tolist() == codes
    assert found[1].tolist() == names
    assert read_survival((TIME, STATUS), 3, strata=labels)[:, 3].tolist() == codes


@pytest.mark.parametrize(
    "y, message",
    [
        ((TIME, [1, 2, 1]), "status 2.0 at row 1 .*give 1 for an event, 0 for censored"),
        ((TIME, [1, 0, np.nan]), "status nan at row 2"),
        ((TIME, [0, 0, 0]), "y has no event"),
        (([2.0, -1.0, 3.0], STATUS), "time -1.0 at row 1 .*at least 0"),
        (([2.0, 1.0, np.nan], STATUS), "time nan at row 2 .*drop that row"),
        (([np.inf, 1.0, 3.0], STATUS), "time inf at row 0"),
        (([0.0, -2.0, 1.0], TIME, STATUS), "start -2.0 at row 1 .*at least 0"),
        (([0.0, np.nan, 1.0], TIME, STATUS), "start nan at row 1"),
        (([0.0, 1.0, 1.0], TIME, STATUS), "start 1 and stop 1 at row 1 .*start must be less"),
        ((TIME, [1, 0]), "column '0' of y has 3 values but column '1' has 2"),
        ((TIME[:2], STATUS[:2]), "y has 2 rows but X has 3"),
        (np.c_[np.zeros(3), TIME, STATUS, [0, np.nan, 1]], "y holds the stratum nan at row 1"),
        (np.array(TIME), r"y has shape \(3,\); pass two columns"),
        (np.zeros((3, 5)), r"y has shape \(3, 5\); pass two columns"),
        ({"time": TIME}, "y has 1 columns; pass two columns"),
        ((np.zeros((3, 2)), STATUS), r"column '0' of y has shape \(3, 2\)"),
        (pd.DataFrame([[1, 0]] * 3, columns=["t", "t"]), "columns of one name"),
    ],
)
def test_what_is_no_survival_response_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_survival(y, 3)


WORDS = ["dead", "alive", "dead"]


@pytest.mark.parametrize(
    "y",
    [
        {"time": TIME, "status": WORDS},
        (TIME, np.array(WORDS)),
        (START, TIME, pd.Series(WORDS, dtype="category")),
        pd.DataFrame({"time": TIME, "dead": WORDS}),
        np.column_stack([TIME, WORDS]),
        np.column_stack([np.array(TIME, dtype=object), WORDS]),
    ],
)
def test_a_status_in_two_words_is_to_be_coded(y):
    message = "y holds 'alive' and 'dead'; .* give status == 'dead' if that is the event"
    with pytest.raises(ValueError, match=message):
        read_survival(y, 3)
    with pytest.raises(TypeError, match="column 'status' of y .*holds text"):
        read_survival({"time": TIME, "status": ["dead", "alive", "lost"]}, 3)


@pytest.mark.parametrize(
    "strata, message",
    [
        (["a", None, "b"], r"missing label at position 1"),
        (["a", np.nan, "b"], r"missing label at position 1"),
        ([1.0, 2.0, np.nan], r"missing label at position 2"),
        (pd.Series(["a", None, "b"], dtype="string"), r"missing label at position 1"),
        (["a", "b"], "strata has 2 labels but X has 3 rows"),
        (np.zeros((3, 2)), r"strata has shape \(3, 2\)"),
    ],
)
def test_bad_strata_are_refused(strata, message):
    with pytest.raises(ValueError, match=message):
        read_survival((TIME, STATUS), 3, strata=strata)


def test_labels_without_an_order_are_refused():
    with pytest.raises(TypeError, match="labels of one type"):
        read_strata(np.array([1, "a", 2], dtype=object), 3)


def test_strata_are_not_given_twice():
    with pytest.raises(ValueError, match="has a column of strata already"):
        read_survival(RIGHT, 3, strata=["a", "b", "c"])
