"""The result of a path: what was solved, how well, and all that can be asked of it."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve import continuation, prediction, printing, survival_prediction
from sparsesolve.interpolation import interpolator, read_s


class Status(enum.IntEnum):
    """How the solver left one lambda; ``sentence`` says it in words."""

    def __new__(cls, code, sentence):
        member = int.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    CONVERGED = 0, "the certified gap is below the tolerance"
    MAX_ITER = 1, "stopped by max_iter before the tolerance was met"
    STALLED = 2, "rounding keeps the gap above the tolerance"
    INTERRUPTED = 3, "interrupted before the tolerance was met"


class ConvergenceWarning(UserWarning):
    """Some lambdas missed the tolerance; their gaps stand in the path's ``gaps``."""


class Frozen:
    """A result along a path whose arrays cannot be written to, so that it stays as certified."""

    def __post_init__(self):
        codes = np.asarray(self.status, dtype=np.int64)
        object.__setattr__(self, "status", np.array(list(Status), dtype=object)[codes])
        self._freeze()

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self):
        for name, value in list(vars(self).items()):
            if isinstance(value, np.ndarray):
                view = value.view()  # the array itself may be the user's, who may go on writing
                view.flags.writeable = False
                object.__setattr__(self, name, view)

    def __repr__(self):
        return printing.one_line(self)

    def __str__(self):
        return printing.table(self)

    def _repr_html_(self):
        return printing.html(self)


