"""DesignEncoder in pipelines: what make_design does, learnt from the rows that are fitted."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")
from sklearn import config_context, linear_model  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import (  # noqa: E402
    CoxNet,
    DesignEncoder,
    GroupLasso,
    GroupLassoCV,
    Lasso,
    MKLRegressor,
    OnlineRegressor,
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


@pytest.mark.parametrize("container", ["pandas", "polars", "global"])
def test_frames_are_what_set_output_asks_for(container):
    if container == "polars":
        pytest.importorskip("polars")
    with config_context(transform_output="pandas" if container == "global" else "default"):
        encoder = DesignEncoder()
        if container != "global":
            encoder.set_output(transform=container)
        frame = encoder.fit_transform(TABLE)
        assert list(frame.columns) == DESIGN.names.tolist()
        np.testing.assert_array_equal(np.asarray(frame), DESIGN.matrix)
        model = make_pipeline(encoder, GroupLasso(0.1, groups="source")).fit(TABLE, Y)
    plain = make_pipeline(DesignEncoder(), GroupLasso(0.1, groups="source")).fit(TABLE, Y)
    np.testing.assert_array_equal(model[-1].coef_, plain[-1].coef_)


def test_in_a_column_transformer():
    table = TABLE.assign(height=1.0)
    for sparse in (False, True):
        both = ColumnTransformer(
            [("tables", DesignEncoder(sparse=sparse), ["age", "ward"]),
             ("rest", "passthrough", ["height"])]
        )  # fmt: skip
        found = both.fit_transform(table)
        np.testing.assert_array_equal(found, np.column_stack([DESIGN.matrix, np.ones(N)]))


@pytest.mark.parametrize("kind", [Lasso, PoissonNet, CoxNet, MKLRegressor, OnlineRegressor])
def test_estimators_of_a_design_predict_raw_tables(kind):
    """In any order of columns, with further ones, and as what the design encodes."""
    y = np.column_stack([np.exp(Y), np.ones(N)]) if kind is CoxNet else np.exp(Y)
    model = kind().fit(DESIGN, y)
    raw = TABLE[["ward", "age"]].assign(other="x")
    for table in (raw, raw.to_dict("list")):
        np.testing.assert_array_equal(model.predict(table), model.predict(DESIGN))


def test_gaps_refused_by_make_design_are_refused_later():
    known = TABLE.drop(index=3)
    design = ss.make_design(known, missing="error")
    fit = ss.path(design, Y.drop(index=3), lambdas=[0.1])
    for name in TABLE:
        gap = known.copy()
        gap.loc[5, name] = None
        with pytest.raises(ValueError, match=f"column '{name}' is missing in row 4"):
            fit.predict(gap, 0.1)
