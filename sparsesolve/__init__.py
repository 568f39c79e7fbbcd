"""Solution paths of sparse linear models, each point certified by its duality gap."""

from sparsesolve import families, penalties
from sparsesolve.api import path
from sparsesolve.knot_path import KnotPath
from sparsesolve.lars import lars_path, lars_path_gram
from sparsesolve.result import ConvergenceWarning, Path, Status

__version__ = "0.1.0"
__all__ = [
    "ConvergenceWarning", "KnotPath", "Path", "Status", "families", "lars_path", "lars_path_gram",
    "path", "penalties",
]  # fmt: skip
