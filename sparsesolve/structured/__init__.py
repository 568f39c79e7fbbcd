"""Structured prediction: label sequences, trees, decoding, certified conditional random fields."""

from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.cross_validation import CRFCrossValidation, cv_crf_path
from sparsesolve.structured.decoding import marginals, viterbi
from sparsesolve.structured.margin_learner import max_margin
from sparsesolve.structured.model_file import load
from sparsesolve.structured.parser import Parser, load_parser
from sparsesolve.structured.parser_training import parse_trees
from sparsesolve.structured.result import CRFPath
from sparsesolve.structured.sentences import read_sentences, write_sentences
from sparsesolve.structured.spom import spom
from sparsesolve.structured.spom_result import SPOM
from sparsesolve.structured.templates import Templates
from sparsesolve.structured.trees import best_tree, tree_marginals

__all__ = [
    "SPOM", "CRFCrossValidation", "CRFPath", "Parser", "Templates", "best_tree", "crf_path",
    "cv_crf_path", "load", "load_parser", "marginals", "max_margin", "parse_trees",
    "read_sentences", "spom", "tree_marginals", "viterbi", "write_sentences",
]  # fmt: skip
