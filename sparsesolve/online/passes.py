"""Passes over the data: measure first if the method needs it, learn, and watch the held-out loss.
"""

import logging

from sparsesolve.paths.progress import progress_bar

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
