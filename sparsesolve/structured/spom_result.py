"""SPOM: a model of groups of features or kernels, learnt online."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import real_array
from sparsesolve.data.structure import verified
from sparsesolve.losses.chain.sequences import Chains
from sparsesolve.results.coefficient_table import Tabled, described
from sparsesolve.results.files.model_file import save_as_before
from sparsesolve.results.frozen import Frozen
from sparsesolve.structured.answers import Labelling
from sparsesolve.structured.pictures import plot_weights
from sparsesolve.structured.sequences import in_positions_of, read_lengths, read_rows, read_tags


@dataclass(frozen=True, repr=False)
class SPOM(Labelling, Frozen, Tabled):
    """A model learnt by `spom`, which predicts labels of new sequences."""

    labels: np.ndarray  #: (K,) labels, in sorted order
    group_labels: list  #: what the groups or kernels are called
    parameters: tuple  #: of each block: features (p, K), of a kernel coefficients (n, K)
    tied: np.ndarray  #: (K^2 + 2 K,) transitions row by row, start and stop scores
    kernel_weights: np.ndarray  #: (epochs, G) weights beta after each epoch, of sum 1
    objectives: np.ndarray  #: (epochs,) objective of the iterate after each epoch
    lam: float  #: strength of the penalty
    eta0: float  #: first step size, as given or chosen
    radius: float  #: of the ball on which parameters were projected
    objective: float  #: lam Omega + mean loss of the parameters as returned
    bound: float  #: no parameters have a lower objective; -inf where none was computed
    null_objective: float  #: objective of parameters that are all 0
    groups: np.ndarray | None = None  #: (p,) number of each feature's group, where X was a table
    n_features: int = 0  #: p, where X was one table
    blocks: tuple = ()  #: of each block "features" or "kernel"
    options: dict = field(default_factory=dict)  #: options of the fit that are not data
    feature_names: np.ndarray | None = None  #: (p,) names of the columns, where there are some

    @property
    def gap(self) -> float:
        """An upper bound of the objective minus its optimum; infinite without a bound."""
        return max(self.objective - self.bound, 0.0)

    @property
    def relative_gap(self) -> float:
        """The gap over the objective of parameters that are all 0."""
        return self.gap / self.null_objective

    def __repr__(self) -> str:
        used = len(self.used())
        certain = "no certificate" if self.gap == np.inf else f"gap {self.gap:.3g}"
        return (
            f"<SPOM {self.options['loss']}, {self.options['norm']}: {used} of "
            f"{len(self.group_labels)} groups in use, {len(self.labels)} labels, objective "
            f"{self.objective:.4g} after {len(self.objectives)} epochs, {certain}>"
        )

    def _columns(self):
        names = np.array([*self.group_labels, None], dtype=object)[:-1]
        return {"group": names, "weight": self.kernel_weights[-1]}

    def summary(self) -> str:
        """Describe in words what was learnt, and the groups with the largest weights."""
        return described([repr(self).strip("<>")], self._columns())

    def weights(self) -> dict[Any, float]:
        """Return the weight beta of each group or kernel after the last epoch, of sum 1."""
        found = self.kernel_weights[-1].tolist()
        return dict(zip(self.group_labels, found, strict=True))

    def used(self) -> list:
        """Return the groups whose weight is not 0 after the last epoch."""
        return [name for name, weight in self.weights().items() if weight > 0.0]

    def transitions(self) -> np.ndarray:
        """Return the scores of transitions, (K, K) from row to column."""
        K = len(self.labels)
        return self.tied[: K * K].reshape(K, K)

    def coef(self) -> np.ndarray:
        """Return the coefficients of the features, (p, K).

        Raises
        ------
        ValueError
            If the model was fitted to blocks.
        """
        if self.groups is None:
            raise ValueError("the model was fitted to blocks; see parameters")
        return self.parameters[0]

    def predict(self, X: Any, lengths: ArrayLike | None = None, n_threads: int = 1) -> np.ndarray:
        """Return the labels with the largest score, (n_new,).

        Parameters
        ----------
        X : as in `spom`
            New positions: features; or blocks in the same order or under the same names, kernels
            between new positions and those of training, (n_new, n).
        lengths : array-like (n_sequences,), default None
        n_threads : int, default 1

        Returns
        -------
        ndarray (n_new,)

        Raises
        ------
        ValueError, TypeError
            Where X does not fit, saying what was found.
        """
        S, ptr = self._scores(X, lengths)
        K = len(self.labels)
        T = np.ascontiguousarray(self.transitions())
        codes, _ = Chains(ptr, K).viterbi(S, T, n_threads)
        return self.labels[codes]

    def score(self, X: Any, y: Any, lengths: ArrayLike | None = None) -> float:
        """Return the fraction of labels that `predict` gets right.

        Parameters
        ----------
        X, lengths
            As in `predict`.
        y : list of label sequences, or array-like (n_new,)

        Returns
        -------
        float

        Raises
        ------
        ValueError, TypeError
            Where X or y do not fit, saying what was found.
        """
        y = in_positions_of(X, y)
        S, ptr = self._scores(X, lengths)
        T = np.ascontiguousarray(self.transitions())
        found = self.labels[Chains(ptr, len(self.labels)).viterbi(S, T)[0]]
        codes, names = read_tags(y, ptr)
        return float(np.mean(names[codes] == found))

    def save(self, file: str | PathLike) -> None:
        """Write the model into a file; :func:`sparsesolve.save` takes its place."""
        save_as_before(self, file)

    def plot(self, ax: Any = None) -> Any:
        """Draw the weight of each group along the epochs; return matplotlib's Axes.

        Parameters
        ----------
        ax : matplotlib Axes, default None
            None draws into a new figure.

        Returns
        -------
        Axes
        """
        return plot_weights(self.kernel_weights, self.group_labels, ax)

    lambdas = None

    def _starts(self, X, lengths):
        return self._scores(X, lengths)[1]

    def _labels_at(self, X, lengths, s):
        return [self.predict(X, lengths)]

    def _scores(self, X, lengths):
        """Return scores of labels that include start and stop, and the starts of the sequences."""
        K = len(self.labels)
        if self.groups is not None:
            rows = read_rows(X, lengths, both=False, known=self.feature_names)
            parts, ptr = [rows.rows], np.asarray(rows.ptr)
        else:
            parts = self._blocks(X)
            ptr = np.asarray(read_lengths(lengths, parts[0].shape[0]))
        S = np.zeros((int(ptr[-1]), K))
        for name, part, theta in zip(self._names(), parts, self.parameters, strict=True):
            if part.shape != (len(S), len(theta)):
                raise ValueError(
                    f"block {name!r} has shape {part.shape}; the model needs "
                    f"({len(S)}, {len(theta)})"
                )
            S += part @ theta
        S[ptr[:-1]] += self.tied[K * K : K * K + K]
        S[ptr[1:] - 1] += self.tied[K * K + K :]
        return np.ascontiguousarray(S), ptr

    def _names(self):
        return ["X"] if self.groups is not None else self.group_labels

    def _blocks(self, X):
        """Return the blocks of new positions, in the order of training."""
        if isinstance(X, dict):
            missing = [name for name in self.group_labels if name not in X]
            if missing:
                raise ValueError(f"X lacks the block {missing[0]!r} of training")
            X = [X[name] for name in self.group_labels]
        if len(X) != len(self.parameters):
            raise ValueError(f"X has {len(X)} blocks; the model has {len(self.parameters)}")
        parts = [part.Z if hasattr(part, "Z") else part for part in X]
        return [sparse.csr_array(verified(part)) if sparse.issparse(part) else
                np.asarray(real_array("X", part), dtype=float) for part in parts]  # fmt: skip
