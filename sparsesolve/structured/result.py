"""CRFPath: a path of conditional random fields, and what can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.linalg.threads import thread_count
from sparsesolve.losses.chain.rows import times
from sparsesolve.losses.chain.sequences import Chains
from sparsesolve.results.frozen import Solved
from sparsesolve.results.interpolation import interpolator, read_s
from sparsesolve.structured.sequences import known_tags, read_rows, read_tags


@dataclass(frozen=True, repr=False)
class CRFPath(Solved):
    """Chains fitted along a path of lambdas, each with a certified gap.

    ``coefs`` holds all coefficients of a lambda in one column: K for each feature, feature by
    feature; then with an intercept K of the labels, K^2 of transitions row by row, K of the first
    and K of the last label of a sequence. `coef`, `transitions` and `parts` take them apart.
    """

    lambdas: np.ndarray  #: (L,) decreasing
    coefs: sparse.csc_array  #: (number of coefficients, L)
    df: np.ndarray  #: (L,) features with a nonzero coefficient
    dev_ratio: np.ndarray  #: (L,) fraction of the loss at zero coefficients that is explained
    gaps: np.ndarray  #: (L,) duality gap over the objective at zero coefficients
    n_iters: np.ndarray  #: (L,) steps
    status: np.ndarray  #: (L,) Status of each lambda
    stop_reason: str  #: why the path ended
    labels: np.ndarray  #: (K,) labels, in sorted order
    n_features: int  #: p
    null_value: float  #: loss at zero coefficients, the objective that gaps are relative to
    allowed: np.ndarray | None = None  #: (K, K) transitions that may be taken, None for all
    feature_names: np.ndarray | None = None  #: (p,) names of the columns, where there are some
    groups: np.ndarray | None = None  #: (p,) number of each feature's group, where there are such
    group_labels: list | None = None  #: what the groups are called
    options: dict = field(default_factory=dict)  #: options of the fit that are not data

    family, class_names = "chain", None

    @property
    def selectable(self) -> tuple[int, str]:
        """How many features there are, and what they are called."""
        return self.n_features, "feature"

    @property
    def intercept(self) -> bool:
        """Whether every label has a score of its own."""
        K = len(self.labels)
        return self.coefs.shape[0] > (self.n_features + K + 2) * K

    def parts(self, s: float | None = None) -> dict[str, np.ndarray]:
        """Return all coefficients at a lambda, by name.

        Parameters
        ----------
        s : float, default None
            A lambda; between two of the path coefficients are interpolated. None: the last one.

        Returns
        -------
        dict
            "coef" (p, K), "intercept" (K,), "transitions" (K, K) from row to column, "start" and
            "stop" (K,).

        Raises
        ------
        ValueError
            If s is negative or not a single number.
        """
        at = read_s(self.lambdas[-1] if s is None else s)
        if at.ndim:
            raise ValueError(f"s has shape {at.shape}; give one lambda")
        solved = np.flatnonzero(self.lambdas == at)
        if len(solved):
            flat = self.coefs[:, solved].toarray()[:, 0]
        else:
            flat = (self.coefs @ interpolator(self.lambdas, at)).toarray()[:, 0]
        K, cut = len(self.labels), self.n_features * len(self.labels)
        own, tied = flat[:cut], flat[cut:]
        bias = tied[:K] if self.intercept else np.zeros(K)
        tied = tied[K:] if self.intercept else tied
        return {
            "coef": own.reshape(self.n_features, K), "intercept": bias,
            "transitions": tied[: K * K].reshape(K, K), "start": tied[K * K : K * K + K],
            "stop": tied[K * K + K :],
        }  # fmt: skip

    def coef(self, s: float | None = None) -> np.ndarray:
        """Return the coefficients of the features at a lambda, (p, K); None: the last."""
        return self.parts(s)["coef"]

    def transitions(self, s: float | None = None) -> np.ndarray:
        """Return the scores of transitions at a lambda, (K, K) from row to column."""
        return self.parts(s)["transitions"]

    def nonzero(self, s: float | None = None) -> np.ndarray:
        """Return the features with a nonzero coefficient at a lambda, ascending."""
        return np.flatnonzero(self.coef(s).any(axis=1))

    def templates(self, s: float | None = None) -> dict[Any, float]:
        """Return the groups in use at a lambda and the Euclidean norms of their coefficients.

        Parameters
        ----------
        s : float, default None
            A lambda; None: the last one.

        Returns
        -------
        dict
            From the label of a group to its norm, the largest first.

        Raises
        ------
        ValueError
            If the features were not in groups.
        """
        norms = self.template_norms(self.coef(s))
        order = np.argsort(-norms, kind="stable")
        assert self.group_labels is not None
        return {self.group_labels[g]: float(norms[g]) for g in order if norms[g] > 0.0}

    def template_norms(self, coef: np.ndarray) -> np.ndarray:
        """Return the norm of each group's coefficients, (G,), for coefficients (p, K)."""
        if self.groups is None:
            raise ValueError("the features are not in groups; fit with groups, one label for each")
        squares = np.bincount(self.groups, np.sum(coef**2, axis=1))
        return np.sqrt(squares)

    # answers

    def predict(self, X: Any, lengths: ArrayLike | None = None, s: float | None = None,
                n_threads: int = 1) -> np.ndarray:
        """Return the labels of the largest score, (n,).

        Parameters
        ----------
        X : list of (L, p), or (n, p) with `lengths`
            As in `crf_path`.
        lengths : array-like (n_sequences,), default None
        s : float, default None
            A lambda; None: the last one.
        n_threads : int, default 1

        Returns
        -------
        ndarray (n,)
            Labels, of the type of those fitted, all sequences one after the other.

        Raises
        ------
        ValueError, TypeError
            Where X does not fit, saying what was found.
        """
        S, T, chains = self._scores(X, lengths, s, n_threads)
        codes, _ = chains.viterbi(S, T, thread_count(n_threads))
        return self.labels[codes]

    def marginals(self, X: Any, lengths: ArrayLike | None = None, s: float | None = None,
                  pairs: bool = False, n_threads: int = 1) -> Any:
        """Return probabilities of the labels, (n, K), in the order of ``labels``.

        Parameters
        ----------
        X, lengths, s, n_threads
            As in `predict`.
        pairs : bool, default False
            Return those of neighbouring labels, too.

        Returns
        -------
        nodes : ndarray (n, K)
        pairs : ndarray (n - n_sequences, K, K)
            With `pairs` only: the pairs of one sequence after those of another.

        Raises
        ------
        ValueError, TypeError
            Where X does not fit, saying what was found.
        """
        S, T, chains = self._scores(X, lengths, s, n_threads)
        nodes, _, found = chains.marginals(S, T, None, pairs, thread_count(n_threads))
        return (nodes, found) if pairs else nodes

    def score(self, X: Any, y: Any, lengths: ArrayLike | None = None, s: float | None = None,
              n_threads: int = 1) -> float:
        """Return the fraction of labels that `predict` gets right.

        Parameters
        ----------
        X, lengths, s, n_threads
            As in `predict`.
        y : list of label sequences, or array-like (n,)
            Labels that training never saw count as wrong.

        Returns
        -------
        float

        Raises
        ------
        ValueError, TypeError
            Where X or y do not fit, saying what was found.
        """
        found = self.predict(X, lengths, s, n_threads)
        rows = read_rows(X, lengths, both=False)
        codes, names = read_tags(y, rows.ptr)
        return float(np.mean(names[codes] == found))

    def log_likelihood(self, X: Any, y: Any, lengths: ArrayLike | None = None,
                       s: float | None = None, n_threads: int = 1) -> np.ndarray:
        """Return log P(y | x) of each sequence, (n_sequences,).

        Parameters
        ----------
        X, lengths, s, n_threads
            As in `predict`.
        y : list of label sequences, or array-like (n,)
            Labels that training saw.

        Returns
        -------
        ndarray (n_sequences,)

        Raises
        ------
        ValueError, TypeError
            Where X or y do not fit, or a label is new.
        """
        S, T, chains = self._scores(X, lengths, s, n_threads)
        ptr = chains.starts
        codes = known_tags(y, ptr, self.labels)
        gold = S[np.arange(len(S)), codes]
        inside = np.ones(len(S), dtype=bool)
        inside[ptr[1:] - 1] = False
        at = np.flatnonzero(inside)
        gold[at] += T[codes[at], codes[at + 1]]
        return np.add.reduceat(gold, ptr[:-1]) - chains.marginals(S, T, None, False, n_threads)[1]

    def _scores(self, X, lengths, s, n_threads):
        """Scores of the labels with start and stop in them, transitions, and Chains."""
        rows, parts = read_rows(X, lengths, both=False), self.parts(s)
        if rows.rows.shape[1] != self.n_features:
            raise ValueError(
                f"X has {rows.rows.shape[1]} columns, but the model was fitted to "
                f"{self.n_features}"
            )
        x, coef = rows.rows, np.ascontiguousarray(parts["coef"])
        S = times(x.indptr, x.indices, x.data, coef, thread_count(n_threads)) + parts["intercept"]
        S[rows.ptr[:-1]] += parts["start"]
        S[rows.ptr[1:] - 1] += parts["stop"]
        T = parts["transitions"]
        if self.allowed is not None:
            T = np.where(self.allowed, T, -np.inf)
        return S, np.ascontiguousarray(T), Chains(rows.ptr, len(self.labels))

    def plot(self, by: str = "feature", ax: Any = None) -> Any:
        """Draw the norms of the features' or groups' coefficients along the path.

        Parameters
        ----------
        by : {"feature", "template"}, default "feature"
            What a line is: the K coefficients of a feature, or those of a group.
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            If `by` is unknown, or "template" where the features are not in groups.
        """
        from sparsesolve.structured.pictures import plot_chain_path

        return plot_chain_path(self, by, ax)

    def save(self, file: str | PathLike) -> None:
        """Write the path into a file that `structured.load` reads; data are not kept.

        Parameters
        ----------
        file : str or path
            Its name should end with .npz.

        Raises
        ------
        ValueError
            If labels are of mixed types, before anything is written.
        """
        from sparsesolve.structured.model_file import save

        save(self, file)
