"""DesignEncoder in pipelines: what make_design does, learnt from the rows that are fitted."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")
from sklearn import linear_model  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import (  # noqa: E402
    DesignEncoder,
    GroupLasso,
    GroupLassoCV,
    Lasso,
    PoissonNet,
    SparseLogisticRegression,
)

RNG = np.random.default_rng(0)
N = 100
TABLE = pandas.DataFrame({"age": RNG.normal(size=N), "ward": RNG.choice(list("abc"), N)})
TABLE.loc[3, "age"] = np.nan
Y = 2.0 * (TABLE.ward == "a") + RNG.normal(size=N)
DESIGN = ss.make_design(TABLE)


def test_it_encodes_as_make_design_does():
    encoder = DesignEncoder().fit(TABLE)
    np.testing.assert_array_equal(encoder.transform(TABLE).matrix, DESIGN.matrix)
    np.testing.assert_array_equal(DesignEncoder().fit_transform(TABLE).matrix, DESIGN.matrix)
    assert encoder.get_feature_names_out().tolist() == DESIGN.names.tolist()
    assert encoder.design_.shape == (0, 4) and encoder.n_features_in_ == 2
    with pytest.raises(ValueError, match="holds 'd' at row 0"):
        encoder.transform(pandas.DataFrame({"age": [1.0], "ward": ["d"]}))
    zero = DesignEncoder(unknown="zero", sparse=True).fit(TABLE)
    assert zero.transform(pandas.DataFrame({"age": [1.0], "ward": ["d"]})).matrix.nnz == 1
    with pytest.raises(ValueError, match="not fitted"):
        DesignEncoder().transform(TABLE)


def test_groups_are_known_after_encoding():
    """In a pipeline, a search and a cross-validation, which know no level beforehand."""
    model = make_pipeline(DesignEncoder(), GroupLasso(0.1, groups="source")).fit(TABLE, Y)
    expected = ss.path(DESIGN, Y, penalty=ss.penalties.GroupL2(DESIGN.groups), lambdas=[0.1],
                       standardize=False, tol=1e-10)  # fmt: skip
    np.testing.assert_allclose(model[-1].coef_, expected.coef(0.1))
    np.testing.assert_allclose(model.predict(TABLE), expected.predict(TABLE, 0.1))
    search = GridSearchCV(model, {"grouplasso__alpha": [0.05, 5.0]}, cv=3).fit(TABLE, Y)
    assert search.best_params_ == {"grouplasso__alpha": 0.05}
    assert np.isfinite(cross_val_predict(model, TABLE, Y, cv=3)).all()
    chosen = GroupLassoCV(groups="source", cv=3).fit(DESIGN, Y)
    np.testing.assert_array_equal(
        chosen.coef_, GroupLassoCV(groups=DESIGN.groups, cv=3).fit(DESIGN, Y).coef_)
    frame = pandas.DataFrame(DESIGN.matrix, columns=DESIGN.names)
    np.testing.assert_array_equal(GroupLasso(0.1, groups="source").fit(frame, Y).coef_,
                                  model[-1].coef_)  # fmt: skip


def test_every_estimator_takes_a_design():
    for sparse in (False, True):
        design = ss.make_design(TABLE, sparse=sparse)
        for model, y in ((Lasso(0.1), Y), (SparseLogisticRegression(), Y > 0),
                         (PoissonNet(0.1), np.round(np.exp(Y)))):  # fmt: skip
            fitted = model.fit(design, y).coef_.copy()
            predicted = model.predict(design)
            np.testing.assert_allclose(model.fit(DESIGN.matrix, y).coef_, fitted, atol=1e-8)
            np.testing.assert_allclose(model.predict(DESIGN.matrix), predicted, atol=1e-7)
    theirs = make_pipeline(DesignEncoder(), linear_model.Lasso(0.1)).fit(TABLE, Y)
    np.testing.assert_allclose(theirs[-1].coef_, Lasso(0.1).fit(DESIGN, Y).coef_, atol=1e-3)


def test_other_groups_are_refused():
    with pytest.raises(ValueError, match="groups='source' needs the design of a DesignEncoder"):
        GroupLasso(groups="source").fit(DESIGN.matrix, Y)
    with pytest.raises(ValueError, match="groups must be one of 'source', not 'columns'"):
        GroupLasso(groups="columns").fit(DESIGN, Y)
