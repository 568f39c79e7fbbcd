"""DictionaryLearning as a transformer: rows are signals, and transform returns their codes."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsesolve.data import read_number
from sparsesolve.paths.dictionary.learning import DictionaryLearning as Learner

from .base import TYPES, Answering


class DictionaryLearning(
    Answering, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""Learn atoms of which rows are sparse combinations, and code rows over them.

    This is :class:`sparsesolve.DictionaryLearning` with rows as signals. It minimises the mean of
    :math:`\lVert x - a D \rVert^2 / 2 + \alpha (\rho \lVert a \rVert_1
    + (1 - \rho) \lVert a \rVert^2 / 2)` over codes a and atoms D whose norms are at most 1, with
    :math:`\rho` = l1_ratio.

    Parameters
    ----------
    n_components : int, default None
        Number of atoms; None means the number of features.
    alpha : float, default 1.0
        Strength of the penalty, above 0.
    l1_ratio : float in (0, 1], default 1.0
        1 is the lasso; less adds ridge regression.
    algorithm : {"online", "batch"}, default "online"
        Use mini-batches, or all rows at every step.
    max_iter : int, default 10
        Passes over the rows.
    batch_size : int, default 512
        Rows in a mini-batch of "online".
    tol : float, default 0.0
        Stop after a pass that lowers the objective by less than this fraction.
    positive_code, positive_dict : bool, default False
        Keep codes, or atoms, nonnegative.
    dict_init : array-like (n_components, p), default None
        The first atoms; None means rows drawn at random.
    random_state : int, RandomState or None, default None
        Seed of the start, of the order of the rows, and of replacements of unused atoms.
    n_threads : int, default 1
        -1 uses all cores; the result does not depend on it.

    Attributes
    ----------
    components_ : (n_components, p)
        The atoms.
    objectives_ : list of float
        One for each step.
    n_iter_ : int
        Steps.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sparsesolve.estimators import DictionaryLearning
    >>> X = load_digits().data / 16
    >>> codes = DictionaryLearning(30, alpha=0.2, random_state=0).fit_transform(X)
    >>> codes.shape, bool((codes != 0).mean() < 0.35)
    ((1797, 30), True)
    """

    def __init__(self, n_components=None, *, alpha=1.0, l1_ratio=1.0, algorithm="online",
                 max_iter=10, batch_size=512, tol=0.0, positive_code=False, positive_dict=False,
                 dict_init=None, random_state=None, n_threads=1): ...

    def fit(self, X, y=None):
        """Learn from the rows of X (n, p); y is not used."""
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=TYPES)
        K = X.shape[1] if self.n_components is None else self.n_components
        start = self.dict_init
        if start is not None and np.shape(start) != (K, X.shape[1]):
            raise ValueError(
                f"dict_init has shape {np.shape(start)}; it must be (n_components, p), "
                f"{(K, X.shape[1])}"
            )
        read_number("alpha", self.alpha, 0.0, np.inf, open_low=True)
        read_number("l1_ratio", self.l1_ratio, 0.0, 1.0, open_low=True)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        learner = Learner(
            K, lam=self.alpha, alpha=self.l1_ratio, positive_codes=self.positive_code,
            positive_atoms=self.positive_dict, algorithm=self.algorithm,
            batch_size=self.batch_size, n_epochs=self.max_iter, tol=self.tol, seed=seed,
            dictionary=None if start is None else np.transpose(start),
            n_threads=self.n_threads,
        )  # fmt: skip
        self._learner = learner.fit(_columns(X))
        self.components_ = learner.dictionary.T
        self.objectives_ = list(learner.objectives)
        self.n_iter_ = len(self.objectives_)
        return self

    def transform(self, X):
        """Return codes (n, n_components) of the rows of X by the lasso, with certificates."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=TYPES, reset=False)
        return self._learner.transform(_columns(X)).codes.T.toarray()

    def inverse_transform(self, X):
        """Return the rows (n, p) that codes X (n, n_components) represent."""
        check_is_fitted(self)
        codes = check_array(X, dtype=TYPES, accept_sparse=("csr", "csc"))
        if codes.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {codes.shape[1]} columns; codes have one for each of the "
                f"{len(self.components_)} atoms"
            )
        return codes @ self.components_

    @property
    def _n_features_out(self):
        return len(self.components_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _columns(X):
    """Return the rows of X as columns, the form in which the learner takes signals."""
    return sparse.csc_array(X.T) if sparse.issparse(X) else X.T
