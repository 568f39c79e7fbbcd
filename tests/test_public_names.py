"""The public names: where each is, and where a name that moved leads.

Adding a name here is a decision: one name a thing, one place a name.
"""

import importlib
import inspect
import re
import warnings
from pathlib import Path

import pytest

import sparsesolve as ss

REFERENCE = (Path(__file__).parents[1] / "docs" / "reference.rst").read_text()
PUBLIC = {
    "": """
        CRFPath CVPath ConvergenceWarning DictionaryLearning KnotPath MKLPath Path Status
        assess calibration confusion crf_path criteria cv_mkl_path cv_path families genotypes
        inference lars_path load make_design mkl mkl_path omp_path online path paths penalties
        polygenic_score refit relax results roc save selection sparse_code spom stability_path
        structured
    """,
    "paths": """
        bundle hard_threshold_path lars_path_gram
    """,
    "results": """
        Aligned Calibration Certificate Confusion Constrained EncodedDesign Genotypes Intervals
        Knockoffs MKLCrossValidation Matches OnlineFit PolygenicScore Refit Roc
        SampleScores Scores SparseCodes StabilityPath SurvivalCurves plot_graph plot_image
        plot_tree
    """,
    "selection": """
        adaptive_factors at_radius
    """,
    "families": """
        Family binomial cloglog cox epsilon_insensitive from_object gamma gaussian hinge huber
        multigaussian multinomial negative_binomial poisson probit quantile squared_hinge
        tweedie
    """,
    "penalties": """
        Berhu Bridge ExclusiveLasso GraphTV GroupBall GroupL2 GroupLinf KSupport L1 L1Ball
        L2Ball LatentGroupL2 LinfBall Log MCP OverlapL2 OverlapLinf SCAD Separate Slope
        SparseGroup Spectral Sum TotalVariation TotalVariation2D TraceNorm TreeL2 TreeLinf
        TrendFilter graph_groups interval_groups prox rectangle_groups tree_groups window_groups
    """,
    "penalties.prox": """
        box_hyperplane power project_groups project_l1 project_l2 project_linf project_simplex
        squared_l1
    """,
    "paths.bundle": """
        HingeRisk Trace bmrm hinge_risk pegasos pragam
    """,
    "mkl": """
        Grams LowRank build_grams classical elastic gaussian linear lp nested nystroem
        polynomial precomputed random_features
    """,
    "structured": """
        CRFCrossValidation Parser SPOM Sentences TagReport Templates best_tree cv_crf_path
        marginals max_margin parse_trees pegasos read_sentences tag_report tree_marginals
        viterbi wrapped_mkl write_sentences
    """,
    "inference": """
        carve debiased knockoffs selective split thin
    """,
    "estimators": """
        AdaptiveLasso AdaptiveLassoCV ChainClassifier ChainSVM CoxNet CoxNetCV DesignEncoder
        DictionaryLearning ElasticNet ElasticNetCV FusedLasso FusedLassoCV GammaNet GammaNetCV
        GroupLasso GroupLassoCV HuberNet HuberNetCV KnockoffSelector Lars LarsCV Lasso LassoCV
        LassoLars LassoLarsCV LassoLarsIC LinearSVC LinearSVCCV LinearSVR LinearSVRCV MCPRegressor
        MCPRegressorCV MKLClassifier MKLClassifierCV MKLRegressor MKLRegressorCV
        MultiTaskElasticNet MultiTaskElasticNetCV MultiTaskLasso MultiTaskLassoCV
        NegativeBinomialNet NegativeBinomialNetCV OnlineClassifier OnlineRegressor
        OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV PenalizedClassifier
        PenalizedClassifierCV PenalizedRegressor PenalizedRegressorCV PoissonNet PoissonNetCV
        ProbitNet ProbitNetCV QuantileRegressor QuantileRegressorCV RelaxedLasso RelaxedLassoCV
        SCADRegressor SCADRegressorCV SPOMClassifier SlopeRegressor SlopeRegressorCV
        SparseGroupLasso SparseGroupLassoCV SparseLogisticRegression SparseLogisticRegressionCV
        TweedieNet TweedieNetCV expected_failed_checks
    """,
}
MOVED = {
    "adaptive_factors": "selection.adaptive_factors", "at_radius": "selection.at_radius",
    "bundle": "paths.bundle", "hard_threshold_path": "paths.hard_threshold_path",
    "lars_path_gram": "paths.lars_path_gram", "prox": "penalties.prox",
    "mkl.MKLPath": "MKLPath", "mkl.hinge": "families.hinge", "mkl.mkl_path": "mkl_path",
    "structured.CRFPath": "CRFPath", "structured.crf_path": "crf_path",
    "structured.load": "load", "structured.load_parser": "load", "structured.load_spom": "load",
    "structured.spom": "spom",
    "estimators.MCPRegression": "estimators.MCPRegressor",
    "estimators.SlopeRegressionCV": "estimators.SlopeRegressorCV",
}  # fmt: skip
# After LogisticRegression; after SVC; a transformer; a selector.
OTHERWISE = {"SparseLogisticRegression", "ChainSVM", "DesignEncoder", "KnockoffSelector"}