@dataclass(frozen=True, eq=False, repr=False)
class Path(Frozen):
    """The curve lambda -> coefficients, as solved at L values of lambda.

    Made by :func:`sparsesolve.path`; or by :func:`sparsesolve.omp_path` and
    :func:`sparsesolve.hard_threshold_path`, which say what their lambdas and gaps are. Nothing in
    it can be changed, its arrays included. With K responses or classes, ``coefs`` is a list of K
    matrices and ``intercepts`` has K rows.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> fit = ss.path(X, X @ [2.0, 1.0], lambdas=[2.0, 1.5, 0.5])
    >>> print(fit)
    gaussian path: 3 lambdas, 2 features; every lambda was solved.
    <BLANKLINE>
       Df   %Dev  Lambda      Gap
    0   0   0.00  2.0000  0.0e+00
    1   1  35.00  1.5000  0.0e+00
    2   2  90.00  0.5000  0.0e+00
    >>> fit.coef(s=[1.5, 0.5])
    array([[0.5, 1.5],
           [0. , 0.5]])
    """

    lambdas: np.ndarray  #: (L,) decreasing, of the solved problem
    coefs: sparse.csc_array | list  #: (p, L) on the original scale, or K of them
    intercepts: np.ndarray  #: (L,), or (K, L)
    df: np.ndarray  #: (L,) features with a nonzero coefficient in any response
    dev_ratio: np.ndarray  #: (L,) 1 - deviance / null deviance
    null_deviance: float  #: deviance with intercept and offset alone
    gaps: np.ndarray  #: (L,) certified: duality gap relative to the null objective
    n_iters: np.ndarray  #: (L,) iterations spent
    status: np.ndarray  #: (L,) Status members (the constructor takes their codes)
    stop_reason: str  #: why the path ended where it did
    family: str  #: "gaussian", ...
    groups: np.ndarray | None = None  #: (p,) number of each feature's group, with a group penalty
    feature_names: np.ndarray | None = None  #: (p,) strings, where X carried names
    class_names: np.ndarray | None = None  #: (K,) labels, where y carried classes
    options: dict | None = None  #: the keywords of sparsesolve.path that made it
    fitter: Callable | None = None  #: sparsesolve.path: fits again, for exact=True and extend

    def _freeze(self):
        super()._freeze()
        for matrix in self.coefs if isinstance(self.coefs, list) else [self.coefs]:
            for array in (matrix.data, matrix.indices, matrix.indptr):
                array.flags.writeable = False

    exact_between = False  # whether coefficients are linear in lambda between two lambdas

    @property
    def n_features(self) -> int:
        """Number of columns of X, selected or not."""
        return (self.coefs[0] if isinstance(self.coefs, list) else self.coefs).shape[0]

    @property
    def df_groups(self) -> np.ndarray | None:
        """Groups with a nonzero coefficient at each lambda, (L,); None without a group penalty."""
        if self.groups is None:
            return None
        return np.array([len(np.unique(self.groups[which])) for which in self.nonzero()])

    @property
    def selectable(self) -> tuple[int, str]:
        """(how many there are, what they are called) of that which `df` counts."""
        return self.n_features, "feature"

    def coef(
        self, s: ArrayLike | None = None, exact: bool = False, *, X: Any = None, y: Any = None
    ) -> Any:
        """Coefficients at any lambda, on the original scale of X.

        Parameters
        ----------
        s : float or array_like of float, shape (S,), optional
            Values of lambda. Between two lambdas of the path coefficients are interpolated
            linearly in lambda, beyond its ends the last ones are held. Default: the whole path.
        exact : bool, default False
            Solve at each s that is not one of ``lambdas``, with the options of the fit and no
            interpolation. The solution at s is certified by itself, so only s is solved and
            the rest of the path is not computed again as R's glmnet does. ``dfmax`` and
            ``pmax``, which only end a path, are lifted.
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
        source = continuation.solve_at(self, at, X, y) if exact else self
        W = interpolator(source.lambdas, at)
        if isinstance(source.coefs, list):
            dense = np.stack([(coefs @ W).toarray() for coefs in source.coefs])
        else:
            dense = (source.coefs @ W).toarray()
        return dense[..., 0] if at.ndim == 0 else dense

    def intercept(
        self, s: ArrayLike | None = None, exact: bool = False, *, X: Any = None, y: Any = None
    ) -> Any:
        """Intercepts at any lambda; parameters as in :meth:`coef`.

        Returns
        -------
        intercept : float, or ndarray of shape (S,); K first with K responses
            With ``s=None`` the stored ``intercepts``.
        """
        if s is None:
            return self.intercepts
        at = read_s(s)
        source = continuation.solve_at(self, at, X, y) if exact else self
        values = source.intercepts @ interpolator(source.lambdas, at)
        values = values[..., 0] if at.ndim == 0 else values
        return values if values.ndim else float(values)

    def predict(
        self,
        X: Any = None,
        s: ArrayLike | None = None,
        kind: str = "link",
        offset: ArrayLike | None = None,
        *,
        times: ArrayLike | None = None,
        strata: Any = None,
        data: tuple[Any, Any] | None = None,
    ) -> Any:
        """What the path says of new rows.

        Parameters
        ----------
        X : array_like, sparse matrix or frame, shape (n, p)
            Rows to predict, columns as in the fit. Only columns with a nonzero coefficient are
            read. Not needed for ``kind="nonzero"``.
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in :meth:`coef`. Default: every lambda of the path.
        kind : {"link", "response", "class", "nonzero", "survival"}, default "link"
            The linear predictor; the mean (a probability, a rate, for cox the relative risk);
            the most probable class, by its label; what :meth:`nonzero` returns; or, for cox, the
            probabilities of surviving each of `times`.
        offset : array_like, shape (n,) or (n, K), optional
            Added to the linear predictor; required when the path was fitted with one.
        times : float or array_like of float, shape (T,), optional
            For ``kind="survival"``. Default: all times of events, ascending.
        strata : label or array_like of labels, shape (n,), optional
            For ``kind="survival"``: strata of the rows, where the path was fitted with several.
        data : tuple (X, y)
            For ``kind="survival"``: the data of the fit, of which the baseline hazard is
            estimated (a path does not keep them): by Breslow, or by Efron where ties are his.

        Returns
        -------
        prediction : ndarray, shape (n,) for one s, else (n, S); (n, K) or (n, K, S) with K
            responses, whose classes take the axis K away. Survival: (n, T), or (n, T, S).

        Raises
        ------
        ValueError
            If X has other columns than the fit, a NaN where it matters, or kind does not suit.
        """
        if kind == "nonzero":
            return self.nonzero(s)
        if kind == "survival":
            return survival_prediction.predict_survival(self, X, s, offset, times, strata, data)
        return prediction.predict(self, X, s, kind, offset)

    def concordance(
        self,
        X: Any,
        y: Any,
        s: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        strata: Any = None,
    ) -> Any:
        """Harrell's C of a cox path: the share of pairs whose order of death it tells.

        Parameters
        ----------
        X, y : array_like
            Rows, new ones or those of the fit, and what happened to them.
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in :meth:`coef`. Default: every lambda of the path.
        weights, offset : array_like, shape (n,), optional
            Of these rows; the offset is required when the path was fitted with one.
        strata : array_like of labels, shape (n,), optional
            Pairs are compared within strata; without it all are, those of a stratified path too.

        Returns
        -------
        concordance : float, or ndarray of shape (S,)
            Ties of the linear predictor count half; NaN where no pair can be compared.
        """
        return survival_prediction.concordance(self, X, y, s, weights, offset, strata)

    def nonzero(self, s: ArrayLike | None = None) -> Any:
        """Features with a nonzero coefficient, in any response, at any lambda.

        Parameters
        ----------
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in :meth:`coef`. Default: every lambda of the path.

        Returns
        -------
        nonzero : ndarray of int, ascending; a list of S (or L) of them when s is a list (or None)
        """
        at = self.lambdas if s is None else read_s(s)
        found = []
        W = interpolator(self.lambdas, at)
        matrices = self.coefs if isinstance(self.coefs, list) else [self.coefs]
        products = [matrix @ W for matrix in matrices]
        for k in range(W.shape[1]):
            columns = [(m, slice(m.indptr[k], m.indptr[k + 1])) for m in products]
            rows = [m.indices[part][m.data[part] != 0.0] for m, part in columns]
            found.append(np.unique(np.concatenate(rows)))
        return found[0] if at.ndim == 0 else found

    def extend(
        self,
        X: Any,
        y: Any,
        *,
        n_lambdas: int | None = None,
        lambda_min_ratio: float | None = None,
    ) -> "Path":
        """Follow the path further down, and return the old and the new part as one path.

        Parameters
        ----------
        X, y : array_like
            The data of the fit (a path does not keep them).
        n_lambdas : int, optional
            How many lambdas to add, at the ratio of the last two.
        lambda_min_ratio : float in (0, 1), optional
            Add lambdas at the ratio of the last two until this fraction of ``lambdas[0]`` is
            reached. With both, ``n_lambdas`` of them evenly spaced (in logarithm) down to it.
            With neither, what the fit was asked for and did not reach (because ``stop``,
            ``dfmax`` or ``pmax`` ended it, or an interrupt).

        Returns
        -------
        path : Path
            Solutions at the old and the new lambdas. Every new lambda is solved: ``stop``,
            ``dfmax`` and ``pmax`` do not end it again. This path stays as it is.

        Raises
        ------
        ValueError
            If there is nothing to add, or X and y are not the data of the fit.
        """
        return continuation.extend(self, X, y, n_lambdas, lambda_min_ratio)

    def plot(
        self,
        xvar: str = "norm",
        label: bool | int = False,
        ax: Any = None,
        *,
        by: str = "feature",
    ) -> Any:
        """Draw the coefficients along the path; see :func:`sparsesolve.plotting.plot_path`."""
        from sparsesolve.plotting import plot_path  # matplotlib is an extra

        return plot_path(self, xvar=xvar, label=label, ax=ax, by=by)
