"""Solution paths of sparse linear models, each point certified by its duality gap."""

from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING

from sparsesolve import families, penalties
from sparsesolve.api import path
from sparsesolve.result import Path
from sparsesolve.status import ConvergenceWarning, Status

__version__ = "0.1.0"
__all__ = [
    "CVPath", "ConvergenceWarning", "DictionaryLearning", "KnotPath", "MKLPath", "Path", "Status",
    "adaptive_factors", "assess", "calibration", "confusion", "criteria", "cv_path", "families",
    "hard_threshold_path", "lars_path", "lars_path_gram", "load", "make_design", "mkl", "mkl_path",
    "omp_path", "path", "penalties", "refit", "relax", "roc", "save", "sparse_code",
    "stability_path",
]  # fmt: skip

# What path does not need is imported when it is first asked for: HOMES says from where.
if TYPE_CHECKING:
    from sparsesolve import mkl
    from sparsesolve.adaptive import adaptive_factors
    from sparsesolve.assessment.assess import assess
    from sparsesolve.assessment.calibration import calibration
    from sparsesolve.assessment.confusion import confusion
    from sparsesolve.assessment.roc import roc
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
    from sparsesolve.stability import stability_path
else:
    HOMES = {
        "CVPath": "cv_result", "DictionaryLearning": "dictionary.learning",
        "KnotPath": "knot_path", "MKLPath": "mkl.result", "adaptive_factors": "adaptive",
        "assess": "assessment.assess", "calibration": "assessment.calibration",
        "confusion": "assessment.confusion", "criteria": "information", "cv_path": "cv",
        "hard_threshold_path": "greedy",
        "lars_path": "lars", "lars_path_gram": "lars", "load": "model_file",
        "make_design": "encoding", "mkl_path": "mkl.path", "omp_path": "greedy",
        "refit": "inference", "relax": "relaxed", "roc": "assessment.roc", "save": "model_file",
        "sparse_code": "dictionary.sparse_code", "stability_path": "stability",
    }  # fmt: skip

    ONE_BY_ONE = RLock()  # of two threads one might import a package, the other a part of it

    def __getattr__(name):
        if name not in HOMES and name != "mkl":
            raise AttributeError(f"module 'sparsesolve' has no attribute {name!r}")
        with ONE_BY_ONE:
            if name == "mkl":
                return import_module("sparsesolve.mkl")
            globals()[name] = getattr(import_module(f"sparsesolve.{HOMES[name]}"), name)
            return globals()[name]

    def __dir__():
        return sorted({*globals(), *__all__})
