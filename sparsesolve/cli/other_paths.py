"""Commands of other paths: lars (knots), omp (greedy) and mkl (kernels)."""

import re
import sys

from sparsesolve.cli.options import (
    add_data_options,
    check_results,
    numbers,
    remembered,
)
from sparsesolve.cli.reading import read_rows, write_coefs, write_table
from sparsesolve.families import FAMILIES, read_family
from sparsesolve.results.pictures.axes import save_figure
from sparsesolve.results.pictures.path import save_plot

KERNEL = re.compile(r"(\w+)(?:\(([^()]*)\))?(?:=(.+))?")


def add_other_paths(commands, add_results):
    """Add the commands; `add_results` is that of the command path."""
    lars = commands.add_parser("lars", help="the lasso, or least angle regression, by its knots")
    lars.set_defaults(run=run_lars)
    add_data_options(lars)
    lars.add_argument("--method", choices=("lasso", "lar"), default="lasso", help="default lasso")
    lars.add_argument("--positive", action="store_true", help="no negative coefficient")
    lars.add_argument("--lambda-min", type=float, default=0.0, metavar="L", help="end there")
    lars.add_argument("--max-features", type=int, metavar="N", help="end with so many")
    omp = commands.add_parser("omp", help="features one at a time: pursuits, forward selection")
    omp.set_defaults(run=run_omp)
    add_data_options(omp)
    omp.add_argument("--method", choices=("omp", "forward", "mp"), default="omp")
    omp.add_argument("--n-nonzero", type=int, metavar="N", help="stop with so many features")
    omp.add_argument("--tol", type=float, metavar="T", help="stop at this share of the deviance")
    for command in (lars, omp):
        command.add_argument("--no-intercept", action="store_true", help="fit none")
        command.add_argument("--no-standardize", action="store_true", help="take X as it is")
        add_results(command, "plot of the path; the ending says the format")
    _add_mkl(commands)


def _add_mkl(commands):
    mkl = commands.add_parser("mkl", help="multiple kernel learning: which kernels of X matter")
    mkl.set_defaults(run=run_mkl)
    add_data_options(mkl)
    mkl.add_argument("--kernel", metavar="K[=COL,...]", action="append", default=[],
                     help="gaussian(W), polynomial(D) or linear, of all columns or of some; "
                     "repeat it for each kernel")  # fmt: skip
    mkl.add_argument("--family", choices=sorted(FAMILIES), default="gaussian")
    mkl.add_argument("--norm", default="l1", metavar="NAME", help="l1 (default) or l1_squared")
    mkl.add_argument("--n-lambdas", type=int, default=20, metavar="L", help="default 20")
    mkl.add_argument("--lambdas", type=numbers, metavar="A,B,...", help="own values of lambda")
    mkl.add_argument("--out", metavar="FILE", help="weights of the kernels as CSV")
    mkl.add_argument("--plot", metavar="FILE", help="plot of the weights")
    mkl.add_argument("--save", metavar="FILE", help="model for predict (.npz); it holds the rows")
    mkl.add_argument("--quiet", action="store_true", help="do not print the table")


def run_lars(args):
    """Follow the knots of a data file."""
    import sparsesolve as ss

    limits = {"positive": args.positive, "lambda_min": args.lambda_min,
              "max_features": args.max_features}  # fmt: skip
    _finish(args, lambda table, options: ss.lars_path(
        table.X, table.y, method=args.method, **limits, **options))  # fmt: skip


def run_omp(args):
    """Run a pursuit on the features of a data file."""
    import sparsesolve as ss

    _finish(args, lambda table, options: ss.omp_path(
        table.X, table.y, method=args.method, n_nonzero=args.n_nonzero, tol=args.tol, **options,
    ))  # fmt: skip


def _finish(args, solve):
    """Read, solve, and write the requested results."""
    import sparsesolve as ss

    check_results(args)
    table = read_rows(args)
    options = {
        "weights": table.weights, "offset": table.offset, "intercept": not args.no_intercept,
        "standardize": not args.no_standardize, "progress": sys.stderr.isatty(),
        "feature_names": table.feature_names if isinstance(table.X, _plain()) else None,
    }  # fmt: skip
    fit = solve(table, options)
    if args.out:
        write_coefs(fit, args.out)
    if args.plot:
        save_plot(fit, args.plot, "lambda", f"path of {args.file}")
    if args.save:
        ss.save(remembered(fit, args), args.save)
    if not args.quiet and args.out != "-":
        print(fit)


def run_mkl(args):
    """Compute the weights of the kernels of a data file along lambda."""
    import sparsesolve as ss

    check_results(args)
    if not args.kernel:
        raise ValueError("say which kernels by --kernel, as in --kernel 'gaussian(0.5)'")
    table = read_rows(args, read_family(args.family).classify is not None)
    names = [] if table.feature_names is None else table.feature_names.tolist()
    pairs = {text: _kernel(text, names) for text in args.kernel}
    own = table.feature_names if isinstance(table.X, _plain()) else None
    grams = ss.mkl.build_grams(table.X, pairs, scale="trace", feature_names=own)
    fit = ss.mkl_path(grams, table.y, family=args.family, norm=args.norm, weights=table.weights,
                      offset=table.offset, n_lambdas=args.n_lambdas, lambdas=args.lambdas,
                      progress=sys.stderr.isatty())  # fmt: skip
    if args.out:
        _write_weights(fit, args.kernel, args.out)
    if args.plot:
        save_figure(fit.plot, args.plot, f"kernels of {args.file}")
    if args.save:
        ss.save(remembered(fit, args), args.save, rows=True)
        print(f"sparsesolve: note: {args.save} holds the rows of {args.file}, which kernels "
              "compare new rows with", file=sys.stderr)  # fmt: skip
    if not args.quiet and args.out != "-":
        print(fit)


def _kernel(text, names):
    """Return (function, columns) for a word such as gaussian(0.5)=age,size."""
    import sparsesolve as ss

    known = ("gaussian", "polynomial", "linear")
    makers = {name: getattr(ss.mkl, name) for name in known}
    found = KERNEL.fullmatch(text.strip())
    if found is None or found[1] not in makers:
        raise ValueError(f"--kernel {text!r} is none of gaussian(W), polynomial(D), linear")
    parameters = [part for part in (found[2] or "").split(",") if part.strip()]
    try:
        read = int if found[1] == "polynomial" else float
        function = makers[found[1]](*[read(part) for part in parameters])
    except (TypeError, ValueError) as error:
        raise ValueError(f"--kernel {text!r}: {error}") from None
    if found[3] is None:
        return function, None
    columns = [column.strip() for column in found[3].split(",")]
    unknown = [column for column in columns if column not in names]
    if unknown:
        raise ValueError(f"--kernel {text!r}: no column of X is named {unknown[0]!r}")
    return function, [names.index(column) for column in columns]


def _write_weights(fit, names, file):
    """Write the nonzero kernel weights, lambda by lambda."""
    rows = [[lam, name, weight] for k, lam in enumerate(fit.lambdas.tolist())
            for name, weight in zip(names, fit.kernel_weights[:, k].tolist(), strict=True)
            if weight > 0.0]  # fmt: skip
    write_table(file, ["lambda", "kernel", "weight"], rows)


def _plain():
    """Return the types of X without names of their own."""
    import numpy as np
    from scipy import sparse

    return (np.ndarray, sparse.sparray, sparse.spmatrix)
