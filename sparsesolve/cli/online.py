"""The command ``online``: learn a file or standard input row by row, and predict with the result.
"""

import sys

import numpy as np
from scipy import sparse

from sparsesolve.cli.options import check_probabilities, check_targets, family
from sparsesolve.cli.reading import READ, add_file_options, print_notes, write_table
from sparsesolve.data.tables import Style
from sparsesolve.families import read_family
from sparsesolve.online.files import Cache, TextFile
from sparsesolve.online.fit import OnlineFit
from sparsesolve.online.response import ResponseReader
from sparsesolve.online.settings import METHODS, PROX_STEPS
from sparsesolve.online.source import as_learned
from sparsesolve.selection.assessment.assess import measures_of
from sparsesolve.selection.assessment.known_rows import read_known_rows
from sparsesolve.solvers.baselines.subgradient import SCHEDULES


def add_online(commands):
    """Add the options of the command."""
    online = commands.add_parser("online", help="learn a file or standard input row by row")
    online.set_defaults(run=run_online)
    online.add_argument("file", metavar="FILE", help="CSV, SVMlight, vw, .npz or Parquet file, "
                        "also .gz, .bz2 or .xz; - is standard input, with --format")  # fmt: skip
    data = online.add_argument_group("data")
    data.add_argument("--response", metavar="COL", help="of a table: the column of the response")
    data.add_argument("--weights", metavar="COL", help="of a table: the column of weights")
    data.add_argument("--offset", metavar="COL", help="of a table: the column of offsets")
    data.add_argument("--drop", metavar="COL", action="append", default=[],
                      help="of a table: leave out (may be repeated)")  # fmt: skip
    data.add_argument("--missing", choices=("mean", "error"), help="gaps in numbers: filled with "
                      "the mean of the rows before (default), or refused")  # fmt: skip
    data.add_argument("--classes", metavar="A,B,...", help="all labels; default those of the "
                      "first rows")  # fmt: skip
    add_file_options(data)
    model = online.add_argument_group("model", "see sparsesolve.online")
    model.add_argument("--family", metavar="NAME", type=family, default="gaussian",
                       help="as of the command path, without cox")  # fmt: skip
    model.add_argument("--lam", type=float, metavar="L", help="level of the penalty")
    model.add_argument("--alpha", type=float, default=1.0, metavar="A", help="1 l1, 0 ridge")
    model.add_argument("--grouped", action="store_true", help="tie each feature across classes")
    model.add_argument("--no-intercept", action="store_true")
    model.add_argument("--method", choices=METHODS, default="ftrl")
    model.add_argument("--step", default="auto", metavar="ETA", help="a number, auto, or theory")
    model.add_argument("--norm", type=float, metavar="D", help="of --step theory: bound on the "
                       "length of the optimum")  # fmt: skip
    model.add_argument("--schedule", choices=SCHEDULES, default="sqrt")
    model.add_argument("--prox-step", choices=PROX_STEPS, default="same",
                       help="of fobos: step of the penalty, that of the gradient or the next")
    model.add_argument("--batch", type=int, default=1, metavar="M", help="rows a step")
    model.add_argument("--passes", type=int, default=1, metavar="N")
    out = online.add_argument_group("results")
    out.add_argument("--start", metavar="MODEL", help="go on from what --save wrote")
    out.add_argument("--save", metavar="FILE", help="the model (.npz), for predict and --start")
    out.add_argument("--quiet", action="store_true", help="do not show the progressive loss")


def run_online(args):
    """Learn, show the progressive loss whenever the number of rows has doubled, and save.

    Ctrl-C ends the learning, not the command: the weights so far are saved.
    """
    import sparsesolve as ss

    check_targets([args.file, args.start], save=None if args.save == args.start else args.save)
    source = source_of(args, response=args.response, weights=args.weights, offset=args.offset,
                       drop=args.drop, missing=args.missing or "mean")  # fmt: skip
    if args.passes > 1 and source.once:
        raise ValueError("standard input can be read only once; leave --passes out")
    if args.start:
        fit = ss.load(args.start)
        if not isinstance(fit, OnlineFit):
            raise ValueError(f"{args.start} is not a model of the command online")
        source = as_learned(source, fit)
    else:
        fit = ss.online(lambda: iter([]), **_options(args, source))
    twice = args.method == "svrg"
    if twice and (args.start or source.once):
        raise ValueError(
            "--method svrg reads a file twice in every pass, and starts from zero: give a file, "
            "and no --start"
        )
    blocks = Cache(source) if args.passes > 1 or twice else source
    try:
        for _ in range(args.passes):
            if twice:
                fit.measure(blocks)
            _learn(fit, blocks, None if args.quiet else sys.stderr)
        fit.take_columns(source)
    except KeyboardInterrupt:
        fit.take_columns(source)
        print(f"sparsesolve: interrupted after {fit.n_rows} rows", file=sys.stderr)
        _finish(fit, args, source.notes)
        raise
    _finish(fit, args, source.notes)


