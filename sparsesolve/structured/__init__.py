"""Structured prediction: label sequences, trees, decoding, and certified conditional random
fields.
"""

import warnings
from typing import Any

from sparsesolve.results.files.model_file import load as _load
from sparsesolve.structured import model_file  # noqa: F401  (its kinds of files)
from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.cross_validation import CRFCrossValidation, cv_crf_path
from sparsesolve.structured.decoding import marginals, viterbi
from sparsesolve.structured.margin_learner import max_margin
from sparsesolve.structured.mkl_wrappers import pegasos, wrapped_mkl
from sparsesolve.structured.parser import Parser
from sparsesolve.structured.parser_training import parse_trees
from sparsesolve.structured.report import tag_report
from sparsesolve.structured.result import CRFPath
from sparsesolve.structured.sentences import Sentences, read_sentences, write_sentences
from sparsesolve.structured.spom import spom
from sparsesolve.structured.spom_result import SPOM
from sparsesolve.structured.templates import Templates
from sparsesolve.structured.trees import best_tree, tree_marginals

__all__ = [
    "SPOM", "CRFCrossValidation", "CRFPath", "Parser", "Sentences", "Templates", "best_tree",
    "crf_path", "cv_crf_path", "marginals", "max_margin", "parse_trees", "pegasos",
    "read_sentences", "spom", "tag_report", "tree_marginals", "viterbi", "wrapped_mkl",
    "write_sentences",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return `sparsesolve.load` by the names that it had here, with a warning."""
    if name not in ("load", "load_parser", "load_spom"):
        raise AttributeError(f"module 'sparsesolve.structured' has no attribute {name!r}")
    warnings.warn(f"structured.{name} will go; sparsesolve.load takes its place", FutureWarning,
                  stacklevel=2)  # fmt: skip
    return _load
