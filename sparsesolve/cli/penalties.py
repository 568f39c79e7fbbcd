"""Penalties of the command line: --penalty NAME, or NAME(PARAMETER), and --groups."""

import argparse

import numpy as np

from sparsesolve.data.tables.columns import read_feature_groups
from sparsesolve.penalties.registry import KINDS, Chosen, of_labels, read_word


def add_penalty_options(model):
    """Add --groups, --penalty and --tau."""
    model.add_argument(
        "--groups", metavar="FILE", help="groups of features that enter and leave together: a CSV "
        "file of two columns, feature and group, of .npz data an array of p labels, or the word "
        "columns: all levels of a column of text, or with --formula a term",
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
    try:
        return read_word(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def refuse_penalty(args):
    """Raise for options that do not go together."""
    chosen = args.penalty
    has = "needs" if chosen is None else chosen.kind.groups
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
    if args.tau is not None and chosen.parameters:
        raise ValueError("--tau and --penalty 'sparse-group(tau)' say the same; give one of them")


def make_penalty(args, table):
    """Return the penalty of the options, or None for the elastic net."""
    if args.penalty is None and args.groups is None:
        return None
    chosen = args.penalty or Chosen("group")
    groups = None if args.groups is None else _groups(args, table, chosen.kind.overlapping)
    if args.tau is not None:
        chosen = chosen._replace(parameters=(args.tau,))
    return chosen.made(groups)


def _groups(args, table, overlapping):
    """Return groups of features: from a file, or with --groups columns by their original column.
    """
    if args.groups != "columns":
        return read_feature_groups(args.groups, args.file, table, overlapping)
    columns = table.X.groups if hasattr(table.X, "groups") else np.arange(table.X.shape[1])
    return of_labels(columns, overlapping)
