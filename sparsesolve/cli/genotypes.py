"""Genotypes as the file of a command: aligned with phenotypes, or matched with a model."""

from pathlib import Path

import numpy as np

from sparsesolve.cli.reading import print_notes, write_table
from sparsesolve.data.genotypes import genotypes
from sparsesolve.data.tables import Table
from sparsesolve.results.polygenic_score import polygenic_score

ENDINGS = (".bed", ".pgen")
FILES = "for a .bed or .pgen file of PLINK as FILE, or several: chr1.bed,chr2.bed"
# Options that stand for columns of a table of features, or for its layout.
OF_TABLES = ("weights", "offset", "strata", "fold", "missing", "format", "separator", "decimal",
             "thousands", "encoding", "hash_bits")  # fmt: skip


def add_genotype_options(command):
    """Add the options that a .bed file takes."""
    group = command.add_argument_group("genotypes", FILES)
    group.add_argument("--phenotype", metavar="FILE", help="table of responses and covariates")
    group.add_argument("--covariates", metavar="A,B,...", help="its columns that join the "
                       "variants, without penalty")  # fmt: skip
    group.add_argument("--id", metavar="COL", default="IID", help="its ids; default IID or #IID")
    group.add_argument("--min-frequency", type=float, default=0.0, metavar="F", help="leave out "
                       "variants whose rarer allele is rarer")  # fmt: skip
    group.add_argument("--max-missing", type=float, default=1.0, metavar="F", help="leave out "
                       "variants with a larger share of missing genotypes")  # fmt: skip
    group.add_argument("--weights-file", metavar="FILE", help="write the weights of variants in "
                       "the PGS Catalog's format, also .gz; predict reads it")  # fmt: skip
    command.add_argument("--checkpoint", metavar="FILE", help="written after each lambda; if it "
                         "is there, a run that was killed goes on from it (.npz)")  # fmt: skip
    command.add_argument("--progress", action="store_true", help="show it in a file of messages, "
                         "too; a terminal always shows it")  # fmt: skip
    group.add_argument("--genome-build", metavar="NAME", help="of the positions, for its head")


def add_new_genotypes(command):
    """Add the options of genotypes that a model is asked about."""
    group = command.add_argument_group("genotypes", FILES)
    group.add_argument("--phenotype", metavar="FILE", help="table of the responses, and of the "
                       "model's covariates")  # fmt: skip
    group.add_argument("--ambiguous", choices=("drop", "frequency", "keep"), default="drop",
                       help="variants of A and T, or C and G; default drop")  # fmt: skip
    group.add_argument("--min-matched", type=float, default=0.75, metavar="S", help="least share "
                       "of the score that must be found; default 0.75")  # fmt: skip
    group.add_argument("--matches", metavar="FILE", help="table of what became of each variant")


def is_genotypes(args):
    """Return True if the file of a command holds genotypes."""
    return Path(args.file).suffix in ENDINGS


def refuse_genotypes(args):
    """Raise ValueError for genotypes, where a command reads tables alone."""
    if is_genotypes(args):
        raise ValueError(f"{args.file}: genotypes are read by the commands path, cv, predict and "
                         "assess; for this one, write a table of the variants it needs")


def _refuse_options_of_tables(args):
    for name in OF_TABLES:
        if getattr(args, name, None):
            raise ValueError(f"--{name.replace('_', '-')} is for tables of features; leave it out")


def refuse_genotype_options(args):
    """Refuse options of genotypes with another file."""
    names = ("phenotype", "covariates", "matches", "weights_file", "genome_build")
    given = [name for name in names if getattr(args, name, None)]
    given += [name for name, all_of_them in (("min_frequency", 0.0), ("max_missing", 1.0))
              if getattr(args, name, all_of_them) != all_of_them]  # fmt: skip
    if given and not is_genotypes(args):
        option = given[0].replace("_", "-")
        raise ValueError(f"--{option} belongs to a .bed or .pgen file of genotypes")
    if getattr(args, "weights_file", None) and not args.genome_build:
        raise ValueError("--weights-file needs --genome-build, such as GRCh38, which no file of "
                         "genotypes says")  # fmt: skip


