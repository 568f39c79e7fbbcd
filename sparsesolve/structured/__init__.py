"""Structured prediction: label sequences, their decoding, and certified conditional random fields."""

from sparsesolve.structured.decoding import marginals, viterbi

__all__ = ["marginals", "viterbi"]
