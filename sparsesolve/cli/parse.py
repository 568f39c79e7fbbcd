"""The command `parse`: a parser from a file of trees, and parsed text."""

from dataclasses import replace
from pathlib import Path

from sparsesolve.cli.options import check_targets

METHODS = ("mira", "spom")


def add_parse_options(command):
    """Add the options of `parse`."""
    command.add_argument("file", help="sentences with heads in CoNLL-U or columns, .gz or not")
    command.add_argument(
        "--columns", help="names of the columns, divided by commas, where it is not CoNLL-U"
    )
    command.add_argument("--templates", default="default", metavar="FILE",
                         help="a template a line; default: 44 for CoNLL-U; many: 304")  # fmt: skip
    command.add_argument("--method", choices=METHODS,
                         help="averaged MIRA (default), or a norm over templates")  # fmt: skip
    command.add_argument("--loss", choices=("hinge", "log"), default="hinge",
                         help="log: probabilities of arcs, with --method spom")  # fmt: skip
    command.add_argument("--lam", type=float, default=1e-4, help="strength of the norm (1e-4)")
    command.add_argument("--epochs", type=int, default=5)
    command.add_argument("--eta0", type=float, help="first step of spom (1; log 10)")
    command.add_argument("--bits", type=int, default=22, help="2^bits weights (22)")
    command.add_argument("--exact", action="store_true",
                         help="a weight for each feature, without --bits")  # fmt: skip
    command.add_argument("--many-roots", action="store_true",
                         help="several words may hang from the root")  # fmt: skip
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--dev", metavar="FILE", help="report the score on these sentences")
    command.add_argument("--out", metavar="FILE", required=True, help="the parser, .npz")
    command.set_defaults(run=run_parse)


def run_parse(args):
    """Learn a parser from a file, and write it."""
    import sparsesolve as ss
    from sparsesolve import structured

    check_targets([args.file, args.dev], out=args.out)
    names = args.columns.split(",") if args.columns else None
    sentences = structured.read_sentences(args.file, names)
    parser = structured.parse_trees(
        sentences, templates=_templates(args.templates), method=args.method, loss=args.loss,
        lam=args.lam, eta0=args.eta0, epochs=args.epochs, bits=None if args.exact else args.bits,
        single_root=not args.many_roots, seed=args.seed,
    )  # fmt: skip
    ss.save(replace(parser, names=names), args.out)
    print(f"{len(sentences.columns['head'])} words in {len(sentences.lengths)} sentences, "
          f"{len(parser.used())} templates in use; no certificate")  # fmt: skip
    if args.dev:
        dev = structured.read_sentences(args.dev, names)
        print(f"{100 * parser.score(dev):.2f} % of {len(dev.columns['head'])} words of "
              f"{args.dev} have the right head")  # fmt: skip


def parse_file(parser, args):
    """Parse the sentences of a file with a parser that `parse` wrote."""
    from sparsesolve import structured

    sentences = structured.read_sentences(args.file, parser.names)
    structured.write_sentences(args.out, sentences, "head", parser.predict(sentences))


def assess_parser(parser, args):
    """Return header and rows of the measures of a parser on a file of trees."""
    from sparsesolve import structured

    sentences = structured.read_sentences(args.file, parser.names)
    rows = [["heads", parser.score(sentences)]]
    if "upos" in sentences.columns:
        rows.append(["heads_without_punctuation", parser.score(sentences, punctuation=False)])
    return ["measure", "value"], rows


def _templates(file):
    """Return templates as text, "many", or None for the default."""
    if file in ("default", "many"):
        return None if file == "default" else file
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
