"""Files of OnlineFit: what `sparsesolve.save` writes of it, so that it predicts and continues.

This is kind "online" of the files that `sparsesolve.results.files.model_file` describes. It holds
::

    settings            JSON: lam, alpha, grouped, method, step, schedule, batch, intercept,
                        n_features, n_responses, p, rows, weight, total, spent, last, heaviest,
                        rising, turns, lengthened, t, rate, eta0, room; of a file: hashing,
                        hash_bits, zero_based, missing
    engine_0, ...       what the method stores of features and intercepts
    level, scale        numbers of the clock
    curve (m, 2)        progressive loss
    waiting_0, ...      rows of an incomplete step, or before the step size was chosen
    number_columns (c,)  column_sums (c,)  column_counts (c,)  text_columns
                        columns of a table in a file, and the means for gaps
    class_names (K,)  penalty_factor (p,)  feature_names (p,)       if there are any
"""

import numpy as np

from sparsesolve.data.tables.sparse_text import MOST_BITS
from sparsesolve.data.tables.text import HASHING
from sparsesolve.families.registry import WORDS
from sparsesolve.online.columns import StreamColumns
from sparsesolve.online.fit import OnlineFit
from sparsesolve.online.response import ResponseReader
from sparsesolve.online.rows import MOST_FEATURES, Rows, joined
from sparsesolve.online.settings import Settings
from sparsesolve.results.files.fit_arrays import known_family
from sparsesolve.results.files.model_arrays import KINDS, Damaged, Form, Kind

OPTIONS = ("lam", "alpha", "grouped", "method", "step", "schedule", "batch", "intercept",
           "n_features", "dtype", "prox_step", "norm")  # fmt: skip
READING = ("hashing", "hash_bits", "zero_based")
COUNTS = ("rows", "weight", "total", "spent")
# A model that has not learnt yet says how many features there are by a number alone, which is
# believed up to this many weights, unless n_features, a name or a row says the same.
BELIEVED = 1 << 24
# Of bounds of the regret; files of before 0.2 lack them, and then there is no bound.
PREMISES = {"last": np.nan, "heaviest": np.nan, "turns": np.nan, "rising": True,
            "lengthened": True}  # fmt: skip


def values_of(fit):
    """Return the members of an OnlineFit by name."""
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
    kept |= {"n_responses": settings.n_responses, "p": fit.n_features, **fit.reading}
    values = {"family": name, "settings": kept, "engine": [], "class_names": fit.classes,
              "penalty_factor": settings.penalty_factor,
              "feature_names": fit.feature_names}  # fmt: skip
    if fit.columns is not None:
        state = fit.columns.state()
        kept["missing"] = state.pop("missing")
        values |= state
    waiting = joined(fit._opening) if fit._opening else None
    learner = fit._learner
    if learner is not None:
        clock = learner.clock
        kept |= {count: getattr(learner, count) for count in (*COUNTS, *PREMISES)}
        kept |= {"t": clock.t, "rate": clock.rate, "eta0": clock.eta0,
                 "room": learner.engine.n_features}  # fmt: skip
        values |= {"level": clock.level, "scale": clock.scale}
        values["curve"] = np.reshape(np.array(learner.curve, dtype=float), (-1, 2))
        values["engine"] = [np.asarray(part) for part in learner.engine.state()]
        waiting = learner.waiting
    if waiting is not None:
        values |= {f"waiting_{k}": part for k, part in enumerate(waiting)}
    if any(np.asarray(values[name]).dtype == object for name in ("class_names", "feature_names")
           if values[name] is not None):  # fmt: skip
        raise ValueError("classes or names of mixed types cannot be saved; use text or numbers")
    return values


