"""Results are one family: each class has the same questions, in one table of all of them.

A class of results that is new has to be added to RESULTS, or `test_no_class_is_left_out` fails.
"""

import inspect
import pkgutil
import re
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from plink_files import write_plink

import sparsesolve as ss
from sparsesolve import mkl, structured
from sparsesolve.paths import bundle
from sparsesolve.results.coefficient_table import Named, Tabled
from sparsesolve.results.frozen import Frozen
from sparsesolve.selection import at_radius

pd = pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(90, 4)), columns=["age", "size", "dose", "rest"])
Y = X["age"].to_numpy() - X["dose"].to_numpy() + 0.5 * RNG.normal(size=90)
KIND = np.where(Y > 0, "well", "sick")
LENGTHS = np.full(15, 6)
PLACES = np.column_stack([X, np.ones(90)])


@cache
def of_classes():
    return ss.path(X, KIND, family="binomial", n_lambdas=10)


@cache
def sentences():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trees.txt"
        file.write_text("dogs N 2\nbark V 0\n\ncats N 2\nsleep V 0\n")
        return structured.read_sentences(file, ["form", "tag", "head"])


@cache
def score():
    lines = ["rsID\teffect_allele\tother_allele\teffect_weight\tallelefrequency_effect",
             *(f"rs{j}\tA\tC\t{0.1 * j}\t0.5" for j in range(4))]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "weights.txt"
        file.write_text("\n".join(lines))
        return ss.polygenic_score(file)


@cache
def genotypes():
    with tempfile.TemporaryDirectory() as folder:
        variants = [f"1\trs{j}\t0\t{j + 1}\tA\tC" for j in range(4)]
        file = write_plink(Path(folder), RNG.integers(0, 3, (30, 4)), variants=variants)
        return score().score(ss.genotypes(file))


RESULTS = {
    "Path": lambda: ss.path(X, Y, n_lambdas=5),
    "KnotPath": lambda: ss.lars_path(X, Y),
    "CVPath": lambda: ss.cv_path(X, Y, n_folds=3, seed=0, n_lambdas=8),
    "MKLPath": lambda: ss.mkl_path([np.outer(x, x) for x in PLACES.T], Y, n_lambdas=5),
    "MKLCrossValidation": lambda: ss.cv_mkl_path(
        [np.outer(x, x) for x in PLACES.T], Y, n_folds=3, seed=0, n_lambdas=5),
    "CRFPath": lambda: ss.crf_path(X, KIND, lengths=LENGTHS, n_lambdas=4),
    "CRFCrossValidation": lambda: structured.cv_crf_path(
        PLACES, KIND, lengths=LENGTHS, n_folds=3, n_lambdas=4),
    "OnlineFit": lambda: ss.online(X, KIND, family="binomial", lam=0.01),
    "SPOM": lambda: ss.spom(PLACES, KIND, lengths=LENGTHS, groups=list("uuvvw"), lam=0.1, seed=0),
    "Parser": lambda: structured.parse_trees(sentences(), templates=["h.tag+m.tag"]),
    "SPOMCrossValidation": lambda: structured.cv_spom(
        PLACES, KIND, lengths=LENGTHS, groups=list("uuvvw"), Cs=[0.1, 1.0], n_folds=3),
    "TreePath": lambda: structured.tree_path(
        sentences(), templates=["h.tag+m.tag"], by_template=True, n_lambdas=4),
    "Refit": lambda: ss.refit(ss.path(X, Y), X, Y, s=0.1),
    "Scores": lambda: ss.criteria(ss.path(X, Y, n_lambdas=6, lambda_min_ratio=0.1), X, Y),
    "Constrained": lambda: at_radius(ss.path(X, Y, standardize=False, n_lambdas=5), 0.5, X, Y),
    "StabilityPath": lambda: ss.stability_path(X, Y, n_pairs=3, seed=0),
    "Roc": lambda: ss.roc(of_classes(), X, KIND, s=0.05),
    "Confusion": lambda: ss.confusion(of_classes(), X, KIND, s=0.05),
    "Calibration": lambda: ss.calibration(of_classes(), X, KIND, s=0.05, n_bins=4),
    "TagReport": lambda: structured.tag_report(["B-a", "O", "B-b"], ["B-a", "B-b", "B-b"]),
    "SparseCodes": lambda: ss.sparse_code(PLACES[:, :3], PLACES, lam=1.0),
    "DictionaryLearning": lambda: ss.DictionaryLearning(3, lam=0.1, seed=0).fit(PLACES.T),
    "Intervals": lambda: ss.inference.split(X, Y, n_splits=4, seed=0),
    "Knockoffs": lambda: ss.inference.knockoffs(X, Y, fdr=0.5, seed=0),
    "PolygenicScore": score,
    "SampleScores": genotypes,
    "Trace": lambda: bundle.pegasos(PLACES, np.where(Y > 0, 1, -1), lam=0.1),
}  # fmt: skip
# These have no coefficients, or are their coefficients.
WITHOUT_SUMMARY = {"Scores", "StabilityPath", "Roc", "Confusion", "Calibration", "TagReport",
                   "SparseCodes", "DictionaryLearning", "Intervals", "Knockoffs", "PolygenicScore",
                   "SampleScores"}  # fmt: skip
