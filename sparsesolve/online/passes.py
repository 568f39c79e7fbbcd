"""Passes over the data: measure first if the method needs it, learn, and watch the held-out loss.

Held-out rows say when learning ends, and which weights were the best so far.
"""

import copy
import logging

import numpy as np

from sparsesolve.data import in_rows_of, shown
from sparsesolve.paths.progress import progress_bar


class Holdout:
    """Watches a fit from pass to pass.

    Parameters
    ----------
    rows : tuple (X, y, weights or None)
    patience : int
        Learning ends after this many passes without an improvement.
    tol : float
        Least decrease of the mean loss that counts as an improvement.
    """

    def __init__(self, rows, patience=2, tol=0.0):
        self.rows = rows
        self.patience, self.tol = patience, tol
        self.losses, self.best, self.least, self.stale = [], None, np.inf, 0

    def ends(self, fit):
        """Measure the loss after a pass; return True if it no longer decreases."""
        loss = mean_loss(fit, *self.rows)
        self.losses.append(loss)
        self.stale = 0 if loss < self.least - self.tol else self.stale + 1
        if loss < self.least:
            self.least, self.best = loss, copy.deepcopy(fit)
        return self.stale >= self.patience


def mean_loss(fit, X, y, weights=None):
    """Return the mean loss of rows, without the penalty."""
    values = fit.reader.block(y, len(y)).values
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    eta = fit.predict(X)
    loss = fit.settings.family.loss(values, w / w.sum())
    return float(loss.at(np.ascontiguousarray(eta.T))[0])


def split(share, n, weights, rng):
    """Return the rows to learn and the rows to hold out, of n; only rows of positive weight."""
    kept = np.arange(n) if weights is None else np.flatnonzero(np.asarray(weights) > 0.0)
    count = max(1, int(share * len(kept)))
    if count >= len(kept):
        raise ValueError(
            f"holdout needs more than {len(kept)} rows of positive weight; leave it out"
        )
    mixed = rng.permutation(kept)
    return np.sort(mixed[count:]), mixed[:count]


def read_holdout(holdout):
    """Return None, a share, or the parts (X, y, weights)."""
    if holdout is None:
        return None
    if isinstance(holdout, tuple) and 2 <= len(holdout) <= 3:
        X, *rows = holdout
        return X, *in_rows_of(X, dict(zip(("y", "weights"), (*rows, None), strict=False))).values()
    if isinstance(holdout, float) and 0.0 < holdout < 1.0:
        return holdout
    raise ValueError(
        f"holdout must be a share between 0 and 1, (X, y) or (X, y, weights), not {shown(holdout)}"
    )


log = logging.getLogger(__name__)


def learn_passes(fit, read, passes, orders, watch=None, rows=None, progress=False):
    """Learn until the passes are over, or the held-out loss stops improving.

    Parameters
    ----------
    fit : OnlineFit
    read : callable (order) -> iterator of Rows
        Reads the data; order None means as they are stored.
    passes : int
    orders : callable () -> (n,) or None
        Returns the order of the next pass.
    watch : Holdout or None
    rows : int or None
        Rows in one pass, if known.
    progress : bool
        Show the number of rows and the progressive loss on stderr.

    Returns
    -------
    OnlineFit
        The fit, or with held-out rows the fit of the best pass.
    """
    done, total = 0, None if rows is None else rows * passes
    with progress_bar(total, progress, "row") as advance:
        for k in range(passes):
            if fit.settings.method == "svrg":
                fit._measure(read(None))
            for block in read(orders()):
                fit._learn(block)
                done += block.n
                loss = fit._loss_so_far  # nan until enough rows have chosen the step size
                advance(done, *(("loss %.4g", loss) if loss == loss else ("choosing the step",)))
            log.debug("pass %d of %d: %d rows so far, progressive loss %.6g", k + 1, passes, done,
                      fit._loss_so_far)  # fmt: skip
            if watch is not None and watch.ends(fit):
                log.debug("passes ended: rows held out cease to gain")
                break
    if watch is None:
        return fit
    watch.best.holdout_losses = watch.losses
    return watch.best
