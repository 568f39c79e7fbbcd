"""Multiple kernel learning: which kernels, with which weights, certified at every lambda."""

from sparsesolve.data.public_names import public_names
from sparsesolve.mkl.functions.classical import classical
from sparsesolve.mkl.functions.gaussian import gaussian
from sparsesolve.mkl.functions.linear import linear
from sparsesolve.mkl.functions.nystroem import nystroem
from sparsesolve.mkl.functions.polynomial import polynomial
from sparsesolve.mkl.functions.random_features import random_features
from sparsesolve.mkl.given_grams import precomputed
from sparsesolve.mkl.grams import Grams, build_grams
from sparsesolve.mkl.kernels import LowRank
from sparsesolve.mkl.norms.elastic import elastic
from sparsesolve.mkl.norms.lp import lp
from sparsesolve.mkl.norms.nested_groups import nested

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
