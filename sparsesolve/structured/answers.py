"""Answers of a chain model on sequences: labels, probabilities, accuracy, likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.linalg.threads import thread_count
from sparsesolve.losses.chain.sequences import Chains, times
from sparsesolve.results.predictor import NewRows, Predictor
from sparsesolve.structured.report import TagReport, tag_report
from sparsesolve.structured.sequences import (
    in_positions_of,
    joined_tags,
    known_tags,
    read_rows,
    refuse_dicts,
    refuse_impossible,
    sequence_weights,
    share_right,
)


class Labelling(Predictor):
    """A predictor of the label of each position of sequences; its rows are the positions."""

    labels: np.ndarray

    @property
    def class_names(self) -> np.ndarray:
        """The labels (K,), in sorted order."""
        return self.labels

    @property
    def _family(self):
        return read_family("binomial" if len(self.labels) == 2 else "multinomial")

    @property
    def _n_responses(self):
        return None if len(self.labels) == 2 else len(self.labels)

    def _starts(self, X, lengths):
        """Return the starts of the sequences of X, (n_sequences + 1,)."""
        return np.asarray(read_rows(X, lengths, both=False).ptr)

    def _new_rows(self, X, y, weights, s, lengths):
        ptr = self._starts(X, lengths)
        if weights is not None:
            weights = np.repeat(sequence_weights(weights, len(ptr) - 1), np.diff(ptr))
        y = joined_tags(in_positions_of(X, y), ptr)
        return NewRows(int(ptr[-1]), (X, lengths), y, weights)

    def _link(self, rows, s, offset):
        if offset is not None:
            raise ValueError(f"{type(self).__name__} has no offset; leave it out")
        probabilities = self._probabilities(*rows.data, s)
        if probabilities is None:
            return None
        with np.errstate(divide="ignore"):
            logs = np.log(probabilities)
        return logs[:, 1] - logs[:, 0] if len(self.labels) == 2 else logs

    def _codes(self, rows, s, eta):
        found = self._labels_at(*rows.data, s)
        place = {label: k for k, label in enumerate(self.labels.tolist())}
        return np.array([[place[label] for label in column.tolist()] for column in found]).T

    def _probabilities(self, X, lengths, s):
        """Return probabilities of the labels, (n, K, S), or None if the model has none."""
        return None

    def _labels_at(self, X, lengths, s):
        """Return the labels with the largest score at each s, a list of (n,)."""
        raise NotImplementedError


class ChainAnswers(Labelling):
    """Predictions of a model with `labels`, `n_features`, `allowed` and `parts(s)`."""

    n_features: int
    feature_names: np.ndarray | None
    allowed: np.ndarray | None
    options: dict

    def parts(self, s: float | None = None) -> dict[str, np.ndarray]:
        """Return all coefficients at a lambda, by name."""
        raise NotImplementedError

    def predict(self, X: Any, lengths: ArrayLike | None = None, s: float | None = None,
                n_threads: int = 1) -> np.ndarray:
        """Return the labels with the largest score, (n,).

        Parameters
        ----------
        X : list of (L, p), or (n, p) with `lengths`
            As in `crf_path`.
        lengths : array-like (n_sequences,), default None
        s : float, default None
            A lambda; None means the last one.
        n_threads : int, default 1

        Returns
        -------
        ndarray (n,)
            Labels, of the type of those fitted, all sequences one after the other.

        Raises
        ------
        ValueError, TypeError
            Where the data do not fit, saying what was found.
        """
        S, T, chains = self._scores(X, lengths, s, n_threads)
        codes, _ = chains.viterbi(S, T, thread_count(n_threads))
        return self.labels[codes]

    @described_by(predict)
    def marginals(self, X: Any, lengths: ArrayLike | None = None, s: float | None = None,
                  pairs: bool = False, n_threads: int = 1) -> Any:
        """Return probabilities of the labels, (n, K), in the order of ``labels``.

        Parameters
        ----------
        pairs : bool, default False
            Also return the probabilities of pairs of neighbouring labels.

        Returns
        -------
        nodes : ndarray (n, K)
        pairs : ndarray (n - n_sequences, K, K)
            Only with `pairs`; the pairs of one sequence stand after those of another.
        """
        S, T, chains = self._scores(X, lengths, s, n_threads)
        nodes, _, found = chains.marginals(S, T, None, pairs, thread_count(n_threads))
        return (nodes, found) if pairs else nodes

    @described_by(predict)
    def score(self, X: Any, y: Any, lengths: ArrayLike | None = None, s: float | None = None,
              n_threads: int = 1) -> float:
        """Return the fraction of labels that `predict` gets right.

        Parameters
        ----------
        y : list of label sequences, or array-like (n,)
            Labels that training never saw count as wrong.

        Returns
        -------
        float
        """
        y = in_positions_of(X, y)
        found = self.predict(X, lengths, s, n_threads)
        return share_right(y, self._starts(X, lengths), found)

    @described_by(predict)
    def report(self, X: Any, y: Any, lengths: ArrayLike | None = None, s: float | None = None,
               n_threads: int = 1) -> TagReport:
        """Return precision, recall, F1 and support of each label, and of spans in BIO tags.

        Parameters
        ----------
        y : list of label sequences, or array-like (n,)

        Returns
        -------
        TagReport
            See `tag_report`.
        """
        y = in_positions_of(X, y)
        found = self.predict(X, lengths, s, n_threads)
        ptr = self._starts(X, lengths)
        return tag_report(joined_tags(y, ptr), found, np.diff(ptr))

    @described_by(predict)
    def log_likelihood(self, X: Any, y: Any, lengths: ArrayLike | None = None,
                       s: float | None = None, n_threads: int = 1) -> np.ndarray:
        """Return log P(y | x) of each sequence, (n_sequences,).

        Parameters
        ----------
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
        y = in_positions_of(X, y)
        S, T, chains = self._scores(X, lengths, s, n_threads)
        ptr = chains.starts
        codes = known_tags(y, ptr, self.labels)
        gold = S[np.arange(len(S)), codes]
        inside = np.ones(len(S), dtype=bool)
        inside[ptr[1:] - 1] = False
        at = np.flatnonzero(inside)
        gold[at] += T[codes[at], codes[at + 1]]
        return np.add.reduceat(gold, ptr[:-1]) - chains.marginals(S, T, None, False, n_threads)[1]

    def _probabilities(self, X, lengths, s):
        if self.options.get("loss") == "hinge":  # a margin is no probability
            return None
        return np.stack([self.marginals(X, lengths, lam) for lam in np.atleast_1d(s)], axis=-1)

    def _labels_at(self, X, lengths, s):
        return [self.predict(X, lengths, lam) for lam in np.atleast_1d(s)]

    def _scores(self, X, lengths, s, n_threads):
        """Return scores of labels that include start and stop, transitions, and Chains."""
        refuse_dicts(X, self.feature_names)
        rows, parts = read_rows(X, lengths, both=False, known=self.feature_names), self.parts(s)
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
            refuse_impossible(np.diff(rows.ptr), self.allowed)
        return S, np.ascontiguousarray(T), Chains(rows.ptr, len(self.labels))
