"""The commands: fit, cross-validate, predict, draw."""

import sys
from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np

from sparsesolve.cli.genotypes import (
    is_genotypes,
    predict_genotypes,
    refuse_genotype_options,
    score_genotypes,
    write_weights,
)
from sparsesolve.cli.online import predict_online
from sparsesolve.cli.options import (
    check_plot_file,
    check_probabilities,
    check_results,
    check_targets,
    fit_options,
    named,
    read_data,
    remembered,
)
from sparsesolve.cli.reading import model_blocks, write_coefs, write_table
from sparsesolve.cli.sentences import parse_file, tag_file
from sparsesolve.families import read_family
from sparsesolve.results import printing
from sparsesolve.results.cv_path import CHOICES
from sparsesolve.results.kernel_path import MKLPath
from sparsesolve.results.path import Path
from sparsesolve.results.pictures.axes import save_figure
from sparsesolve.results.pictures.path import save_plot
from sparsesolve.results.prediction import path_family


def run_demo(args):
    """Fit diabetes and tumours, print tables and certificates, draw both paths."""
    from sparsesolve.cli.demo import show_diabetes, show_tumours

    check_plot_file(args.out)
    first = FilePath(args.out)
    second = first.with_name(f"{first.stem}-logistic{first.suffix}")
    show_diabetes(first, progress=sys.stderr.isatty())
    print()
    show_tumours(second, progress=sys.stderr.isatty())
    print(f"The paths are drawn in {first.resolve()} and {second.resolve()}")


def run_path(args):
    """Fit a data file and write the requested results."""
    import sparsesolve as ss

    check_results(args)
    _check_by(args)
    table = read_data(args)
    fit = named(ss.path(table.X, table.y, **fit_options(args, table)), table, args)
    if args.out:
        write_coefs(fit, args.out)
    if args.plot:
        save_plot(fit, args.plot, args.xvar, _title(args, "path"), by=args.by)
    if args.save:
        ss.save(remembered(fit, args), args.save)
    write_weights(fit, args, float(fit.lambdas[-1]), table.X)
    if not args.quiet and args.out != "-":
        print(printing.table(fit, whole=True))


def run_cv(args):
    """Choose lambda for a data file by cross-validation and write the requested results."""
    import sparsesolve as ss

    check_results(args)
    table = read_data(args)
    cv = ss.cv_path(
        table.X, table.y, n_folds=args.folds, folds=table.marks.get("fold"),
        groups=table.marks.get("fold_groups"), measure=args.measure, repeats=args.repeats,
        alphas=args.alphas, gammas=args.gammas, seed=args.seed, n_jobs=args.jobs,
        **fit_options(args, table),
    )  # fmt: skip
    cv = replace(cv, path=named(cv.path, table, args))
    if args.out:
        write_coefs(_chosen(cv, args.s), args.out)
    if args.plot:
        save_figure(cv.plot, args.plot, _title(args, "cross-validation"))
    if args.save:
        ss.save(replace(cv, path=remembered(cv.path, args)), args.save)
    write_weights(cv, args, args.s, table.X)
    if not args.quiet and args.out != "-":
        print(cv)


def run_predict(args):
    """Predict the rows of a data file with a saved model."""
    check_targets([args.file, args.model], out=args.out, matches=args.matches)
    refuse_genotype_options(args)
    import sparsesolve as ss

    if is_genotypes(args) and FilePath(args.model).suffix != ".npz":
        score_genotypes(args)
        return
    fit = ss.load(args.model)
    by_class = {"CRFPath": tag_file, "Parser": parse_file, "OnlineFit": predict_online}
    if type(fit).__name__ in by_class:
        by_class[type(fit).__name__](fit, args)
        return
    path = path_of(fit, args.model, kernels=True)
    ids, s = {name: name for name in args.id}, read_s(args.s, fit)
    columns = [*ids, *_column_names(path, args.kind, s)]
    if is_genotypes(args):
        predict_genotypes(args, fit, path, columns[len(ids):],
                          lambda table: _predicted(fit, path, table, s, args.kind))  # fmt: skip
        return

    def rows():
        for table in model_blocks(args, path, offset=args.offset, marks=ids):
            values = _predicted(fit, path, table, s, args.kind)
            carried = [table.marks[name].tolist() for name in ids]
            yield from map(list, zip(*carried, *values.reshape(len(values), -1).T.tolist(),
                                     strict=True))  # fmt: skip

    write_table(args.out, columns, rows())


