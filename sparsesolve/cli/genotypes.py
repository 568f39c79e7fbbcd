"""Genotypes as the file of a command: aligned with phenotypes, or matched with a model."""

from pathlib import Path

import numpy as np

from sparsesolve.cli.reading import print_notes, write_table
from sparsesolve.data.genotypes import genotypes
from sparsesolve.data.tables import Table

ENDINGS = (".bed",)
# Options that stand for columns of a table of features, or for its layout.
OF_TABLES = ("weights", "offset", "strata", "fold", "missing", "format", "separator", "decimal",
             "thousands", "encoding", "hash_bits")  # fmt: skip

TABLES_ONLY = ("genotypes are read by the commands path, cv, predict and assess; for this one, "
               "write a table of the variants it needs")  # fmt: skip


def add_genotype_options(command):
    """Add the options that a .bed file takes."""
    group = command.add_argument_group("genotypes", "for a .bed file of PLINK as FILE")
    group.add_argument("--phenotype", metavar="FILE", help="table of responses and covariates")
    group.add_argument("--covariates", metavar="A,B,...", help="its columns that join the "
                       "variants, without penalty")  # fmt: skip
    group.add_argument("--id", metavar="COL", default="IID", help="its ids; default IID or #IID")
    group.add_argument("--min-frequency", type=float, default=0.0, metavar="F", help="leave out "
                       "variants whose rarer allele is rarer")  # fmt: skip
    group.add_argument("--max-missing", type=float, default=1.0, metavar="F", help="leave out "
                       "variants with a larger share of missing genotypes")  # fmt: skip


def add_new_genotypes(command):
    """Add the options of genotypes that a model is asked about."""
    group = command.add_argument_group("genotypes", "for a .bed file of PLINK as FILE")
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


def refuse_genotype_options(args):
    """Refuse options of genotypes with another file."""
    given = [name for name in ("phenotype", "covariates", "matches") if getattr(args, name, None)]
    if given and not is_genotypes(args):
        raise ValueError(f"--{given[0]} belongs to a .bed file of genotypes")


def read_genotypes(args):
    """Return the Table of a .bed file and its table of phenotypes; a note says what matched."""
    for name in OF_TABLES:
        if getattr(args, name, None):
            raise ValueError(f"--{name.replace('_', '-')} is for tables of features; leave it out")
    if getattr(args, "fold_groups", None) not in (None, "FID"):
        raise ValueError("folds of genotypes hold families out whole, by --fold-groups FID; leave "
                         "it out")  # fmt: skip
    if args.drop:
        raise ValueError("--drop is for tables of features; use --penalty-factor COL=inf")
    if not (args.phenotype and args.response):
        raise ValueError("genotypes need --phenotype with a table, and --response with a column")
    covariates = args.covariates.split(",") if args.covariates else []
    response = args.response if len(args.response) > 1 else args.response[0]
    data = genotypes(args.file).align(
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
    for name in OF_TABLES:
        if getattr(args, name, None):
            raise ValueError(f"--{name.replace('_', '-')} is for tables of features; leave it out")
    X, y, response = genotypes(args.file), None, getattr(args, "response", [])
    if args.phenotype:
        response = response[0] if len(response) == 1 else response
        data = X.align(args.phenotype, response, fit, id=id)
        print_notes([data.sentence])
        X, y = data.X, data.y
    elif response:
        raise ValueError("--response is a column of --phenotype, which is not given")
    X = X.match(fit, ambiguous=args.ambiguous, min_matched=args.min_matched)
    print_notes([repr(X.matches).strip("<>")])
    if args.matches:
        table = X.matches.to_dict()
        write_table(args.matches, list(table), zip(*table.values(), strict=True))
    return X, y


def predict_genotypes(args, fit, path, columns, values_of):
    """Write predictions beside the ids of samples, and how many of their genotypes are missing."""
    X, _ = matched_genotypes(args, fit, id=args.id[0] if args.id else "IID")
    values = values_of(Table(X, None, None, None, None))
    matrices = path.coefs if isinstance(path.coefs, list) else [path.coefs]
    lacking = X.n_missing(np.unique(np.concatenate([matrix.indices for matrix in matrices])))
    beside = [X.samples.fid.tolist(), X.samples.iid.tolist()]
    cells = [*beside, *values.reshape(len(values), -1).T.tolist(), lacking.tolist()]
    write_table(args.out, ["FID", "IID", *columns, "missing"], zip(*cells, strict=True))
