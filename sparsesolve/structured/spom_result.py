"""SPOM: a model of groups of features or kernels, learnt online."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import read_number, real_array
from sparsesolve.data.paragraphs import described_by
from sparsesolve.data.structure import verified
from sparsesolve.losses.chain.sequences import Chains
from sparsesolve.results.coefficient_table import Tabled, described
from sparsesolve.results.files.model_file import save_as_before
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.pictures.axes import on_axes
from sparsesolve.structured.answers import Labelling
from sparsesolve.structured.pictures import plot_weights
from sparsesolve.structured.sequences import in_positions_of, read_lengths, read_rows, share_right


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
    #: (epochs,) weight of transitions, 1 where they have a penalty of their own
    transition_weights: np.ndarray | None = None
    regret_sums: np.ndarray | None = None  #: (4,) sums over all steps, of `regret_bound`
    feed: Any = None  #: what `more` goes on from; not saved

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

    def weights(self, transitions: bool = False) -> dict[Any, float]:
        """Return the weight beta of each group or kernel after the last epoch, of sum 1.

        Parameters
        ----------
        transitions : bool, default False
            Add "transitions", beta_0: 1 where they have a penalty of their own; where they are
            one more group, their weight, and all weights have the sum 1.

        Returns
        -------
        dict
        """
        found = self.kernel_weights[-1]
        if not transitions:
            return dict(zip(self.group_labels, found.tolist(), strict=True))
        own = 1.0 if self.transition_weights is None else float(self.transition_weights[-1])
        if self.options.get("transitions") == "group":
            found = (1.0 - own) * found
        return {**dict(zip(self.group_labels, found.tolist(), strict=True)), "transitions": own}

    def regret_bound(self, norm: float) -> float:
        """Bound the regret compared with all parameters of at most this Euclidean length.

        The regret is the sum over steps of loss_s(theta_t) + lam Omega(theta_t), each before the
        step on sequence s, minus the same sum for fixed parameters.

        Parameters
        ----------
        norm : float
            Length of the parameters to compare with, transitions included; at most `radius`.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If norm exceeds `radius`, or the model was saved before there were these bounds.

        Notes
        -----
        With s the strong convexity of lam Omega and ``D = norm + max_t |theta_t|``, it is
        ``norm^2 / (2 eta_1) + D^2 / 2 sum_t max(1 / eta_t+1 - 1 / eta_t - s, 0)
        + sum_t eta_t |g_t|^2 / 2``. So it grows like sqrt(T) for steps eta0 / sqrt(t), and like
        log T for steps 1 / (s t). Martins et al. (2011), lemma 2 and proposition 3, have the
        largest gradient for each, and leave out norm^2 / (2 eta_1) in the second case, which the
        prox of the ridge needs and the steps of "pegasos" do not.

        References
        ----------
        Martins, Smith, Xing, Aguiar, Figueiredo (2011).
        """
        norm = read_number("norm", norm, 0, np.inf)
        if self.regret_sums is None:
            raise ValueError("this model did not keep what the bound needs; fit it again by spom")
        if norm > self.radius:
            raise ValueError(
                f"norm is {norm:g}, but parameters are projected onto radius {self.radius:g}, and "
                "longer ones are not compared; give norm <= radius"
            )
        spent, first, rises, longest = self.regret_sums
        return 0.5 * float(norm**2 * first + (norm + longest) ** 2 * rises + spent)

    def more(self, X: Any, y: Any, lengths: ArrayLike | None = None, *, epochs: int = 1,
             shuffle: bool = True, order: ArrayLike | None = None, seed: int = 0) -> SPOM:
        """Return the model after more steps, on further sequences or the same.

        Step sizes and means go on where they were; lam, radius and eta0 stay. Objectives are
        those of these data, and there is no bound of theirs.

        Parameters
        ----------
        X, y, lengths
            As in `spom`, one table; labels are those of the model.
        epochs : int, default 1
        shuffle, order, seed
            As in `spom`.

        Returns
        -------
        SPOM

        Raises
        ------
        ValueError, TypeError
            Where data do not fit; for a model of blocks, whose kernels stand between positions of
            training; for one that was read from a file.
        """
        from sparsesolve.structured.spom_training import learn_more

        return learn_more(self, X, y, lengths, epochs, shuffle, order, seed)

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
            Where the data do not fit, saying what was found.
        """
        return self._found(X, lengths, n_threads)[0]

    @described_by(predict)
    def score(self, X: Any, y: Any, lengths: ArrayLike | None = None) -> float:
        """Return the fraction of labels that `predict` gets right.

        Parameters
        ----------
        y : list of label sequences, or array-like (n_new,)

        Returns
        -------
        float
        """
        y = in_positions_of(X, y)
        found, ptr = self._found(X, lengths)
        return share_right(y, ptr, found)

    def save(self, file: str | PathLike) -> None:
        """Write the model into a file; :func:`sparsesolve.save` takes its place."""
        save_as_before(self, file)

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the weight of each group along the epochs."""
        return plot_weights(self.kernel_weights, self.group_labels, ax)

    lambdas = None

    def _starts(self, X, lengths):
        return self._scores(X, lengths)[1]

    def _labels_at(self, X, lengths, s):
        return [self.predict(X, lengths)]

    def _found(self, X, lengths, n_threads=1):
        """Return the labels with the largest score (n,), and the starts of the sequences."""
        S, ptr = self._scores(X, lengths)
        T = np.ascontiguousarray(self.transitions())
        return self.labels[Chains(ptr, len(self.labels)).viterbi(S, T, n_threads)[0]], ptr

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
