"""Chains with the structured hinge loss: averaged subgradients, or block Frank-Wolfe."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, read_choice, read_count, read_number, read_seed
from sparsesolve.data.paragraphs import described_by
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.paths.bundle.trace import Recorder
from sparsesolve.results.status import Status
from sparsesolve.structured.chain_marginals import ChainMargin, excessive_gap
from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.decoding import read_cost
from sparsesolve.structured.hinge import FrankWolfePass, HingePass
from sparsesolve.structured.result import CRFPath, of_one_lambda
from sparsesolve.structured.sequences import (
    in_positions_of,
    known_tags,
    read_allowed,
    read_rows,
    read_tags,
    refuse_dicts,
    refuse_forbidden,
)

ALGORITHMS = ("averaged", "frank_wolfe", "pragam")


@answers_keywords()
@described_by(crf_path)
def max_margin(
    X: Any,
    y: Any,
    *,
    lengths: ArrayLike | None = None,
    algorithm: str = "averaged",
    lam: float = 1e-3,
    epochs: int = 10,
    tol: float = 0.0,
    allowed: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    seed: int = 0,
) -> CRFPath:
    r"""Fit chains with the structured hinge loss, one sequence at a time.

    .. math:: \lambda \lVert w \rVert^2 / 2 + \frac{1}{N} \sum_s \max_y
              \bigl[ \mathrm{score}_s(y) - \mathrm{score}_s(y_s) + \mathrm{cost}(y, y_s) \bigr]

    Parameters
    ----------
    algorithm : {"averaged", "frank_wolfe"}, default "averaged"
        "averaged": subgradient steps of length 1 without the penalty (a loss-augmented
        perceptron), and the mean of all iterates. It is quick and has no certificate: its gap is
        infinite. "frank_wolfe": block-coordinate Frank-Wolfe, with a duality gap that falls
        slowly; some tenths after ten epochs are normal. "pragam": the excessive gap technique
        on marginals of neighbours, whose gap falls as 1 / epochs^2. It keeps K^2 numbers for
        each pair of neighbours, and projects them onto distributions twice an epoch.
    lam : float, default 1e-3
        Strength of the ridge penalty; "averaged" has none.
    epochs : int, default 10
        Passes over the sequences, each in a new random order; iterations of "pragam".
    tol : float, default 0.0
        Stop early once the gap, relative to the objective at zero, is at most this; "averaged"
        has none.
    cost : array-like (K, K), default None
        What it costs to take the label of a row for that of a column, in the sorted order of the
        labels (a frame is read by its labels); at least 0, and 0 on the diagonal. None: 1 for
        every wrong label.
    seed : int, default 0
        Seed of the orders.

    Returns
    -------
    CRFPath
        With one lambda. Its `marginals` are those of a softmax of the scores, not calibrated.
        With "pragam" its `trace` is a ``sparsesolve.paths.bundle.Trace``, with objectives, bounds
        and the gap that theory allows of every iteration.

    References
    ----------
    Collins (2002); Lacoste-Julien, Jaggi, Schmidt, Pletscher (2013); Saha, Zhang, Vishwanathan
    (2010), section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import structured
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> fit = structured.max_margin(X, X[:, 0] > 0, lengths=[10] * 10)
    >>> round(fit.score(X, X[:, 0] > 0, [10] * 10), 2)
    0.99
    """
    read_choice("algorithm", algorithm, ALGORITHMS)
    lam = read_number("lam", lam, 0, np.inf, open_low=True)
    tol = read_number("tol", tol, 0, np.inf)
    epochs = read_count("epochs", epochs, 1)
    rng = np.random.default_rng(read_seed(seed))
    learner = MaxMargin(X, y, lengths, allowed, dual=algorithm == "frank_wolfe", cost=cost)
    if algorithm == "averaged":
        for _ in range(epochs):
            learner.averaged_epoch(rng)
        return learner.averaged()
    if algorithm == "pragam":
        return learner.pragam(lam, epochs, tol)
    return learner.frank_wolfe(lam, epochs, tol, rng)


class MaxMargin:
    """Coefficients during learning; further passes continue from them.

    Parameters
    ----------
    X, y, lengths, allowed
        As in `max_margin`.
    labels : (K,), default None
        All labels that may occur; None means those of y.
    cost : as in `max_margin`
    dual : bool
        Whether to keep the variables of Frank-Wolfe: n K and N K^2 numbers.
    """

    def __init__(self, X, y, lengths=None, allowed=None, labels=None, dual=False, cost=None):
        self.labels, self.p, self.names, self.cost = labels, None, None, cost
        self.read(X, y, lengths, allowed, dual)
        K = len(self.labels)
        self.w = np.zeros((self.p + 3 + K) * K)
        self.total, self.count = np.zeros_like(self.w), 1.0

    def read(self, X, y, lengths, allowed=None, dual=False):
        """Set the sequences of the next passes."""
        y = in_positions_of(X, y)
        if self.p is not None:
            refuse_dicts(X, self.names)
        rows = read_rows(X, lengths, both=False, known=self.names)
        if self.labels is None:
            codes, self.labels = read_tags(y, rows.ptr)
        else:
            codes = known_tags(y, rows.ptr, self.labels)
        K, (_, self.p), self.names = len(self.labels), rows.rows.shape, rows.names
        self.allowed = read_allowed(allowed, K, self.labels)
        refuse_forbidden(codes, rows.ptr, self.allowed, self.labels)
        closed = np.zeros((K, K)) if self.allowed is None else np.where(self.allowed, 0, -np.inf)
        costs = read_cost(self.cost, self.labels)
        self.worst = float(costs.max(axis=1)[codes].sum())
        x = rows.rows
        if len(x.data) == 0:  # an array without entries has no address
            x.data, x.indices = np.zeros(1), np.zeros(1, dtype=np.intc)
        self.n_sequences, self.n = len(rows.ptr) - 1, x.shape[0]
        self.data = x, rows.ptr, codes
        kind = FrankWolfePass if dual else HingePass
        self.step = kind(x.indptr, x.indices, x.data, rows.ptr, codes, K, self.p, closed,
                         costs)  # fmt: skip

    def averaged_epoch(self, rng):
        """Make one pass of subgradient steps in a new order; return the mean hinge loss."""
        order = rng.permutation(self.n_sequences).astype(np.intc)
        lost, self.count = self.step.averaged_epoch(order, self.w, self.total, self.count)
        return lost / self.n_sequences

    def averaged(self):
        """Return the mean of all iterates as a path, without a certificate."""
        return self._wrapped(self.w - self.total / self.count, 0.0, np.inf, Status.UNCERTIFIED)

    def frank_wolfe(self, lam, epochs, tol, rng):
        """Make passes of block Frank-Wolfe steps; return the path with the gap at their end."""
        null = self.worst / self.n_sequences  # the objective at 0: every label may be wrong
        gap = np.inf
        for _ in range(epochs):
            order = rng.permutation(self.n_sequences).astype(np.intc)
            near = self.step.frank_wolfe_epoch(order, self.w, lam)
            if near <= 2.0 * tol * null:
                gap = self.step.frank_wolfe_gap(self.w, lam)
                if gap <= tol * null:
                    break
        gap = self.step.frank_wolfe_gap(self.w, lam)
        status = Status.CONVERGED if gap <= tol * null else Status.MAX_ITER
        return self._wrapped(self.w.copy(), lam, gap / null, status)

    def pragam(self, lam, n_iter, tol):
        """Make iterations of Pragam from the centre; return the path with its trace."""
        null, record, smoothing = self.worst / self.n_sequences, Recorder(), []
        with one_blas_thread():
            costs = read_cost(self.cost, self.labels)
            risk = ChainMargin(*self.data, len(self.labels), self.allowed, costs)
            method = excessive_gap(risk, lam, len(self.w))
            least, highest = np.inf, -np.inf
            while True:
                objective = self.step.objective(method.w, lam)
                if objective < least:
                    least, self.w = objective, method.w
                highest = max(highest, method.dual_value)
                smoothing.append(method.mu)
                record.record(objective, method.dual_value, 3 + 4 * (len(smoothing) - 1))
                if len(smoothing) > n_iter or least - highest <= tol * null:
                    break
                method.step()
        mu = np.array(smoothing)
        trace = record.trace("pragam", self.w, 0.0, smoothing=mu, lipschitz=method.L,
                             radius=method.radius, theory=mu * method.radius)  # fmt: skip
        status = Status.CONVERGED if trace.gap <= tol * null else Status.MAX_ITER
        return self._wrapped(self.w, lam, trace.gap / null, status, trace)

    def _wrapped(self, w, lam, gap, status, trace=None):
        return of_one_lambda(
            w, lam, self.labels, self.p, gap, status, stop_reason="every epoch was made",
            null_value=self.worst / self.n_sequences, allowed=self.allowed,
            feature_names=self.names, options={"loss": "hinge"}, trace=trace,
        )  # fmt: skip
