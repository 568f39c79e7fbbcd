"""Bundle methods (BMRM), Pragam and Pegasos, each with its trace.

These are the methods of Saha, Zhang and Vishwanathan (2010), made to be compared: every iteration
has an objective and a lower bound of the optimum. To fit a support vector machine use
:func:`sparsesolve.path` with ``families.hinge()``, which is faster. It also offers these methods
as ``solver="ls_bmrm"``, ``"qp_bmrm"``, ``"pragam"`` and ``"pegasos"``.
"""

from sparsesolve.paths.bundle.cutting_planes import bmrm
from sparsesolve.paths.bundle.hinge import HingeRisk, hinge_risk, pegasos, pragam
from sparsesolve.paths.bundle.trace import Trace

__all__ = ["HingeRisk", "Trace", "bmrm", "hinge_risk", "pegasos", "pragam"]


def __dir__() -> list[str]:
    return sorted(__all__)
