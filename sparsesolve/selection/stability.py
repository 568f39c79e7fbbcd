"""Stability selection: how often features are selected when half of the rows are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data import (
    by_rows,
    read_choice,
    read_count,
    read_design,
    read_feature_names,
    read_lambdas,
    read_number,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.paths.options import PathOptions
from sparsesolve.paths.path import solve_path
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.doubts import doubts
from sparsesolve.results.explored import Explored, View
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.pictures.axes import AXES, AXIS_LABELS, axes_or_new, draw_along
from sparsesolve.selection.folds import Rows, read_folds
from sparsesolve.selection.jobs import read_options, run_jobs


@dataclass(frozen=True, eq=False, repr=False)
class StabilityPath(Frozen, Tabled, Explored):
    """How often each feature is selected along the path, over all halves of the rows.

    Attributes
    ----------
    lambdas : ndarray (L,)
        Decreasing.
    frequencies : csc_array (p, L)
        Share of the halves that select a feature at that lambda.
    entered : csc_array (p, L)
        Share of the halves that select it there first.
    n_halves : int
        Number of fitted halves.
    feature_names : ndarray (p,) or None
        Names of the features, if X had any.
    """

    lambdas: np.ndarray
    frequencies: sparse.csc_array
    entered: sparse.csc_array
    n_halves: int
    feature_names: np.ndarray | None = None

    def stable(self, threshold: float = 0.75, s: float | None = None) -> np.ndarray:
        """Return the features that a share `threshold` of the halves select down to lambda s.

        Parameters
        ----------
        threshold : float in (0, 1], default 0.75
        s : float, default None
            None means the last lambda.
        """
        threshold = read_number("threshold", threshold, 0.0, 1.0, open_low=True)
        return np.flatnonzero(self.reached(s) >= threshold - 1e-9)

    def reached(self, s: float | None = None) -> np.ndarray:
        """Return the share (p,) of halves that select each feature at lambda s or a larger one."""
        return np.asarray(self.entered[:, : self._place(s) + 1].sum(axis=1)).ravel()

    def error_bound(
        self, threshold: float = 0.75, s: float | None = None, *, assume: str = "none"
    ) -> float:
        """Return a bound on the expected number of features without influence in :meth:`stable`.

        With halves that select q of p features, "none" gives q^2 / ((2 threshold - 1) p). For
        complementary pairs it assumes nothing: it bounds the number of stable features that one
        half selects with a probability of at most q / p, which are those without influence if
        these are exchangeable and selected no more often than by guessing.

        Parameters
        ----------
        threshold : float in (1/2, 1], default 0.75
        s : float, default None
            None means the last lambda.
        assume : {"none", "unimodal", "r-concave"}, default "none"
            Shape of the distribution of the share of pairs, and of halves, that select a feature
            without influence. The more is assumed, the smaller the bound.

        Returns
        -------
        bound : float

        References
        ----------
        Shah and Samworth (2013), "Variable selection with error control: another look at
        stability selection", theorems 1 and 2 and equation (8).
        """
        threshold = read_number("threshold", threshold, 0.5, 1.0, open_low=True)
        assume = read_choice("assume", assume, ["none", "unimodal", "r-concave"])
        reached = self.reached(s)
        q, p = float(reached.sum()), len(reached)
        if assume == "none" or q == 0.0:
            return q**2 / ((2.0 * threshold - 1.0) * p)
        if q > p:  # no probability
            return float(p)
        return _sharper_bound(threshold, q, p, self.n_halves // 2, assume)

    def _columns(self):
        """Return the features that a half selects, the most frequent first."""
        shares = self.reached()
        order = np.argsort(-shares, kind="stable")
        order = order[shares[order] > 0.0]
        names = order if self.feature_names is None else self.feature_names[order]
        return {"feature": names, "share": shares[order]}

    def _views(self):
        shares = np.cumsum(self.entered.toarray(), axis=1)
        return [View("Share of halves", self.feature_names, sparse.csr_array(shares))]

    @described_by(AXES)
    def plot(self, threshold: float = 0.75, label: bool | int = True, ax: Any = None) -> Any:
        """Draw the share of halves that have selected each feature down to each lambda.

        Parameters
        ----------
        threshold : float in (0, 1], default 0.75
            A dotted line; the number of features above it stands along the top.
        label : bool or int, default True
            Name the features at the right end of their lines: True as many as fit, an int at most
            that many.
        """

        threshold = read_number("threshold", threshold, 0.0, 1.0, open_low=True)
        which = np.flatnonzero(self.reached())
        shares = np.cumsum(self.entered[which].toarray(), axis=1)
        names = which if self.feature_names is None else self.feature_names[which]
        x, ax = -np.log(self.lambdas), axes_or_new(ax)
        counts = (shares >= threshold - 1e-9).sum(axis=0)
        draw_along(ax, x, shares, names, label, (AXIS_LABELS["lambda"], "Share of halves"),
                   (x, counts, "Stable features"))  # fmt: skip
        ax.axhline(threshold, color="0.5", linewidth=1.0, linestyle=":")
        return ax

    def _place(self, s):
        """Return the last lambda that is at least s."""
        if s is None:
            return len(self.lambdas) - 1
        s = read_number("s", s, 0.0, np.inf)
        if s > self.lambdas[0]:
            raise ValueError(f"s is {s:g}, beyond the first lambda, {self.lambdas[0]:.4g}")
        return int(np.flatnonzero(self.lambdas >= s * (1.0 - 1e-12))[-1])

    def __repr__(self):
        return (
            f"<StabilityPath: {self.n_halves} halves, {len(self.lambdas)} lambdas from "
            f"{self.lambdas[0]:.4g} to {self.lambdas[-1]:.4g}, {len(self.stable())} of "
            f"{self.entered.shape[0]} features in three quarters of them>"
        )


@by_rows("y", "weights", "offset", "family")
def stability_path(
    X: Any,
    y: Any,
    *,
    n_pairs: int = 50,
    seed: int | np.random.Generator | None = None,
    n_jobs: int = 1,
    **options: Any,
) -> StabilityPath:
    """Stability selection: fit complementary random halves of the rows and count selections.

    Parameters
    ----------
    X, y
        As in :func:`path`; halves are rows of weight 0, so X is not copied.
    n_pairs : int, default 50
        Number of divisions of the rows into two halves; both are fitted. Classes, and deaths of
        cox, are divided evenly.
    seed : int or numpy Generator, default None
    n_jobs : int, default 1
        Number of simultaneous fits, as in :func:`cv_path`.
    **options
        Options of :func:`path`. Without `lambdas` the grid is that of all rows, ending at a tenth
        of its start unless `lambda_min_ratio` is given: error control needs few selections.

    Returns
    -------
    StabilityPath

    Raises
    ------
    ValueError
        If halves cannot be fitted, with one row, or too few deaths or rows of a class; and as
        :func:`path`.

    References
    ----------
    Meinshausen and Buhlmann (2010), "Stability selection". Shah and Samworth (2013), "Variable
    selection with error control: another look at stability selection", on pairs.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 200))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.normal(size=100)
    >>> found = ss.stability_path(X, y, n_pairs=10, lambda_min_ratio=0.3, seed=0)
    >>> found.stable(), round(found.error_bound(), 2)
    (array([0, 1]), 0.04)
    """
    n_pairs = read_count("n_pairs", n_pairs, 1)
    options = read_options(options, stability_path)
    doubts(X, y, options["family"])
    family = read_family(options["family"])
    matrix, names = read_design(X)
    names = read_feature_names(options["feature_names"], names, matrix.shape[1])
    rows = Rows(family, matrix, family.read(y, matrix.shape[0]), options)
    if rows.n < 2:
        raise ValueError("X has 1 row; stability_path draws halves, and needs at least 2")
    options["lambdas"] = read_lambdas(options["lambdas"])
    halves, _ = read_folds(None, rows.n, n_folds=2, repeats=n_pairs, labels=rows.labels(),
                           seed=seed)  # fmt: skip
    rows.refuse_untrainable(halves, part="half", advice="pairs of halves need more of them")
    if options["lambdas"] is None:
        ratio = options["lambda_min_ratio"] or 0.1  # error control needs few selections
        one = PathOptions(**{**options, "n_lambdas": 1, "progress": False})
        first = solve_path(matrix, y, one, names)
        count = read_count("n_lambdas", options["n_lambdas"], 1)
        if not len(first.lambdas):
            raise ValueError(f"The path holds no lambda to begin with: {first.stop_reason}")
        options["lambdas"] = first.lambdas[0] * np.geomspace(1.0, ratio, count)
    _, *jobs = rows.jobs(options, halves)
    fits = run_jobs(jobs, (matrix, y, names), n_jobs, options["progress"])
    paths = [path for path, _ in fits]
    warn_missed(paths, options["tol"])
    return _counted(paths, read_lambdas(options["lambdas"]), names)


def _counted(paths, lambdas, names):
    """Return the StabilityPath of the paths of all halves."""
    p, L = paths[0].n_features, len(lambdas)
    # A path that ended early counts with the features that it reached.
    selected = [path.nonzero() for path in paths]
    features = np.concatenate([part for supports in selected for part in supports])
    places = np.concatenate([np.full(len(part), k) for supports in selected
                             for k, part in enumerate(supports)])  # fmt: skip
    firsts = [np.unique(np.concatenate([np.empty(0, int), *supports]), return_index=True)
              for supports in selected]  # fmt: skip
    ends = [np.cumsum([len(part) for part in supports]) for supports in selected]
    entry = [np.searchsorted(end, first, side="right")
             for end, (_, first) in zip(ends, firsts, strict=True)]  # fmt: skip
    entered = np.concatenate([which for which, _ in firsts]), np.concatenate(entry)
    return StabilityPath(
        lambdas=lambdas, frequencies=_shares(features, places, (p, L), len(paths)),
        entered=_shares(*entered, (p, L), len(paths)), n_halves=len(paths), feature_names=names,
    )  # fmt: skip


def _shares(features, places, shape, count):
    """Return how often each pair occurs, over `count`, as a matrix."""
    ones = np.full(len(features), 1.0 / count)
    matrix = sparse.coo_array((ones, (features, places)), shape=shape).tocsc()
    return sparse.csc_array(matrix)


def _sharper_bound(threshold, q, p, B, assume):
    """Return the bound of Shah and Samworth for B pairs of halves that select q of p features."""
    theta, half = q / p, 1.0 / (2 * B)
    if assume == "r-concave":
        pairs = _largest_tail(theta**2, 2.0 * threshold - 1.0, B, -0.5)
        return float(p * min(pairs, _largest_tail(theta, threshold, 2 * B, -0.25)))
    least = min(0.5 + theta**2, 0.5 + half + 0.75 * theta**2)
    if theta > 1.0 / np.sqrt(3.0) or not threshold > least:
        raise ValueError(
            f"assume='unimodal' holds for a threshold above {least:.3g} and halves that select at "
            f"most {1.0 / np.sqrt(3.0):.3g} of the features, not {theta:.3g}; choose a larger s"
        )
    if threshold <= 0.75:
        factor = 1.0 / (2.0 * (2.0 * threshold - 1.0 - half))
    else:
        factor = 4.0 * (1.0 - threshold + half) / (1.0 + 1.0 / B)
    return factor * theta * q


def _largest_tail(mean, t, B, r):
    """Return the largest P(V >= t) over r-concave laws of this mean on {0, 1/B, ..., 1}.

    The extremal laws have probabilities (a + i)^(1/r) on i <= k (Shah and Samworth, appendix).
    """
    from scipy import optimize

    if t <= mean:
        return 1.0
    first, found = int(np.ceil(t * B - 1e-9)), 0.0
    for k in range(max(first, 1), B + 1):
        i = np.arange(k + 1)

        def mean_at(log_a, i=i):
            p = np.exp((np.log(np.exp(log_a) + i) - log_a) / r)
            return p @ i / p.sum() / B

        # The mean rises with a, up to that of equal probabilities.
        if mean_at(-60.0) > mean or mean_at(60.0) < mean:
            continue
        log_a = optimize.brentq(lambda x, at=mean_at: at(x) - mean, -60.0, 60.0, xtol=1e-13)
        p = np.exp((np.log(np.exp(log_a) + i) - log_a) / r)
        found = max(found, p[first:].sum() / p.sum())
    return min(1.0, found)
