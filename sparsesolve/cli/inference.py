"""Commands of inference after a choice: infer and knockoffs."""

from pathlib import Path as FilePath

from sparsesolve.cli.options import (
    add_data_options,
    add_model_options,
    check_results,
    fit_options,
    read_data,
)
from sparsesolve.cli.reading import write_table
from sparsesolve.results.pictures.axes import save_figure

METHODS = ("carve", "split", "debiased")


def add_inference(commands):
    """Add the commands."""
    infer = commands.add_parser("infer", help="tests and intervals after a choice of features")
    infer.set_defaults(run=run_infer)
    knockoffs = commands.add_parser(
        "knockoffs", help="features selected with control of the false discovery rate"
    )
    knockoffs.set_defaults(run=run_knockoffs)
    for command in (infer, knockoffs):
        add_data_options(command)
        add_model_options(command)
        how = command.add_argument_group("inference", "see sparsesolve.inference")
        how.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")
        if command is infer:
            _add_infer(how)
        else:
            how.add_argument("--fdr", type=float, default=0.1, metavar="Q", help="default 0.1")
            how.add_argument("--draws", type=int, default=1, metavar="N", help="of knockoffs")
            how.add_argument("--fixed", action="store_true", help="fixed-X knockoffs, gaussian")
        out = command.add_argument_group("results")
        out.add_argument("--out", metavar="FILE", default="-", help="CSV; default a table")
        out.add_argument("--plot", metavar="FILE", help="picture; the ending says the format")
        out.add_argument("--save", metavar="FILE", help="the result, for sparsesolve.load (.npz)")


def _add_infer(how):
    how.add_argument("--method", choices=METHODS, default="carve", help="default carve")
    how.add_argument("--lam", type=float, metavar="L", help="lambda of carve, fixed beforehand; "
                     "default by the size of noise")  # fmt: skip
    how.add_argument("--share", type=float, metavar="S", help="rows that choose; default 0.8 of "
                     "carve, 0.5 of split")  # fmt: skip
    how.add_argument("--splits", type=int, metavar="N", help="of split; default 50")
    how.add_argument("--level", type=float, default=0.95, help="of the intervals")
    how.add_argument("--sigma", type=float, metavar="S", help="noise level of gaussian")


def run_infer(args):
    """Print the table and its guarantee, or write it as CSV."""
    from sparsesolve import inference

    options = _options(args)
    given = {"carve": ("lam", "share", "sigma"), "split": ("share", "splits"),
             "debiased": ("sigma",)}[args.method]  # fmt: skip
    for name in ("lam", "share", "splits", "sigma"):
        value = getattr(args, name)
        if value is not None and name not in given:
            raise ValueError(f"--{name} does not belong to --method {args.method}")
        if value is not None:
            options["n_splits" if name == "splits" else name] = value
    call = getattr(inference, args.method)
    _write(args, call(*options.pop("data"), level=args.level, seed=args.seed, **options))


def run_knockoffs(args):
    """Print the features selected, or write the statistics of all as CSV."""
    from sparsesolve import inference

    options = _options(args)
    fixed = {"covariance": "fixed"} if args.fixed else {}
    if args.fixed:  # a path of knots has none of the options of a grid
        kept = ("weights", "offset", "intercept", "standardize", "penalty_factor", "n_threads",
                "feature_names", "data")  # fmt: skip
        options = {name: value for name, value in options.items() if name in kept}
    _write(args, inference.knockoffs(*options.pop("data"), args.fdr, draws=args.draws,
                                     seed=args.seed, **fixed, **options))  # fmt: skip


def _options(args):
    """Return the options of the model, and the data, after checks of where results go."""
    check_results(args)
    table = read_data(args)
    options = fit_options(args, table)
    return {**options, "progress": False, "feature_names": table.feature_names,
            "data": (table.X, table.y)}  # fmt: skip


def _write(args, found):
    """Print or write a result, draw it, and save it."""
    import sparsesolve as ss

    if args.out == "-":
        print(found)
    else:
        columns = found._columns()
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        write_table(args.out, list(columns), map(list, rows))
    if args.plot:
        save_figure(found.plot, args.plot, FilePath(args.file).name)
    if args.save:
        ss.save(found, args.save)
