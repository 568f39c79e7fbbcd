"""The command line: ``sparsesolve``, or ``python -m sparsesolve``, and a command."""

import argparse
import os
import re
import sys
import warnings

from sparsesolve import __version__
from sparsesolve.cli.commands import (
    run_cv,
    run_demo,
    run_path,
    run_plot,
    run_predict,
)
from sparsesolve.cli.genotypes import add_genotype_options, add_new_genotypes
from sparsesolve.cli.inference import add_inference
from sparsesolve.cli.model_commands import add_model_commands
from sparsesolve.cli.online import add_online
from sparsesolve.cli.options import add_data_options, add_model_options, numbers
from sparsesolve.cli.other_paths import add_other_paths
from sparsesolve.cli.reading import add_file_options
from sparsesolve.cli.report import add_report
from sparsesolve.cli.sentences import add_sentence_commands
from sparsesolve.results.cv_path import CHOICES
from sparsesolve.results.pictures.axes import AXIS_LABELS
from sparsesolve.results.pictures.path import LINES


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others of this command."""

    def error(self, message):
        self.exit(2, f"sparsesolve: error: {message} (--help lists the options)\n")


def main(argv=None):
    """Run one command; return its exit code: 0, or 2 for bad input, 130 for Ctrl-C."""
    words = sys.argv[1:] if argv is None else argv
    args = parser().parse_args(_signed_lists(words))
    args.words = list(map(str, words))
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _one_line_warning
            args.run(args)
        if sys.stdout is not None:  # None if it was closed at the start
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader, for example `head`, has stopped; Python must not complain when it closes
        # stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("sparsesolve: interrupted", file=sys.stderr)
        return 130
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        print(f"sparsesolve: error: {_one_line(_described(error))}", file=sys.stderr)
        return 2
    return 0


def _signed_lists(argv):
    """Join `--option -1,1` with =, as argparse takes such a list for an option."""
    joined = []
    for word in argv:
        if joined and joined[-1].startswith("--") and re.fullmatch(r"-[\d.][^ ]*,[^ ]*", word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def parser():
    """Return the parser of all commands and their options."""
    top = Parser(prog=_called(), description="Solution paths of sparse models.")
    top.add_argument("--version", action="version", version=f"sparsesolve {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    demo = commands.add_parser("demo", help="paths of two real data sets, drawn")
    demo.add_argument(
        "--out", metavar="FILE", default="sparsesolve-demo.png",
        help="plot file; the second has -logistic before the ending",
    )  # fmt: skip
    demo.set_defaults(run=run_demo)
    path = commands.add_parser("path", help="the path of a data file")
    path.set_defaults(run=run_path)
    add_data_options(path, several=True)
    add_model_options(path)
    add_genotype_options(path)
    _add_results(path, "plot of the path; the ending says the format")
    _add_picture(path)
    _add_cv(commands)
    add_online(commands)
    add_sentence_commands(commands)
    _add_predict(commands)
    add_model_commands(commands)
    add_inference(commands)
    add_other_paths(commands, _add_results)
    add_report(commands)
    _add_plot(commands)
    return top


def _called():
    """Return how the command was called, for lines of usage."""
    name = os.path.basename(sys.argv[0] or "")
    return "sparsesolve" if name.startswith("sparsesolve") else "python -m sparsesolve"


def _add_results(command, plot):
    out = command.add_argument_group("results")
    out.add_argument(
        "--out",
        metavar="FILE",
        help="coefficients as CSV (lambda, feature, coefficient), one line for each that is not "
        "zero and one for each intercept; - for standard output",
    )
    out.add_argument("--plot", metavar="FILE", help=plot)
    out.add_argument("--save", metavar="FILE", help="the model, for predict and plot (.npz)")
    out.add_argument("--quiet", action="store_true", help="do not print the table")


def _add_cv(commands):
    cv = commands.add_parser("cv", help="lambda by cross-validation")
    cv.set_defaults(run=run_cv)
    add_data_options(cv, several=True)
    add_model_options(cv)
    add_genotype_options(cv)
    how = cv.add_argument_group("cross-validation", "see sparsesolve.cv_path")
    how.add_argument("--folds", type=int, default=10, metavar="K", help="default 10")
    how.add_argument("--fold", metavar="COL", help="column that says which fold holds a row out")
    how.add_argument(
        "--fold-groups", metavar="COL", help="column of labels; rows of one are held out together"
    )
    how.add_argument(
        "--alphas", type=numbers, metavar="A,B,...", help="values of alpha to choose from"
    )
    how.add_argument(
        "--gammas", type=numbers, metavar="A,B,...",
        help="blends with relaxed fits to choose from: 0 the refit, 1 the path",
    )  # fmt: skip
    how.add_argument(
        "--measure", metavar="NAME", help="deviance (default), mse, mae, class, auc or C"
    )
    how.add_argument("--repeats", type=int, default=1, metavar="N", help="deal so often")
    how.add_argument("--seed", type=int, metavar="N", help="of the dealing")
    how.add_argument("--jobs", type=int, default=1, metavar="N", help="fits at one time")
    _add_results(cv, "plot of the curve; the ending says the format")
    cv.add_argument(
        "--s", choices=CHOICES, default="lambda_1se", help="whose coefficients --out writes"
    )


def _add_predict(commands):
    predict = commands.add_parser("predict", help="predict rows by a saved model")
    predict.set_defaults(run=run_predict)
    predict.add_argument("model", metavar="MODEL", help="what --save wrote")
    predict.add_argument(
        "file", metavar="FILE", help="rows; columns are found by name, others are left out; - is "
        "standard input, with --format",
    )
    add_file_options(predict)
    predict.add_argument("--unknown", choices=("error", "zero"), help="levels that the model does "
                         "not know: refused (default), or as none")  # fmt: skip
    add_new_genotypes(predict)
    predict.add_argument("--offset", metavar="COL", help="column of offsets")
    predict.add_argument(
        "--id", metavar="COL", action="append", default=[],
        help="column to write beside the predictions (may be repeated)",
    )  # fmt: skip
    predict.add_argument(
        "--s", metavar="S", help="lambda, lambda_1se or lambda_min; default lambda_1se of a model "
        "of cv, and every lambda of a path",
    )  # fmt: skip
    predict.add_argument(
        "--kind", choices=("link", "response", "class", "probabilities"), default="response",
        help="linear predictor, mean (default), likeliest class, or the probability of each",
    )  # fmt: skip
    predict.add_argument("--out", metavar="FILE", default="-", help="CSV; default standard output")


def _add_plot(commands):
    plot = commands.add_parser("plot", help="draw a saved model")
    plot.set_defaults(run=run_plot)
    plot.add_argument("model", metavar="MODEL", help="what --save wrote")
    plot.add_argument("out", metavar="FILE", help="plot; the ending says the format")
    plot.add_argument("--path", action="store_true", help="of a model of cv, the path")
    _add_picture(plot)


def _add_picture(command):
    command.add_argument("--xvar", choices=tuple(AXIS_LABELS), default="lambda", help="its axis")
    command.add_argument(
        "--by", choices=LINES, default="feature", help="a line for each feature or group, or a "
        "panel for each class",
    )  # fmt: skip


def _described(error):
    """Return what went wrong; for an error of the operating system without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}".rstrip(": ")
    return str(error) or type(error).__name__


def _one_line(text):
    return " ".join(str(text).split())


def _one_line_warning(message, category, filename, lineno, file=None, line=None):
    """Show a warning as one line, without the source line that raised it."""
    print(f"sparsesolve: warning: {_one_line(message)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
