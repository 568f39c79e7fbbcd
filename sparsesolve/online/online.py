"""online: reads its options, and learns rows as they arrive."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import (
    answers_keywords,
    by_rows,
    read_count,
    read_flag,
    read_seed,
    read_weights,
)
from sparsesolve.online.files import Cache, TextFile
from sparsesolve.online.fit import OnlineFit
from sparsesolve.online.passes import Holdout, learn_passes, read_holdout, split
from sparsesolve.online.response import ResponseReader
from sparsesolve.online.rows import is_table, row_matrix
from sparsesolve.online.settings import Settings
from sparsesolve.online.source import refuse_stream, rows_of
from sparsesolve.results.doubts import doubts


@answers_keywords()
@by_rows("y", "weights", "offset")
def online(
    X: Any,
    y: ArrayLike | None = None,
    *,
    lam: float,
    family: Any = "gaussian",
    alpha: float = 1.0,
    penalty: Any = None,
    grouped: bool = False,
    penalty_factor: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    intercept: bool = True,
    method: str = "ftrl",
    step: Any = "auto",
    norm: float | None = None,
    schedule: str = "sqrt",
    prox_step: str = "same",
    batch: int = 1,
    average: bool | str = False,
    radius: float | None = None,
    passes: int = 1,
    shuffle: bool = False,
    seed: Any = 0,
    classes: ArrayLike | None = None,
    n_features: int | None = None,
    hash_bits: int | None = None,
    dtype: str = "float64",
    holdout: Any = None,
    patience: int = 2,
    progress: bool = False,
) -> OnlineFit:
    r"""Learn a sparse linear model row by row, from data that stream or exceed memory.

    Approaches the minimiser of the problem of :func:`sparsesolve.path` with standardize=False,

    .. math:: \frac{1}{n} \sum_i w_i f(y_i, o_i + b_0 + x_i^\top b)
              + \lambda \sum_j v_j (\alpha |b_j| + (1 - \alpha) b_j^2 / 2)

    by one step per row, whose cost depends only on the non-zeros of the row. If the data fit into
    memory, :func:`sparsesolve.path` reaches the optimum, usually in less time.

    Parameters
    ----------
    X : array-like, scipy sparse matrix, numpy.memmap (n, p), file or iterable
        Rows, learned in their order. A file is given by a name that ends with .svm, .vw, .csv,
        .tsv, .parquet or .npz (.gz, .bz2 or .xz may follow), or as a
        ``sparsesolve.online.files.TextFile``, which has further options. It is never in memory as
        a whole (but .npz), and later passes read a binary copy. In a table each level of a column
        of text is a feature, "column=level", and a gap is the mean of the rows before it. An
        iterable (or a function that returns one) yields tuples (X, y), (X, y, weights) or
        (X, y, weights, offset) of some rows each.
    y : array-like (n,) or (n, K), or str
        Responses as the family takes them; None if X is a stream. For a table in a file, the name
        of the response column; likewise for `weights` and `offset`.
    lam : float
        Level of the penalty, in the units of ``path(..., standardize=False)``.
    family : str or family, default "gaussian"
        As in :func:`sparsesolve.path`, and ``families.hinge()``. Not "cox", whose loss is no sum
        over rows.
    alpha : float in [0, 1], default 1
        Mixing: 1 is the lasso, 0 is ridge.
    penalty : object of `sparsesolve.penalties`, default None
        None is the elastic net. ``GroupL2(groups)`` and ``GroupLinf(groups)`` update lazily, by
        groups; with "rda" and "ftrl" so does ``SparseGroup``. Any other penalty updates all
        weights in every step, and needs "fobos" or "rda". One group of all features penalises the
        norm of the whole vector. A list of penalties, or of pairs (c, penalty), is their sum, for
        "fobos": proximal operators are applied in the given order. For nested groups, give inner
        ones first.
    grouped : bool, default False
        For family="multinomial": shrink the coefficients of a feature in all classes by their
        length, so that features leave all classes together. "multigaussian" always does that.
    penalty_factor : array-like (p,) or mapping from names, default None
        Multiplies lam per feature, scaled to sum p; 0: never penalised.
    weights : array-like (n,), default None
        A row of weight w counts as w rows; a row of weight 0 as none.
    offset : array-like (n,) or (n, K), default None
        Known part of the linear predictor.
    intercept : bool, default True
        Learn an unpenalised intercept.
    method : {"ftrl", "rda", "fobos", "svrg"}, default "ftrl"
        FTRL-Proximal has a rate for each weight and is as sparse as the optimum. Dual averaging
        is as sparse, with one rate. FOBOS is Duchi and Singer's method, and leaves many small
        weights. Prox-SVRG, for the elastic net, reads the data twice in every pass and reaches
        the optimum itself after some passes; shuffle its rows.
    step : "auto", "theory", float or callable, default "auto"
        eta0, the factor of the step sizes. "auto" compares values on the first 4,096 rows,
        from the one that units suggest to better neighbours.
        "theory", for "fobos", measures the largest gradient G there, and takes norm / (4 G), or
        with average="best" norm / (sqrt(7) G); for the schedule "inverse" 1 / H, where lam Omega
        is H-strongly convex. A callable t -> eta_t, for "fobos" and "rda", gives the step sizes
        themselves. The steps of "svrg" are constant.
    norm : float, default None
        For step="theory": a bound on the length of the optimum, the intercept included.
    schedule : {"sqrt", "inverse", "constant"}, default "sqrt"
        Step sizes of "fobos" and "rda": eta0 / sqrt(t), eta0 / t or eta0; for "rda", "inverse"
        means eta0 / (1 + log t). "ftrl" has its own.
    prox_step : {"same", "next"}, default "same"
        Size of the step of "fobos" towards the penalty: that of its step along the gradient, or
        that of the next one, as Duchi and Singer have it for full gradients (Theorem 2).
    batch : int, default 1
        Rows per step. The rows of an incomplete batch wait for those of the next `more`, a method
        of the fit.
    average : {False, True, "suffix", "best", "random"}, default False
        Return the mean of the weights before each step, over all steps or ("suffix") at least the
        last half, instead of the last weights; for "fobos" and "rda". It is seldom sparse. With
        penalty= every step updates all weights. "random" returns the weights before one step,
        each as likely, drawn with `seed`. "best", for "fobos" with batch= all rows, returns those
        of the least objective.
    radius : float, default None
        After every step project the weights onto this Euclidean ball; for "fobos" and "rda".
        Every step updates all weights.
    passes : int, default 1
        Passes over the data.
    shuffle : bool, default False
        Draw a new order for every pass; for data in memory. Use it if rows are sorted.
    seed : int, numpy Generator or None, default 0
        Seed of `shuffle`, of held-out rows, and of average="random".
    classes : array-like (K,), default None
        Labels of all classes; required for a stream of blocks, whose first rows may not have all
        of them. For a file, None means the labels of its first rows (some megabytes).
    n_features : int, default None
        Number of features of a stream. None: as many as occur.
    hash_bits : int, default None
        For files: hash features into 2^hash_bits places; names of vw into 2^18 if None.
    dtype : {"float64", "float32"}, default "float64"
        Type of the stored weights: 16 bytes per feature, or 8 for "ftrl" with one response.
    holdout : float in (0, 1) or tuple (X, y) or (X, y, weights), default None
        Rows to hold out: their mean loss is measured after every pass, and the weights of the
        best pass are returned, with all losses as `holdout_losses`. A share is drawn with `seed`,
        from data in memory.
    patience : int, default 2
        With `holdout`, stop after this many passes without an improvement.
    progress : bool, default False
        Show the number of rows and the progressive loss on stderr.

    Returns
    -------
    OnlineFit

    Raises
    ------
    ValueError, TypeError
        Before a block of rows is learned, saying what was found, where, and what to do; and if
        steps are so long that a loss overflows.

    References
    ----------
    Duchi and Singer (2009), "Efficient online and batch learning using forward backward
    splitting"; Xiao (2010), "Dual averaging methods for regularized stochastic learning and online
    optimization"; McMahan (2017), "A survey of algorithms and analysis for adaptive online
    learning".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 50))
    >>> y = X[:, 0] - X[:, 1] + rng.logistic(size=2000) > 0
    >>> fit = ss.online(X, y, family="binomial", lam=0.05)
    >>> fit.nonzero()
    array([0, 1])
    >>> bool(fit.certify(X, y).relative_gap < 0.05)
    True
    """
    settings = Settings.read(
        family=family, lam=lam, alpha=alpha, grouped=grouped, penalty_factor=penalty_factor,
        method=method, step=step, schedule=schedule, batch=batch, intercept=intercept,
        n_features=n_features, penalty=penalty, radius=radius, average=average, dtype=dtype,
        prox_step=prox_step, norm=norm,
    )  # fmt: skip
    passes, shuffle = read_count("passes", passes, 1), read_flag("shuffle", shuffle)
    held, progress = read_holdout(holdout), read_flag("progress", progress)
    patience = read_count("patience", patience, 1)
    reader = ResponseReader(settings.family, classes)
    if isinstance(X, str | PathLike):
        X = TextFile(X, None, y, weights, hash_bits, offset=offset)
        y = weights = offset = None
    elif hash_bits is not None:
        raise ValueError("hash_bits is for files by their names; leave it out")
    table, rng = is_table(X), read_seed(seed)
    if settings.average == "random":
        settings.draw = int(rng.integers(2**62))
    names, n, kept, source = None, None, None, None
    if table:
        doubts(X, y, family)
        X, names = row_matrix(X)
        n, p = X.shape
        if not n:
            raise ValueError("X has no rows; give at least one")
        if y is None:
            raise ValueError("y is missing; give a response for each row of X")
        K = reader.whole(y, n).values.reshape(n, -1).shape[1]
        settings.lay_out(settings.n_features or p, K, names)
        if isinstance(held, float):
            w = None if weights is None else read_weights(weights, n)
            kept, out = split(held, n, w, rng)
            held = (X[out], np.asarray(y)[out], None if w is None else w[out])
        if settings.average == "best":
            _check_full(settings.batch, n if kept is None else len(kept), weights)
    elif settings.average == "best":
        raise ValueError(f"average='best' {FULL}; give X in memory")
    else:
        refuse_stream(X, passes + (settings.method == "svrg"), shuffle, held)
        if isinstance(X, TextFile):
            source = X
            X.text_labels = settings.family.classify is not None
            reader.meet(X)
            settings.n_features = settings.n_features or X.n_features
            X = Cache(X) if passes > 1 or settings.method == "svrg" else X
        settings.lay_out(settings.n_features, _responses(settings, reader))
    fit = OnlineFit(settings, reader, names)
    if table:
        fit._widen(X)

    def read(order):
        order = kept if order is None else order
        return rows_of(X, y, weights, offset, fit, order)

    def orders():
        if not shuffle:
            return None
        return rng.permutation(n) if kept is None else rng.permutation(kept)

    watch = None if held is None else Holdout(held, patience)
    rows = n if kept is None else len(kept)
    fit = learn_passes(fit, read, passes, orders, watch, rows, progress)
    if source is not None:
        fit.take_columns(source)
    return fit


FULL = "compares objectives, which only steps of all rows know"


def _check_full(batch, n, weights):
    """Raise unless every step has all rows of positive weight."""
    n = n if weights is None else np.count_nonzero(read_weights(weights, n))
    if batch != n:
        raise ValueError(f"average='best' {FULL}; give batch={n}, not {batch}")


def _responses(settings, reader):
    """Return K, the number of responses of a stream."""
    if not settings.family.several:
        return 1
    if reader.classes is None:
        raise ValueError(
            f"classes is missing: family {settings.family.name!r} over a stream needs the labels "
            "of all classes beforehand"
        )
    return len(reader.classes)
