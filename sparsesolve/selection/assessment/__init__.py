"""Assessment of fits on rows with known responses: one file for each method."""

from sparsesolve.selection.assessment.assess import assess
from sparsesolve.selection.assessment.classes import (
    Calibration,
    Confusion,
    Roc,
    calibration,
    confusion,
    roc,
)

__all__ = ["Calibration", "Confusion", "Roc", "assess", "calibration", "confusion", "roc"]
