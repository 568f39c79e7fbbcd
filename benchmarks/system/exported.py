"""Do models that go through PMML predict what the estimators do? exported.py.

Needs Java, scikit-learn 1.9.0, sklearn2pmml, jpmml-evaluator, jpype1 and pandas, best in an
environment of their own. Prints how far predictions of the PMML evaluator are from ours at most.
"""

import argparse
import os
import tempfile
import warnings

import numpy as np
import pandas as pd
from jpmml_evaluator import make_evaluator
from sklearn2pmml import sklearn2pmml
from sklearn2pmml.pipeline import PMMLPipeline

from sparsesolve import estimators as ours

NAMES = ["a", "b", "c", "d"]


def problems():
    """Estimators, each with responses (120,) of its kind, and their features (120, 4)."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 4)), columns=NAMES)
    eta = X["a"] - 0.5 * X["b"]
    y = eta + 0.3 * rng.normal(size=120)
    two = np.where(y > 0, "yes", "no")
    three = np.array(["low", "mid", "high"])[np.digitize(y, [-0.5, 0.5])]
    counts = rng.poisson(np.exp(0.5 * eta))
    positive = np.exp(0.5 * eta + 0.1 * rng.normal(size=120))
    return X, [
        (ours.Lasso(0.05), y), (ours.ElasticNetCV(cv=3), y), (ours.LassoLars(0.01), y),
        (ours.Lars(), y), (ours.OrthogonalMatchingPursuit(n_nonzero_coefs=2), y),
        (ours.GroupLasso(0.05, groups=[0, 0, 1, 1]), y), (ours.HuberNet(0.01), y),
        (ours.RelaxedLassoCV(cv=3), y), (ours.SparseLogisticRegression(0.01), two),
        (ours.SparseLogisticRegression(0.01), three), (ours.PoissonNet(0.01), counts),
        (ours.GammaNet(0.01), positive), (ours.TweedieNet(0.01), positive),
        (ours.NegativeBinomialNet(0.01), counts),
    ]  # fmt: skip


def apart(model, X, file):
    """The largest difference of predictions, or of class probabilities."""
    pipeline = PMMLPipeline([("model", model.to_sklearn())])
    pipeline.active_fields, pipeline.target_fields = np.array(NAMES), np.array(["y"])
    sklearn2pmml(pipeline, file)
    found = make_evaluator(file).verify().evaluateAll(X)
    if not hasattr(model, "classes_"):
        return np.abs(found["y"].to_numpy(float) - model.predict(X)).max()
    assert (found["y"].to_numpy() == model.predict(X)).all()
    chances = np.column_stack([found[f"probability({name})"] for name in model.classes_])
    return np.abs(chances - model.predict_proba(X)).max()


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    X, pairs = problems()
    with tempfile.TemporaryDirectory() as folder:
        for model, y in pairs:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X, y)
            off = apart(model, X, os.path.join(folder, "model.pmml"))
            print(f"{type(model).__name__:28s} {len(np.unique(y))} responses, off {off:.1e}")


if __name__ == "__main__":
    main()
