"""Survival responses: times, events and strata in the forms that users have."""

import numpy as np

from .array import place, real_array, unmasked
from .frame import is_frame, read_frame

NAMES = {"start": "start", "stop": "stop", "time": "stop", "status": "status", "event": "status"}
FORMS = (
    "pass two columns, (time, status), or three, (start, stop, status), with status 1 where the "
    "event happened and 0 where the sample was censored"
)


def read_survival(y, n, strata=None, censored=False):
    """Return a survival response (n, 4): start, stop, status and stratum code.

    y is (time, status) or (start, stop, status): an array, frame, structured array, dict, or tuple
    of columns. These are recognised by the names ``time``, ``start``, ``stop``, ``status`` or
    ``event``; otherwise by their order, but a single boolean column is the status. What this
    function returned is returned unchanged. Start is -inf for samples that are at risk from the
    beginning. Codes 0, 1, ... follow the order of the labels `strata` (n,); None is one stratum.
    With `censored` all rows may be censored, because nothing is fitted.
    """
    columns = _columns(y)
    count = len(columns)
    if len(columns[0]) != n:
        raise ValueError(f"y has {len(columns[0])} rows but X has {n}; give one row per row of X")
    if count == 4 and strata is not None:
        raise ValueError("y has a column of strata already; leave strata out, or that column")
    values = np.empty((n, 4))
    values[:, 0] = -np.inf
    values[:, 3] = 0.0 if strata is None else read_strata(strata, n)[0]
    values[:, 1 if count == 2 else 0 : max(count, 3)] = np.column_stack(columns)
    _refuse("stratum", values[:, 3], ~np.isfinite(values[:, 3]), "give every row one")
    _refuse_times(values, "time" if count == 2 else "stop")
    _refuse_status(values, censored)
    return values


def read_strata(strata, n, name="strata"):
    """Return codes (n,) of labels, 0 for the first in sorted order, and the labels sorted."""
    labels = np.asarray(unmasked(name, strata))
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"{name} has shape {labels.shape}; give one label per row of X")
    if len(labels) != n:
        raise ValueError(
            f"{name} has {len(labels)} labels but X has {n} rows; give one label per row"
        )
    # before conversion to text
    listed = strata if isinstance(strata, (list, tuple)) else labels.tolist()
    missing = np.array([is_missing(label) for label in listed], dtype=bool)
    if missing.any():
        where = place((int(missing.argmax()),))
        raise ValueError(f"{name} has a missing label {where}; give every row one")
    try:
        labels, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise TypeError(
            f"{name} mixes labels that have no order ({error}); give labels of one type"
        ) from error
    return codes.ravel(), labels


def is_missing(label):
    """Return True if a label is None, NA, NaT or NaN."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    differs = label != label
    return isinstance(differs, bool | np.bool_) and bool(differs)


def _columns(y):
    """Return two, three or four float columns of one length: (start,) stop, status(, stratum)."""
    if isinstance(y, dict):
        named = list(y.items())
    elif isinstance(y, np.ndarray) and y.dtype.names:
        named = [(name, y[name]) for name in y.dtype.names]
    elif is_frame(y):
        named = [(str(name), y[name]) for name in _unique_names(y)]
    elif isinstance(y, tuple) and len(y) in (2, 3):
        named = [(str(k), column) for k, column in enumerate(y)]
    else:
        if np.ndim(y) == 2 and np.shape(y)[1] in (2, 3):
            for k, column in enumerate(np.asarray(y).T):
                _refuse_words(str(k), column)
        array = real_array("y", y)
        if array.ndim != 2 or array.shape[1] not in (2, 3, 4):
            raise ValueError(f"y has shape {array.shape}; {FORMS}")
        return list(array.astype(float).T)
    if len(named) not in (2, 3):
        raise ValueError(f"y has {len(named)} columns; {FORMS}")
    arrays = [(str(name).lower(), _column(name, values)) for name, values in named]
    for name, array in arrays[1:]:
        if len(array) != len(arrays[0][1]):
            first = f"column {arrays[0][0]!r} of y has {len(arrays[0][1])} values"
            raise ValueError(f"{first} but column {name!r} has {len(array)}; give equally many")
    return [array.astype(float) for array in _in_order(arrays)]


def _unique_names(frame):
    names = list(getattr(frame, "column_names", None) or frame.columns)
    if len(set(names)) < len(names):
        raise ValueError(f"y has columns of one name ({', '.join(map(repr, names))}); rename them")
    return names


def _column(name, values):
    if is_frame(values):
        values = read_frame(values)[0]
    _refuse_words(name, values)
    array = real_array("y", values, column=name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"column {name!r} of y has shape {array.shape}; {FORMS}")
    return array


def _refuse_words(name, values):
    """Raise ValueError for a column of two words, such as "dead" and "alive"."""
    array = np.asarray(values)
    if array.dtype.kind not in "OUS":
        return
    words = sorted({x for x in array.ravel().tolist() if isinstance(x, str | bytes)}, key=str)
    if len(words) == 2:
        raise ValueError(
            f"column {name!r} of y holds {words[0]!r} and {words[1]!r}; the status is 1 where the "
            f"event happened and 0 where the sample was censored: give status == {words[1]!r} if "
            f"that is the event, else status == {words[0]!r}"
        )


def _in_order(arrays):
    roles = [NAMES.get(name) for name, _ in arrays]
    wanted = ["start", "stop", "status"][3 - len(arrays) :]
    if sorted(map(str, roles)) == sorted(wanted):
        return [arrays[roles.index(role)][1] for role in wanted]
    boolean = [array for _, array in arrays if array.dtype == bool]
    if len(boolean) == 1:
        return [array for _, array in arrays if array is not boolean[0]] + boolean
    return [array for _, array in arrays]


def _refuse_times(values, name):
    start, stop = values[:, 0], values[:, 1]
    for column, times, bad in (
        ("start", start, np.isnan(start) | (start == np.inf)),
        (name, stop, ~np.isfinite(stop)),
    ):
        _refuse(column, times, bad, "drop that row or replace the value")
        negative = (times < 0) & (times > -np.inf)
        _refuse(column, times, negative, "times must be at least 0; count them from their origin")
    bad = start >= stop
    if bad.any():
        i = int(bad.argmax())
        raise ValueError(
            f"y has start {start[i]:g} and stop {stop[i]:g} at row {i} (counted from 0); a sample "
            "is at risk from start to stop, so start must be less than stop"
        )


def _refuse_status(values, censored):
    status = values[:, 2]
    _refuse("status", status, ~np.isin(status, (0.0, 1.0)), "give 1 for an event, 0 for censored")
    if not (censored or status.any()):
        raise ValueError(
            "y has no event, status is 0 in every row; without one there is nothing to fit"
        )


def refuse_no_event(values, shares):
    """Raise for survival (n, 4) in which no row with an event has a share."""
    if not (shares @ values[:, 2]) > 0.0:
        raise ValueError("y has no event in a row of positive weight; there is nothing to fit")


def _refuse(column, values, bad, advice):
    if bad.any():
        i = int(bad.argmax())
        raise ValueError(
            f"y holds the {column} {float(values[i])!r} at row {i} (counted from 0); {advice}"
        )
