"""Path: the solutions along a path, their certificates, and the questions they answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import by_rows
from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.data.genotypes.columns import Variants
from sparsesolve.penalties.rows import degrees
from sparsesolve.results import continuation, interpolation
from sparsesolve.results.coefficient_table import Named
from sparsesolve.results.feature_groups import FeatureGroups
from sparsesolve.results.frozen import Solved
from sparsesolve.results.interpolation import read_s
from sparsesolve.results.prediction import is_signal
from sparsesolve.results.predictor import PathPredictor


@dataclass(frozen=True, eq=False, repr=False)
class Path(Solved, PathPredictor, Named):
    """The curve lambda -> coefficients, as solved at L values of lambda.

    :func:`sparsesolve.path` makes it. So do :func:`sparsesolve.omp_path` and
    :func:`sparsesolve.paths.hard_threshold_path`, which define their lambdas and gaps. Attributes
    and arrays cannot be changed. With K responses or classes, ``coefs`` is a list of K matrices
    and ``intercepts`` has K rows.

    Attributes
    ----------
    lambdas : ndarray (L,)
        The solved lambdas, decreasing.
    coefs : csc_array (p, L), or list of K of them
        On the original scale of X.
    intercepts : ndarray (L,), or (K, L)
    df : ndarray (L,)
        Features with a nonzero coefficient in any response.
    dev_ratio : ndarray (L,)
        1 - deviance / null deviance.
    null_deviance : float
        Deviance of the model with intercept and offset alone.
    gaps : ndarray (L,)
        Certified duality gaps, relative to the null objective. For a penalty that is not convex
        (such as `penalties.MCP`) the gap is that of the convex problem with the weights at the
        point; it certifies that the point is stationary.
    n_iters : ndarray (L,)
        Number of iterations.
    status : ndarray (L,)
        Status members (the constructor takes their codes).
    stop_reason : str
        Why the path ended where it did.
    family : str
        Name of the family, such as "gaussian".
    groups : mapping or None
        With a group penalty, the features of each group by its name: the label that the penalty
        was given, or a number. A feature of no group is a group of one, by its own name.
    feature_names : ndarray (p,) or None
        Names of the features, if X had any.
    class_names : ndarray (K,) or None
        Labels of the classes, if y had any.
    options : dict or None
        The keywords of the sparsesolve.path call that made it; needed to continue it. Read only.
    fitter : callable or None
        The function that fits again, for exact=True and extend.
    encoder : EncodedDesign or None
        The EncodedDesign that was given as X, without its rows; it encodes raw tables. Of
        genotypes, that of their covariates.
    unbounded : ndarray (m,) or None
        Features along which the objective decreases for ever, if the status is UNBOUNDED.
    means : ndarray (p,) or None
        If X held genotypes, the weighted means of its columns over their known values. Missing
        genotypes stand for them, in the fit and in predictions.
    variants : Variants or None
        If X was Genotypes, their variants, which are the last columns.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> fit = ss.path(X, X @ [2.0, 1.0], lambdas=[2.0, 1.5, 0.5])
    >>> print(fit)
    gaussian path: 3 lambdas, 2 features; every lambda was solved. Features standardised.
    <BLANKLINE>
       Df   %Dev  Lambda      Gap
    0   0   0.00  2.0000  0.0e+00
    1   1  35.00  1.5000  0.0e+00
    2   2  90.00  0.5000  0.0e+00
    >>> fit.coef(s=[1.5, 0.5])
    array([[0.5, 1.5],
           [0. , 0.5]])
    """

    lambdas: np.ndarray
    coefs: sparse.csc_array | list
    intercepts: np.ndarray
    df: np.ndarray
    dev_ratio: np.ndarray
    null_deviance: float
    gaps: np.ndarray
    n_iters: np.ndarray
    status: np.ndarray
    stop_reason: str
    family: str
    groups: FeatureGroups | None = None
    feature_names: np.ndarray | None = None
    class_names: np.ndarray | None = None
    options: dict | None = None
    fitter: Callable | None = None
    encoder: EncodedDesign | None = None
    unbounded: np.ndarray | None = None
    means: np.ndarray | None = None
    variants: Variants | None = None

    def _freeze(self):
        super()._freeze()
        for matrix in self.coefs if isinstance(self.coefs, list) else [self.coefs]:
            for array in (matrix.data, matrix.indices, matrix.indptr):
                array.flags.writeable = False

    exact_between = False  # True if coefficients are linear in lambda between two lambdas

    @property
    def n_features(self) -> int:
        """Number of columns of X, selected or not."""
        return (self.coefs[0] if isinstance(self.coefs, list) else self.coefs).shape[0]

    @property
    def df_groups(self) -> np.ndarray | None:
        """Number of groups in the model, as :meth:`nonzero_groups` defines it, (L,).

        None without a group penalty.
        """
        if self.groups is None:
            return None
        return np.asarray((self.groups.norms(self.coefs) != 0.0).sum(axis=0)).ravel()

    @cached_property
    def degrees(self) -> np.ndarray:
        """Degrees of freedom of the coefficients, (L,), as :func:`criteria` counts them.

        Nonzero coefficients, of all responses; pieces under total variation and trend filters,
        clusters under SLOPE and overlapping l_inf norms, the dimension of matrices of that rank
        under a trace norm.
        """
        options = self.options or {}
        penalty: Any = options.get("penalty")
        matrices = self.coefs if isinstance(self.coefs, list) else [self.coefs]
        if "degrees" in options:  # of a file, which does not hold the penalty
            found = np.array(options["degrees"])
        elif not hasattr(penalty, "degrees"):
            found = np.sum([np.diff(matrix.indptr) for matrix in matrices], axis=0)
        else:
            penalty = penalty.over(self.n_features, self.feature_names)
            rows = np.stack([matrix.toarray().T for matrix in matrices], axis=1)  # (L, K, p)
            found = np.array([degrees(penalty, B if len(B) > 1 else B[0]) for B in rows], int)
        found.flags.writeable = False
        return found

    @property
    def counted(self) -> str:
        """What ``degrees`` counts where tables show it in place of ``df``, or ""."""
        options = self.options or {}
        return getattr(options.get("penalty"), "counted", options.get("counted", ""))

    @property
    def latent_coefs(self) -> list | None:
        """Latent vectors of each group: G arrays (p, L) that sum to the coefficients.

        None without ``penalties.LatentGroupL2``, or with several responses.
        """
        penalty: Any = (self.options or {}).get("penalty")
        if not hasattr(penalty, "latent") or isinstance(self.coefs, list):
            return None
        penalty = penalty.over(self.n_features, self.feature_names)
        found = [penalty.latent(b) for b in self.coefs.toarray().T]
        return [np.stack(vectors, axis=1) for vectors in zip(*found, strict=True)]

    @property
    def selectable(self) -> tuple[int, str]:
        """Return the number and the names of what `df` counts."""
        return self.n_features, "value" if is_signal(self) else "feature"

    @by_rows("y")
    def coef(
        self, s: ArrayLike | None = None, exact: bool = False, *, X: Any = None, y: Any = None
    ) -> Any:
        """Return coefficients at any lambda, on the original scale of X.

        Parameters
        ----------
        s : float or array_like of float, shape (S,), optional
            Values of lambda. Between two lambdas of the path, coefficients are interpolated
            linearly in lambda; beyond its ends the nearest solution is returned. Default: the
            whole path.
        exact : bool, default False
            Solve at each s that is not one of ``lambdas``, with the options of the fit, instead
            of interpolating. The solution at s has its own certificate, so only s is solved, and
            not the rest of the path as in R's glmnet. ``dfmax`` and ``pmax``, which only end a
            path, do not apply.
        X, y : array_like
            The data of the fit, for ``exact=True`` (a path does not keep them).

        Returns
        -------
        coef : ndarray of shape (p,), or (p, S) when s is a list; K first with K responses
            With ``s=None`` the sparse ``coefs`` themselves, not copied: (p, L) or K of them.

        Raises
        ------
        ValueError
            If s is negative, or X and y are missing or not the data of the fit.
        """
        if s is None:
            return self.coefs
        at = read_s(s)
        return interpolation.coefficients(self._solved_at(at, X, y) if exact else self, at)

    def _solved_at(self, s, X, y):
        """Return a path with exact solutions at every s."""
        return continuation.solve_at(self, s, X, y)

    @by_rows("y")
    def intercept(
        self, s: ArrayLike | None = None, exact: bool = False, *, X: Any = None, y: Any = None
    ) -> Any:
        """Return intercepts at any lambda; parameters as in :meth:`coef`.

        Returns
        -------
        intercept : float, or ndarray of shape (S,); K first with K responses
            With ``s=None`` the stored ``intercepts``.
        """
        if s is None:
            return self.intercepts
        at = read_s(s)
        return interpolation.intercepts(self._solved_at(at, X, y) if exact else self, at)

    def nonzero(self, s: ArrayLike | None = None) -> Any:
        """Return the features with a nonzero coefficient, in any response, at any lambda.

        Parameters
        ----------
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in :meth:`coef`. Default: every lambda of the path.

        Returns
        -------
        nonzero : ndarray of int, ascending; a list of S (or L) of them when s is a list (or None)
        """
        return interpolation.nonzero(self, self.lambdas if s is None else read_s(s))

    def nonzero_groups(self, s: ArrayLike | None = None) -> Any:
        """Return the names of the groups with a nonzero coefficient at any lambda.

        Under `penalties.LatentGroupL2` these are the groups with a share in the coefficients.

        Parameters
        ----------
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in :meth:`coef`. Default: every lambda of the path.

        Returns
        -------
        names : list, in the order of ``groups``; a list of S (or L) of them when s is a list (or
            None)

        Raises
        ------
        ValueError
            If the path has no groups.
        """
        if self.groups is None:
            raise ValueError("The path has no groups; fit it with a group penalty")
        at = self.lambdas if s is None else read_s(s)
        coefs = interpolation.sparse_coefficients(self, at)
        norms = sparse.csc_array(self.groups.norms(coefs))
        names = list(self.groups)
        found = [[names[g] for g in np.sort(norms.indices[i:j])]
                 for i, j in pairwise(norms.indptr)]  # fmt: skip
        return found[0] if at.ndim == 0 else found

    @by_rows("y")
    def extend(
        self,
        X: Any,
        y: Any,
        *,
        n_lambdas: int | None = None,
        lambda_min_ratio: float | None = None,
    ) -> Path:
        """Follow the path further down, and return the old and the new part as one path.

        Parameters
        ----------
        X, y : array_like
            The data of the fit (a path does not keep them).
        n_lambdas : int, optional
            Number of lambdas to add, at the ratio of the last two.
        lambda_min_ratio : float in (0, 1), optional
            Add lambdas at the ratio of the last two until this fraction of ``lambdas[0]``. With
            both arguments, ``n_lambdas`` lambdas are evenly spaced (in logarithm) down to it.
            Without both, the rest of the fit's grid is added, which it did not reach (because
            ``stop``, ``dfmax`` or ``pmax`` ended it).

        Returns
        -------
        path : Path
            Solutions at the old and the new lambdas. Every new lambda is solved: ``stop``,
            ``dfmax`` and ``pmax`` do not apply again. This path is unchanged.

        Raises
        ------
        ValueError
            If there is nothing to add, or X and y are not the data of the fit.
        """
        return continuation.extend(self, X, y, n_lambdas, lambda_min_ratio)

    @by_rows("y")
    def dual(self, s: float, X: Any, y: Any) -> np.ndarray:
        r"""Return a dual point at lambda = s, with which anyone can check the gap.

        With weights w scaled to sum 1 the objective is
        :math:`P(b_0, b) = \sum_i w_i f(y_i, \eta_i) + s \Omega(b)`, and no coefficients have a
        lower one than :math:`D(u) = -\sum_i w_i f^*(y_i, -u_i / w_i) - o^\top u`, where o is the
        offset and f* the conjugate of the loss. u is feasible: it sums to 0 if there is an
        intercept, and the dual norm of :math:`Z^\top u` is at most s. For the lasso this is
        :math:`|z_j^\top u| \le s` for each column z_j of Z, which are the columns of X over
        their standard deviations if the path is standardised. With ``alpha`` below 1 every u is
        feasible, and D has the term
        :math:`-\sum_j (|z_j^\top u| - s \alpha)_+^2 / (2 s (1 - \alpha))`.

        Parameters
        ----------
        s : float
            A value of lambda. The path is solved there, to the accuracy of rounding.
        X, y : array_like
            The data of the fit (a path does not keep them).

        Returns
        -------
        u : ndarray (n,), or (n, K) with K responses
            Minus the derivative of the loss at the solution, scaled so that it is feasible.

        Raises
        ------
        ValueError
            If the penalty is not convex, X is a dask array, the path is greedy or from a file, or
            X and y are not its data.

        References
        ----------
        Bach, Jenatton, Mairal, Obozinski (2012), section 1.4.

        Examples
        --------
        The gap of a logistic lasso, by numpy alone:

        >>> import numpy as np
        >>> import sparsesolve as ss
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 40))
        >>> y = (X[:, 0] - X[:, 1] + rng.logistic(size=100) > 0) * 1.0
        >>> fit = ss.path(X, y, family="binomial")
        >>> lam, b, b0 = fit.lambdas[20], fit.coefs.toarray()[:, 20], fit.intercepts[20]
        >>> u, eta, scale = fit.dual(lam, X, y), b0 + X @ b, X.std(axis=0)
        >>> bool(np.abs(X.T @ u / scale).max() <= lam * (1 + 1e-12)), bool(abs(u.sum()) < 1e-12)
        (True, True)
        >>> primal = np.mean(np.logaddexp(0, eta) - y * eta) + lam * np.abs(b * scale).sum()
        >>> p = y - 100 * u  # a probability, whose entropy is minus the conjugate
        >>> dual = -np.mean(p * np.log(p) + (1 - p) * np.log(1 - p))
        >>> null = -np.mean(y * np.log(y.mean()) + (1 - y) * np.log(1 - y.mean()))
        >>> bool(-1e-12 < (primal - dual) / null <= fit.gaps[20] + 1e-12)
        True
        """
        return continuation.dual_at(self, s, X, y)

    def plot(
        self,
        xvar: str = "lambda",
        label: bool | int = True,
        ax: Any = None,
        *,
        by: str | None = None,
    ) -> Any:
        """Draw the coefficients of a path, one line for each feature that is ever selected.

        All three horizontal axes run from the empty model on the left to the fullest on the right.
        Lambda is therefore shown as minus its natural logarithm, as in R's glmnet 4.1-10. The
        count of nonzero coefficients stands along the top.

        Parameters
        ----------
        xvar : {"norm", "lambda", "dev"}, default "lambda"
            The L1 norm of the coefficients (original scale), lambda, or the deviance explained.
        label : bool or int, default True
            Name the features at the right end of their lines: True as many as fit near it, the
            largest coefficients first; an int at most that many. The other lines become grey.
        ax : matplotlib Axes, or with by="class" or "image" an array of them, optional
            Where to draw. Default: the axes of a new figure.
        by : {"feature", "group", "class", "profile", "image"}, optional
            What a line shows: the coefficient of a feature, or with K responses the Euclidean norm
            of its K; the norm of a group, for a path with a group penalty; the coefficient of a
            feature in each of K classes or responses, with a panel for each; or all coefficients
            at a lambda, along the features, for five lambdas from the first to the last, or as an
            image, for four. Default: "profile" for penalties along a line (total variation, trend
            filters) and for signals, "image" for images as signals, else "feature".

        Returns
        -------
        ax : matplotlib Axes, or with by="class" or "image" an array of them

        Raises
        ------
        ValueError
            If xvar or by is unknown or does not suit, or the path holds nothing to draw.
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("Agg")  # no screen
        >>> import numpy as np
        >>> import sparsesolve as ss
        >>> X = np.random.default_rng(0).normal(size=(50, 5))
        >>> ax = ss.path(X, X[:, 0] + X[:, 1] ** 2).plot("lambda", label=True)
        >>> ax.figure.savefig("path.png")
        """
        from sparsesolve.results.pictures.path import plot_path  # matplotlib is optional

        return plot_path(self, xvar=xvar, label=label, ax=ax, by=by)
