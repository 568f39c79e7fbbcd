"""Cross-validation of chains and of SPOM, with whole sequences held out together."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import answers_keywords, read_choice, read_count, read_seed
from sparsesolve.data.paragraphs import described_by
from sparsesolve.results.coefficient_table import Tabled, described
from sparsesolve.results.cv_path import CrossValidated, choose, summary
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.pictures.axes import label_axes, on_axes
from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.sequences import (
    in_positions_of,
    known_tags,
    read_rows,
    read_tags,
    sequence_weights,
)
from sparsesolve.structured.spom_input import read_blocks, read_positive
from sparsesolve.structured.spom_result import SPOM
from sparsesolve.structured.spom_training import spom

MEASURES = ("accuracy", "loss")


@dataclass(frozen=True, eq=False, repr=False)
class CRFCrossValidation(CrossValidated):
    """Scores of each lambda on held-out sequences, and the path of all data.

    Attributes are those of :class:`sparsesolve.CVPath`: ``lambdas``, ``mean``, ``std``,
    ``fold_scores`` (F, L), ``lambda_min``, ``lambda_1se``, the CRFPath ``path``, and others.
    ``folds`` (n_sequences,) is the fold of each sequence.
    """

    @property
    def lambda_best(self) -> float:
        """The old name of `lambda_min`, which warns."""
        warnings.warn("lambda_best will go; lambda_min takes its place", FutureWarning,
                      stacklevel=2)  # fmt: skip
        return self.lambda_min

    def predict(self, X: Any, lengths: ArrayLike | None = None, s: Any = "lambda_1se",
                n_threads: int = 1) -> np.ndarray:
        """Return the labels with the largest score at `s`, as `CRFPath.predict`."""
        return self.path.predict(X, lengths, self.read_s(s), n_threads)

    def coef(self, s: Any = "lambda_1se") -> np.ndarray:
        """Return the coefficients of the features at `s`, (p, K), as in `CRFPath.coef`."""
        return self.path.coef(self.read_s(s))

    def nonzero(self, s: Any = "lambda_1se") -> np.ndarray:
        """Return the features with a nonzero coefficient at `s`."""
        return self.path.nonzero(self.read_s(s))


@answers_keywords()
@described_by(crf_path)
def cv_crf_path(
    X: Any,
    y: Any,
    *,
    lengths: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    n_folds: int = 5,
    folds: ArrayLike | None = None,
    measure: str = "accuracy",
    seed: int = 0,
    **options: Any,
) -> CRFCrossValidation:
    """Choose the lambda of a `crf_path` by cross-validation over sequences.

    Parameters
    ----------
    weights : array-like (n_sequences,)
        One for each sequence, scaled to sum 1. Held-out scores are weighted by sequence as well.
    n_folds : int, default 5
        Number of folds, drawn at random; their sizes differ by at most one.
    folds : array-like (n_sequences,) of int, default None
        The fold of each sequence, in place of `n_folds`.
    measure : {"accuracy", "loss"}, default "accuracy"
        Fraction of labels that are right, or the mean of -log P(y | x) over sequences.
    seed : int, default 0
        Seed of the random folds.
    **options
        Options of `crf_path`. All folds are solved at the lambdas of the path of all data.

    Returns
    -------
    CRFCrossValidation

    Raises
    ------
    ValueError, TypeError
        Where the data or options are refused, or there are fewer than two folds; with "loss" also
        where a label occurs in one fold alone.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import structured
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> cv = structured.cv_crf_path(X, X[:, 0] > 0, lengths=[10] * 20, n_folds=4, n_lambdas=5)
    >>> cv.mean.shape, bool(cv.lambda_min <= cv.lambda_1se)
    ((5,), True)
    """
    read_choice("measure", measure, MEASURES)
    y = in_positions_of(X, y)
    path = crf_path(X, y, lengths=lengths, weights=weights, **options)
    rows = read_rows(X, lengths, both=False)
    codes, names = read_tags(y, rows.ptr)
    N = len(rows.ptr) - 1
    w = sequence_weights(weights, N)
    folds = _folds(folds, n_folds, N, seed)
    sizes, scores = np.diff(rows.ptr), []
    options = {**options, "lambdas": path.lambdas}
    for name in ("n_lambdas", "lambda_min_ratio"):
        options.pop(name, None)
    for fold in np.unique(folds):
        out = folds == fold
        inside, outside = np.repeat(~out, sizes), np.repeat(out, sizes)
        _refuse_no_label(codes[inside], names, fold, options.get("allowed"))
        fit = crf_path(rows.rows[inside], names[codes[inside]], lengths=sizes[~out],
                       weights=w[~out], **options)  # fmt: skip
        held = rows.rows[outside], names[codes[outside]], sizes[out]
        scores.append([_score(fit, *held, w[out], lam, measure) for lam in fit.lambdas])
    return _chosen(path, np.array(scores), folds, measure)


def _folds(folds, n_folds, N, seed):
    if folds is None:
        n_folds = read_count("n_folds", n_folds, 2, N)
        return np.random.default_rng(read_seed(seed)).permutation(np.arange(N) % n_folds)
    folds = np.asarray(folds)
    if folds.shape != (N,) or folds.dtype.kind not in "iu" or len(np.unique(folds)) < 2:
        raise ValueError(f"folds must be {N} whole numbers, one a sequence, of two folds at least")
    return folds


def _refuse_no_label(codes, names, fold, allowed):
    """Refuse a fold without one of the labels if there is a mask, which is by label."""
    missing = np.setdiff1d(np.arange(len(names)), codes)
    if len(missing) and allowed is not None:
        raise ValueError(
            f"the label {names.tolist()[missing[0]]!r} occurs in fold {fold} alone, so the mask "
            "does not fit the others; give folds"
        )


def _score(fit, X, y, lengths, w, lam, measure):
    if measure == "loss":
        known_tags(y, np.concatenate([[0], np.cumsum(lengths)]), fit.labels)
        return float(np.average(-fit.log_likelihood(X, y, lengths, s=lam), weights=w))
    right = fit.predict(X, lengths, s=lam) == y
    return float(np.average(right, weights=np.repeat(w, lengths)))


def _chosen(path, scores, folds, measure):
    larger = measure == "accuracy"
    mean, std = summary(scores, np.ones(len(scores)), 1)
    best, near = choose(mean, std, larger)
    return CRFCrossValidation(
        lambdas=path.lambdas, mean=mean, std=std, lower=mean - std, upper=mean + std,
        n_nonzero=path.df, fold_scores=scores, fold_weights=np.ones(len(scores)),
        lambda_min=float(path.lambdas[best]), lambda_1se=float(path.lambdas[near]),
        index_min=best, index_1se=near, measure=measure, larger_is_better=larger, path=path,
        folds=folds,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class SPOMCrossValidation(Frozen, Tabled):
    """Scores of each C on held-out sequences, and the model of all data at the best."""

    Cs: np.ndarray  #: (n_Cs,) as given
    fold_scores: np.ndarray  #: (F, n_Cs) fraction of labels of each fold that are right
    mean: np.ndarray  #: (n_Cs,) mean over folds
    std: np.ndarray  #: (n_Cs,) its standard error
    C_best: float  #: the C with the best mean; of equals the smallest
    model: SPOM  #: fitted to all sequences with C_best
    folds: np.ndarray  #: (n_sequences,) the fold of each sequence

    def __repr__(self) -> str:
        best = int(np.argmax(self.mean))
        return (f"<SPOMCrossValidation: {len(self.fold_scores)} folds, accuracy "
                f"{self.mean[best]:.4g} at C = {self.C_best:g}>")  # fmt: skip

    def predict(self, X: Any, lengths: ArrayLike | None = None) -> np.ndarray:
        """Return the labels with the largest score, as `SPOM.predict` of `model`."""
        return self.model.predict(X, lengths)

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the mean accuracy and its standard error against C."""
        ax.errorbar(self.Cs, self.mean, yerr=self.std, fmt="o", capsize=2.0)
        ax.axvline(self.C_best, color="0.3", linewidth=1.0, linestyle=":")
        ax.set_xscale("log")
        label_axes(ax, "C", "Accuracy on sequences held out")
        return ax

    def summary(self) -> str:
        """Describe in words what was chosen, and the groups with the largest weights."""
        return described([repr(self).strip("<>")], self.model._columns())

    def _columns(self):
        return {"C": self.Cs, "std": self.std, "accuracy": self.mean}


