"""The commands `tag` and `parse`: a tagger or parser from a file of sentences, and new text."""

from dataclasses import replace
from pathlib import Path

from sparsesolve.cli.options import check_targets

ALGORITHMS = ("averaged", "crf")
METHODS = ("mira", "spom")


def add_sentence_commands(commands):
    """Add the commands."""
    tag = commands.add_parser("tag", help="a tagger of sentences from a CoNLL-U file")
    tag.set_defaults(run=run_tag)
    tag.add_argument("file", help="sentences in CoNLL-U or columns, .gz or not")
    tag.add_argument("--column", default="upos", help="the column to learn (upos)")
    tag.add_argument("--word", default="form", help="the column of words (form)")
    tag.add_argument("--min-count", type=int, default=1,  # those that occur once help
                     help="leave out values seen less often (1)")  # fmt: skip
    tag.add_argument("--algorithm", choices=ALGORITHMS, default="averaged",
                     help="averaged hinge steps, or a certified CRF")  # fmt: skip
    tag.add_argument("--lam", type=float, default=1e-4, help="ridge penalty of crf (1e-4)")
    tag.add_argument("--tol", type=float, default=1e-2, help="gap asked of crf (0.01)")
    tag.add_argument("--threads", type=int, default=1, help="of crf; -1 for all cores")
    parse = commands.add_parser("parse", help="a parser of dependency trees from a CoNLL-U file")
    parse.set_defaults(run=run_parse)
    parse.add_argument("file", help="sentences with heads in CoNLL-U or columns, .gz or not")
    parse.add_argument("--method", choices=METHODS,
                       help="averaged MIRA (default), or a norm over templates")  # fmt: skip
    parse.add_argument("--loss", choices=("hinge", "log"), default="hinge",
                       help="log: probabilities of arcs, with --method spom")  # fmt: skip
    parse.add_argument("--lam", type=float, default=1e-4, help="strength of the norm (1e-4)")
    parse.add_argument("--eta0", type=float, help="first step of spom (1; log 10)")
    parse.add_argument("--bits", type=int, default=22, help="2^bits weights (22)")
    parse.add_argument("--exact", action="store_true",
                       help="a weight for each feature, without --bits")  # fmt: skip
    parse.add_argument("--many-roots", action="store_true",
                       help="several words may hang from the root")  # fmt: skip
    for command, epochs, of, default, score in (
        (tag, 10, "of averaged", "twenty for tagging", "accuracy"),
        (parse, 5, None, "44 for CoNLL-U; many: 304", "score"),
    ):
        command.add_argument("--columns", help="names of the columns, divided by commas, where it "
                             "is not CoNLL-U")  # fmt: skip
        command.add_argument("--templates", default="default", metavar="FILE",
                             help=f"a template a line; default: {default}")  # fmt: skip
        command.add_argument("--epochs", type=int, default=epochs, help=of)
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--dev", metavar="FILE", help=f"report the {score} on these")
        command.add_argument("--out", metavar="FILE", required=True, help="the model, .npz")


def run_tag(args):
    """Learn a tagger from a file, and write it."""
    import sparsesolve as ss
    from sparsesolve import structured
    from sparsesolve.structured.templates import TAGGING

    names, sentences = _read(args)
    tags = _column(sentences, args.column, args.file)
    texts = [text.replace("form", args.word) for text in TAGGING]
    templates = structured.Templates(_templates(args, texts), args.min_count)
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
        found, truth = fit.tag(dev), _column(dev, args.column, args.dev)
        right = sum(a == b for a, b in zip(found, truth, strict=True))
        print(f"{100 * right / len(found):.2f} % of {len(found)} words of {args.dev} right")


def run_parse(args):
    """Learn a parser from a file, and write it."""
    import sparsesolve as ss
    from sparsesolve import structured

    names, sentences = _read(args)
    many = args.templates == "many"
    parser = structured.parse_trees(
        sentences, templates="many" if many else _templates(args, None), method=args.method,
        loss=args.loss, lam=args.lam, eta0=args.eta0, epochs=args.epochs,
        bits=None if args.exact else args.bits, single_root=not args.many_roots, seed=args.seed,
    )  # fmt: skip
    ss.save(replace(parser, names=names), args.out)
    print(f"{len(sentences.columns['head'])} words in {len(sentences.lengths)} sentences, "
          f"{len(parser.used())} templates in use; no certificate")  # fmt: skip
    if args.dev:
        dev = structured.read_sentences(args.dev, names)
        print(f"{100 * parser.score(dev):.2f} % of {len(dev.columns['head'])} words of "
              f"{args.dev} have the right head")  # fmt: skip


def tag_file(fit, args):
    """Tag the sentences of a file with a model that `tag` wrote."""
    from sparsesolve import structured

    sentences, _ = _tagged(fit, args)
    structured.write_sentences(args.out, sentences, fit.tagger["column"], fit.tag(sentences))


def parse_file(parser, args):
    """Parse the sentences of a file with a parser that `parse` wrote."""
    from sparsesolve import structured

    sentences = structured.read_sentences(args.file, parser.names)
    structured.write_sentences(args.out, sentences, "head", parser.predict(sentences))


def assess_tags(fit, args):
    """Return header and rows of the report of a tagger on a file of tagged sentences."""
    from sparsesolve import structured

    sentences, truth = _tagged(fit, args)
    report, rows = structured.tag_report(truth, fit.tag(sentences), sentences.lengths), []
    for what, part in (("words", report), ("spans", report.spans)):
        if part is not None:
            columns = zip(part.labels, part.precision, part.recall, part.f1, part.support,
                          strict=True)  # fmt: skip
            rows += [[what, str(label), *map(float, three), int(support)]
                     for label, *three, support in columns]  # fmt: skip
            rows.append([what, "all", *part.overall.values(), int(part.support.sum())])
    return ["of", "label", "precision", "recall", "f1", "support"], rows


def assess_parser(parser, args):
    """Return header and rows of the measures of a parser on a file of trees."""
    from sparsesolve import structured

    sentences = structured.read_sentences(args.file, parser.names)
    rows = [["heads", parser.score(sentences)]]
    if "upos" in sentences.columns:
        rows.append(["heads_without_punctuation", parser.score(sentences, punctuation=False)])
    return ["measure", "value"], rows


def _read(args):
    """Return the names of the columns and the sentences of a file to learn."""
    from sparsesolve import structured

    check_targets([args.file, args.dev], out=args.out)
    names = args.columns.split(",") if args.columns else None
    return names, structured.read_sentences(args.file, names)


def _tagged(fit, args):
    """Return the sentences of a file, and the column of their tags."""
    from sparsesolve import structured

    if fit.tagger is None:
        raise ValueError(f"{args.model} has no templates; apply it in Python by sparsesolve.load")
    sentences = structured.read_sentences(args.file, fit.tagger["names"])
    return sentences, _column(sentences, fit.tagger["column"], args.file)


def _column(sentences, name, file):
    if name not in sentences.columns:
        raise ValueError(f"{file} has no column {name!r}; there are "
                         f"{', '.join(sentences.columns)}")  # fmt: skip
    return sentences.columns[name]


def _templates(args, default):
    """Return the templates of a file, one a line; or those by default."""
    if args.templates == "default":
        return default
    lines = Path(args.templates).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
