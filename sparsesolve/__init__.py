"""Solution paths of sparse linear models, each point certified by its duality gap."""

from sparsesolve import families, penalties
from sparsesolve.api import path
from sparsesolve.dictionary.learning import DictionaryLearning
from sparsesolve.dictionary.sparse_code import sparse_code
from sparsesolve.greedy import hard_threshold_path, omp_path
from sparsesolve.knot_path import KnotPath
from sparsesolve.lars import lars_path, lars_path_gram
from sparsesolve.result import ConvergenceWarning, Path, Status

__version__ = "0.1.0"
__all__ = [
    "ConvergenceWarning", "DictionaryLearning", "KnotPath", "Path", "Status", "families",
    "hard_threshold_path", "lars_path", "lars_path_gram", "omp_path", "path", "penalties",
    "sparse_code",
]  # fmt: skip