def _options(args, source):
    """Return the options of ss.online."""
    if args.lam is None:
        raise ValueError("--lam is missing; give the level of the penalty")
    known = read_family(args.family)
    source.text_labels = known.classify is not None
    reader = ResponseReader(known, _classes(args.classes))
    reader.meet(source)
    step = args.step
    if step not in ("auto", "theory"):
        try:
            step = float(step)
        except ValueError:
            raise ValueError(f"--step is {step!r}; give a number, auto or theory") from None
    return {
        "family": args.family, "lam": args.lam, "alpha": args.alpha, "grouped": args.grouped,
        "intercept": not args.no_intercept, "method": args.method, "step": step,
        "schedule": args.schedule, "prox_step": args.prox_step, "norm": args.norm,
        "batch": args.batch, "classes": reader.classes, "n_features": source.n_features,
    }  # fmt: skip


def _classes(text):
    """Return the labels of --classes: numbers if all are, else text."""
    if text is None:
        return None
    labels = [label.strip() for label in text.split(",")]
    try:
        return [float(label) for label in labels]
    except ValueError:
        return labels


def source_of(args, **options):
    """Return the file of a command as a stream of rows."""
    return TextFile(args.file, args.format, hash_bits=args.hash_bits, zero_based=args.zero_based,
                    style=Style(**{name: getattr(args, name) for name in READ}), **options)


def _learn(fit, blocks, stream):
    """Make one pass, with a line whenever the number of rows has doubled."""
    shown = 0
    for block in blocks():
        fit.more_rows(block)
        curve = fit.losses
        while stream and shown < len(curve) - 1:
            if not shown:
                print(f"{'rows':>12} {'mean loss':>12}", file=stream)
            rows, loss = curve[shown]
            print(f"{int(rows):12d} {loss:12.6f}", file=stream, flush=True)
            shown += 1


def _finish(fit, args, notes):
    import sparsesolve as ss

    print_notes(notes)
    if args.save:
        ss.save(fit, args.save)
    if not args.quiet:
        rows, loss = fit.losses[-1]
        print(f"{int(rows)} rows, mean progressive loss {loss:.6g}, {len(fit.nonzero())} of "
              f"{fit.n_features} features, step {fit.eta0:.4g}")  # fmt: skip


def predict_online(fit, args):
    """Predict a file row by row with a model of this command."""
    if args.s:
        raise ValueError("--s is not for models of the command online, which have one lambda")
    source = _of_model(args, fit, ids=args.id, offset=args.offset, labels=False)
    kind, classes = args.kind, fit.classes
    known = fit.settings.family
    if kind == "probabilities":
        check_probabilities(known)
    several = known.several and kind != "class"
    names = range(fit.settings.n_responses if several else 2) if classes is None else classes
    head = [f"{kind}_{name}" for name in names] if several else [kind]
    if kind == "probabilities":
        head = [str(name) for name in names]
    write_table(args.out, [*args.id, *head], _predicted(fit, source, kind))


def _of_model(args, fit, **options):
    """Return the file as a stream of the features of a fit, which learns nothing more."""
    source = as_learned(source_of(args, features=None if fit.columns or fit.feature_names is None
                                  else list(fit.feature_names), **options), fit)  # fmt: skip
    source.learns = False
    return source


def _predicted(fit, source, kind):
    """Yield the ids and predictions of each row."""
    for block in source():
        offset = block.offset
        ask = "response" if kind == "probabilities" else kind
        values = fit.predict(_matrix(fit, block), ask, offset)
        if kind == "probabilities" and values.ndim == 1:
            values = np.stack([1.0 - values, values], axis=1)
        rows = values.reshape(len(values), -1).tolist()
        tags = block.tags if source.ids else None
        for i, row in enumerate(rows):
            tag = () if tags is None else (tags[i],) if isinstance(tags[i], str) else tags[i]
            yield [*(tag or [""] * len(source.ids)), *row]


def _matrix(fit, block):
    width = max(fit.n_features, int(block.columns.max(initial=-1)) + 1)
    shape = len(block.labels), width
    return sparse.csr_array((block.values, block.columns, block.start), shape=shape)[
        :, : fit.n_features]  # fmt: skip


def assess_online(fit, args):
    """Return the measures of a model of this command on a file."""
    if args.s or args.strata:
        raise ValueError("--s and --strata are not for models of the command online")
    if len(args.response) > 1:
        raise ValueError("a model of the command online has one response")
    source = _of_model(args, fit, response=next(iter(args.response), None), weights=args.weights,
                       offset=args.offset)  # fmt: skip
    return measures_of(
        read_known_rows(fit, _matrix(fit, block), block.labels, None, block.weights, block.offset,
                        empty=True)
        for block in source()
    )  # fmt: skip
