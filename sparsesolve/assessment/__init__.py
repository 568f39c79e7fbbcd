"""How good a fit is on rows with known responses: a file for each way to ask."""

from sparsesolve.assessment.assess import assess
from sparsesolve.assessment.calibration import Calibration, calibration
from sparsesolve.assessment.confusion import Confusion, confusion
from sparsesolve.assessment.roc import Roc, roc

__all__ = ["Calibration", "Confusion", "Roc", "assess", "calibration", "confusion", "roc"]