def write_weights(fit, args, s, X):
    """Write --weights-file, if it is asked for: the weights at the lambda `s`, with proxies."""
    if args.weights_file:
        polygenic_score(fit, s).write(
            args.weights_file, build=args.genome_build, trait=", ".join(args.response),
            proxies=X.proxies(fit.nonzero(s)),
        )  # fmt: skip


def _opened(args):
    """Return the Genotypes of the files of a command, which commas part."""
    files = args.file.split(",")
    return genotypes(files if len(files) > 1 else files[0])


def read_genotypes(args):
    """Return the Table of a .bed file and its table of phenotypes; a note says what matched."""
    _refuse_options_of_tables(args)
    if getattr(args, "fold_groups", None) not in (None, "FID"):
        raise ValueError("folds of genotypes hold families out whole, by --fold-groups FID; leave "
                         "it out")  # fmt: skip
    if args.drop:
        raise ValueError("--drop is for tables of features; use --penalty-factor COL=inf")
    if not (args.phenotype and args.response):
        raise ValueError("genotypes need --phenotype with a table, and --response with a column")
    covariates = args.covariates.split(",") if args.covariates else []
    response = args.response if len(args.response) > 1 else args.response[0]
    data = _opened(args).align(
        args.phenotype, response, covariates, id=args.id, min_frequency=args.min_frequency,
        max_missing=args.max_missing,
    )  # fmt: skip
    print_notes([data.sentence])
    marks = {}
    if data.family is not None and hasattr(args, "fold_groups"):
        marks["fold_groups"] = data.family
        print_notes(["folds hold families out whole"])
    return Table(data.X, np.asarray(data.y), None, None, data.X.names, marks=marks,
                 penalty_factor=data.options["penalty_factor"])  # fmt: skip


def matched_genotypes(args, fit, id="IID"):
    """Return (MatchedGenotypes, y) of a .bed file in the columns of a model; y may be None."""
    _refuse_options_of_tables(args)
    X, y, response = _opened(args), None, getattr(args, "response", [])
    if args.phenotype:
        response = response[0] if len(response) == 1 else response
        data = X.align(args.phenotype, response, fit, id=id)
        print_notes([data.sentence])
        X, y = data.X, data.y
    elif response:
        raise ValueError("--response is a column of --phenotype, which is not given")
    X = X.match(fit, ambiguous=args.ambiguous, min_matched=args.min_matched)
    _write_matches(args, X.matches)
    return X, y


def score_genotypes(args):
    """Write the scores of a file of weights."""
    if args.s or args.phenotype or args.id or args.kind != "response":
        raise ValueError("a file of weights has no lambda, covariates or kinds; leave --s, "
                         "--phenotype, --id and --kind out")  # fmt: skip
    found = polygenic_score(args.model).score(
        _opened(args), ambiguous=args.ambiguous, min_matched=args.min_matched
    )
    _write_matches(args, found.matches)
    cells = (found.samples.fid, found.samples.iid, found.values, found.missing)
    write_table(args.out, ["FID", "IID", "score", "missing"],
                zip(*(one.tolist() for one in cells), strict=True))  # fmt: skip


def _write_matches(args, matches):
    print_notes([repr(matches).strip("<>")])
    if args.matches:
        table = matches.to_dict()
        write_table(args.matches, list(table), zip(*table.values(), strict=True))


def predict_genotypes(args, fit, path, columns, values_of):
    """Write predictions with the ids of samples, and how many of their genotypes are missing."""
    X, _ = matched_genotypes(args, fit, id=args.id[0] if args.id else "IID")
    values = values_of(Table(X, None, None, None, None))
    matrices = path.coefs if isinstance(path.coefs, list) else [path.coefs]
    lacking = X.n_missing(np.unique(np.concatenate([matrix.indices for matrix in matrices])))
    ids = [X.samples.fid.tolist(), X.samples.iid.tolist()]
    cells = [*ids, *values.reshape(len(values), -1).T.tolist(), lacking.tolist()]
    write_table(args.out, ["FID", "IID", *columns, "missing"], zip(*cells, strict=True))
