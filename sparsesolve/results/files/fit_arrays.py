"""Paths, curves, kernels and encoders as members of a model file, and back.

An encoder says as JSON how a table becomes a design, without its rows: ``names`` and ``groups`` of
the p columns, ``unknown``, ``missing``, ``sparse``, ``sources``, a list with the fields of a
Source (data/columns_of_numbers.py) for each column of the table, and ``formula``, the fields of a
Formula (data/formula.py) or null.

`model_file` describes the members; `model_arrays` has the contract of a kind. Rooms above this
one add their own kinds to KINDS, and the members of Grams to GRAMS.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from sparsesolve.data.columns_of_numbers import Source, with_column
from sparsesolve.data.encoding import EncodedDesign, columns_of_sources
from sparsesolve.data.formula import Factor, Formula, variables
from sparsesolve.data.genotypes.columns import Variants
from sparsesolve.families import cox, read_family
from sparsesolve.families.registry import WORDS
from sparsesolve.results.cv_path import CVPath
from sparsesolve.results.feature_groups import FeatureGroups
from sparsesolve.results.files.model_arrays import KINDS, Damaged, Form, Json, Kind
from sparsesolve.results.intervals import Intervals
from sparsesolve.results.kernel_path import MKLCrossValidation, MKLPath
from sparsesolve.results.knockoffs import Knockoffs
from sparsesolve.results.knot_path import KnotPath
from sparsesolve.results.path import Path
from sparsesolve.results.prediction import path_family
from sparsesolve.results.status import Status

COLUMNS = ("lambdas", "df", "dev_ratio", "gaps", "n_iters")
KEPT = ("alpha", "intercept", "standardize", "grouped", "tol", "penalty_name", "concave",
        "signal", "command", "versions")  # fmt: skip
PLAIN = (str, bool, int, float)
NAMES = ("feature_names", "class_names", "kernel_names")
CURVE = ("mean", "std", "n_nonzero", "fold_scores", "fold_weights")
CHOICE = ("measure", "larger_is_better", "alpha", "gamma", "index_min", "index_1se")

# Of all results with a lambda and a status for each solution.
SOLVED = {
    "lambdas": Form("f", "L", low=0.0), "df": Form("i", "L", low=0),
    "dev_ratio": Form("f", "L", finite=False), "gaps": Form("f", "L", finite=False),
    "n_iters": Form("i", "L", low=0), "status": Form("i", "L", low=0, below=len(Status)),
    "stop_reason": Form("U"),
}  # fmt: skip
# (values by name of Grams, Grams of checked values), from the room of kernels.
GRAMS: list[tuple] = []


def falling(values, sizes):
    """Refuse lambdas that do not fall."""
    if not (np.diff(values["lambdas"]) < 0.0).all():
        raise Damaged("lambdas is not falling and at least 0")


def columns_compressed(values, sizes):
    """Check that compressed columns, one a lambda, point only into themselves."""
    rows, columns = values["coef_shape"].tolist()
    indptr, indices = values["coef_indptr"], values["coef_indices"]
    if columns != sizes["L"]:
        raise Damaged(f"coef_shape is {(rows, columns)} for {sizes['L']} lambdas")
    if len(indptr) != columns + 1 or indptr[0] != 0 or indptr[-1] != len(indices):
        raise Damaged("coef_indptr does not fit the coefficients")
    if (indptr[1:] < indptr[:-1]).any():
        raise Damaged("coef_indptr falls")
    if len(indices) and indices.max() >= rows:
        raise Damaged(f"coef_indices leads beyond the {rows} rows")


COEFS = {
    "coef_data": Form("f", "m"), "coef_indices": Form("i", "m", low=0),
    "coef_indptr": Form("i", "*", low=0), "coef_shape": Form("i", "*", low=0),
}  # fmt: skip


def _rows_of_coefs(values, sizes):
    """Set p from the coefficients of K responses below each other."""
    if len(values["coef_shape"]) != 2:
        raise Damaged("coef_shape is not of two numbers")
    rows, K = int(values["coef_shape"][0]), sizes.get("K", 1)
    if K == 0 or rows < K or rows % K:
        raise Damaged(f"coef_shape is {tuple(values['coef_shape'].tolist())} for {K} responses")
    columns_compressed(values, sizes)
    sizes["p"] = p = rows // K
    if values.get("n_features", p) != p:
        raise Damaged(f"n_features is {values['n_features']} for {p} rows of coefficients")
    if values["df"].max(initial=0) > sizes["p"]:
        raise Damaged(f"df holds {values['df'].max()} for {sizes['p']} features")


def _responses(values, sizes):
    """Check the family, and that classes and intercepts are as many as it has."""
    several = values["intercepts"].ndim == 2
    options = values["options"]
    ties = {"ties": options.pop("ties", "breslow")} if values["family"] == "cox" else {}
    family = options["family"] = cox(**ties) if ties else known_family(values["family"])
    if family.several != several:
        raise Damaged(f"intercepts has shape {values['intercepts'].shape} for {family.name!r}")
    classes = values.get("class_names")
    if classes is not None and len(classes) != (sizes["K"] if several else 2):
        raise Damaged(f"class_names has shape {classes.shape}, which does not fit the others")


def _groups(values, sizes):
    """Make a mapping of groups; files of version 0.1 number the group of each feature."""
    pairs, of = values.get("feature_groups"), values.pop("groups", None)
    if of is not None:
        values["groups"] = {g: np.flatnonzero(of == g) for g in np.unique(of).tolist()}
    if pairs is None:
        return
    if type(pairs) is not list or not all(
        type(pair) is list and list(map(type, pair)) in ([str, list], [int, list])
        for pair in pairs):  # fmt: skip
        raise Damaged("feature_groups is no list of names and features")
    if len({name for name, _ in pairs}) < len(pairs):
        raise Damaged("feature_groups has two groups of one name")
    for name, which in pairs:
        if not {type(j) for j in which} <= {int} or len(set(which)) < len(which) or (
            which and not 0 <= min(which) <= max(which) < sizes["p"]
        ):
            raise Damaged(f"feature_groups does not hold features for group {name!r}")
    values["groups"] = {name: np.array(which, dtype=np.intp) for name, which in pairs}


def _variants(values, sizes):
    """Make Variants of lines of text, one for each of the last columns."""
    lines = values.get("variants")
    if lines is None:
        return
    fields = [line.split("\t") for line in lines if isinstance(line, str)]
    if not 0 < len(lines) <= sizes["p"] or {len(one) for one in fields} != {5} or not all(
        one[2].removeprefix("-").isdigit() for one in fields
    ) or len(fields) < len(lines):  # fmt: skip
        raise Damaged("variants is no list of chromosomes, ids, positions and alleles")
    columns = [np.array(column) for column in zip(*fields, strict=True)]
    values["variants"] = Variants(*columns[:2], columns[2].astype(np.int64), *columns[3:])


def _same_encoder(values, sizes):
    """Replace the encoder by its EncodedDesign, which must have the columns of the fit."""
    if "encoder" in values:
        values["encoder"] = encoder_of(values["encoder"])
        width = len(values["encoder"].names) + len(values.get("variants") or ())
        if width != sizes.get("p", width):
            raise Damaged("encoder has another number of columns")


PARTS = {
    "family": Form("U"),
    "options": {
        "has_offset": Form("b"), "has_limits?": Form("b"), "counted?": Form("U"),
        "alpha?": Form("n", low=0.0, none=True),
        "tol?": Form("n", low=0.0, none=True), "ties?": Form("U"), "penalty_name?": Form("U"),
        "concave?": Form("b"), "signal?": Form("b"), "command?": Form("U"), "versions?": Form("U"),
    },
    **SOLVED, "falling": falling, "null_deviance": Form("f", finite=False),
    "intercepts": Form("f", "L|KL"), "class_names?": Form("l", "*"), "responses": _responses,
}  # fmt: skip
PATH = {
    **PARTS, **COEFS, "n_features?": Form("i"), "rows": _rows_of_coefs,
    "feature_names?": Form("U", "p"), "groups?": Form("i", "p"),
    "degrees?": Form("i", "L", low=0), "feature_groups?": Json(), "named": _groups,
    "means?": Form("f", "p"), "variants?": Json(), "of": _variants,
    "encoder?": Json({}), "same": _same_encoder,
}  # fmt: skip
# Scores along a path; the options of kernels have no alpha and gamma.
CHOSEN = {
    "measure": Form("U"), "larger_is_better": Form("b"),
    "index_min": Form("i", low=0, below="L"), "index_1se": Form("i", low=0, below="L"),
}  # fmt: skip
SCORES = {
    "mean": Form("f", "L", finite=False), "std": Form("f", "L", finite=False),
    "n_nonzero": Form("n", "L", low=0), "fold_scores": Form("f", "FL", finite=False),
    "fold_weights": Form("n", "F", low=0), "folds?": Form("i", "*|**"),
    "cv_options": CHOSEN,
}  # fmt: skip
MIXED = {"alpha": Form("n", none=True), "gamma": Form("n", none=True)}
CV = {**PATH, **SCORES, "cv_options": {**CHOSEN, **MIXED}}
KERNELS = {
    **PARTS, "norm": Form("U"), "kernel_norms": Form("f", "ML"),
    "kernel_weights": Form("f", "ML"), "dual_coefs": Form("f", "nL|KnL"),
    "kernel_names?": Form("U", "M"), "encoder?": Json({}), "same": _same_encoder,
}  # fmt: skip
CV_KERNELS = {**KERNELS, **SCORES}


def _path_values(path):
    """Return the members of all kinds of paths, by name."""
    family_of(path.family)  # refused before anything is written
    options = path.options or {}
    kept = {name: options[name] for name in KEPT if name in options}
    if options.get("penalty") is not None:
        kept["penalty_name"] = type(options["penalty"]).__name__
        kept["concave"] = bool(getattr(options["penalty"], "concave", False))
    kept["has_offset"] = options.get("offset") is not None
    kept["has_limits"] = bool(options.get("positive")) or any(
        options.get(side) is not None for side in ("lower", "upper")
    ) or bool(options.get("has_limits"))
    if path.family == "cox":
        kept["ties"] = path_family(path).loss.keywords["ties"]
    values = {name: getattr(path, name) for name in COLUMNS}
    values |= {
        "family": path.family, "options": kept, "stop_reason": path.stop_reason,
        "null_deviance": path.null_deviance, "intercepts": path.intercepts,
        "status": path.status.astype(np.int8), "encoder": encoder_values(path),
    }  # fmt: skip
    for name in NAMES:
        values[name] = found = getattr(path, name, None)
        if name == "feature_names" and found is not None:
            values[name] = found.astype(str)
        elif found is not None and found.dtype == object:
            raise ValueError(
                "classes of mixed types, or beyond 64 bits, cannot be saved; fit with labels "
                "that are all text or all whole numbers"
            )
    return values


def path_values(path):
    """Return the members of a Path by name."""
    several = isinstance(path.coefs, list)
    coefs = sparse.csc_array(sparse.vstack(path.coefs, format="csc") if several else path.coefs)
    values, groups = _path_values(path) | {"n_features": path.n_features}, path.groups
    values["means"] = path.means
    if path.variants is not None:
        columns = (getattr(path.variants, name) for name in Variants.__dataclass_fields__)
        values["variants"] = ["\t".join(map(str, one)) for one in zip(*columns, strict=True)]
    if hasattr((path.options or {}).get("penalty"), "degrees"):
        values["degrees"], values["options"]["counted"] = path.degrees, path.counted
    if groups is not None and not hasattr(groups.penalty, "latent"):  # shares need the penalty
        values["feature_groups"] = [
            [name if isinstance(name, str | int) else str(name), which.tolist()]
            for name, which in groups.items()
        ]
    return values | compressed(coefs)


def compressed(coefs):
    """Return the members of compressed columns."""
    return {"coef_data": coefs.data, "coef_indices": coefs.indices, "coef_indptr": coefs.indptr,
            "coef_shape": coefs.shape}  # fmt: skip


def _cv_values(fit, values):
    """Return the members of a cross-validation by name, with those of its path."""
    choice = {name: getattr(fit, name) for name in CHOICE if hasattr(fit, name)}
    return {**values, **{name: getattr(fit, name) for name in (*CURVE, "folds")},
            "cv_options": choice}  # fmt: skip


def kernel_values(path, rows=False):
    """Return the members of an MKLPath by name; `rows` adds the table of kernels."""
    names = ("norm", "kernel_norms", "kernel_weights", "dual_coefs")
    values = _path_values(path) | {name: np.array(getattr(path, name)) for name in names}
    if rows and getattr(path.grams, "table", None) is None:
        raise ValueError(
            "rows=True keeps the table that kernels were made of, and this fit was not made of "
            "one by mkl.build_grams; leave rows out"
        )
    if rows:
        values |= GRAMS[-1][0](path.grams) | {"encoder": encoder_values(path.grams)}
    return values


def _parts(values):
    """Return the arguments of all kinds of paths."""
    options = dict(values["options"])
    if not options.get("has_limits"):
        options.pop("has_limits", None)
    if options.pop("has_offset"):
        options["offset"] = True  # predictions require the offset of the new rows
    names = (*COLUMNS, "status", "intercepts", "null_deviance", "family", "stop_reason")
    return {**{name: values[name] for name in names}, "options": options,
            "class_names": values.get("class_names")}  # fmt: skip


def _path_of(values, made=Path):
    """Return the Path of checked members."""
    names = {name: values.get(name) for name in ("feature_names", "encoder", "means", "variants")}
    coefs, groups = stacked(values), values.get("groups")
    p = coefs.shape[0] // (len(values["intercepts"]) if values["intercepts"].ndim == 2 else 1)
    if values["intercepts"].ndim == 2:
        coefs = [coefs[k * p : (k + 1) * p] for k in range(len(values["intercepts"]))]
    if groups is not None:
        groups = FeatureGroups(None, p, names["feature_names"], groups)
    parts = _parts(values)
    if "degrees" in values:
        parts["options"]["degrees"] = values["degrees"]
    return made(**parts, **names, groups=groups, coefs=coefs, fitter=_no_fit)


def stacked(values):
    """Return the compressed columns (rows, L) of checked members."""
    parts = (values["coef_data"], values["coef_indices"], values["coef_indptr"])
    return sparse.csc_array(parts, shape=tuple(values["coef_shape"].tolist()))


def _cv_of(values, made, path):
    """Return a CVPath, or another class, of checked members and a path."""
    choice, mean, std = values["cv_options"], values["mean"], values["std"]
    return made(
        lambdas=path.lambdas, path=path, **{name: values[name] for name in CURVE}, **choice,
        lower=mean - std, upper=mean + std, folds=values.get("folds"),
        lambda_min=float(path.lambdas[choice["index_min"]]),
        lambda_1se=float(path.lambdas[choice["index_1se"]]),
    )  # fmt: skip


def _kernel_path_of(values):
    duals = values["dual_coefs"]
    if duals.ndim != values["intercepts"].ndim + 1:
        raise Damaged(f"dual_coefs has shape {duals.shape}, which does not fit the others")
    grams = GRAMS[-1][1](values) if "grams" in values else None
    return MKLPath(
        **_parts(values), norm=values["norm"], kernel_norms=values["kernel_norms"],
        kernel_weights=values["kernel_weights"], kernel_names=values.get("kernel_names"),
        dual_coefs=list(duals) if duals.ndim == 3 else duals, grams=grams,
    )  # fmt: skip


def family_of(name):
    """Return the family of a name such as "cox" or "huber(delta=1.5)"."""
    if name.partition("(")[0] not in WORDS:
        raise ValueError(
            f"your own family ({name!r}) cannot be saved, only families of this package"
        )
    return read_family(name)


def known_family(name):
    """Return the family that a file names, or raise Damaged."""
    try:
        return family_of(name)
    except (TypeError, ValueError):
        raise Damaged(f"family is {name!r}, which is none of this package") from None


def _no_fit(X, y, **options):
    raise ValueError("A model from a file lacks the options of a new fit; fit the data again")


def two_limits(values, sizes):
    """Refuse truncations without a lower and an upper limit."""
    if values["truncation"].shape[1] != 2:
        raise Damaged(f"truncation has {values['truncation'].shape[1]} columns, not 2")


INTERVALS = {
    "names": Form("U", "m"), "features": Form("i", "m"), "estimates": Form("f", "m", finite=False),
    "errors": Form("f", "m", finite=False), "p_values": Form("f", "m", low=0.0, finite=False),
    "lower": Form("f", "m", finite=False), "upper": Form("f", "m", finite=False),
    "truncation": Form("f", "m*", finite=False), "two": two_limits,
    "leakage": Form("f", "m", finite=False), "lam": Form("f", finite=False),
    "level": Form("n"), "sigma": Form("n"), "method": Form("U"), "sigma_rule": Form("U"),
    "event": Form("U"), "words": Json(Form("U", "*")),
}  # fmt: skip


KNOCKOFFS = {
    "names": Form("U", "p"), "W": Form("f", "p"), "q_values": Form("f", "p", low=0.0),
    "selected": Form("i", "*", low=0, below="p"), "threshold": Form("f", finite=False),
    "fdr": Form("n"), "covariance_rule": Form("U"), "statistic": Form("U"),
    "draws": Form("i", low=1),
}  # fmt: skip


def _kind_of_table(made, members):
    """Return the Kind of a table, whose members are its attributes, and names text."""

    def values_of(table):
        attributes = {name: getattr(table, name, None) for name in members}
        return attributes | {"names": np.array(list(map(str, table.names)), dtype=str)}

    return Kind(made, members, values_of,
                lambda values: made(**{**values, "names": values["names"].tolist()}))  # fmt: skip


def encoder_values(fit):
    """Return the JSON values of an EncodedDesign, or of that of a fit, without rows; or None."""
    design = fit if isinstance(fit, EncodedDesign) else getattr(fit, "encoder", None)
    if design is None:
        return None
    return {
        "names": [str(name) for name in design.names],
        "groups": [str(group) for group in design.groups],
        "unknown": design.unknown,
        "missing": design.missing,
        "sparse": sparse.issparse(design.matrix),
        "sources": [{name: _plain(value) for name, value in source._asdict().items()}
                    for source in design.sources],
        "formula": None if design.formula is None else _plain(design.formula._asdict()),
    }  # fmt: skip


def encoder_of(found):
    """Return the EncodedDesign without rows of such values, or raise Damaged."""
    try:
        sources = [_source(fields) for fields in found["sources"]]
        names = np.array(found["names"], dtype=object)
        groups, unknown = list(found["groups"]), found["unknown"]
        missing = found.get("missing", "mean")  # Files before 0.2 do not say it.
        fits = (unknown in ("error", "zero") and missing in ("mean", "error")
                and names.ndim == 1 and len(names) > 0
                and all(isinstance(name, str) for name in names)
                and len({source.name for source in sources}) == len(sources))  # fmt: skip
        formula = _formula(found.get("formula"), sources)
        made = groups == _terms(formula, sources, names)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damaged(f"encoder is not what was written ({error})") from None
    if not (fits and made) or len(groups) != len(names) or not isinstance(found["sparse"], bool):
        raise Damaged("the parts of encoder do not fit together")
    matrix = np.zeros((0, len(names)), order="F")
    return EncodedDesign(sparse.csc_array(matrix) if found["sparse"] else matrix, names, groups,
                         sources, unknown, missing=missing, formula=formula)  # fmt: skip


def _formula(fields, sources):
    """Return the Formula of its fields; ValueError if it would run anything but FUNCTIONS."""
    if fields is None:
        return None
    terms = [(str(label), [Factor(str(text), bool(is_column)) for text, is_column in factors])
             for label, factors in fields["terms"]]  # fmt: skip
    names = [source.name for source in sources]
    for factor in (factor for _, factors in terms for factor in factors):
        if not factor.is_column:
            variables(factor.text, names)
    state = {text: _state(kept) for text, kept in fields["state"].items()}
    return Formula(terms, [str(name) for name in fields["categories"]], state)


def _state(value):
    """Return what a function has learned: numbers are keys of it, and lists are arrays."""
    if isinstance(value, dict):
        return {int(key) if key.isdigit() else key: _state(part) for key, part in value.items()}
    if value is None or isinstance(value, PLAIN):
        return value
    array = np.array(value, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError("what a formula has learned is damaged")
    return array


def _terms(formula, sources, names):
    """Return the groups of the columns as the sources, or the terms of a formula, make them."""
    made, groups = columns_of_sources(sources)
    if formula is None:
        return groups
    row = np.concatenate([source.fill for source in sources])[None, :]
    learned = bool(formula.state)
    _, made, groups = formula.expanded(row, made, groups)
    if bool(formula.state) != learned or made != names.tolist():
        raise ValueError("the formula makes other columns")
    return groups


def _source(fields):
    fill = np.array(fields["fill"], dtype=float)
    levels = fields["levels"]
    if fill.ndim != 1 or not np.isfinite(fill).all() or not isinstance(fields["name"], str):
        raise ValueError("a source is damaged")
    if levels is not None and (
        type(levels) is not list or not all(isinstance(level, PLAIN) for level in levels)
        or len(set(levels)) < len(levels)
    ):  # fmt: skip
        raise ValueError("levels of a source are damaged")
    if len(fill) != (1 if levels is None else len(with_column(levels))):
        raise ValueError("a source has another number of columns")
    return Source(**{**fields, "fill": fill})


def _plain(value):
    """Return a field of a source in the form of JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value.item() if isinstance(value, np.generic) else value


KINDS |= {
    "knockoffs": _kind_of_table(Knockoffs, KNOCKOFFS),
    "intervals": _kind_of_table(Intervals, INTERVALS),
    "path": Kind(Path, PATH, path_values, _path_of),
    "knots": Kind(KnotPath, PATH, path_values, lambda values: _path_of(values, KnotPath)),
    "cv": Kind(CVPath, CV, lambda fit: _cv_values(fit, path_values(fit.path)),
               lambda values: _cv_of(values, CVPath, _path_of(values))),
    "kernels": Kind(MKLPath, KERNELS, kernel_values, _kernel_path_of),
    "cv_kernels": Kind(
        MKLCrossValidation, CV_KERNELS,
        lambda fit, rows=False: _cv_values(fit, kernel_values(fit.path, rows)),
        lambda values: _cv_of(values, MKLCrossValidation, _kernel_path_of(values))),
    "design": Kind(EncodedDesign, {"encoder": Json({}), "same": _same_encoder},
                   lambda design: {"encoder": encoder_values(design)},
                   lambda values: values["encoder"]),
}  # fmt: skip
