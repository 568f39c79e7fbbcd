"""Genotypes as the file of a command: aligned with a table of phenotypes."""

from pathlib import Path

import numpy as np

from sparsesolve.cli.reading import print_notes
from sparsesolve.data.genotypes import genotypes
from sparsesolve.data.tables import Table

ENDINGS = (".bed",)
# Options that stand for columns of a table of features, or for its layout.
OF_TABLES = ("weights", "offset", "strata", "fold", "missing", "format", "separator", "decimal",
             "thousands", "encoding", "hash_bits")  # fmt: skip


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


def is_genotypes(args):
    """Return True if the file of a command holds genotypes."""
    return Path(args.file).suffix in ENDINGS


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
