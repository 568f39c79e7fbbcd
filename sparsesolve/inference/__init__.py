"""Inference after a choice: tests, intervals and false discovery control on certified paths."""

from sparsesolve.data.public_names import public_names

__all__ = ["carve", "debiased", "knockoffs", "selective", "split", "thin"]

HOMES = {
    "carve": "inference.carving",
    "debiased": "inference.desparsified",
    "knockoffs": "inference.knockoff_filter",
    "selective": "inference.polyhedral",
    "split": "inference.splitting",
    "thin": "inference.thinning",
}
__getattr__, __dir__ = public_names(__name__, HOMES)
