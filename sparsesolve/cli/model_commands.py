"""Commands on a saved model and a file of known responses: assess, criteria, refit."""


import numpy as np

from sparsesolve.cli.commands import load_model, path_of, read_s
from sparsesolve.cli.genotypes import (
    add_new_genotypes,
    is_genotypes,
    matched_genotypes,
    refuse_genotype_options,
    refuse_genotypes,
)
from sparsesolve.cli.online import assess_online
from sparsesolve.cli.options import check_targets
from sparsesolve.cli.reading import (
    add_file_options,
    file_options,
    model_blocks,
    model_rows,
    write_table,
)
from sparsesolve.cli.sentences import assess_parser, assess_tags
from sparsesolve.data.tables import Table
from sparsesolve.online.fit import OnlineFit
from sparsesolve.results.prediction import path_family
from sparsesolve.selection.assessment.assess import measures_of
from sparsesolve.selection.assessment.known_rows import read_known_rows


def add_model_commands(commands):
    """Add the commands."""
    helps = {
        "assess": (run_assess, "measures of a saved model on rows with known responses"),
        "criteria": (run_criteria, "AIC, BIC, EBIC and GCV at each lambda of a saved model"),
        "refit": (run_refit, "the selected features without penalty, with standard errors"),
    }
    for name, (run, what) in helps.items():
        command = commands.add_parser(name, help=what)
        command.set_defaults(run=run)
        command.add_argument("model", metavar="MODEL", help="what --save wrote")
        command.add_argument("file", metavar="FILE", help="rows; columns are found by name")
        command.add_argument("--response", metavar="COL", action="append", default=[],
                             help="column of the response (may be repeated)")  # fmt: skip
        add_file_options(command)
        for part in ("weights", "offset", "strata"):
            if name == "assess" or part != "strata":
                command.add_argument(f"--{part}", metavar="COL", help=f"column of {part}")
        if name == "assess":
            add_new_genotypes(command)
        if name != "criteria":
            command.add_argument("--s", metavar="S", help="lambda, lambda_1se or lambda_min")
        if name == "refit":
            command.add_argument("--level", type=float, default=0.95, help="of the intervals")
        command.add_argument("--out", metavar="FILE", default="-", help="CSV; default a table")


def run_assess(args):
    """Print each measure, or write them as CSV."""
    import sparsesolve as ss

    check_targets([args.file, args.model], out=args.out, matches=args.matches)
    refuse_genotype_options(args)
    fit, lambdas = ss.load(args.model), None
    sentences = {"CRFPath": assess_tags, "Parser": assess_parser}.get(type(fit).__name__)
    if sentences is not None:
        if args.response or args.weights or args.offset or args.strata or args.s:
            raise ValueError("--response, --weights, --offset, --strata and --s are for tables; "
                             "a model of sentences knows its columns")  # fmt: skip
        write_table(args.out, *sentences(fit, args))
        return
    if isinstance(fit, OnlineFit):
        found = assess_online(fit, args)
    else:
        path = path_of(fit, args.model, kernels=True)
        lambdas, s = path.lambdas.tolist(), read_s(args.s, fit)
        if is_genotypes(args):
            X, y = matched_genotypes(args, fit)
            tables = [Table(X, y, None, None, None)]
            _refuse_no_response(tables[0])
        else:
            tables = _blocks(args, path) if path.family != "cox" else [known_rows(args, path)]
        found = measures_of(
            read_known_rows(fit, table.X, table.y, s, table.weights, table.offset,
                            table.marks.get("strata"), empty=True)
            for table in tables
        )  # fmt: skip
    rows = [[name, value] for name, value in found.items() if np.ndim(value) == 0]
    if rows:
        write_table(args.out, ["measure", "value"], rows)
        return
    columns = [lambdas, *(np.asarray(values).tolist() for values in found.values())]
    write_table(args.out, ["lambda", *found], list(zip(*columns, strict=True)))


def run_criteria(args):
    """Print or write the criteria of every lambda; a printed table names the least of each."""
    import sparsesolve as ss

    fit, path, table = _read(args)
    found = ss.criteria(fit, table.X, table.y, weights=table.weights, offset=table.offset)
    lambdas = path.lambdas.tolist()
    columns = [values.tolist() for values in found.values()]
    rows = list(zip(lambdas, path.df.tolist(), *columns, strict=True))
    write_table(args.out, ["lambda", "df", *found], rows)
    if args.out == "-":
        for name, values in found.items():
            k = int(np.nanargmin(values))
            print(f"least {name}: lambda = {lambdas[k]:.6g}, {path.df[k]} features")


def run_refit(args):
    """Print the table of estimates, or write it as CSV."""
    import sparsesolve as ss

    fit, path, table = _read(args)
    s = read_s(args.s, fit)
    if s is None:
        raise ValueError("refit is of one lambda; give --s, or a model that `cv --save` wrote")
    found = ss.refit(fit, table.X, table.y, s, level=args.level, weights=table.weights,
                     offset=table.offset)  # fmt: skip
    if args.out == "-":
        print(found)
        return
    columns = (found.estimates, found.errors, found.statistics, found.p_values, found.lower,
               found.upper)  # fmt: skip
    header = ["feature", "estimate", "error", "statistic", "p_value", "lower", "upper"]
    rows = [[str(name), *map(float, row)]
            for name, *row in zip(found.names, *columns, strict=True)]  # fmt: skip
    write_table(args.out, header, rows)


def _read(args):
    """Return (fit, path, table) of the model and the file."""
    check_targets([args.file, args.model], out=args.out)
    fit, path = load_model(args.model)
    return fit, path, known_rows(args, path)


def known_rows(args, path):
    """Return the rows of the file with their responses."""
    refuse_genotypes(args)
    table = model_rows(args, path, **_known(args, path))
    _refuse_no_response(table)
    return table


def _blocks(args, path):
    """Yield the rows of the file in blocks, with their responses."""
    for table in model_blocks(args, path, **_known(args, path)):
        _refuse_no_response(table)
        yield table


def _known(args, path):
    """Return what to read of the rows; in an .npz file the response is the array y by default."""
    family, strata = path_family(path), getattr(args, "strata", None)
    if strata is not None and family.name != "cox":
        raise ValueError("--strata belongs to models of --family cox")
    response = args.response or ["y"] * (file_options(args)["layout"] == "npz")
    return {"response": response, "weights": args.weights, "offset": args.offset,
            "marks": {} if strata is None else {"strata": strata},
            "labels": family.classify is not None}  # fmt: skip


def _refuse_no_response(table):
    if table.y is None:
        raise ValueError("the responses of the rows are needed; name their column by --response")


