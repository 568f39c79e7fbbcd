"""Solution paths of sparse linear models, each point certified by its duality gap."""

import sys
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

import sparsesolve.penalties.blocks as blocks_of_penalties
from sparsesolve import families, penalties
from sparsesolve.data.keywords import answer_in_constructors, refuse_unknown
from sparsesolve.data.paragraphs import described_by
from sparsesolve.data.public_names import MovedModule, public_names
from sparsesolve.online.online import online  # imported now, because the folder has the same name
from sparsesolve.paths.path import path
from sparsesolve.penalties import prox as projections
from sparsesolve.results.path import Path
from sparsesolve.results.status import ConvergenceWarning, Status

__version__ = "0.2.0"
__all__ = [
    "CRFPath", "CVPath", "ConvergenceWarning", "DictionaryLearning", "KnotPath", "MKLPath",
    "Path", "Status", "assess", "calibration", "confusion", "crf_path", "criteria", "cv_mkl_path",
    "cv_path", "families", "genotypes", "inference", "lars_path", "load", "make_design", "mkl",
    "mkl_path", "omp_path", "online", "path", "paths", "penalties", "polygenic_score", "refit",
    "relax", "results", "roc", "save", "selection", "sparse_code", "spom", "stability_path",
    "structured",
]  # fmt: skip

answer_in_constructors(penalties)
for name in projections.__all__:  # what their docstrings leave out stands in those of two
    described_by(projections.project_l1, projections.squared_l1)(getattr(projections, name))
blocks_of_penalties.answer = refuse_unknown

# Everything that path does not need is imported at its first use, from the module named here.
if TYPE_CHECKING:
    from sparsesolve import estimators as estimators
    from sparsesolve import inference, mkl, paths, results, selection, structured
    from sparsesolve.data.encoding import make_design
    from sparsesolve.data.genotypes.files import genotypes
    from sparsesolve.mkl.path import mkl_path
    from sparsesolve.paths.dictionary.learning import DictionaryLearning
    from sparsesolve.paths.dictionary.sparse_code import sparse_code
    from sparsesolve.paths.greedy import omp_path
    from sparsesolve.paths.lars import lars_path
    from sparsesolve.results.cv_path import CVPath
    from sparsesolve.results.files.model_file import load, save
    from sparsesolve.results.kernel_path import MKLPath
    from sparsesolve.results.knot_path import KnotPath
    from sparsesolve.results.polygenic_score import polygenic_score
    from sparsesolve.selection.assessment.assess import assess
    from sparsesolve.selection.assessment.classes import calibration, confusion, roc
    from sparsesolve.selection.criteria import criteria
    from sparsesolve.selection.cv import cv_path
    from sparsesolve.selection.cv_kernels import cv_mkl_path
    from sparsesolve.selection.refit import refit
    from sparsesolve.selection.relaxed import relax
    from sparsesolve.selection.stability import stability_path
    from sparsesolve.structured.crf import crf_path
    from sparsesolve.structured.result import CRFPath
    from sparsesolve.structured.spom_training import spom
else:
    HOMES = {
        "CRFPath": "structured.result",
        "CVPath": "results.cv_path",
        "DictionaryLearning": "paths.dictionary.learning",
        "KnotPath": "results.knot_path",
        "MKLPath": "results.kernel_path",
        "assess": "selection.assessment.assess",
        "calibration": "selection.assessment.classes",
        "confusion": "selection.assessment.classes",
        "crf_path": "structured.crf",
        "criteria": "selection.criteria",
        "cv_mkl_path": "selection.cv_kernels",
        "cv_path": "selection.cv",
        "genotypes": "data.genotypes.files",
        "lars_path": "paths.lars",
        "load": "results.files.model_file",
        "make_design": "data.encoding",
        "mkl_path": "mkl.path",
        "omp_path": "paths.greedy",
        "polygenic_score": "results.polygenic_score",
        "refit": "selection.refit",
        "relax": "selection.relaxed",
        "roc": "selection.assessment.classes",
        "save": "results.files.model_file",
        "sparse_code": "paths.dictionary.sparse_code",
        "spom": "structured.spom_training",
        "stability_path": "selection.stability",
    }
    ROOMS = ("estimators", "inference", "mkl", "paths", "results", "selection", "structured")
    MOVED = {
        "adaptive_factors": "sparsesolve.selection.adaptive_factors",
        "at_radius": "sparsesolve.selection.at_radius",
        "bundle": "sparsesolve.paths.bundle",
        "hard_threshold_path": "sparsesolve.paths.hard_threshold_path",
        "lars_path_gram": "sparsesolve.paths.lars_path_gram",
        "prox": "sparsesolve.penalties.prox",
    }
    # Modules that add kinds of files.
    FILES = ("mkl.grams_file", "online.model_file", "structured.model_file")
    __getattr__, _ = public_names(
        __name__, {**HOMES, **dict.fromkeys(ROOMS, "")}, MOVED, {"load": FILES, "save": FILES}
    )
    for name in ("bundle", "prox"):  # "import sparsesolve.prox"
        sys.modules[f"sparsesolve.{name}"] = MovedModule(f"sparsesolve.{name}", MOVED[name])

    def __dir__():
        return sorted([*__all__, "estimators"])  # not in __all__, as it needs scikit-learn
