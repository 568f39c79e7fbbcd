"""Predictions of the proportional hazards model for new rows: survival curves, concordance."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsesolve.data import in_rows_of, read_strata, read_survival, real_array
from sparsesolve.data.number import some_of
from sparsesolve.results import survival
from sparsesolve.results.coefficient_table import frame_of
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.results.interpolation import read_s
from sparsesolve.results.pictures.axes import on_axes, plot_curves
from sparsesolve.results.prediction import linear_predictor, read_rows

# The curves of more rows have no names in a picture.
MOST_NAMED = 12


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
    if s.ndim == 0:
        return SurvivalCurves(curves[..., 0], times)
    return SurvivalCurves(curves, times, s)


class SurvivalCurves(np.ndarray):
    """Probabilities (n, T), or (n, T, S) at S lambdas, of surviving each of T times.

    It is an array; parts of it with the same times know these as well.

    Attributes
    ----------
    times : ndarray (T,) or None
        None for parts that are not at all times.
    lambdas : ndarray (S,) or None
    """

    times: Any
    lambdas: Any

    def __new__(cls, values: Any, times: Any, lambdas: Any = None) -> SurvivalCurves:
        made = np.asarray(values).view(cls)
        made.times, made.lambdas = times, lambdas
        return made

    def __array_finalize__(self, other: Any) -> None:
        times, lambdas = (getattr(other, name, None) for name in ("times", "lambdas"))
        whole = times is not None and self.ndim >= 2 and self.shape[1] == len(times)
        several = lambdas is not None and self.ndim == 3 and self.shape[2] == len(lambdas)
        self.times, self.lambdas = times if whole else None, lambdas if several else None

    def __reduce__(self):
        return SurvivalCurves, (np.asarray(self), self.times, self.lambdas)

    def to_frame(self) -> Any:
        """Return a row for each time: ``lambda`` (if several), ``time`` and a column per row of X.
        """
        n = len(self)
        several = self.lambdas is not None
        values = np.asarray(self).reshape(n, len(self.times), -1).transpose(2, 1, 0)  # (S, T, n)
        S = len(values)
        columns = {"lambda": np.repeat(self.lambdas, len(self.times))} if several else {}
        columns["time"] = np.tile(self.times, S)
        flat = values.reshape(-1, n)
        return frame_of({**columns, **{f"row {i}": flat[:, i] for i in range(n)}})

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the survival curve of each row, as steps; of several lambdas the last one."""

        values = np.asarray(self if self.ndim == 2 else self[..., -1])
        named = len(values) <= MOST_NAMED
        rows = {f"row {i}" if named else f"_{i}": row for i, row in enumerate(values)}
        ax = plot_curves(self.times, rows, ("Time", "Probability of survival"), ax, steps=True)
        ax.set_ylim(0.0, 1.02)
        return ax


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
                f"{some_of(names.tolist())}"
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
