"""Solution paths of sparse linear models, each point certified by its duality gap."""

from sparsesolve import families, mkl, penalties
from sparsesolve.adaptive import adaptive_factors
from sparsesolve.api import path
from sparsesolve.assessment import assess, calibration, confusion, roc
from sparsesolve.cv import cv_path
from sparsesolve.cv_result import CVPath
from sparsesolve.dictionary.learning import DictionaryLearning
from sparsesolve.dictionary.sparse_code import sparse_code
from sparsesolve.encoding import make_design
from sparsesolve.greedy import hard_threshold_path, omp_path
from sparsesolve.inference import refit
from sparsesolve.information import criteria
from sparsesolve.knot_path import KnotPath
from sparsesolve.lars import lars_path, lars_path_gram
from sparsesolve.mkl.path import mkl_path
from sparsesolve.mkl.result import MKLPath
from sparsesolve.model_file import load, save
from sparsesolve.relaxed import relax
from sparsesolve.result import Path
from sparsesolve.stability import stability_path
from sparsesolve.status import ConvergenceWarning, Status

__version__ = "0.1.0"
__all__ = [
    "CVPath", "ConvergenceWarning", "DictionaryLearning", "KnotPath", "MKLPath", "Path", "Status",
    "adaptive_factors", "assess", "calibration", "confusion", "criteria", "cv_path", "families",
    "hard_threshold_path", "lars_path", "lars_path_gram", "load", "make_design", "mkl", "mkl_path",
    "omp_path", "path", "penalties", "refit", "relax", "roc", "save", "sparse_code",
    "stability_path",
]  # fmt: skip
