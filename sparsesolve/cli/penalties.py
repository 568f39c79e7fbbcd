"""Penalties of the command line: --penalty NAME, or NAME(PARAMETER), and --groups."""

import argparse
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sparsesolve import penalties
from sparsesolve.data.tables.feature_groups import read_feature_groups


class Kind(NamedTuple):
    """The meaning of a word of --penalty."""

    make: Callable  # (*parameters), after the groups if it takes groups
    groups: str  # "needs", "may have" or "has no" --groups
    parameters: str = ""  # text in parentheses, for messages
    most: int = 0  # most numbers in parentheses
    overlapping: bool = False  # True if a feature may be in several groups


def _of_groups(penalty):
    return lambda groups, gamma=None: penalty(*[] if gamma is None else [gamma], groups=groups)


KINDS = {
    "group": Kind(penalties.GroupL2, "needs"),
    "sparse-group": Kind(penalties.SparseGroup, "needs"),
    "group-linf": Kind(penalties.GroupLinf, "needs"),
    "latent-group": Kind(penalties.LatentGroupL2, "needs", overlapping=True),
    "overlap-linf": Kind(penalties.OverlapLinf, "needs", overlapping=True),
    "overlap-l2": Kind(penalties.OverlapL2, "needs", overlapping=True),
    "tree-l2": Kind(penalties.TreeL2, "needs", overlapping=True),
    "tree-linf": Kind(penalties.TreeLinf, "needs", overlapping=True),
    "total-variation": Kind(lambda l1=0.0: penalties.TotalVariation(l1=l1), "has no", "l1", 1),
    "total-variation-2d": Kind(
        lambda rows, columns, l1=0.0: penalties.TotalVariation2D(
            (_whole(rows, "rows"), _whole(columns, "columns")), l1=l1
        ), "has no", "rows,columns,l1", 3,
    ),
    "graph-tv": Kind(
        lambda groups, l1=0.0: penalties.GraphTV(_edges(groups), l1=l1), "needs", "l1", 1,
        overlapping=True,
    ),
    "trend-filter": Kind(lambda degree=1: penalties.TrendFilter(_whole(degree, "degree")),
                         "has no", "degree", 1),
    "slope": Kind(lambda q=0.1: penalties.Slope(q=q), "has no", "q", 1),
    "trace-norm": Kind(lambda *shape: penalties.TraceNorm(_shape(shape)), "has no",
                       "rows,columns", 2),
    "k-support": Kind(lambda k: penalties.KSupport(_whole(k, "k")), "has no", "k", 1),
    "berhu": Kind(lambda delta=1.0: penalties.Berhu(delta), "has no", "delta", 1),
    "exclusive-lasso": Kind(penalties.ExclusiveLasso, "may have"),
    "mcp": Kind(_of_groups(penalties.MCP), "may have", "gamma", 1),
    "scad": Kind(_of_groups(penalties.SCAD), "may have", "gamma", 1),
    "log": Kind(_of_groups(penalties.Log), "may have", "epsilon", 1),
    "bridge": Kind(_of_groups(penalties.Bridge), "may have", "q", 1),
}  # fmt: skip


class Chosen(NamedTuple):
    """The value of --penalty."""

    name: str
    parameters: tuple[float, ...] = ()


def add_penalty_options(model):
    """Add --groups, --penalty and --tau."""
    model.add_argument(
        "--groups", metavar="FILE", help="groups of features that enter and leave together: a CSV "
        "file of two columns, feature and group, of .npz data an array of p labels, or the word "
        "columns: all levels of a column of text",
    )  # fmt: skip
    model.add_argument(
        "--penalty", metavar="NAME", type=read_penalty, help=f"{', '.join(KINDS)}; a parameter in "
        "parentheses as in 'mcp(3)', 'total-variation(0.5)' (weight of the l1 norm), "
        "'total-variation-2d(28,28)' or 'trace-norm(28,28)'; default the elastic net, with "
        "--groups group",
    )  # fmt: skip
    model.add_argument(
        "--tau", type=float, metavar="T", help="share of the l1 norm in sparse-group (0.5)"
    )


