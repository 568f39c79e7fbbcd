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

try:
    import sklearn  # noqa: F401
except ImportError:
    raise ImportError(
        "sparsesolve.estimators needs scikit-learn: pip install 'sparsesolve[sklearn]'"
    ) from None

from sparsesolve.data.public_names import public_names

from .adaptive import AdaptiveLasso, AdaptiveLassoCV
from .amounts import GammaNet, GammaNetCV, TweedieNet, TweedieNetCV
from .base import expected_failed_checks
from .chain_svm import ChainSVM
from .chains import ChainClassifier
from .classification import SparseLogisticRegression, SparseLogisticRegressionCV
from .concave import MCPRegressor, MCPRegressorCV, SCADRegressor, SCADRegressorCV
from .counts import NegativeBinomialNet, NegativeBinomialNetCV, PoissonNet, PoissonNetCV
from .criterion import LassoLarsIC
from .dictionary import DictionaryLearning
from .encoder import DesignEncoder
from .groups import GroupLasso, GroupLassoCV, SparseGroupLasso, SparseGroupLassoCV
from .kernels import MKLClassifier, MKLClassifierCV, MKLRegressor, MKLRegressorCV
from .knockoff_selector import KnockoffSelector
from .knots import LassoLars, LassoLarsCV
from .lars import Lars, LarsCV
from .online_classification import OnlineClassifier
from .online_regression import OnlineRegressor
from .penalized_classes import PenalizedClassifier, PenalizedClassifierCV
from .probit import ProbitNet, ProbitNetCV
from .pursuit import OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV
from .quantile import QuantileRegressor, QuantileRegressorCV
from .regression import ElasticNet, ElasticNetCV, Lasso, LassoCV
from .relaxed import RelaxedLasso, RelaxedLassoCV
from .robust import HuberNet, HuberNetCV
from .spom import SPOMClassifier
from .structured import FusedLasso, PenalizedRegressor, SlopeRegressor
from .structured_cv import FusedLassoCV, PenalizedRegressorCV, SlopeRegressorCV
from .survival import CoxNet, CoxNetCV
from .svc import LinearSVC
from .svm_cv import LinearSVCCV, LinearSVRCV
from .svr import LinearSVR
from .tasks import MultiTaskElasticNet, MultiTaskElasticNetCV, MultiTaskLasso, MultiTaskLassoCV

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