def _check_waiting(values, sizes):
    """Check that waiting rows, in the form of CSR, point only into themselves."""
    if "waiting_0" not in values:
        return
    p, parts = values["settings"]["p"], [values.get(f"waiting_{k}") for k in range(6)]
    missing = [k for k in range(5) if parts[k] is None]
    if missing:
        raise Damaged(f"waiting_{missing[0]} is missing")
    start, columns = parts[:2]
    whole = len(start) == sizes["n"] + 1 and start[0] == 0 and start[-1] == len(columns)
    if not whole or (np.diff(start) < 0).any() or columns.max(initial=-1) >= p:
        raise Damaged("waiting_0 and waiting_1 are no rows of the features")
    inside = np.ones(len(columns), dtype=bool)
    inside[start[:-1][start[:-1] < len(columns)]] = False
    if (inside[1:] & (columns[1:] <= columns[:-1])).any():
        raise Damaged("waiting_1 does not rise within a row")
    if not (parts[4] > 0.0).all():
        raise Damaged("waiting_4 holds a weight that is not positive")


MEMBERS = {
    "family": Form("U"),
    "settings": {
        "lam": Form("n", low=0.0, finite=False), "alpha": Form("n", low=0.0),
        "grouped": Form("b"), "method": Form("U"), "step": Form("l"), "schedule": Form("U"),
        "batch": Form("i", low=1), "intercept": Form("b"),
        "n_features": Form("i", low=1, below=MOST_FEATURES + 1, none=True), "dtype?": Form("U"),
        "prox_step?": Form("U"), "norm?": Form("n", low=0.0, none=True),
        "n_responses": Form("i", low=1, size="K"),
        "p": Form("i", low=0, below=MOST_FEATURES + 1),
        "rows?": Form("n", low=0), "weight?": Form("n", low=0.0), "total?": Form("n"),
        "spent?": Form("n", low=0.0), "last?": Form("n", finite=False),
        "heaviest?": Form("n", finite=False), "turns?": Form("n", finite=False),
        "rising?": Form("b"), "lengthened?": Form("b"), "t?": Form("n", low=0.0),
        "rate?": Form("n", low=0.0), "eta0?": Form("n", low=0.0), "room?": Form("i", low=0),
        "hashing?": Form("i", low=1, below=HASHING + 1), "zero_based?": Form("b"),
        "hash_bits?": Form("i", low=1, below=MOST_BITS + 1, none=True), "missing?": Form("U"),
    },
    "engine_*": Form("n", "|*|**", finite=False), "level?": Form("f", "k"),
    "scale?": Form("f", "k"), "curve?": Form("f", "**"), "class_names?": Form("l", "*"),
    "penalty_factor?": Form("f", "*", low=0.0, finite=False), "feature_names?": Form("U", "*"),
    "number_columns?": Form("U", "c"), "column_sums?": Form("f", "c"),
    "column_counts?": Form("f", "c", low=0.0), "text_columns?": Form("U", "*"),
    "waiting_0?": Form("i", "*", low=0), "waiting_1?": Form("i", "e", low=0),
    "waiting_2?": Form("f", "e"), "waiting_3?": Form("f", "n*"), "waiting_4?": Form("f", "n"),
    "waiting_5?": Form("f", "nK"), "waiting": _check_waiting,
}  # fmt: skip


def fit_of(values):
    """Return the OnlineFit of checked members."""
    kept = values["settings"]
    options = {option: kept[option] for option in OPTIONS if option in kept}
    settings = Settings.read(family=known_family(values["family"]), **options,
                             penalty_factor=values.get("penalty_factor"))  # fmt: skip
    settings.lay_out(kept["n_features"] or kept["p"], kept["n_responses"])
    fit = OnlineFit(settings, ResponseReader(settings.family, values.get("class_names")))
    fit.feature_names, fit._p = values.get("feature_names"), kept["p"]
    # files of before 0.2 hashed names in another way, which goes on with them
    fit.reading = {"hashing": 1, **{name: kept[name] for name in READING if name in kept}}
    if "number_columns" in values:
        fit.columns = StreamColumns.of_state(values, kept, fit.feature_names)
    waiting = _waiting(values)
    _check_counts(fit, waiting, kept.get("room", 0))
    if "eta0" not in kept:
        fit._opening = [] if waiting is None else [waiting]
        return fit
    fit._learner = _learner(settings, kept, values)
    fit._learner.waiting = waiting
    return fit


