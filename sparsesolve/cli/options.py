"""Options of the command line: the data, the model, and where results go."""

import argparse
import os
import platform
import shlex
import sys
from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np
import scipy

from sparsesolve import __version__
from sparsesolve.cli.genotypes import (
    is_genotypes,
    read_genotypes,
    refuse_genotype_options,
    refuse_genotypes,
)
from sparsesolve.cli.reading import add_file_options, read_rows
from sparsesolve.data.tables.columns import read_feature_groups
from sparsesolve.families import FAMILIES, cox, read_family
from sparsesolve.families.registry import WORDS
from sparsesolve.penalties.penalty import is_scale_free
from sparsesolve.penalties.registry import KINDS, Chosen, of_labels, read_word
from sparsesolve.selection.measures import SIDED

# Options of the command that are keywords of sparsesolve.path with the same name.
PASSED_ON = (
    "family", "alpha", "grouped", "n_lambdas", "lambda_min_ratio", "lambdas", "tol", "max_iter",
    "dfmax", "pmax", "solver",
)  # fmt: skip


def add_data_options(command, several=False):
    """Add the options of the data, in one file or, with `several`, in one or more."""
    data = command.add_argument_group("data")
    data.add_argument("file", metavar="FILE", help="CSV, SVMlight, vw, .npz or Parquet file, also "
                      ".gz, .bz2 or .xz; - is standard input, with --format; or a .bed file")
    if several:
        data.add_argument("more", metavar="FILE", nargs="*", help="further files, if all are "
                          "Parquet: dask reads them in blocks, so that they may exceed memory")
    data.add_argument(
        "--response", metavar="COL", action="append", default=[],
        help="column to fit (.npz: array, default y); repeat it for several: time and status (of "
        "family cox, start before them), failures and successes, counts of classes",
    )  # fmt: skip
    data.add_argument(
        "--formula", metavar="TEXT", help="response and terms, as 'y ~ a * b + bs(age, 4)' or "
        "'Surv(time, status) ~ .', in place of --response: see sparsesolve.make_design",
    )  # fmt: skip
    data.add_argument("--weights", metavar="COL", help="column of observation weights")
    data.add_argument("--offset", metavar="COL", help="column of offsets")
    data.add_argument("--strata", metavar="COL", help="column of strata, of family cox")
    data.add_argument(
        "--drop", metavar="COL", action="append", default=[], help="leave out (may be repeated)"
    )
    data.add_argument(
        "--missing", choices=("mean", "error"), help="gaps of X: filled with the mean of their "
        "column (default), or refused",
    )  # fmt: skip
    add_file_options(data)


def add_model_options(command):
    model = command.add_argument_group("model", "see sparsesolve.path for what they mean")
    model.add_argument(
        "--family", metavar="NAME", type=family, default="gaussian",
        help=f"{', '.join(WORDS)}; a parameter stands in parentheses, as in 'huber(1.5)'; default "
        "gaussian",
    )  # fmt: skip
    model.add_argument("--alpha", type=float, metavar="A", help="1 lasso (default), 0 ridge")
    model.add_argument(
        "--grouped", action="store_true", help="multinomial: select features for all at once"
    )
    add_penalty_options(model)
    for name, what in (("penalty-factor", "multiplies lambda: 0 never penalised, inf left out"),
                       ("lower", "least coefficient"), ("upper", "largest")):  # fmt: skip
        model.add_argument(
            f"--{name}", metavar="[COL=]V", action="append", default=[],
            help=f"{what}; of all columns, or of one (may be repeated)",
        )  # fmt: skip
    model.add_argument("--n-lambdas", type=int, metavar="L", help="default 100")
    model.add_argument(
        "--lambda-min-ratio", type=float, metavar="R", help="last lambda over the first"
    )
    model.add_argument("--lambdas", type=numbers, metavar="A,B,...", help="own values of lambda")
    model.add_argument("--to-the-end", action="store_true", help="do not stop before the last")
    model.add_argument("--dfmax", type=int, metavar="N", help="end once more are active")
    model.add_argument("--pmax", type=int, metavar="N", help="let no more enter")
    model.add_argument("--no-intercept", action="store_true", help="fit none")
    scale = model.add_mutually_exclusive_group()
    scale.add_argument("--no-standardize", action="store_true", help="penalise X as it is")
    scale.add_argument(
        "--standardize", action="store_true", help="default, but not where a penalty compares "
        "coefficients, as total-variation and slope do",
    )  # fmt: skip
    scale.add_argument(
        "--standardize-groups", action="store_true", help="each group whole, by its span"
    )
    model.add_argument(
        "--tol", type=float, metavar="GAP", help="relative duality gap to reach (1e-7)"
    )
    model.add_argument("--max-iter", type=int, metavar="N", help="iterations at each lambda")
    model.add_argument("--solver", metavar="NAME", help="algorithm; default by the data")
    model.add_argument("--threads", type=int, default=1, metavar="N", help="default 1; -1 for all")


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
    """Return groups of features: of a file, or with --groups columns by their own column."""
    if args.groups != "columns":
        return read_feature_groups(args.groups, args.file, table, overlapping)
    columns = table.X.groups if hasattr(table.X, "groups") else np.arange(table.X.shape[1])
    return of_labels(columns, overlapping)


