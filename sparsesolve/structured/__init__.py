"""Structured prediction: label sequences, trees, decoding, and certified conditional random
fields.
"""

from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.cross_validation import CRFCrossValidation, cv_crf_path
from sparsesolve.structured.decoding import marginals, viterbi
from sparsesolve.structured.margin_learner import max_margin
from sparsesolve.structured.mkl_wrappers import pegasos, wrapped_mkl
from sparsesolve.structured.model_file import load
from sparsesolve.structured.parser import Parser, load_parser
from sparsesolve.structured.parser_training import parse_trees
from sparsesolve.structured.result import CRFPath
from sparsesolve.structured.sentences import read_sentences, write_sentences
from sparsesolve.structured.spom import spom
from sparsesolve.structured.spom_file import load_spom
from sparsesolve.structured.spom_result import SPOM
from sparsesolve.structured.templates import Templates
from sparsesolve.structured.trees import best_tree, tree_marginals

__all__ = [
    "SPOM", "CRFCrossValidation", "CRFPath", "Parser", "Templates", "best_tree", "crf_path",
    "cv_crf_path", "load", "load_parser", "load_spom", "marginals", "max_margin", "parse_trees",
    "pegasos", "read_sentences", "spom", "tree_marginals", "viterbi", "wrapped_mkl",
    "write_sentences",
]  # fmt: skip
