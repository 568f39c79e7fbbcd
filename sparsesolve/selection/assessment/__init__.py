"""Assessment of fits on rows with known responses: one file for each method."""

from sparsesolve.selection.assessment.assess import assess
from sparsesolve.selection.assessment.calibration import Calibration, calibration
from sparsesolve.selection.assessment.confusion import Confusion, confusion
from sparsesolve.selection.assessment.roc import Roc, roc

__all__ = ["Calibration", "Confusion", "Roc", "assess", "calibration", "confusion", "roc"]
