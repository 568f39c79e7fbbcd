"""Solution paths of sparse linear models, each point certified by its duality gap."""

import sys
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING

try:
    import sparsesolve.linalg.design.design  # noqa: F401
except ModuleNotFoundError as error:
    if not str(error.name).startswith("sparsesolve"):
        raise
    raise ImportError(
        f"sparsesolve is here as sources that were not compiled ({error.name} is missing): run "
        "`python setup.py build_ext --inplace` in the folder that has setup.py, or "
        "`pip install .` there, or install a wheel; a zip of the sources cannot be imported"
    ) from error

from sparsesolve import families, penalties
from sparsesolve.data.keywords import answer_in_constructors, refuse_unknown
from sparsesolve.online.online import online  # imported now, because the folder has the same name
from sparsesolve.paths import bundle
from sparsesolve.paths.path import path
from sparsesolve.penalties import prox
from sparsesolve.results.path import Path
from sparsesolve.results.status import ConvergenceWarning, Status

__version__ = "0.2.0"
__all__ = [
    "CRFPath", "CVPath", "ConvergenceWarning", "DictionaryLearning", "KnotPath", "MKLPath",
    "Path", "Status", "adaptive_factors", "assess", "at_radius", "bundle", "calibration",
    "confusion", "crf_path", "criteria", "cv_mkl_path", "cv_path", "families",
    "hard_threshold_path", "lars_path", "lars_path_gram", "load", "make_design", "mkl",
    "mkl_path", "omp_path", "online", "path", "penalties", "prox", "refit", "relax", "roc",
    "save", "sparse_code", "spom", "stability_path", "structured",
]  # fmt: skip

answer_in_constructors(penalties)
penalties.blocks.answer = refuse_unknown

# Users import these two rooms, and their contents, from the package itself.
for known in list(sys.modules):
    for module in (bundle, prox):
        if known == module.__name__ or known.startswith(f"{module.__name__}."):
            public = module.__name__.rpartition(".")[2] + known[len(module.__name__) :]
            sys.modules[f"sparsesolve.{public}"] = sys.modules[known]

# Everything that path does not need is imported at its first use, from the module in HOMES.
if TYPE_CHECKING:
    from sparsesolve import estimators as estimators
    from sparsesolve import mkl, structured
    from sparsesolve.data.encoding import make_design
    from sparsesolve.mkl.path import mkl_path
    from sparsesolve.paths.dictionary.learning import DictionaryLearning
    from sparsesolve.paths.dictionary.sparse_code import sparse_code
    from sparsesolve.paths.greedy import hard_threshold_path, omp_path
    from sparsesolve.paths.lars import lars_path, lars_path_gram
    from sparsesolve.results.cv_path import CVPath
    from sparsesolve.results.files.model_file import load, save
    from sparsesolve.results.kernel_path import MKLPath
    from sparsesolve.results.knot_path import KnotPath
    from sparsesolve.selection.adaptive import adaptive_factors
    from sparsesolve.selection.assessment.assess import assess
    from sparsesolve.selection.assessment.calibration import calibration
    from sparsesolve.selection.assessment.confusion import confusion
    from sparsesolve.selection.assessment.roc import roc
    from sparsesolve.selection.criteria import criteria
    from sparsesolve.selection.cv import cv_path
    from sparsesolve.selection.cv_kernels import cv_mkl_path
    from sparsesolve.selection.radius import at_radius
    from sparsesolve.selection.refit import refit
    from sparsesolve.selection.relaxed import relax
    from sparsesolve.selection.stability import stability_path
    from sparsesolve.structured.crf import crf_path
    from sparsesolve.structured.result import CRFPath
    from sparsesolve.structured.spom import spom
else:
    HOMES = {
        "CRFPath": "structured.result",
        "CVPath": "results.cv_path",
        "DictionaryLearning": "paths.dictionary.learning",
        "KnotPath": "results.knot_path",
        "MKLPath": "results.kernel_path",
        "adaptive_factors": "selection.adaptive",
        "assess": "selection.assessment.assess",
        "at_radius": "selection.radius",
        "calibration": "selection.assessment.calibration",
        "confusion": "selection.assessment.confusion",
        "crf_path": "structured.crf",
        "criteria": "selection.criteria",
        "cv_mkl_path": "selection.cv_kernels",
        "cv_path": "selection.cv",
        "hard_threshold_path": "paths.greedy",
        "lars_path": "paths.lars",
        "lars_path_gram": "paths.lars",
        "load": "results.files.model_file",
        "make_design": "data.encoding",
        "mkl_path": "mkl.path",
        "omp_path": "paths.greedy",
        "refit": "selection.refit",
        "relax": "selection.relaxed",
        "roc": "selection.assessment.roc",
        "save": "results.files.model_file",
        "sparse_code": "paths.dictionary.sparse_code",
        "spom": "structured.spom",
        "stability_path": "selection.stability",
    }

    # Modules that add kinds of files.
    FILES = ("mkl.grams_file", "online.model_file", "structured.model_file")
    ROOMS = ("estimators", "mkl", "structured")  # imported at their first use
    ONE_BY_ONE = RLock()  # two threads may import a package and a part of it

    def __getattr__(name):
        if name not in HOMES and name not in ROOMS:
            raise AttributeError(f"module 'sparsesolve' has no attribute {name!r}")
        with ONE_BY_ONE:
            if name in ROOMS:
                return import_module(f"sparsesolve.{name}")
            for module in FILES if name in ("load", "save") else ():
                import_module(f"sparsesolve.{module}")
            globals()[name] = getattr(import_module(f"sparsesolve.{HOMES[name]}"), name)
            return globals()[name]

    def __dir__():
        hidden = [name for name in globals() if name.startswith("__")]
        return sorted({*hidden, *ROOMS, *__all__})
