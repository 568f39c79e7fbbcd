"""The command line: ``python -m sparsesolve demo`` and ``python -m sparsesolve path FILE``."""

import argparse
import os
import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np

from sparsesolve.coefficient_file import write_coefs
from sparsesolve.families import FAMILIES, MAKERS, read_family
from sparsesolve.plotting import AXIS_LABELS, save_plot
from sparsesolve.tables import ENDINGS, read_table

# Options of the command that are keywords of sparsesolve.path under the same name.
PASSED_ON = (
    "family", "alpha", "grouped", "n_lambdas", "lambda_min_ratio", "lambdas", "tol", "max_iter",
)  # fmt: skip
OTHERS = [name for name in MAKERS if name not in FAMILIES]  # families made by a function


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others of this command."""

    def error(self, message):
        self.exit(2, f"sparsesolve: error: {message} (--help lists the options)\n")


def main(argv=None):
    """Run one command; return its exit code: 0, or 2 for bad input, 130 for Ctrl-C."""
    args = parser().parse_args(argv)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _one_line_warning
            args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, `head` say, has seen enough; Python must not complain when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("sparsesolve: interrupted", file=sys.stderr)
        return 130
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"sparsesolve: error: {_one_line(_described(error))}", file=sys.stderr)
        return 2
    return 0


def parser():
    """The commands and their options."""
    top = Parser(prog="python -m sparsesolve", description="Solution paths of sparse models.")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    demo = commands.add_parser("demo", help="paths of two real data sets, drawn")
    demo.add_argument(
        "--out", metavar="FILE", default="sparsesolve-demo.png",
        help="plot file; the second has -logistic before the ending",
    )  # fmt: skip
    demo.set_defaults(run=run_demo)
    path = commands.add_parser("path", help="the path of a data file")
    path.set_defaults(run=run_path)
    _add_data_options(path)
    _add_model_options(path)
    out = path.add_argument_group("results")
    out.add_argument(
        "--out",
        metavar="FILE",
        help="coefficients as CSV (lambda, feature, coefficient), one line for each that is not "
        "zero and one for each intercept; - for standard output",
    )
    out.add_argument("--plot", metavar="FILE", help="plot of the path; the ending says the format")
    out.add_argument("--xvar", choices=tuple(AXIS_LABELS), default="lambda", help="its axis")
    out.add_argument("--quiet", action="store_true", help="do not print the table")
    return top


def _add_data_options(command):
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


def _add_model_options(command):
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


def run_demo(args):
    """Fit diabetes and tumours, print tables and certificates, draw both paths."""
    from sparsesolve.demo import show_diabetes, show_tumours

    _check_plot_file(args.out)
    first = FilePath(args.out)
    second = first.with_name(f"{first.stem}-logistic{first.suffix}")
    show_diabetes(first, progress=sys.stderr.isatty())
    print()
    show_tumours(second, progress=sys.stderr.isatty())
    print(f"The paths are drawn in {first.resolve()} and {second.resolve()}")


def run_path(args):
    """Fit a data file and write what was asked for."""
    import sparsesolve as ss

    if args.plot:
        _check_plot_file(args.plot)
    if args.out and args.out != "-":
        _check_folder(args.out)
    table = read_table(
        args.file, args.response, args.weights, args.offset, args.drop, layout=args.format,
        labels=read_family(args.family).classify is not None,
    )  # fmt: skip
    options = {name: getattr(args, name) for name in PASSED_ON}
    fit = ss.path(
        table.X,
        table.y,
        weights=table.weights,
        offset=table.offset,
        intercept=not args.no_intercept,
        standardize=not args.no_standardize,
        n_threads=args.threads,
        progress=sys.stderr.isatty(),
        **{name: value for name, value in options.items() if value is not None},
    )
    if table.feature_names is not None:
        fit = replace(fit, feature_names=table.feature_names)
    if len(args.response) > 1 and fit.family != "cox":  # columns of counts, or several responses
        fit = replace(fit, class_names=np.array(args.response))
    if args.out:
        write_coefs(fit, args.out)
    if args.plot:
        response = ", ".join(args.response) or "the response"
        title = f"{FilePath(args.file).name}: path of {response}"
        save_plot(fit, args.plot, args.xvar, title)
    if not args.quiet and args.out != "-":
        print(fit)


def _check_folder(file):
    """Refuse a file that cannot be written before the fit takes its time."""
    folder = FilePath(file).resolve().parent
    if not folder.is_dir():
        raise ValueError(f"{file} cannot be written: there is no folder {folder}")
    if FilePath(file).is_dir():
        raise ValueError(f"{file} cannot be written: it is a folder")


def _check_plot_file(file):
    """Refuse a plot that cannot be drawn before the fit takes its time."""
    _check_folder(file)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("drawing needs matplotlib: pip install 'sparsesolve[plot]'") from None
    known = Figure().canvas.get_supported_filetypes()
    if FilePath(file).suffix.lower().lstrip(".") not in known:
        raise ValueError(f"{file}: no plot format by that ending; choose .png, .pdf or .svg")


def _described(error):
    """What went wrong; of an operating system's error without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _one_line(text):
    return " ".join(str(text).split())


def _one_line_warning(message, category, filename, lineno, file=None, line=None):
    """Show a warning as one line, without the source line that raised it."""
    print(f"sparsesolve: warning: {_one_line(message)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
