"""Files of paths of chains, of parsers and of SPOM: kinds of the one file of models.

"chains" ("sparsesolve chain model", version 1) holds the columns of the path (L,), coefs as
compressed columns, labels (K,), n_features, null_value, stop_reason, and options as JSON. If
present it also holds allowed (K, K), feature_names and groups (p,), and as JSON group_labels,
unbounded, and more: templates, column and names of a tagger.

"parser" ("sparsesolve parser", version 2) holds templates (T,), weights (2^bits,),
template_weights and norms (T,), losses, single_root, owners (2^bits,) or (0,), and names of
columns; of exact features also keys (m,), with weights and owners (m,).

"spom" ("sparsesolve spom model", version 1) holds labels (K,), parameters_0, parameters_1, ... of
the blocks, tied, kernel_weights, objectives, groups (p,) if there are any, and the rest as JSON.
"""

from __future__ import annotations

import numpy as np

from sparsesolve.results.files.fit_arrays import (
    COEFS,
    COLUMNS,
    SOLVED,
    columns_compressed,
    compressed,
    falling,
    stacked,
)
from sparsesolve.results.files.model_arrays import KINDS, Damaged, Form, Json, Kind
from sparsesolve.structured.parser import ArcTemplates, Parser
from sparsesolve.structured.result import CRFPath
from sparsesolve.structured.spom_result import SPOM
from sparsesolve.structured.templates import Templates

MIXED = ("labels of mixed types cannot be saved; fit with labels that are all text or all whole "
         "numbers")  # fmt: skip


def _different(values, sizes):
    """Refuse labels that are not different."""
    if len(set(values["labels"].tolist())) < len(values["labels"]):
        raise Damaged("labels holds one twice")


# Chains.


def _chain_coefs(values, sizes):
    """Check the number of coefficients of chains: features, intercepts, and scores of pairs."""
    if len(values["coef_shape"]) != 2:
        raise Damaged("coef_shape is not of two numbers")
    columns_compressed(values, sizes)
    rows, K, p = int(values["coef_shape"][0]), sizes["K"], values["n_features"]
    if rows - (p + K + 2) * K not in (0, K):
        raise Damaged(f"coef_shape has {rows} rows for {p} features and {K} labels")
    if values["df"].max(initial=0) > p:
        raise Damaged(f"df holds {values['df'].max()} for {p} features")


def _tagger(values, sizes):
    """Check the templates of a tagger, and that they make the features of the path."""
    more = values.get("more") or {}
    if not more:
        return
    names = [] if more["names"] is None else more["names"]
    if type(names) is not list or not all(type(n) is str for n in [more["column"], *names]):
        raise Damaged("more is not what was written")
    if Templates.from_state(more["templates"]).n_features != values["n_features"]:
        raise Damaged("the templates do not make the features of the path")


CHAINS = {
    **SOLVED, "falling": falling, "labels": Form("l", "K"), "different": _different,
    "n_features": Form("i", low=0, size="p"), "null_value": Form("f"), **COEFS,
    "coefs": _chain_coefs, "options": Json({}), "more?": Json({}), "tagger": _tagger,
    "allowed?": Form("b", "KK"), "feature_names?": Form("U", "p"),
    "group_labels?": Json(Form("l", "G", none=True)),
    "groups?": Form("i", "p", low=0, below="G"), "unbounded?": Json(Form("U", "*", none=True)),
}  # fmt: skip


def _chain_values(fit):
    if fit.labels.dtype.kind == "O":
        raise ValueError(MIXED)
    names = fit.feature_names
    values = {name: getattr(fit, name) for name in COLUMNS}
    values |= {name: getattr(fit, name) for name in (
        "labels", "n_features", "null_value", "stop_reason", "options", "allowed", "groups",
        "unbounded")}  # fmt: skip
    return values | compressed(fit.coefs) | {
        "status": fit.status.astype(np.int8), "more": fit.tagger or {},
        "feature_names": None if names is None else names.astype(str),
        "group_labels": None if fit.group_labels is None else list(map(_plain, fit.group_labels)),
    }  # fmt: skip


def _plain(label):
    return label.item() if hasattr(label, "item") else label


def _chain_of(values):
    names = ("labels", "stop_reason", "n_features", "null_value", "options", "status")
    sometimes = ("allowed", "feature_names", "groups", "group_labels", "unbounded")
    return CRFPath(
        **{name: values[name] for name in (*COLUMNS, *names)}, coefs=stacked(values),
        **{name: values.get(name) for name in sometimes}, tagger=values.get("more") or None,
    )  # fmt: skip


# Parsers.


def _tables(values, sizes):
    """Check that weights, keys and owners are one table."""
    ArcTemplates(values["templates"].tolist())
    weights, keys = values["weights"], values.get("keys")
    if keys is not None and not len(keys) and len(weights):
        keys = values["keys"] = None  # as version 1 had it
    if keys is None and (len(weights) < 2 or len(weights) & (len(weights) - 1)):
        raise Damaged(f"weights holds {len(weights)} numbers, not a power of 2")
    if keys is not None and (len(keys) != len(weights) or (keys == 0).any()
                             or len(np.unique(keys)) < len(keys)):  # fmt: skip
        raise Damaged("keys are not one for each weight")
    if len(values["owners"]) not in (0, len(weights)):
        raise Damaged(f"owners has shape {values['owners'].shape} for {len(weights)} weights")
    if values["owners"].max(initial=0) > sizes["T"]:
        raise Damaged(f"owners holds {values['owners'].max()} for {sizes['T']} templates")


