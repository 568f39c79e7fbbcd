"""Multiple kernel learning: which kernels, with which weights, certified at every lambda."""

from sparsesolve.families import hinge
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
from sparsesolve.mkl.path import mkl_path
from sparsesolve.results.kernel_path import MKLPath

__all__ = [
    "Grams", "LowRank", "MKLPath", "build_grams", "classical", "elastic", "gaussian",
    "hinge", "linear", "lp",
    "mkl_path", "nested", "nystroem", "polynomial", "precomputed", "random_features",
]  # fmt: skip