made = cache(lambda name: RESULTS[name]())


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_answers(name):
    fit = made(name)
    assert type(fit).__name__ == name
    arrays = [value for value in vars(fit).values() if isinstance(value, np.ndarray)]
    assert not (isinstance(fit, Frozen) and any(array.flags.writeable for array in arrays))
    assert "\n" not in repr(fit) and len(repr(fit)) < 250
    assert 0 < len(str(fit).splitlines()) < 60
    frame = fit.to_frame()
    assert isinstance(frame, pd.DataFrame) and len(frame) and frame.columns.is_unique
    ax = fit.plot()
    assert ax.get_xlabel() and (ax.get_ylabel() or name in ("Refit", "Constrained", "Intervals"))
    ax.figure.draw_without_rendering()
    matplotlib.pyplot.close(ax.figure)
    if name not in WITHOUT_SUMMARY:
        text = fit.summary()
        assert isinstance(text, str) and len(text.splitlines()) >= 3


@pytest.mark.parametrize("name", RESULTS)
def test_pictures_say_what_they_take(name):
    """help(fit.plot) names each parameter."""
    plot = type(made(name)).plot
    for parameter in list(inspect.signature(plot).parameters.values())[1:]:
        name = str(parameter).split(":")[0].split("=")[0].strip()  # with the star of *others
        assert f"\n{name} : " in inspect.getdoc(plot), name


# These are returned as well: what is passed to a fit, and an array.
OTHERS = {"HingeRisk", "Sentences", "SurvivalCurves"}
ROOMS = ("results", "selection", "structured", "online", "paths")


def test_no_class_is_left_out():
    """Every class that public functions return, and every class with a frame, is in RESULTS."""
    classes, found = {}, set()
    for module in pkgutil.walk_packages(ss.__path__, "sparsesolve."):
        if module.name.split(".")[1] not in ROOMS:
            continue
        for name, thing in vars(import_module(module.name)).items():
            if inspect.isclass(thing) and thing.__module__ == module.name:
                classes[name] = thing
                if issubclass(thing, Named | Tabled) or hasattr(thing, "to_frame"):
                    found.add(name)
    for room in (ss, bundle, mkl, structured):
        for name in room.__all__:
            returned = getattr(getattr(room, name), "__annotations__", {}).get("return", "")
            found |= {word for word in re.findall(r"[A-Z]\w+", str(returned)) if word in classes}
    bases = {"Named", "Tabled", "CrossValidated"}
    assert found - bases - OTHERS == set(RESULTS)