def _waiting(values):
    """Return the waiting rows in the types that compiled methods read, or None."""
    if "waiting_0" not in values:
        return None
    types = (np.intp, np.intc, float, float, float, float)
    parts = [values.get(f"waiting_{k}") for k in range(6)]
    return Rows(*(None if part is None else np.ascontiguousarray(part, dtype=kind)
                  for part, kind in zip(parts, types, strict=True)))  # fmt: skip


def _check_counts(fit, waiting, room):
    """Raise Damaged unless responses and features are as many as the settings say."""
    settings, K = fit.settings, fit.settings.n_responses
    classes = fit.classes
    if K != 1 and not settings.family.several or (
        classes is not None and len(classes) != (K if settings.family.several else 2)
    ):
        raise Damaged(f"n_responses is {K}, which does not fit the others")
    if waiting is not None and waiting.y.shape[1] != K:
        raise Damaged(f"waiting_3 has shape {waiting.y.shape} for {K} responses")
    if settings.n_features not in (None, fit._p):
        raise Damaged(f"p is {fit._p} where n_features is {settings.n_features}")
    seen = 0 if waiting is None else int(waiting.columns.max(initial=-1)) + 1
    known = max(room, seen, 0 if fit.feature_names is None else len(fit.feature_names))
    if settings.n_features is None and fit._p > (known if room else max(known, BELIEVED // K)):
        raise Damaged(f"p is {fit._p} where rows name {known} features")
    if fit.feature_names is not None and len(fit.feature_names) < fit._p:
        raise Damaged(f"feature_names are {len(fit.feature_names)} for {fit._p} features")


def _learner(settings, kept, values):
    """Return the Learner of checked members; what they declare is compared before memory is."""
    missing = [name for name in (*COUNTS, "t", "rate", "room") if name not in kept]
    missing += [name for name in ("level", "scale", "curve") if name not in values]
    if missing:
        raise Damaged(f"{missing[0]} is missing")
    room, parts = kept["room"], [np.asarray(part) for part in values["engine"]]
    like = settings.learner(kept["eta0"], 1)
    state = [np.asarray(part) for part in like.engine.state()]
    shapes = [(state[0].size * max(room, 1),), *(part.shape for part in state[1:])]
    found = [(part.shape, part.dtype) for part in parts]
    if found != [(shape, part.dtype) for shape, part in zip(shapes, state, strict=True)]:
        raise Damaged(f"engine is of other arrays than method {settings.method!r} stores")
    if not like.grows and room != kept["p"] or len(values["level"]) != len(like.clock.level):
        raise Damaged(f"room is {room} for {kept['p']} features")
    learner = settings.learner(kept["eta0"], room)
    learner.engine.restore([np.ascontiguousarray(part) if part.ndim else part.item()
                            for part in parts])  # fmt: skip
    learner.clock.t, learner.clock.rate = kept["t"], kept["rate"]
    learner.clock.level, learner.clock.scale = values["level"], values["scale"]
    if values["curve"].shape[1] != 2:
        raise Damaged(f"curve has shape {values['curve'].shape}")
    learner.curve = [tuple(row) for row in values["curve"].tolist()]
    for name in (*COUNTS, *PREMISES):
        setattr(learner, name, kept[name] if name in COUNTS else kept.get(name, PREMISES[name]))
    with np.errstate(all="ignore"):
        if not all(np.isfinite(part).all() for part in learner.weights()):
            raise Damaged("the weights are not finite")
    return learner


KINDS["online"] = Kind(OnlineFit, MEMBERS, values_of, fit_of)
