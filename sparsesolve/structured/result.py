"""CRFPath: a path of conditional random fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data.paragraphs import described_by
from sparsesolve.results.coefficient_table import INTERCEPT, Named
from sparsesolve.results.explored import View
from sparsesolve.results.files.model_file import save_as_before
from sparsesolve.results.frozen import Solved
from sparsesolve.results.interpolation import interpolator, read_s
from sparsesolve.results.pictures.axes import AXES
from sparsesolve.results.predictor import FitOf
from sparsesolve.results.status import Status
from sparsesolve.structured.answers import ChainAnswers
from sparsesolve.structured.sentences import Sentences
from sparsesolve.structured.sequences import sequence_weights
from sparsesolve.structured.templates import Templates


@dataclass(frozen=True, repr=False)
class CRFPath(ChainAnswers, Solved, Named):
    """Chains fitted along a path of lambdas, each with a certified gap.

    ``coefs`` holds all coefficients of a lambda in one column: K for each feature, feature by
    feature; then with an intercept K of the labels, K^2 of transitions row by row, K of the first
    and K of the last label of a sequence. `coef`, `transitions` and `parts` separate them.
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
    #: free scores of which no finite value is best, by name, where the status is UNBOUNDED
    unbounded: list | None = None
    tagger: dict | None = None  #: templates, column and names of columns, of the command `tag`
    trace: Any = None  #: the Trace of max_margin(algorithm="pragam"), which files leave out

    family = "chain"

    @property
    def selectable(self) -> tuple[int, str]:
        """Return the number of selectable features, and their name."""
        return self.n_features, "feature"

    @property
    def intercept(self) -> bool:
        """True if every label has an intercept."""
        K = len(self.labels)
        return self.coefs.shape[0] > (self.n_features + K + 2) * K

    def parts(self, s: float | None = None) -> dict[str, np.ndarray]:
        """Return all coefficients at a lambda, by name.

        Parameters
        ----------
        s : float, default None
            A lambda; between two of the path, coefficients are interpolated. None: the last one.

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

    def _columns_at(self, s, zeros):
        """Return intercepts and coefficients of each label at each s as arrays by name."""
        s = read_s(s)
        parts = [self.parts(lam) for lam in np.atleast_1d(s)]
        B = np.array([np.vstack([part["intercept"], part["coef"]]) for part in parts])
        shown = np.full(B.shape, zeros) | (B != 0.0)
        L, J, K = np.nonzero(shown)
        named = range(self.n_features) if self.feature_names is None else self.feature_names
        columns = {"lambda": np.atleast_1d(s)[L]} if s.ndim else {}
        columns["label"] = self.labels[K]
        if self.groups is not None:
            groups = ["", *(str(self.group_labels[g]) for g in self.groups)]
            columns["group"] = np.array(groups, dtype=object)[J]
        columns["feature"] = np.array([INTERCEPT, *named], dtype=object)[J]
        return {**columns, "coefficient": B[L, J, K]}

    def _views(self):
        B = np.stack([self.coef(lam) for lam in self.lambdas], axis=2)  # (p, K, L)
        named, of = self.feature_names, None
        if self.groups is not None:
            of = [str(self.group_labels[g]) for g in self.groups]
        norms = np.sqrt(np.sum(B**2, axis=1))
        views = [View("Norm of the coefficients", named, sparse.csr_array(norms), of)]
        views += [View(f"Coefficient of {label}", named, sparse.csr_array(B[:, k]), of)
                  for k, label in enumerate(self.labels)]  # fmt: skip
        if self.groups is not None:
            norms = np.stack([self.template_norms(b) for b in np.moveaxis(B, 2, 0)], axis=1)
            views.append(View("Norm of the group", self.group_labels, sparse.csr_array(norms)))
        return views

    def _fit_of(self, X, y, weights, offset, lengths):
        """Count nonzero coefficients, and each sequence as a row of its weight."""
        if offset is not None or self.options.get("loss") == "hinge":
            what = "offset" if offset is not None else "likelihood"
            raise ValueError(f"these chains have no {what}; criteria need their likelihood alone")
        if self.options.get("alpha", 1.0) == 0.0:
            raise ValueError("A ridge path selects nothing, so its coefficients cannot be counted")
        logs = np.array([self.log_likelihood(X, y, lengths, lam) for lam in self.lambdas])
        w = sequence_weights(weights, logs.shape[1])
        here, fitted = 1.0 + np.average(logs[-1], weights=w) / self.null_value, self.dev_ratio[-1]
        if not abs(here - fitted) <= 1e-6:
            raise ValueError(
                f"data is not that of the fit: the last lambda explains {here:.9g} of its loss, "
                f"and {fitted:.9g} of that of the fit; give the same rows, lengths and weights"
            )
        return FitOf(-2.0 * logs @ w, np.diff(self.coefs.indptr), float(np.sum(w > 0.0)), False)

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

    def tag(self, sentences: Any) -> np.ndarray:
        """Return the labels (n,) of the words of sentences, with the templates of a tagger.

        Parameters
        ----------
        sentences : Sentences
            What :func:`structured.read_sentences` returned, with the columns that templates read.

        Returns
        -------
        ndarray (n,)

        Raises
        ------
        ValueError
            If the path is not of the command `tag`, or a column is missing.
        """
        return self.predict(self._of_templates(sentences), sentences.lengths)

    def _of_templates(self, sentences):
        """Return the matrix that the templates of a tagger make of sentences."""
        if self.tagger is None:
            raise ValueError(
                "the path has no templates; give predict the matrix that yours make of sentences"
            )
        templates = Templates.from_state(self.tagger["templates"])
        return templates.transform(sentences.columns, sentences.lengths)

    def _new_rows(self, X, y, weights, s, lengths):
        if isinstance(X, Sentences):
            X, lengths = self._of_templates(X), X.lengths
        return super()._new_rows(X, y, weights, s, lengths)

    def template_norms(self, coef: np.ndarray) -> np.ndarray:
        """Return the norm of each group's coefficients, (G,), for coefficients (p, K)."""
        if self.groups is None:
            raise ValueError("the features are not in groups; fit with groups, one label for each")
        squares = np.bincount(self.groups, np.sum(coef**2, axis=1))
        return np.sqrt(squares)

    @described_by(AXES)
    def plot(self, by: str = "feature", ax: Any = None) -> Any:
        """Draw the norms of the features' or groups' coefficients along the path.

        Parameters
        ----------
        by : {"feature", "template"}, default "feature"
            Lines show the K coefficients of a feature, or those of a group.

        Raises
        ------
        ValueError
            If `by` is unknown, or "template" where the features are not in groups.
        """
        from sparsesolve.structured.pictures import plot_chain_path

        return plot_chain_path(self, by, ax)

    def save(self, file: str | PathLike) -> None:
        """Write the path into a file; :func:`sparsesolve.save` takes its place."""
        save_as_before(self, file)


def of_one_lambda(flat, lam, labels, p, gap=np.inf, status=Status.UNCERTIFIED, **rest):
    """Return the CRFPath of one lambda with these coefficients, by default without certificate."""
    used = flat[: p * len(labels)].reshape(p, -1).any(axis=1).sum()
    return CRFPath(
        lambdas=np.array([lam]), coefs=sparse.csc_array(flat[:, None]), df=np.array([used]),
        dev_ratio=np.array([np.nan]), gaps=np.array([gap]), n_iters=np.array([0]),
        status=np.array([int(status)]), labels=labels, n_features=p, **rest,
    )  # fmt: skip
