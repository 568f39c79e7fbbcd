"""How good a fit is on rows with known responses: a file for each way to ask."""

from sparsesolve.selection.assessment.assess import assess
from sparsesolve.selection.assessment.calibration import Calibration, calibration
from sparsesolve.selection.assessment.confusion import Confusion, confusion
from sparsesolve.selection.assessment.roc import Roc, roc

__all__ = ["Calibration", "Confusion", "Roc", "assess", "calibration", "confusion", "roc"]