def family(text):
    """Return the value of --family: the name of a family, or with a parameter the Family."""
    try:
        found = read_family(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return found.name if FAMILIES.get(found.name) is found else found


def numbers(text):
    """Return the values of an option such as --lambdas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        message = f"{text!r} is not a list of numbers like 1,0.5,0.1"
        raise argparse.ArgumentTypeError(message) from None


def read_data(args):
    """Return the Table of the data options."""
    refuse_penalty(args)
    if args.strata is not None and read_family(args.family).name != "cox":
        raise ValueError("--strata belongs to --family cox")
    refuse_genotype_options(args)
    if is_genotypes(args) and hasattr(args, "phenotype"):  # an option of the commands path and cv
        return read_genotypes(args)
    refuse_genotypes(args)
    marks = {name: getattr(args, name, None) for name in ("strata", "fold", "fold_groups")}
    return read_rows(
        args, labels=read_family(args.family).classify is not None,
        marks={name: column for name, column in marks.items() if column is not None},
    )  # fmt: skip


def fit_options(args, table):
    """Return the keywords of sparsesolve.path from the options and the table."""
    options = {name: getattr(args, name) for name in PASSED_ON}
    options["checkpoint"] = getattr(args, "checkpoint", None)
    if "strata" in table.marks:
        own = read_family(args.family)
        options["family"] = replace(own, read=cox(strata=table.marks["strata"]).read)
    penalty = make_penalty(args, table)
    if penalty is not None:
        options["penalty"] = penalty
    standardize = (args.standardize or is_scale_free(penalty)) and not args.no_standardize
    if args.to_the_end:
        options["stop"] = None
    limits = {"penalty_factor": 1.0, "lower": -np.inf, "upper": np.inf}
    own = table.penalty_factor
    if own is not None:
        limits["penalty_factor"] = own
    return {
        "weights": table.weights,
        "offset": table.offset,
        "intercept": not args.no_intercept,
        "standardize": "group" if args.standardize_groups else standardize,
        "n_threads": args.threads,
        "progress": getattr(args, "progress", False) or sys.stderr.isatty(),
        **{name: value for name, value in options.items() if value is not None or name == "stop"},
        **{name: per_feature(name, getattr(args, name), default, args, table)
           for name, default in limits.items()
           if getattr(args, name) or name == "penalty_factor" and own is not None},
    }  # fmt: skip


def per_feature(name, texts, default, args, table):
    """Return a number for each feature, from "V" for all and "COLUMN=V" for one."""
    option = f"--{name.replace('_', '-')}"
    if args.groups is not None and name == "penalty_factor":
        raise ValueError(f"{option} is per feature; with --groups leave it out")
    values = np.full(table.X.shape[1], default)
    names = [] if table.feature_names is None else table.feature_names.tolist()
    for text in sorted(texts, key=lambda text: "=" in text):  # values for all features come first
        column, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise ValueError(f"{option} {text!r}: {number!r} is not a number") from None
        if column and column not in names:
            raise ValueError(f"{option} {text!r}: no column of X is named {column!r}")
        values[names.index(column) if column else slice(None)] = value
    return values


def named(fit, table, args):
    """Return the path with the names of the file's columns."""
    if table.feature_names is not None:
        fit = replace(fit, feature_names=table.feature_names)
    if len(args.response) > 1 and fit.family != "cox":  # columns of counts, or several responses
        fit = replace(fit, class_names=np.array(args.response))
    return fit


def remembered(fit, args):
    """Return a path with the command and the versions that made it, for its file."""
    command = shlex.join(["sparsesolve", *args.words])
    return replace(fit, options={**(fit.options or {}), "command": command,
                                 "versions": versions()})  # fmt: skip


def versions():
    """Return what computes, and in which version, in words."""
    return (f"sparsesolve {__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
            f"Python {platform.python_version()}")  # fmt: skip


def check_results(args):
    """Refuse results of a fit that cannot be written, before it starts."""
    if args.plot:
        check_plot_file(args.plot)
    read = [args.file, *getattr(args, "more", []), getattr(args, "groups", None)]
    check_targets(read, out=args.out, plot=args.plot, save=args.save,
                  **{"weights-file": getattr(args, "weights_file", None)})  # fmt: skip


def check_targets(sources, **targets):
    """Refuse results, by option, that cannot be written, or replace an input or each other."""
    taken = {_place(file): "is read" for file in sources if file is not None}
    for option, file in targets.items():
        if not file or file == "-":
            continue
        check_folder(file)
        place = _place(file)
        if place in taken:
            raise ValueError(
                f"--{option} {file} would replace the file that {taken[place]}; give another name"
            )
        taken[place] = f"--{option} writes"


def _place(file):
    """Return what identifies a file under any name: hard links are the same file."""
    path = os.path.realpath(file)  # a loop of links resolves to itself
    if not os.path.exists(path):
        return path
    known = os.stat(path)
    return (known.st_dev, known.st_ino) if known.st_ino else path


def check_folder(file):
    """Refuse a file that cannot be written, before the fit starts."""
    folder = FilePath(file).resolve().parent
    if not folder.is_dir():
        raise ValueError(f"{file} cannot be written: there is no folder {folder}")
    if FilePath(file).is_dir():
        raise ValueError(f"{file} cannot be written: it is a folder")


def check_plot_file(file):
    """Refuse a plot that cannot be drawn, before the fit starts."""
    check_folder(file)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("drawing needs matplotlib: pip install 'sparsesolve[plot]'") from None
    known = Figure().canvas.get_supported_filetypes()
    if FilePath(file).suffix.lower().lstrip(".") not in known:
        raise ValueError(f"{file}: no plot format by that ending; choose .png, .pdf or .svg")


def check_probabilities(family):
    """Raise unless models of a family have probabilities of classes."""
    if family.classify is None or family.name in SIDED:
        raise ValueError(f"a {family.name} model has no probabilities; ask for --kind response")