PARSER = {
    "templates": Form("U", "T"), "weights": Form("f", "*"), "template_weights": Form("f", "T"),
    "norms": Form("f", "T", low=0.0), "losses": Form("f", "*"), "single_root": Form("b"),
    "owners": Form("i", "*", low=0), "keys?": Form("k", "*"), "names": Form("U", "*"),
    "tables": _tables,
}  # fmt: skip


def _parser_values(parser):
    names = ("template_weights", "norms", "losses", "single_root", "keys", "weights")
    owners = np.zeros(0, dtype=np.int16) if parser.owners is None else parser.owners
    return {name: getattr(parser, name) for name in names} | {
        "templates": np.array(parser.templates), "owners": owners,
        "names": np.array(list(parser.names or ()), dtype=str),
    }  # fmt: skip


def _parser_of(values):
    names = ("weights", "template_weights", "norms", "losses", "single_root")
    return Parser(
        templates=tuple(values["templates"].tolist()), keys=values.get("keys"),
        owners=values["owners"] if len(values["owners"]) else None,
        names=values["names"].tolist() or None, **{name: values[name] for name in names},
    )  # fmt: skip


# SPOM.


def _blocks(values, sizes):
    """Check that parameters are one block for each group, or one table of features in groups."""
    rest, parameters, K = values["rest"], values["parameters"], sizes["K"]
    if len(values["tied"]) != K * (K + 2) or any(part.shape[1] != K for part in parameters):
        raise Damaged(f"tied or parameters are not those of {K} labels")
    if "groups" in values:
        whole = len(parameters) == 1 and parameters[0].shape[0] == sizes["p"] == rest["n_features"]
    else:
        whole = len(parameters) == sizes["G"] == len(rest["blocks"])
    if not whole or not set(rest["blocks"]) <= {"features", "kernel"}:
        raise Damaged("parameters do not fit the blocks")
    if not values["kernel_weights"].shape[0] or not all(
        isinstance(rest["options"].get(name), str) for name in ("loss", "norm")
    ):
        raise Damaged("kernel_weights or options are not what was written")


NUMBERS = ("lam", "eta0", "radius", "objective", "bound", "null_objective", "n_features")
SPOM_MODEL = {
    "labels": Form("l", "K"), "different": _different, "parameters_*": Form("f", "**"),
    "tied": Form("f", "*"), "kernel_weights": Form("f", "EG", low=0.0),
    "objectives": Form("f", "E"),
    "rest": {
        **{name: Form("n", finite=False) for name in NUMBERS[:-1]}, "n_features": Form("i", low=0),
        "group_labels": Form("l", "G"), "blocks": Form("U", "*"), "options": Json({}),
    },
    "groups?": Form("i", "p", low=0, below="G"), "feature_names?": Form("U", "p"),
    "transition_weights?": Form("f", "E", low=0.0), "regret_sums?": Form("f", "*", low=0.0),
    "blocks": _blocks,
}  # fmt: skip


def _spom_values(model):
    if model.labels.dtype.kind == "O":
        raise ValueError(MIXED)
    names = list(map(_plain, model.group_labels))
    strange = [name for name in names if not isinstance(name, str | int | float | bool)]
    if strange:
        raise ValueError(f"group {strange[0]!r} cannot be saved; name groups by text or numbers")
    rest = {name: getattr(model, name) for name in NUMBERS}
    rest |= {"group_labels": names, "blocks": list(model.blocks), "options": model.options}
    kept = ("labels", "parameters", "tied", "kernel_weights", "objectives", "groups",
            "transition_weights", "regret_sums")  # fmt: skip
    names = model.feature_names
    return {name: getattr(model, name) for name in kept} | {
        "rest": rest, "feature_names": None if names is None else names.astype(str)}  # fmt: skip


def _spom_of(values):
    kept = ("labels", "tied", "kernel_weights", "objectives")
    rest = {name: values["rest"][name] for name in (*NUMBERS, "group_labels", "options")}
    sometimes = ("groups", "feature_names", "transition_weights", "regret_sums")
    return SPOM(**{name: values[name] for name in kept}, **rest,
                **{name: values.get(name) for name in sometimes},
                parameters=tuple(values["parameters"]),
                blocks=tuple(values["rest"]["blocks"]))  # fmt: skip


KINDS |= {
    "chains": Kind(CRFPath, CHAINS, _chain_values, _chain_of, "sparsesolve chain model"),
    "parser": Kind(Parser, PARSER, _parser_values, _parser_of, "sparsesolve parser", 2),
    "spom": Kind(SPOM, SPOM_MODEL, _spom_values, _spom_of, "sparsesolve spom model"),
}  # fmt: skip
