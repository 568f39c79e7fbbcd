"""The command ``online``: learn a file or standard input row by row, and predict with the result.
"""

import csv
import sys

from scipy import sparse

from sparsesolve.cli.options import check_targets
from sparsesolve.online.files import Cache, TextFile
from sparsesolve.online.fit import OnlineFit
from sparsesolve.online.settings import METHODS
from sparsesolve.online.source import in_order
from sparsesolve.online.text import FORMATS
from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.solvers.first_order.step_sizes import SCHEDULES


def add_online(commands):
    """Add the options of the command."""
    online = commands.add_parser("online", help="learn a file or standard input row by row")
    online.set_defaults(run=run_online)
    online.add_argument("file", metavar="FILE", help="SVMlight, vw or CSV text, also .gz; - is "
                        "standard input, with --format")  # fmt: skip
    data = online.add_argument_group("data")
    data.add_argument("--format", choices=FORMATS, help="default: by the file's ending")
    data.add_argument("--response", metavar="COL", help="of CSV: the column of the response")
    data.add_argument("--weights", metavar="COL", help="of CSV: the column of weights")
    data.add_argument("--classes", metavar="A,B,...", help="all labels, numbers")
    data.add_argument("--hash-bits", type=int, metavar="B", help="hash features into 2^B places")
    data.add_argument("--zero-based", action="store_true", help="SVMlight numbers start at 0")
    model = online.add_argument_group("model", "see sparsesolve.online")
    model.add_argument("--family", default="gaussian")
    model.add_argument("--lam", type=float, metavar="L", help="level of the penalty")
    model.add_argument("--alpha", type=float, default=1.0, metavar="A", help="1 l1, 0 ridge")
    model.add_argument("--grouped", action="store_true", help="tie each feature across classes")
    model.add_argument("--no-intercept", action="store_true")
    model.add_argument("--method", choices=METHODS, default="ftrl")
    model.add_argument("--step", default="auto", metavar="ETA", help="a number, or auto")
    model.add_argument("--schedule", choices=SCHEDULES, default="sqrt")
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

    check_targets([args.file], save=args.save)
    source = TextFile(args.file, args.format, args.response, args.weights, args.hash_bits,
                      args.zero_based)  # fmt: skip
    if args.passes > 1 and source.once:
        raise ValueError("standard input can be read only once; leave --passes out")
    if args.start:
        fit = ss.load(args.start)
        if not isinstance(fit, OnlineFit):
            raise ValueError(f"{args.start} is not a model of the command online")
        source = in_order(source, fit.feature_names)
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
        fit.feature_names = source.names
    except KeyboardInterrupt:
        fit.feature_names = source.names
        print(f"sparsesolve: interrupted after {fit.n_rows} rows", file=sys.stderr)
        _finish(fit, args)
        raise
    _finish(fit, args)


def _options(args, source):
    """Return the options of ss.online."""
    if args.lam is None:
        raise ValueError("--lam is missing; give the level of the penalty")
    classes = None
    if args.classes:
        try:
            classes = [float(label) for label in args.classes.split(",")]
        except ValueError:
            raise ValueError(f"--classes is {args.classes!r}; give numbers, as the file") from None
    step = args.step
    if step != "auto":
        try:
            step = float(step)
        except ValueError:
            raise ValueError(f"--step is {step!r}; give a number, or auto") from None
    return {
        "family": args.family, "lam": args.lam, "alpha": args.alpha, "grouped": args.grouped,
        "intercept": not args.no_intercept, "method": args.method, "step": step,
        "schedule": args.schedule, "batch": args.batch, "classes": classes,
        "n_features": source.n_features,
    }  # fmt: skip


def _learn(fit, blocks, stream):
    """Make one pass, with a line whenever the number of rows has doubled."""
    shown = 0
    if stream:
        print(f"{'rows':>12} {'mean loss':>12}", file=stream)
    for block in blocks():
        fit.more_rows(block)
        curve = fit.losses
        while stream and shown < len(curve) - 1:
            rows, loss = curve[shown]
            print(f"{int(rows):12d} {loss:12.6f}", file=stream, flush=True)
            shown += 1


def _finish(fit, args):
    import sparsesolve as ss

    if args.save:
        ss.save(fit, args.save)
    if not args.quiet:
        rows, loss = fit.losses[-1]
        print(f"{int(rows)} rows, mean progressive loss {loss:.6g}, {len(fit.nonzero())} of "
              f"{fit.n_features} features, step {fit.eta0:.4g}")  # fmt: skip


def predict_online(fit, args):
    """Predict a text file row by row with a model of this command."""
    if args.offset or args.s or args.id:
        raise ValueError("--offset, --s and --id are not for models of the command online")
    kind = "response" if args.kind == "probabilities" else args.kind
    features = None if fit.feature_names is None else list(fit.feature_names)
    source = TextFile(args.file, args.format, features=features)
    if args.out == "-":
        _write(fit, source, kind, sys.stdout)
        return
    with whole_file(args.out, newline="", encoding="utf-8") as stream:
        _write(fit, source, kind, stream)


def _write(fit, source, kind, stream):
    writer, first = csv.writer(stream, lineterminator="\n"), True
    for labels, _, start, columns, x in source():
        width = max(fit.n_features, int(columns.max(initial=-1)) + 1)
        X = sparse.csr_array((x, columns, start), shape=(len(labels), width))
        values = fit.predict(X[:, : fit.n_features], kind)
        if first:
            several = values.ndim == 2
            names = range(values.shape[1]) if fit.classes is None and several else fit.classes
            writer.writerow([f"{kind}_{name}" for name in names] if several else [kind])
            first = False
        writer.writerows(values.reshape(len(values), -1).tolist())