def _predicted(fit, path, table, s, kind):
    """Return predictions (n, ...); with kind "probabilities" of every class, two among them."""
    if kind != "probabilities":
        return fit.predict(table.X, s, kind=kind, offset=table.offset)
    check_probabilities(path_family(path))
    values = fit.predict(table.X, s, kind="response", offset=table.offset)
    several = path.intercepts.ndim == 2
    return values if several else np.stack([1.0 - values, values], axis=1)


def run_plot(args):
    """Draw a saved model: the curve of a cross-validation, or the path."""
    import sparsesolve as ss

    check_plot_file(args.out)
    check_targets([args.model], out=args.out)
    fit, title = ss.load(args.model), FilePath(args.model).name
    if type(fit).__name__ in ("CRFPath", "Parser", "SPOM"):
        if args.by != "feature" or args.xvar != "lambda" or args.path:
            raise ValueError("--by, --xvar and --path are for what path and cv save")
        save_figure(fit.plot, args.out, title)
        return
    path = path_of(fit, args.model)
    if fit is path or args.path:
        save_plot(path, args.out, args.xvar, title, by=args.by)
    elif args.by != "feature" or args.xvar != "lambda":
        raise ValueError("a cross-validation is drawn over lambda; --by and --xvar need --path")
    else:
        save_figure(fit.plot, args.out, title)


def load_model(file):
    """Return a saved model and its path."""
    import sparsesolve as ss

    fit = ss.load(file)
    return fit, path_of(fit, file)


def path_of(fit, file, kernels=False):
    """Return the path of a saved model; with `kernels`, also of kernels whose rows are in it."""
    path = getattr(fit, "path", fit)
    if not isinstance(path, Path | MKLPath):
        made = type(fit).__name__
        raise ValueError(
            f"{file} holds {'an' if made[0] in 'AEIO' else 'a'} {made}; this command takes what "
            "path and cv save"
        )
    if isinstance(path, Path) or kernels and path.grams is not None:
        return path
    raise ValueError(
        f"{file} is a model of kernels; read it in Python by sparsesolve.load"
        + (", or save it with its rows, as mkl --save does" if kernels else "")
    )


def _check_by(args):
    """Refuse a picture that the path will not have."""
    if args.by == "group" and args.groups is None:
        raise ValueError("--by group needs --groups")
    if args.by == "class" and not read_family(args.family).several:
        raise ValueError("--by class belongs to --family multinomial or multigaussian")


def _title(args, what):
    response = ", ".join(args.response) or "the response"
    more = f" and {len(args.more)} more" if args.more else ""
    return f"{FilePath(args.file).name}{more}: {what} of {response}"


def _chosen(cv, s):
    """Return the path with only the chosen lambda."""
    k, path = [cv.index_1se if s == "lambda_1se" else cv.index_min], cv.path
    coefs = [m[:, k] for m in path.coefs] if isinstance(path.coefs, list) else path.coefs[:, k]
    columns = ("lambdas", "df", "dev_ratio", "gaps", "n_iters", "status")
    return replace(path, coefs=coefs, intercepts=path.intercepts[..., k],
                   **{name: getattr(path, name)[k] for name in columns})  # fmt: skip


def read_s(text, fit):
    """Return --s as a word that the fit knows, or a number; None is lambda_1se, or all."""
    path = getattr(fit, "path", fit)
    if text is None:
        return None if path is fit else "lambda_1se"
    if text in CHOICES:
        if path is fit:
            raise ValueError(f"--s {text} needs a model that `cv --save` wrote; give a number")
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--s {text!r} is not a lambda; give a number") from None


def _column_names(path, kind, s):
    """Return a heading for each column of predictions: of lambdas, classes or responses."""
    lambdas = [""] if s is not None else [f" at {lam:.6g}" for lam in path.lambdas.tolist()]
    K = len(path.intercepts) if path.intercepts.ndim == 2 else None
    several = K is not None and kind != "class" or kind == "probabilities"
    names = range(K) if path.class_names is None and several else path.class_names
    first = [str(name) for name in names] if several else [kind]
    return [f"{name}{at}" for name in first for at in lambdas]
