"""Inference after a choice: tests, intervals and false discovery control on certified paths."""

from sparsesolve.data.public_names import public_names

__all__ = ["carve", "selective"]

HOMES = {"carve": "inference.carving", "selective": "inference.polyhedral"}
__getattr__, __dir__ = public_names(__name__, HOMES)
