"""Predictions of the proportional hazards model for new rows: survival curves, concordance."""

import numpy as np

from sparsesolve.data import in_rows_of, read_strata, read_survival, real_array
from sparsesolve.results import survival
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.results.interpolation import read_s
from sparsesolve.results.prediction import linear_predictor, read_rows


def predict_survival(path, X, s, offset, times, strata, data):
    """Return the answer of Path.predict(kind="survival"), which describes the parameters."""
    _refuse_other_families(path, "survival curves")
    if X is None:
        raise ValueError("X is missing; kind='survival' needs the rows to predict")
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ValueError(
            "kind='survival' needs the baseline hazard: give the data of the fit as data=(X, y)"
        )
    s = path.lambdas if s is None else read_s(s)
    eta = linear_predictor(path, read_rows(path, X), s, offset)
    data = FittedData(path, data[0], in_rows_of(data[0], {"y": data[1]})["y"])
    data.refuse_others()
    codes = _codes(data.response, strata, len(eta))
    fitted, times = data.link(s), _read_times(times, data.loss)
    curves = np.empty((len(eta), len(times), eta.shape[1]))
    for k in range(eta.shape[1]):
        baseline = survival.baseline_of(data.loss, fitted[:, k])
        curves[:, :, k] = baseline.survival(times, eta[:, k], codes)
    return curves[..., 0] if s.ndim == 0 else curves


def concordance(path, X, y, s, weights, offset, strata):
    """Return the answer of Path.concordance, which describes the parameters."""
    _refuse_other_families(path, "concordance")
    s = path.lambdas if s is None else read_s(s)
    matrix = read_rows(path, X)
    y = read_survival(y, matrix.shape[0], strata, censored=True)
    eta = linear_predictor(path, matrix, s, offset)
    shares = np.array([survival.concordance(y, column, weights) for column in eta.T])
    return float(shares[0]) if s.ndim == 0 else shares


def _refuse_other_families(path, what):
    if path.family != "cox":
        raise ValueError(f"A {path.family} path has no {what}; family='cox' has")


def _codes(response, strata, n):
    """Return the codes of the strata of new rows: one for all, or (n,)."""
    names = np.unique(response.values[:, 3]) if response.strata is None else response.strata
    if strata is None:
        if len(names) > 1:
            raise ValueError(
                f"The path was fitted with {len(names)} strata, each of which has a baseline "
                "hazard of its own; give those of the new rows as strata="
            )
        return int(response.values[0, 3])
    strata = np.full(n, strata) if np.ndim(strata) == 0 else strata
    places, labels = read_strata(strata, n)
    known = {name: code for code, name in enumerate(names.tolist())}
    for k, label in enumerate(labels.tolist()):
        if label not in known:
            raise ValueError(
                f"strata holds {label!r} at position {np.argmax(places == k)}, where the fit knew "
                f"{', '.join(map(repr, names[:5].tolist()))}{', ...' * (len(names) > 5)}"
            )
    codes = labels if response.strata is None else [known[label] for label in labels.tolist()]
    return np.array(codes, dtype=float)[places]


def _read_times(times, loss):
    """Return times (T,) as floats; None means those of events, ascending."""
    if times is None:
        return np.unique(loss.sets.times)
    values = np.atleast_1d(np.array(real_array("times", times), dtype=float))
    if values.ndim != 1 or np.isnan(values).any():
        raise ValueError("times must be one number or a flat list of them, none of them NaN")
    return values
