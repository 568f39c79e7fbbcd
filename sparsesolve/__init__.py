"""Solution paths of sparse linear models, each point certified by its duality gap."""

from sparsesolve import families, mkl, penalties
from sparsesolve.api import path
from sparsesolve.mkl.path import mkl_path
from sparsesolve.mkl.result import MKLPath
from sparsesolve.result import ConvergenceWarning, Path, Status

__version__ = "0.1.0"
__all__ = [
    "ConvergenceWarning", "MKLPath", "Path", "Status", "families", "mkl", "mkl_path", "path",
    "penalties",
]  # fmt: skip
