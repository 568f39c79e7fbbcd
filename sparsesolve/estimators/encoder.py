"""DesignEncoder: make_design as a transformer; group estimators can use its groups."""

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsesolve.data import is_frame
from sparsesolve.data.encoding import EncodedDesign, make_design

from .base import Answering


class DesignEncoder(Answering, TransformerMixin, BaseEstimator):
    """Encode a table: numbers stay, gaps are filled, and each level becomes a column of 0 and 1.

    The transformer form of :func:`sparsesolve.make_design`, for pipelines. After it, a
    GroupLasso with ``groups="source"`` selects the columns of each category together.

    Parameters
    ----------
    formula : str, default None
        Columns to make, as ``"a * b + bs(age, 4)"``: see :func:`sparsesolve.make_design`. None
        means all columns of the table. With ``groups="source"`` terms are selected whole.
    sparse : bool, default False
        Make a sparse matrix.
    missing : {"mean", "error"}, default "mean"
        Fill gaps with the mean of their column, or refuse them when fitted.
    unknown : {"error", "zero"}, default "error"
        How to treat a level that did not occur in `fit`: raise an error, or encode it as 0 in
        every column.

    Attributes
    ----------
    design_ : EncodedDesign
        The encoding of tables; it holds no rows.
    n_features_in_ : int
        Columns of the table.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sparsesolve.estimators import DesignEncoder, GroupLasso
    >>> table = {"age": [31, None, 59, 40], "ward": ["east", "west", "north", "east"]}
    >>> model = make_pipeline(DesignEncoder(), GroupLasso(0.1, groups="source"))
    >>> model.fit(table, [1.0, 2.0, 3.0, 1.0])[0].get_feature_names_out().tolist()
    ['age', 'ward=east', 'ward=north', 'ward=west']
    """

    def __init__(self, formula=None, *, sparse=False, missing="mean", unknown="error"): ...

    def fit(self, X, y=None):
        """Learn levels, means and shares of a table, in the forms of make_design."""
        self._fitted(X)
        return self

    def fit_transform(self, X, y=None):
        """Fit, and return the EncodedDesign of the same table."""
        return self._chosen(self._fitted(X))

    def transform(self, X):
        """Return the EncodedDesign of a table, which estimators take as X.

        With ``set_output(transform="pandas")`` it is a frame.
        """
        check_is_fitted(self)
        return self._chosen(self.design_.encode(self._checked(X, reset=False)))

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns, such as "age" and "ward=east"."""
        check_is_fitted(self)
        return np.array(self.design_.names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _fitted(self, X):
        X = self._checked(X, reset=True)
        table = (X,) if self.formula is None else (self.formula, X)
        design = make_design(*table, sparse=self.sparse, missing=self.missing,
                             unknown=self.unknown)  # fmt: skip
        self.design_, self.n_features_in_ = design.without_rows(), len(design.sources)
        if self.formula is not None:  # which may leave columns out
            self.n_features_in_ = len(X) if isinstance(X, dict) else X.shape[1]
        return design

    def _checked(self, X, reset):
        """Return the table after scikit-learn's checks of arrays; a frame may have more columns.
        """
        if isinstance(X, np.ndarray) or sparse.issparse(X):
            return validate_data(self, X, dtype=None, ensure_all_finite=False, reset=reset)
        if reset and is_frame(X):
            validate_data(self, X, skip_check_array=True)
        return X

    def _chosen(self, design):
        """Return the design, or its matrix where set_output asks for another container."""
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        kept = (own or get_config()["transform_output"]) == "default"
        return design if kept else design.matrix


def source_groups(X, names):
    """Return a label for each column: the column of the table that it came from.

    Parameters
    ----------
    X : the argument of fit
    names : (p,) names of its columns such as "ward=east", or None
    """
    if isinstance(X, EncodedDesign):
        return list(X.groups)
    if names is not None:
        return [str(name).partition("=")[0] for name in names]
    raise ValueError(
        "groups='source' needs the design of a DesignEncoder or make_design, or a frame whose "
        "columns are named as theirs, 'ward=east'"
    )
