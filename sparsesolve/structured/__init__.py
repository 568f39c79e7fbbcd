"""Structured prediction: label sequences, decoding, certified conditional random fields."""

from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.decoding import marginals, viterbi
from sparsesolve.structured.model_file import load
from sparsesolve.structured.result import CRFPath

__all__ = ["CRFPath", "crf_path", "load", "marginals", "viterbi"]
