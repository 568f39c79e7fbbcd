"""Structured prediction: label sequences, trees, decoding, and certified conditional random
fields.
"""

from sparsesolve.data.public_names import public_names
from sparsesolve.structured import model_file  # noqa: F401  (its kinds of files)
from sparsesolve.structured.cross_validation import (
    CRFCrossValidation,
    SPOMCrossValidation,
    cv_crf_path,
    cv_spom,
)
from sparsesolve.structured.decoding import best_tree, marginals, tree_marginals, viterbi
from sparsesolve.structured.margin_learner import max_margin
from sparsesolve.structured.mkl_wrappers import pegasos, wrapped_mkl
from sparsesolve.structured.parser import Parser
from sparsesolve.structured.parser_training import parse_trees
from sparsesolve.structured.report import TagReport, tag_report
from sparsesolve.structured.sentences import Sentences, read_sentences, write_sentences
from sparsesolve.structured.spom_result import SPOM
from sparsesolve.structured.templates import Templates
from sparsesolve.structured.tree_crf import TreePath, tree_path

__all__ = [
    "SPOM", "CRFCrossValidation", "Parser", "SPOMCrossValidation", "Sentences", "TagReport",
    "Templates", "TreePath",
    "best_tree", "cv_crf_path", "cv_spom", "marginals", "max_margin", "parse_trees", "pegasos",
    "read_sentences", "tag_report", "tree_marginals", "tree_path", "viterbi", "wrapped_mkl",
    "write_sentences",
]  # fmt: skip

MOVED = {
    "CRFPath": "sparsesolve.CRFPath",
    "crf_path": "sparsesolve.crf_path",
    "load": "sparsesolve.load",
    "load_parser": "sparsesolve.load",
    "load_spom": "sparsesolve.load",
    "spom": "sparsesolve.spom",
}
__getattr__, __dir__ = public_names(__name__, {}, MOVED)