def room(name):
    return importlib.import_module(f"sparsesolve.{name}" if name else "sparsesolve")


def at(name):
    """The object of a name below sparsesolve."""
    home, _, last = name.rpartition(".")
    return getattr(room(home), last)


@pytest.mark.parametrize("name", PUBLIC)
def test_each_room_shows_its_public_names_alone(name):
    module = room(name)
    assert dir(module) == sorted([*module.__all__] + ["estimators"] * (not name))
    assert sorted(module.__all__) == PUBLIC[name].split()
    for public in module.__all__:
        getattr(module, public)


def test_each_thing_has_one_place():
    places = {}
    for name in PUBLIC:
        for public in room(name).__all__:
            places.setdefault(id(getattr(room(name), public)), []).append((name, public))
    assert [found for found in places.values() if len(found) > 1] == []


@pytest.mark.parametrize("old", MOVED)
def test_a_name_that_moved_warns_and_leads_to_the_new_one(old):
    new = at(MOVED[old])
    with pytest.warns(FutureWarning, match=rf"{old} will go; sparsesolve\.{MOVED[old]} takes"):
        found = at(old)
    assert found is new
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        at(MOVED[old])


def test_modules_that_moved_are_imported_by_their_old_names(fresh_python):
    script = """if True:
        import warnings
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            import sparsesolve.bundle
            import sparsesolve.prox as old
            from sparsesolve.prox import project_l1
            from sparsesolve.bundle import Trace
        from sparsesolve.penalties import prox
        from sparsesolve.paths import bundle
        print(old is prox, project_l1 is prox.project_l1, Trace is bundle.Trace,
              *{warning.category.__name__ for warning in met}, len(met) >= 3)"""
    assert fresh_python(script).split() == ["True"] * 3 + ["FutureWarning", "True"]


def test_results_are_where_the_reference_says():
    listed = [line.strip() for line in REFERENCE.splitlines()]
    for name in ss.results.__all__:
        assert f"results.{name}" in listed
        assert inspect.isfunction(at(f"results.{name}")) or inspect.isclass(at(f"results.{name}"))
    assert not [line for line in listed if line.count(".") > 1 and line.startswith("results.")]


def test_lambda_best_of_chains_is_lambda_min():
    cv = ss.structured.cv_crf_path([[1.0], [0.0]] * 8, ["a", "b"] * 8, lengths=[2] * 8, n_folds=2,
                                   lambdas=[0.5, 0.1])  # fmt: skip
    with pytest.warns(FutureWarning, match="lambda_best will go; lambda_min takes its place"):
        assert cv.lambda_best == cv.lambda_min


def test_estimators_follow_one_scheme_of_names():
    from sklearn.utils import all_estimators

    theirs = {name for name, _ in all_estimators()} | {"LinearSVC", "LinearSVR"}
    scheme = re.compile(r"\w+(Lasso|Net|Regressor|Classifier)")
    names = [name for name in dir(ss.estimators) if inspect.isclass(getattr(ss.estimators, name))]
    assert len(names) > 60
    wrong = [name for name in names if name not in theirs
             and not scheme.fullmatch(name.removesuffix("CV"))
             and name.removesuffix("CV") not in theirs | OTHERWISE]  # fmt: skip
    assert wrong == []
