"""Multiple kernel learning: which kernels, with which weights, certified at every lambda."""

from sparsesolve.data.public_names import public_names
from sparsesolve.mkl.functions import (
    classical,
    gaussian,
    linear,
    nystroem,
    polynomial,
    random_features,
)
from sparsesolve.mkl.given_grams import precomputed
from sparsesolve.mkl.grams import Grams, build_grams
from sparsesolve.mkl.kernels import LowRank
from sparsesolve.mkl.norms import elastic, lp, nested

__all__ = [
    "Grams", "LowRank", "build_grams", "classical", "elastic", "gaussian", "linear", "lp",
    "nested", "nystroem", "polynomial", "precomputed", "random_features",
]  # fmt: skip

MOVED = {
    "MKLPath": "sparsesolve.MKLPath",
    "hinge": "sparsesolve.families.hinge",
    "mkl_path": "sparsesolve.mkl_path",
}
__getattr__, __dir__ = public_names(__name__, {}, MOVED)
