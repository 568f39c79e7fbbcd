"""Files of OnlineFit: what `sparsesolve.save` writes of it, so that it predicts and continues.

This is kind "online" of the files that `sparsesolve.results.files.model_file` describes. It holds
::

    settings            JSON: lam, alpha, grouped, method, step, schedule, batch, intercept,
                        n_features, n_responses, p, rows, weight, total, spent, last, heaviest,
                        rising, turns, lengthened, t, rate, eta0, room
    engine_0, ...       what the method stores of features and intercepts
    level, scale        numbers of the clock
    curve (m, 2)        progressive loss
    waiting_0, ...      rows of an incomplete step, or before the step size was chosen
    class_names (K,)  penalty_factor (p,)  feature_names (p,)       if there are any
"""

import json

import numpy as np

from sparsesolve.families.registry import WORDS
from sparsesolve.online.fit import OnlineFit
from sparsesolve.online.response import ResponseReader
from sparsesolve.online.rows import Rows, joined
from sparsesolve.online.settings import Settings
from sparsesolve.results.files.fit_arrays import add_kind
from sparsesolve.results.files.model_file import load, save

__all__ = ["arrays_of", "fit_of", "load", "save"]

OPTIONS = ("lam", "alpha", "grouped", "method", "step", "schedule", "batch", "intercept",
           "n_features", "dtype")  # fmt: skip
COUNTS = ("rows", "weight", "total", "spent", "last", "heaviest", "rising", "turns",
          "lengthened")  # fmt: skip


def arrays_of(fit):
    """Return an OnlineFit as arrays by name."""
    settings = fit.settings
    name = settings.family.name
    if name.partition("(")[0] not in WORDS:
        raise ValueError(f"family {name!r} was written in Python and cannot be saved; pickle it")
    for option, usual in (("penalty", None), ("radius", None), ("average", False)):
        if getattr(settings, option) is not usual:
            raise ValueError(f"a fit with {option}= cannot be saved as a model file; pickle it")
    if callable(settings.step):
        raise ValueError("a fit whose step is a function cannot be saved; pickle it")
    kept = {option: getattr(settings, option) for option in OPTIONS}
    kept |= {"n_responses": settings.n_responses, "p": fit.n_features}
    arrays = {"family": name}
    waiting = joined(fit._opening) if fit._opening else None
    learner = fit._learner
    if learner is not None:
        clock = learner.clock
        kept |= {count: getattr(learner, count) for count in COUNTS}
        kept |= {"t": clock.t, "rate": clock.rate, "eta0": clock.eta0,
                 "room": learner.engine.n_features}  # fmt: skip
        arrays |= {"level": clock.level, "scale": clock.scale}
        arrays["curve"] = np.reshape(np.array(learner.curve, dtype=float), (-1, 2))
        state = learner.engine.state()
        arrays |= {f"engine_{k}": np.asarray(part) for k, part in enumerate(state)}
        waiting = learner.waiting
    if waiting is not None:
        arrays |= {f"waiting_{k}": part for k, part in enumerate(waiting) if part is not None}
    arrays["settings"] = json.dumps(kept, default=float)
    named = {"class_names": fit.classes, "penalty_factor": settings.penalty_factor,
             "feature_names": fit.feature_names}  # fmt: skip
    arrays |= {name: np.asarray(value) for name, value in named.items() if value is not None}
    if any(array.dtype == object for array in map(np.asarray, arrays.values())):
        raise ValueError("classes or names of mixed types cannot be saved; use text or numbers")
    return arrays


def fit_of(arrays, family):
    """Return the OnlineFit of the arrays of `arrays_of`; `family` is the Family of its name."""
    kept = json.loads(str(arrays["settings"]))
    options = {option: kept[option] for option in OPTIONS if option in kept}
    settings = Settings.read(
        family=family, penalty_factor=arrays.get("penalty_factor"), **options)  # fmt: skip
    settings.lay_out(kept["n_features"] or kept["p"], kept["n_responses"])
    fit = OnlineFit(settings, ResponseReader(settings.family, arrays.get("class_names")))
    fit.feature_names = arrays.get("feature_names")
    fit._p = kept["p"]
    parts = [arrays.get(f"waiting_{k}") for k in range(6)]
    waiting = None if parts[0] is None else Rows(*parts)
    if "eta0" not in kept:
        fit._opening = [] if waiting is None else [waiting]
        return fit
    learner = settings.learner(kept["eta0"], kept["room"])
    count = sum(name.startswith("engine_") for name in arrays)
    state = [arrays[f"engine_{k}"] for k in range(count)]
    learner.engine.restore([part if part.ndim else part.item() for part in state])
    learner.clock.t, learner.clock.rate = kept["t"], kept["rate"]
    learner.clock.level, learner.clock.scale = arrays["level"], arrays["scale"]
    learner.curve = [tuple(row) for row in arrays["curve"].tolist()]
    for name in COUNTS:
        setattr(learner, name, kept.get(name, np.nan))  # files of before 0.2 lack some
    learner.waiting, fit._learner = waiting, learner
    return fit


add_kind("online", OnlineFit, arrays_of, fit_of)
