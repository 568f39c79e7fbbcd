"""Options of the command line: what data, which model, where results go."""

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np

from sparsesolve.families import FAMILIES, MAKERS, read_family
from sparsesolve.tables import ENDINGS, read_table

# Options of the command that are keywords of sparsesolve.path under the same name.
PASSED_ON = (
    "family", "alpha", "grouped", "n_lambdas", "lambda_min_ratio", "lambdas", "tol", "max_iter",
)  # fmt: skip
OTHERS = [name for name in MAKERS if name not in FAMILIES]  # families made by a function


def add_data_options(command):
    data = command.add_argument_group("data")
    data.add_argument("file", metavar="FILE", help="CSV, SVMlight, .npz or Parquet file")
    data.add_argument("--format", choices=tuple(ENDINGS), help="default: by the file's ending")
    data.add_argument(
        "--response", metavar="COL", action="append", default=[],
        help="column to fit (.npz: array, default y); repeat it for several: time and status (of "
        "family cox, start before them), failures and successes, counts of classes",
    )  # fmt: skip
    data.add_argument("--weights", metavar="COL", help="column of observation weights")
    data.add_argument("--offset", metavar="COL", help="column of offsets")
    data.add_argument(
        "--drop", metavar="COL", action="append", default=[], help="leave out (may be repeated)"
    )


def add_model_options(command):
    model = command.add_argument_group("model", "see sparsesolve.path for what they mean")
    model.add_argument(
        "--family", metavar="NAME", type=_family, default="gaussian",
        help=f"{', '.join(FAMILIES)}; or {', '.join(OTHERS)}, a parameter in parentheses as in "
        "'huber(1.5)'; default gaussian",
    )  # fmt: skip
    model.add_argument("--alpha", type=float, metavar="A", help="1 lasso (default), 0 ridge")
    model.add_argument(
        "--grouped", action="store_true", help="multinomial: select features for all at once"
    )
    model.add_argument("--n-lambdas", type=int, metavar="L", help="default 100")
    model.add_argument(
        "--lambda-min-ratio", type=float, metavar="R", help="last lambda over the first"
    )
    model.add_argument("--lambdas", type=_numbers, metavar="A,B,...", help="own values of lambda")
    model.add_argument("--no-intercept", action="store_true", help="fit none")
    model.add_argument("--no-standardize", action="store_true", help="penalise X as it is")
    model.add_argument(
        "--tol", type=float, metavar="GAP", help="relative duality gap to reach (1e-7)"
    )
    model.add_argument("--max-iter", type=int, metavar="N", help="iterations at each lambda")
    model.add_argument("--threads", type=int, default=1, metavar="N", help="default 1; -1 for all")


def _family(text):
    """The value of --family: a name, or a function of sparsesolve.families with its parameter."""
    name, parameter = re.fullmatch(r"\s*(.*?)\s*(?:\((.*)\))?\s*", text, re.DOTALL).groups()
    if name in FAMILIES and not parameter:
        return name
    if name not in MAKERS:
        message = f"{text!r} is none of {', '.join([*FAMILIES, *OTHERS])}"
        raise argparse.ArgumentTypeError(message)
    try:
        return MAKERS[name](*[_parameter(parameter)] if parameter else [])
    except (TypeError, ValueError) as error:
        number = "no parameter" if parameter else f"a parameter, as in '{name}(1.5)'"
        wrong_number = str(error).startswith(f"{name}() ")  # of arguments
        message = f"{name} takes {number}" if wrong_number else f"{text!r}: {error}"
        raise argparse.ArgumentTypeError(message) from None


def _parameter(text):
    """A number, or the word itself (the ties of cox)."""
    try:
        return float(text)
    except ValueError:
        return text.strip(" '\"")


def _numbers(text):
    """The values of --lambdas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        message = f"{text!r} is no list of numbers like 1,0.5,0.1"
        raise argparse.ArgumentTypeError(message) from None


def read_data(args):
    """The Table of the data options."""
    return read_table(
        args.file, args.response, args.weights, args.offset, args.drop, layout=args.format,
        labels=read_family(args.family).classify is not None,
    )  # fmt: skip


def fit_options(args, table):
    """Keywords of sparsesolve.path from the options and the table."""
    options = {name: getattr(args, name) for name in PASSED_ON}
    return {
        "weights": table.weights,
        "offset": table.offset,
        "intercept": not args.no_intercept,
        "standardize": not args.no_standardize,
        "n_threads": args.threads,
        "progress": sys.stderr.isatty(),
        **{name: value for name, value in options.items() if value is not None},
    }


def named(fit, table, args):
    """The path with the names of the file's columns."""
    if table.feature_names is not None:
        fit = replace(fit, feature_names=table.feature_names)
    if len(args.response) > 1 and fit.family != "cox":  # columns of counts, or several responses
        fit = replace(fit, class_names=np.array(args.response))
    return fit


def check_folder(file):
    """Refuse a file that cannot be written before the fit takes its time."""
    folder = FilePath(file).resolve().parent
    if not folder.is_dir():
        raise ValueError(f"{file} cannot be written: there is no folder {folder}")
    if FilePath(file).is_dir():
        raise ValueError(f"{file} cannot be written: it is a folder")


def check_plot_file(file):
    """Refuse a plot that cannot be drawn before the fit takes its time."""
    check_folder(file)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("drawing needs matplotlib: pip install 'sparsesolve[plot]'") from None
    known = Figure().canvas.get_supported_filetypes()
    if FilePath(file).suffix.lower().lstrip(".") not in known:
        raise ValueError(f"{file}: no plot format by that ending; choose .png, .pdf or .svg")