def read_penalty(text):
    """Return the value of --penalty: a word, perhaps with numbers in parentheses."""
    name, inside = re.fullmatch(r"\s*(.*?)\s*(?:\((.*)\))?\s*", text, re.DOTALL).groups()
    name = name.replace("_", "-").lower()
    if name not in KINDS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(KINDS)}")
    kind = KINDS[name]
    parts = inside.split(",") if inside and inside.strip() else []
    takes = f"({kind.parameters})" if kind.most else "no parameter"
    try:
        numbers = tuple(float(part) for part in parts)
    except ValueError:
        message = f"{text!r}: {name} takes {takes}, as numbers"
        raise argparse.ArgumentTypeError(message) from None
    if len(numbers) > kind.most:
        raise argparse.ArgumentTypeError(f"{text!r}: {name} takes {takes}")
    try:
        if kind.groups != "needs":
            _made(kind, numbers, None)
    except (TypeError, ValueError) as error:
        said = f"{name} takes {takes}" if "() " in str(error) else error
        raise argparse.ArgumentTypeError(f"{text!r}: {said}") from None
    return Chosen(name, numbers)


def refuse_penalty(args):
    """Raise for options that do not go together."""
    chosen = args.penalty
    has = "needs" if chosen is None else KINDS[chosen.name].groups
    if args.groups is None:
        for name in ("penalty", "tau"):
            if getattr(args, name) is not None and (name == "tau" or has == "needs"):
                raise ValueError(f"--{name} needs --groups, which features belong together")
    elif args.grouped:
        raise ValueError("--grouped ties classes and --groups features; choose one")
    elif has == "has no":
        raise ValueError(f"--penalty {chosen.name} has no groups; leave out --groups")
    if args.tau is not None and (chosen is None or chosen.name != "sparse-group"):
        raise ValueError("--tau belongs to --penalty sparse-group")


def make_penalty(args, table):
    """Return the penalty of the options, or None for the elastic net."""
    if args.penalty is None and args.groups is None:
        return None
    chosen = args.penalty or Chosen("group")
    kind = KINDS[chosen.name]
    groups = None if args.groups is None else _groups(args, table, kind.overlapping)
    if args.tau is not None:
        return kind.make(groups, tau=args.tau)
    return _made(kind, chosen.parameters, groups)


def _made(kind, parameters, groups):
    return kind.make(*parameters) if kind.groups == "has no" else kind.make(groups, *parameters)


def _whole(k, name):
    if k != int(k):
        raise ValueError(f"{name} must be a whole number, not {k:g}")
    return int(k)


def _edges(groups):
    """Return the edges of a graph: groups of two features each."""
    lists = groups if isinstance(groups, list) else list(getattr(groups, "values", list)())
    for label, which in zip(groups, lists, strict=False):
        if len(which) != 2:
            raise ValueError(
                f"--penalty graph-tv: group {label!r} has {len(which)} features; each group is an "
                "edge, of two"
            )
    if not lists:
        raise ValueError("--penalty graph-tv takes a CSV file of --groups, each group an edge")
    return lists


def _shape(shape):
    """Return the shape of a matrix of coefficients, or None for features by responses."""
    if not shape:
        return None
    if len(shape) != 2 or any(size != int(size) for size in shape):
        raise ValueError("trace-norm takes (rows,columns), two whole numbers, or nothing")
    return int(shape[0]), int(shape[1])


def _groups(args, table, overlapping):
    """Return groups of features: from a file, or with --groups columns by their original column.
    """
    if args.groups != "columns":
        return read_feature_groups(args.groups, args.file, table, overlapping)
    columns = table.X.groups if hasattr(table.X, "groups") else np.arange(table.X.shape[1])
    if not overlapping:
        return columns
    return [np.flatnonzero(columns == g).tolist() for g in dict.fromkeys(np.asarray(columns))]
