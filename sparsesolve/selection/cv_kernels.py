"""cv_mkl_path: the lambda at which several kernels best predict held-out samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import by_rows, read_flag, refuse_unknown
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.mkl.given_grams import GivenGrams, precomputed
from sparsesolve.mkl.grams import Grams
from sparsesolve.mkl.kernels import LowRank
from sparsesolve.mkl.path import mkl_path
from sparsesolve.mkl.reading import read_kernels
from sparsesolve.mkl.scaling import read_scale
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.kernel_path import MKLCrossValidation
from sparsesolve.selection.cv import cv_path, of_choice, of_folds
from sparsesolve.selection.folds import Rows, read_folds
from sparsesolve.selection.jobs import run_calls
from sparsesolve.selection.measures import read_measure


@by_rows("y", "weights", "offset", "folds", "groups", "family", of="kernels")
@described_by(mkl_path, cv_path)
def cv_mkl_path(
    kernels: Any,
    y: Any,
    *,
    centre: bool = False,
    scale: str | None = None,
    n_folds: int = 10,
    folds: Any = None,
    groups: ArrayLike | None = None,
    measure: str | Callable[..., float] | None = None,
    keep: bool = False,
    repeats: int = 1,
    seed: int | np.random.Generator | None = None,
    n_jobs: int = 1,
    **options: Any,
) -> MKLCrossValidation:
    """Choose the lambda of a path of kernels by cross-validation, with the rules of `cv_path`.

    Each fit sees the kernels between the samples it trains on alone: of given kernels these rows
    and columns, and Grams of a table are built again from its rows, so that no mean and no scale
    is learned from samples held out. Each fit has its own grid, and is interpolated at the
    lambdas of the path of all samples.

    Parameters
    ----------
    centre : bool, default False
        Centre given kernels in feature space, by the mean of the samples of each fit.
    scale : {None, "trace", "diagonal"}, default None
        Divide each given kernel so that its diagonal has mean 1 over the samples of each fit, or
        is 1 everywhere. Kernels enter a path by their size. Grams have both already.
    **options
        Options of :func:`mkl_path`.

    Returns
    -------
    MKLCrossValidation
        With the attributes of a :class:`CVPath`; its ``path`` is that of all samples.

    Raises
    ------
    ValueError, TypeError
        As :func:`mkl_path` and :func:`cv_path`; also if Grams of given kernels were centred and
        then divided by their diagonals, which hides the kernels themselves.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> kernels = np.stack([np.outer(x, x) for x in X.T])
    >>> cv = ss.cv_mkl_path(kernels, X[:, 1], scale="trace", n_folds=5, seed=0, n_lambdas=20)
    >>> cv.path.active(cv.lambda_1se)
    array([1])
    """
    defaults, own = mkl_path.__kwdefaults__ or {}, cv_mkl_path.__kwdefaults__ or {}
    refuse_unknown("cv_mkl_path", options, [*own, *defaults], "function")
    options = {**defaults, **options}
    family = read_family(options["family"])
    scorer = read_measure(measure, family)
    made = _source(kernels, read_flag("centre", centre), read_scale(scale))
    response = family.read(y, made.n)
    rows = KernelRows(made, family, response, options)
    folds, ids = read_folds(
        folds, made.n, n_folds=n_folds, repeats=repeats, groups=groups, labels=rows.labels(),
        seed=seed, data=(np.zeros((made.n, 1)),
                         response.values if rows.labels() is None else rows.labels()),
    )  # fmt: skip
    rows.refuse_untrainable(folds)
    calls = [partial(rows.fit, y, options, k, None if k is None else fold.train)
             for k, fold in [(None, None), *enumerate(folds)]]  # fmt: skip
    master, *others = run_calls(calls, options["n_threads"], n_jobs, options["progress"])
    cv = of_folds(MKLCrossValidation, rows, folds, ids, scorer, master, others,
                  read_flag("keep", keep))  # fmt: skip
    warn_missed([master, *others], options["tol"], also=of_choice(cv, len(folds) + 1))
    return cv


class KernelRows(Rows):
    """The samples of a cross-validation of kernels."""

    def __init__(self, made, family, response, options):
        super().__init__(family, np.zeros((made.n, 0)), response, options)
        self.made = made

    def fit(self, y, options, k, train, n_threads, wanted=None):
        """Return the path of the samples `train` (n,); None: of all. Errors name the fold k."""
        own = {**options, "progress": False, "n_threads": n_threads}
        if train is None:
            return mkl_path(self.made.trained(None, self.weights), y, **own)
        which = np.flatnonzero(train)
        weights = self.weights[which]
        for name, value in (("weights", weights), ("offset", self.offset)):
            given = options[name] is not None
            own[name] = None if not given else weights if name == "weights" else value[which]
        try:
            return mkl_path(self.made.trained(which, weights), taken(y, which), **own)
        except ValueError as error:
            raise ValueError(f"without fold {k}: {error}") from error

    def link(self, path, lambdas, which, fold=None):
        """Return linear predictors (m, L) or (m, K, L) of the samples `which`."""
        offset = None if self.offset is None else self.offset[which]
        new = self.made.new(which, np.flatnonzero(fold.train))
        return path.predict(new, lambdas, offset=offset)


class GivenKernels:
    """Kernels as matrices: a fit takes rows and columns of them."""

    def __init__(self, kernels, centre, scale):
        read = read_kernels(kernels, 1, compare=scale is None)
        self.given, self.items, self.names = kernels, read.items, read.names
        self.n = read.items[0].shape[0]
        self.centre, self.scale = centre, scale

    def trained(self, which, weights):
        """Return the kernels between the samples `which`, as mkl_path takes them."""
        cut = self.given
        if which is not None:
            cut = self._named([_block(K, which, which) for K in self.items])
        if self.centre or self.scale is not None:
            return precomputed(cut, centre=self.centre, scale=self.scale, weights=weights)
        return cut

    def new(self, rows, columns):
        """Return the kernels between held-out and trained samples, as predictions take them."""
        blocks = self._named([_dense(_block(K, rows, columns)) for K in self.items])
        if self.scale != "diagonal":
            return blocks
        return blocks, np.array([_diagonal(K)[rows] for K in self.items])

    def _named(self, blocks):
        return blocks if self.names is None else dict(zip(self.names, blocks, strict=True))


class TableKernels:
    """Grams of a table: each fit builds them again from its rows."""

    def __init__(self, grams):
        self.grams, self.n = grams, grams.table.shape[0]

    def trained(self, which, weights):
        """Return the Grams of the rows `which`; of all, those given."""
        return self.grams if which is None else self.grams.part(which)

    def new(self, rows, columns):
        """Return the rows of the table."""
        return self.grams.table[rows]


def _source(kernels, centre, scale):
    """Return the GivenKernels or TableKernels of the user's argument."""
    if not isinstance(kernels, Grams):
        return GivenKernels(kernels, centre, scale)
    if centre or scale is not None:
        raise ValueError("Grams are centred and scaled already; leave centre and scale out")
    if not isinstance(kernels, GivenGrams):
        return TableKernels(kernels)
    first = kernels.sources[0]
    if first.means is not None and first.roots is not None:
        raise ValueError(
            "these kernels were centred and then divided by their diagonals, which no fold can "
            "undo; give the kernels themselves, with centre=True, scale='diagonal'"
        )
    items = kernels.items if kernels.names is None else dict(
        zip(kernels.names, kernels.items, strict=True))  # fmt: skip
    # The unit of a kernel is lost where a fold learns its own.
    scaled = any(source.unit != 1.0 for source in kernels.sources)
    return GivenKernels(items, first.means is not None, "trace" if scaled else None)


def taken(y, which):
    """Return some rows of a response in any of its forms."""
    if isinstance(y, tuple | dict):
        parts = y.items() if isinstance(y, dict) else enumerate(y)
        found = {key: taken(part, which) for key, part in parts}
        return found if isinstance(y, dict) else tuple(found.values())
    if hasattr(y, "iloc"):
        return y.iloc[which]
    if isinstance(y, list):
        return [y[i] for i in which.tolist()]
    return y.take(which) if hasattr(y, "column_names") else y[which]


def _block(K, rows, columns):
    """Return rows and columns of a kernel, in its own form where both are the same."""
    if isinstance(K, LowRank):
        Z = np.asarray(K.Z)
        return LowRank(Z[rows]) if rows is columns else Z[rows] @ Z[columns].T
    return K[rows][:, columns]


def _dense(block):
    return block.toarray() if sparse.issparse(block) else block


def _diagonal(K):
    if isinstance(K, LowRank):
        return np.einsum("ij,ij->i", K.Z, K.Z)
    return K.diagonal() if sparse.issparse(K) else np.diagonal(K)
