"""Solution paths of sparse linear models, each point certified by its duality gap."""

from sparsesolve import families, penalties
from sparsesolve.api import path
from sparsesolve.assessment import assess, calibration, confusion, roc
from sparsesolve.cv import cv_path
from sparsesolve.cv_result import CVPath
from sparsesolve.relaxed import relax
from sparsesolve.result import ConvergenceWarning, Path, Status

__version__ = "0.1.0"
__all__ = [
    "CVPath", "ConvergenceWarning", "Path", "Status", "assess", "calibration", "confusion",
    "cv_path", "families", "path", "penalties", "relax", "roc",
]  # fmt: skip
