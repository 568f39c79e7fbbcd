"""The command `tag`: a tagger from a file of sentences, and tagged text."""

from dataclasses import replace
from pathlib import Path

from sparsesolve.cli.options import check_targets

ALGORITHMS = ("averaged", "crf")
# By default the averaged algorithm passes this often over the sentences.
DEFAULT_EPOCHS = 10
# A value that occurs once carries information: tagging is better with it.
MIN_COUNT = 1


def add_tag_options(command):
    """Add the options of `tag`."""
    command.add_argument("file", help="sentences in CoNLL-U or columns, .gz or not")
    command.add_argument("--column", default="upos", help="the column to learn (upos)")
    command.add_argument("--word", default="form", help="the column of words (form)")
    command.add_argument(
        "--columns", help="names of the columns, divided by commas, where it is not CoNLL-U"
    )
    command.add_argument("--templates", default="default", metavar="FILE",
                         help="a template a line; default: twenty for tagging")  # fmt: skip
    command.add_argument("--min-count", type=int, default=MIN_COUNT,
                         help=f"leave out values seen less often ({MIN_COUNT})")  # fmt: skip
    command.add_argument("--algorithm", choices=ALGORITHMS, default="averaged",
                         help="averaged hinge steps, or a certified CRF")  # fmt: skip
    command.add_argument("--epochs", type=int, default=DEFAULT_EPOCHS, help="of averaged")
    command.add_argument("--lam", type=float, default=1e-4, help="ridge penalty of crf (1e-4)")
    command.add_argument("--tol", type=float, default=1e-2, help="gap asked of crf (0.01)")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--threads", type=int, default=1, help="of crf; -1 for all cores")
    command.add_argument("--dev", metavar="FILE", help="report the accuracy on these sentences")
    command.add_argument("--out", metavar="FILE", required=True, help="the model, .npz")
    command.set_defaults(run=run_tag)


def run_tag(args):
    """Learn a tagger from a file, and write it."""
    import sparsesolve as ss
    from sparsesolve import structured

    check_targets([args.file, args.dev], out=args.out)
    names = args.columns.split(",") if args.columns else None
    sentences = structured.read_sentences(args.file, names)
    tags = _column(sentences, args.column, args.file)
    templates = structured.Templates(_templates(args), args.min_count)
    inputs = {name: x for name, x in sentences.columns.items() if name != args.column}
    X = templates.fit_transform(inputs, sentences.lengths)
    if args.algorithm == "averaged":
        fit = structured.max_margin(X, tags, lengths=sentences.lengths, epochs=args.epochs,
                                    seed=args.seed)  # fmt: skip
    else:
        fit = ss.crf_path(
            X, tags, lengths=sentences.lengths, alpha=0.0, lambdas=[args.lam], tol=args.tol,
            n_threads=args.threads,
        )  # fmt: skip
    fit = replace(fit, tagger={"templates": templates.state(), "column": args.column,
                               "names": names})  # fmt: skip
    ss.save(fit, args.out)
    certified = args.algorithm == "crf"
    proof = f"gap {fit.gaps[0]:.2g}" if certified else "no certificate, which --algorithm crf has"
    print(f"{len(tags)} words in {len(sentences.lengths)} sentences, {X.shape[1]} features, "
          f"{len(fit.labels)} tags; {proof}")  # fmt: skip
    if args.dev:
        dev = structured.read_sentences(args.dev, names)
        found = fit.tag(dev)
        truth = _column(dev, args.column, args.dev)
        right = sum(a == b for a, b in zip(found, truth, strict=True))
        print(f"{100 * right / len(found):.2f} % of {len(found)} words of {args.dev} right")


def tag_file(fit, args):
    """Tag the sentences of a file with a model that `tag` wrote."""
    from sparsesolve import structured

    if fit.tagger is None:
        raise ValueError(f"{args.model} has no templates; apply it in Python by sparsesolve.load")
    sentences = structured.read_sentences(args.file, fit.tagger["names"])
    _column(sentences, fit.tagger["column"], args.file)
    structured.write_sentences(args.out, sentences, fit.tagger["column"], fit.tag(sentences))


def assess_tags(fit, args):
    """Return header and rows of the report of a tagger on a file of tagged sentences."""
    from sparsesolve import structured

    if fit.tagger is None:
        raise ValueError(f"{args.model} has no templates; apply it in Python by sparsesolve.load")
    sentences = structured.read_sentences(args.file, fit.tagger["names"])
    truth = _column(sentences, fit.tagger["column"], args.file)
    report, rows = structured.tag_report(truth, fit.tag(sentences), sentences.lengths), []
    for what, part in (("words", report), ("spans", report.spans)):
        if part is not None:
            columns = zip(part.labels, part.precision, part.recall, part.f1, part.support,
                          strict=True)  # fmt: skip
            rows += [[what, str(label), *map(float, three), int(support)]
                     for label, *three, support in columns]  # fmt: skip
            rows.append([what, "all", *part.overall.values(), int(part.support.sum())])
    return ["of", "label", "precision", "recall", "f1", "support"], rows


def _column(sentences, name, file):
    if name not in sentences.columns:
        raise ValueError(f"{file} has no column {name!r}; there are "
                         f"{', '.join(sentences.columns)}")  # fmt: skip
    return sentences.columns[name]


def _templates(args):
    """Return templates as text, for the column of words."""
    from sparsesolve.structured.templates import TAGGING

    if args.templates == "default":
        return [text.replace("form", args.word) for text in TAGGING]
    lines = Path(args.templates).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
