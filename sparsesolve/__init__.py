"""Solution paths of sparse linear models, each point certified by its duality gap."""

from sparsesolve import families, penalties
from sparsesolve.api import path
from sparsesolve.cv import cv_path
from sparsesolve.cv_result import CVPath
from sparsesolve.result import ConvergenceWarning, Path, Status

__version__ = "0.1.0"
__all__ = [
    "CVPath", "ConvergenceWarning", "Path", "Status", "cv_path", "families", "path", "penalties",
]  # fmt: skip
