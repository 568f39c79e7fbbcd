"""Estimators for scikit-learn: its names and conventions, as thin layers over path and cv_path.

::

    minimise over b0, b    F(b0 + X b)  +  alpha (l1_ratio ||b||_1 + (1 - l1_ratio) ||b||^2 / 2)

`alpha` is called lambda by the functions of this package, and `l1_ratio` is called alpha. F is
the mean loss of a sample. Columns are not standardised unless asked. Every solution has its
duality gap: `dual_gap_` in units of the objective, or `gap_` relative to that of the null model.

A model has scikit-learn's name where that has the model. Else its name is a structure and "Lasso"
(least squares), a loss and "Net" (the elastic net), or what it is made of and "Regressor" or
"Classifier". "CV" at the end: alpha is chosen by cross-validation. DesignEncoder and
KnockoffSelector are transformers, to stand before these in a pipeline.
"""

import sys
from importlib import import_module

try:
    import sklearn  # noqa: F401
except ImportError:
    raise ImportError(
        "sparsesolve.estimators needs scikit-learn: pip install 'sparsesolve[sklearn]'"
    ) from None

from sparsesolve.data.public_names import public_names

from .base import expected_failed_checks
from .chains import ChainClassifier, ChainSVM, SPOMClassifier
from .classification import (
    ProbitNet,
    ProbitNetCV,
    SparseLogisticRegression,
    SparseLogisticRegressionCV,
)
from .dictionary import DictionaryLearning
from .encoder import DesignEncoder
from .glm import (
    GammaNet,
    GammaNetCV,
    NegativeBinomialNet,
    NegativeBinomialNetCV,
    PoissonNet,
    PoissonNetCV,
    TweedieNet,
    TweedieNetCV,
)
from .groups import GroupLasso, GroupLassoCV, SparseGroupLasso, SparseGroupLassoCV
from .kernels import MKLClassifier, MKLClassifierCV, MKLRegressor, MKLRegressorCV
from .knockoff_selector import KnockoffSelector
from .knots import Lars, LarsCV, LassoLars, LassoLarsCV, LassoLarsIC
from .online import OnlineClassifier, OnlineRegressor
from .pursuit import OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV
from .regression import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
)
from .robust import HuberNet, HuberNetCV, QuantileRegressor, QuantileRegressorCV
from .structured import (
    FusedLasso,
    FusedLassoCV,
    MCPRegressor,
    MCPRegressorCV,
    PenalizedClassifier,
    PenalizedClassifierCV,
    PenalizedRegressor,
    PenalizedRegressorCV,
    SCADRegressor,
    SCADRegressorCV,
    SlopeRegressor,
    SlopeRegressorCV,
)
from .survival import CoxNet, CoxNetCV
from .svm import LinearSVC, LinearSVCCV, LinearSVR, LinearSVRCV
from .two_stages import AdaptiveLasso, AdaptiveLassoCV, RelaxedLasso, RelaxedLassoCV

__all__ = [
    "AdaptiveLasso",
    "AdaptiveLassoCV",
    "ChainClassifier",
    "ChainSVM",
    "CoxNet",
    "CoxNetCV",
    "DesignEncoder",
    "DictionaryLearning",
    "ElasticNet",
    "ElasticNetCV",
    "FusedLasso",
    "FusedLassoCV",
    "GammaNet",
    "GammaNetCV",
    "GroupLasso",
    "GroupLassoCV",
    "HuberNet",
    "HuberNetCV",
    "KnockoffSelector",
    "Lars",
    "LarsCV",
    "Lasso",
    "LassoCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "LinearSVC",
    "LinearSVCCV",
    "LinearSVR",
    "LinearSVRCV",
    "MCPRegressor",
    "MCPRegressorCV",
    "MKLClassifier",
    "MKLClassifierCV",
    "MKLRegressor",
    "MKLRegressorCV",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "NegativeBinomialNet",
    "NegativeBinomialNetCV",
    "OnlineClassifier",
    "OnlineRegressor",
    "OrthogonalMatchingPursuit",
    "OrthogonalMatchingPursuitCV",
    "PenalizedClassifier",
    "PenalizedClassifierCV",
    "PenalizedRegressor",
    "PenalizedRegressorCV",
    "PoissonNet",
    "PoissonNetCV",
    "ProbitNet",
    "ProbitNetCV",
    "QuantileRegressor",
    "QuantileRegressorCV",
    "RelaxedLasso",
    "RelaxedLassoCV",
    "SCADRegressor",
    "SCADRegressorCV",
    "SPOMClassifier",
    "SlopeRegressor",
    "SlopeRegressorCV",
    "SparseGroupLasso",
    "SparseGroupLassoCV",
    "SparseLogisticRegression",
    "SparseLogisticRegressionCV",
    "TweedieNet",
    "TweedieNetCV",
    "expected_failed_checks",
]

MOVED = {
    f"{name}Regression{cv}": f"{__name__}.{name}Regressor{cv}"
    for name in ("MCP", "Penalized", "SCAD", "Slope") for cv in ("", "CV")
}  # fmt: skip
__getattr__, __dir__ = public_names(__name__, {}, MOVED)

# Modules of earlier versions, by which their pickles know estimators, and where these are now.
MERGED = {
    "chains": ["chain_svm", "spom"], "classification": ["probit"], "glm": ["amounts", "counts"],
    "knots": ["criterion", "lars"], "online": ["online_classification", "online_regression"],
    "regression": ["tasks"], "robust": ["quantile"], "svm": ["svc", "svm_cv", "svr"],
    "structured": ["concave", "penalized_classes", "structured_cv"],
    "two_stages": ["adaptive", "relaxed"],
}  # fmt: skip
for home, parts in MERGED.items():
    for part in parts:
        sys.modules[f"{__name__}.{part}"] = import_module(f"{__name__}.{home}")
