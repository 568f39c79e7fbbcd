"""Results of the functions: coefficients, predictions, printing, pictures and files.

`Path` and its kin are names of :mod:`sparsesolve`. The classes of all other results, and pictures
of images and trees, are named here, wherever they are made.
"""

from sparsesolve.data.public_names import public_names

__all__ = [
    "Aligned", "Calibration", "Certificate", "Confusion", "Constrained", "EncodedDesign",
    "Genotypes", "Intervals", "Knockoffs", "MKLCrossValidation", "Matches", "OnlineFit",
    "PolygenicScore", "Refit", "Roc", "SampleScores", "Scores", "SparseCodes", "StabilityPath",
    "SurvivalCurves", "Thinned", "plot_graph", "plot_image", "plot_tree",
]  # fmt: skip

HOMES = {
    "Aligned": "data.genotypes.alignment",
    "Calibration": "selection.assessment.classes",
    "Certificate": "online.certificate",
    "Confusion": "selection.assessment.classes",
    "Constrained": "selection.radius",
    "EncodedDesign": "data.encoding",
    "Genotypes": "data.genotypes.columns",
    "Intervals": "results.intervals",
    "Knockoffs": "results.knockoffs",
    "MKLCrossValidation": "results.kernel_path",
    "Matches": "data.genotypes.matching",
    "OnlineFit": "online.fit",
    "PolygenicScore": "results.polygenic_score",
    "Refit": "selection.refit",
    "Roc": "selection.assessment.classes",
    "SampleScores": "results.polygenic_score",
    "Scores": "selection.measures",
    "SparseCodes": "paths.dictionary.encoding",
    "StabilityPath": "selection.stability",
    "SurvivalCurves": "results.survival_prediction",
    "Thinned": "inference.thinning",
    "plot_graph": "results.pictures.image",
    "plot_image": "results.pictures.image",
    "plot_tree": "results.pictures.image",
}
__getattr__, __dir__ = public_names(__name__, HOMES)
