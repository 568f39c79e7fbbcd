"""KnotPath: a path that is linear between its lambdas, so that interpolation is exact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data import by_rows, read_count, read_number
from sparsesolve.results.coefficient_table import frame_of
from sparsesolve.results.continuation import end_of
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.results.path import Path
from sparsesolve.results.prediction import read_rows
from sparsesolve.results.status import Status
from sparsesolve.solvers.homotopy.knot_gaps import nonzeros

# When a path is followed again, coefficients may differ by this fraction of the largest one.
ALIKE = 1e-6
# Least number of rows more than features for an estimate of the errors.
FULL = 20


@dataclass(frozen=True, eq=False, repr=False)
class KnotPath(Path):
    """The curve lambda -> coefficients by its knots; made by :func:`sparsesolve.lars_path`.

    It is a Path with exact interpolation: ``coef(s)`` is the solution at s, up to rounding, for
    every s of at least the last lambda. Below it ``exact=True``, which only then needs X and y,
    follows the path further, down to s.
    """

    exact_between = True

    @by_rows("y")
    def extend(
        self,
        X: Any,
        y: Any,
        *,
        n_lambdas: int | None = None,
        lambda_min_ratio: float | None = None,
    ) -> KnotPath:
        """Follow the path further down, and return all of it.

        Parameters
        ----------
        X, y : array_like
            The data of the fit (a path does not keep them); for `lars_path_gram`, X'X and X'y.
        n_lambdas : int, optional
            Number of knots to add.
        lambda_min_ratio : float in (0, 1), optional
            Stop at this fraction of the first lambda. Without both arguments, the path is
            followed to lambda = 0. ``max_features`` and ``max_steps`` do not apply again.

        Returns
        -------
        path : KnotPath
            The path followed again from the first lambda. This path is unchanged.

        Raises
        ------
        ValueError
            If there is nothing to add, or X and y are not the data of the fit.
        """
        if not self.lambdas[-1] > 0.0:
            raise ValueError("The path is complete: it ends at lambda = 0")
        end, steps = end_of(self, lambda_min_ratio) or 0.0, None
        if n_lambdas is not None:
            steps = read_count("n_lambdas", n_lambdas, 1) + len(self.lambdas) - 1
        return self._follow(X, y, lambda_min=end, max_steps=steps)

    @by_rows("y")
    def dual(self, s: float, X: Any, y: Any) -> np.ndarray:
        r"""Return a dual point at lambda = s, feasible up to rounding; see :meth:`Path.dual`.

        With a ridge part rho, D has the term
        :math:`-\sum_j (|z_j^\top u| - s v_j)_+^2 / (2 \rho v_j)`.
        """
        options = self.options or {}
        if options.get("method") != "lasso" or "n_samples" in options:
            raise ValueError("a dual point needs lars_path(X, y, method='lasso'): steps of least "
                             "angle regression minimise nothing, and inner products have no rows")
        path = self._solved_at(read_number("s", s, 0, np.inf), X, y)
        data = FittedData(path, X, y)
        data.refuse_others()
        return data.downhill(np.array([s]))[0]

    @by_rows("y")
    def spacing(self, X: Any, y: Any, *, sigma: float | None = None) -> Any:
        r"""Test each step of least angle regression: the spacing and the covariance test.

        The spacing test of a step is exact, given the features and signs of the steps before, for
        normal errors: its p-value is uniform if the features outside add nothing. The covariance
        test is its limit for many rows. With lambda_k the knots in units of inner products and
        w_k the length of X_A (X_A'X_A)^-1 s_A less that vector of the step before, they are, with
        the normal tail Q,

        .. math::

            \frac{Q(\lambda_k w / \sigma) - Q(\lambda_{k-1} w / \sigma)}
            {Q(\lambda_{k+1} w / \sigma) - Q(\lambda_{k-1} w / \sigma)}
            \quad\text{and}\quad \exp(-w^2 \lambda_k (\lambda_k - \lambda_{k+1}) / \sigma^2).

        Parameters
        ----------
        X, y : array_like
            The data of the fit.
        sigma : float, optional
            Standard deviation of the errors. Default: of the residuals of all features, if there
            are at least twice as many rows, and 20 more, than features.

        Returns
        -------
        frame : pandas.DataFrame or dict of ndarray
            Columns ``feature``, ``lambda``, ``spacing`` and ``covariance``, one row for each step
            but the last.

        Raises
        ------
        ValueError
            If the path is not of ``method="lar"``, has weights, penalty factors or a ridge part,
            or sigma cannot be estimated.

        References
        ----------
        Tibshirani, Taylor, Lockhart, Tibshirani (2016), "Exact post-selection inference for
        sequential regression procedures". Lockhart, Taylor, Tibshirani, Tibshirani (2014), "A
        significance test for the lasso".
        """
        return frame_of(spacing_columns(self, X, y, sigma))

    def _solved_at(self, s, X, y):
        """Return this path, or a longer one if an exact solution at s needs it."""
        lowest = np.min(s, initial=np.inf)
        if lowest >= self.lambdas[-1]:
            return self
        if X is None or y is None:
            raise ValueError(
                f"s = {lowest:.6g} is below the last lambda, {self.lambdas[-1]:.6g}; to follow "
                f"the path on, give the data of the fit as X=X, y=y"
            )
        return self._follow(X, y, lambda_min=float(lowest), max_steps=None)

    def _follow(self, X, y, **change):
        """Return the path with its own options and these changes."""
        if "n_samples" not in self.options:  # otherwise X is X'X
            X = read_rows(self, X)
        options = {**self.options, **change, "max_features": None}
        longer = self.fitter(X, y, **options)
        if "feature_names" in options:
            longer = replace(longer, feature_names=self.feature_names, encoder=self.encoder)
        found = {"null deviance": (longer.null_deviance, self.null_deviance),
                 "first lambda": (longer.lambdas[0], self.lambdas[0])}  # fmt: skip
        for name, (here, fitted) in found.items():
            if not np.isclose(here, fitted, rtol=1e-6, atol=0.0, equal_nan=True):
                raise ValueError(
                    f"X and y are not the data of the fit: their {name} is {here:.6g}, that of "
                    f"the path {fitted:.6g}"
                )
        end = self.lambdas[-1]
        here = np.append(Path.coef(longer, end), Path.intercept(longer, end))
        fitted = np.append(Path.coef(self, end), Path.intercept(self, end))
        if np.abs(here - fitted).max() > ALIKE * np.abs(fitted).max():
            raise ValueError(
                f"X and y are not the data of the fit: they lead to other coefficients at "
                f"lambda = {end:.6g}"
            )
        return longer


def spacing_columns(path, X, y, sigma):
    """Return the columns of :meth:`KnotPath.spacing`."""
    options = path.options or {}
    plain = all(options.get(name) is None for name in ("weights", "penalty_factor"))
    if options.get("method") != "lar" or not plain or options.get("ridge"):
        raise ValueError(
            "spacing tests are of lars_path(method='lar') without weights, penalty factors and "
            "ridge"
        )
    data = FittedData(path, X, y)
    data.refuse_others()
    n, m = data.n, len(path.lambdas) - 1
    order, known = [], np.zeros(path.n_features, dtype=bool)
    signs = np.zeros(path.n_features)
    for k in range(1, m + 1):  # a feature enters at the knot before its first coefficient
        b = path.coefs[:, [k]].toarray().ravel()
        new = np.flatnonzero((b != 0.0) & ~known)
        if len(new) != 1:
            raise ValueError(f"step {k} adds {len(new)} features; spacing tests are of one each")
        known[new], signs[new] = True, np.sign(b[new])
        order.append(int(new[0]))
    Z = data.matrix[:, order]
    Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=float)
    centred = options.get("intercept", True)
    spread = Z.std(axis=0) if options.get("standardize", True) else np.ones(len(order))
    Z = (Z - Z.mean(axis=0) if centred else Z) / spread
    offset = options.get("offset")
    response = data.response.values - (0.0 if offset is None else np.asarray(offset).ravel())
    sigma = _noise(data, response, centred) if sigma is None else read_number(
        "sigma", sigma, 0.0, np.inf, open_low=True)  # fmt: skip
    Q, R = np.linalg.qr(Z)
    last, w = np.zeros(n), np.empty(m)
    for k in range(m):
        s = signs[order[: k + 1]]
        at = Q[:, : k + 1] @ np.linalg.solve(R[: k + 1, : k + 1].T, s)
        w[k], last = np.linalg.norm(at - last), at
    return _spacing_tests(path, n * path.lambdas, w / sigma, np.array(order))


def _spacing_tests(path, knots, w, order):
    """Return the columns from knots in units of inner products (m + 1,) and w / sigma (m,)."""
    from scipy import special

    before, here, after = np.append(np.inf, knots[:-2]), knots[:-1], knots[1:]
    low, middle, high = (special.log_ndtr(-t * w) for t in (before, here, after))
    top, bottom = -np.expm1(low - middle), -np.expm1(low - high)
    names = path.feature_names
    return {
        "feature": order if names is None else names[order], "lambda": path.lambdas[:-1],
        "spacing": np.exp(middle - high) * top / bottom,
        "covariance": np.exp(-(w**2) * here * (here - after)),
    }  # fmt: skip


def _noise(data, response, centred):
    """Return the standard deviation of the residuals of all features."""
    n, p = data.n, data.matrix.shape[1] + bool(centred)
    if n - p < max(FULL, p):
        raise ValueError(f"{n} rows of {p} features say too little of the errors; give sigma=")
    X = data.matrix
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    X = np.column_stack([np.ones(n), X - X.mean(axis=0)]) if centred else X
    b, _, rank, _ = np.linalg.lstsq(X, response, rcond=None)
    return float(np.linalg.norm(response - X @ b) / np.sqrt(n - rank))


def knot_path(problem, batches, tol, **rest):
    """Return the knots of a followed path, batches in inner units, as a KnotPath."""
    inner = np.concatenate([batch.lams for batch in batches])
    positive = inner > 0.0
    lambdas = np.zeros(len(inner))
    if positive.any():
        lambdas[positive] = problem.user_lambdas(inner[positive])
    parts = [_user_coefs(problem, batch) for batch in batches]
    sizes = np.concatenate([size for *_, size, _ in parts])
    coefs = sparse.csc_array(
        (np.concatenate([p[1] for p in parts]), np.concatenate([p[0] for p in parts]),
         np.append(0, np.cumsum(sizes))), shape=(len(problem.factor), len(inner)),
    )  # fmt: skip
    squares = np.concatenate([batch.squares for batch in batches])
    gaps = np.concatenate([batch.gaps for batch in batches])
    null = rest["null_deviance"]
    explained = 1.0 - squares / max(2.0 * problem.null_value, 1e-300) * (problem.null_value > 0)
    return KnotPath(
        lambdas=lambdas,
        coefs=coefs,
        intercepts=np.concatenate([intercepts for *_, intercepts in parts]),
        df=sizes,
        dev_ratio=np.where(np.isnan(null), np.nan, explained * (problem.null_value > 0)),
        gaps=gaps,
        n_iters=np.concatenate([batch.n_events for batch in batches]),
        status=np.where(gaps <= tol, Status.CONVERGED, Status.STALLED),
        family="gaussian",
        **rest,
    )


def _user_coefs(problem, batch):
    """Return (features, coefficients, number of them per knot, intercepts) of a batch."""
    features, B = batch.features, batch.B
    plain = problem.many_to_user(features, B)
    unit = plain[0] if plain is not None else np.ones(len(features))
    which, values, sizes = nonzeros(B, np.argsort(features, kind="stable"), features, unit)
    if plain is not None:
        return which, values, sizes, plain[1]
    ends = np.cumsum(sizes)
    slow = [problem.to_user(which[end - size : end], values[end - size : end], 0.0)
            for size, end in zip(sizes, ends, strict=True)]  # fmt: skip
    return (np.concatenate([w for w, _, _ in slow]), np.concatenate([v for _, v, _ in slow]),
            np.array([len(w) for w, _, _ in slow]), np.array([b0 for *_, b0 in slow]))  # fmt: skip