@answers_keywords()
@described_by(spom)
def cv_spom(
    X: Any,
    y: Any,
    *,
    lengths: ArrayLike | None = None,
    Cs: ArrayLike = (0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0),
    n_folds: int = 5,
    folds: ArrayLike | None = None,
    seed: int = 0,
    **options: Any,
) -> SPOMCrossValidation:
    """Choose C of a `spom` by cross-validation over sequences, of features or of kernels.

    Parameters
    ----------
    Cs : array-like (n_Cs,), default (0.1, 1, 10, 100, 1000, 10000)
        Values of C; the grid of Martins et al. (2011). ``lam`` is 1 / (C N) for the N sequences
        of each fit.
    n_folds : int, default 5
        Number of folds, drawn at random; their sizes differ by at most one.
    folds : array-like (n_sequences,) of int, default None
        The fold of each sequence, in place of `n_folds`.
    seed : int, default 0
        Seed of the folds, and of the orders of sequences.
    **options
        Options of `spom`. A kernel is cut to the positions of training, and scores come from its
        rows of those held out.

    Returns
    -------
    SPOMCrossValidation

    Raises
    ------
    ValueError, TypeError
        Where the data or options are refused, or there are fewer than two folds.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import structured
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> kernels = {"linear": X @ X.T, "square": (X @ X.T) ** 2}
    >>> cv = structured.cv_spom(kernels, X[:, 0] > 0, lengths=[10] * 20, Cs=[0.1, 10.0])
    >>> cv.fold_scores.shape, bool(cv.mean.max() > 0.8)
    ((5, 2), True)
    """
    for name in ("lam", "C", "order"):
        if name in options:
            raise ValueError(f"{name} is an option of spom alone; cv_spom takes Cs and seed")
    Cs = np.array([read_positive("Cs", float(C)) for C in np.ravel(Cs)])
    data = read_blocks(X, y, lengths, options.get("groups"), labels=options.get("labels"))
    options = {**options, "labels": data.labels, "seed": seed}
    sizes, known = np.diff(data.ptr), data.labels[data.codes]
    parts = _blocks_by_name(X, lengths, data.of is not None)
    folds = _folds(folds, n_folds, len(sizes), seed)
    found = []
    for fold in np.unique(folds):
        out = folds == fold
        inside, outside = np.repeat(~out, sizes), np.repeat(out, sizes)
        train, test = _cut(parts, inside, inside), _cut(parts, outside, inside)
        fits = (spom(train, known[inside], lengths=sizes[~out], C=float(C), **options) for C in Cs)
        found.append([np.mean(fit.predict(test, sizes[out]) == known[outside]) for fit in fits])
    scores = np.array(found, dtype=float)
    mean, std = summary(scores, np.ones(len(scores)), 1)
    best = float(Cs[np.flatnonzero(mean == mean.max())].min())
    model = spom(X, y, lengths=lengths, C=best, **options)
    return SPOMCrossValidation(Cs=Cs, fold_scores=scores, mean=mean, std=std, C_best=best,
                               model=model, folds=np.asarray(folds))  # fmt: skip


def _blocks_by_name(X, lengths, is_table):
    """Return the rows of a table, or a dict of blocks."""
    if is_table:
        return read_rows(X, lengths, both=False).rows
    return X if isinstance(X, dict) else dict(enumerate(X))


def _cut(X, rows, columns):
    """Return rows of a table, or of blocks; of a kernel also its columns."""
    if not isinstance(X, dict):
        return X[rows]
    found = {}
    for name, part in X.items():
        if hasattr(part, "Z"):
            found[name] = type(part)(part.Z[rows])
        else:
            kernel = sparse.csr_array(part) if sparse.issparse(part) else np.asarray(part)
            found[name] = kernel[rows][:, columns]
    return found
