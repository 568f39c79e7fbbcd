"""The step size that predicts best: learners with several eta0 learn the same rows.

Candidates are powers of 2 or 4 around the value that units suggest. With X scaled by s, rates of
FOBOS and dual averaging scale by 1 / s^2 and those of FTRL by 1 / s; the latter also scale with
y, for real responses. The chosen one has the least loss of predictions, each made before its row
was learned, over the later half of the rows, among those that did not explode in the first half;
for prox-SVRG, the least objective after two passes
over them. Only features that occur in these rows are stored meanwhile.
"""

import logging

import numpy as np

from sparsesolve.data import read_real, read_several
from sparsesolve.online.penalty import Laid

log = logging.getLogger(__name__)

# Predictions have exploded if they lose this many times what those of weights 0 lose.
EXPLODED = 10.0
# Rows on which candidates are compared.
ROWS = 4096
FACTORS = {
    "ftrl": 2.0 ** np.arange(-3, 4),
    "rda": 4.0 ** np.arange(-2, 5),
    "fobos": 4.0 ** np.arange(-2, 5),
    "svrg": 2.0 ** np.arange(-3, 4),
}


def choose(settings, rows, n_features):
    """Return eta0 and a dict of each candidate's loss."""
    features, compact = None, rows
    if settings.penalty is None and not settings.eager:
        features, index = np.unique(rows.columns, return_inverse=True)
        compact = rows._replace(columns=index.astype(np.intc))
    first = rows.n // 2 // settings.batch * settings.batch
    found, calm = {}, []
    most = EXPLODED * _idle_loss(settings, rows.part(0, first)) if first else np.inf
    for eta0 in unit(settings, rows) * FACTORS[settings.method]:
        learner = settings.learner(eta0, n_features, features)
        try:
            if settings.method == "svrg":
                found[float(eta0)] = _objective(settings, learner, compact, features)
                continue
            learner.learn(compact.part(0, first))
            before = learner.mean_loss
            # Count from here: compared with losses of steps that were far too long, differences
            # vanish.
            learner.total, learner.weight = 0.0, 0.0
            learner.learn(compact.part(first, rows.n))
        except ValueError:  # the steps were too long: no candidate
            found[float(eta0)] = np.inf
            continue
        found[float(eta0)] = learner.mean_loss if learner.weight > 0.0 else before
        if not before > most:
            calm.append(float(eta0))
    best = min(calm or found, key=lambda eta0: found[eta0])
    if found[best] == np.inf:
        raise ValueError("every step size that was tried was too long; scale X, or give step=")
    log.debug("step size %.3g of %d candidates, mean loss %.4g", best, len(found), found[best])
    return best, found


def _idle_loss(settings, rows):
    """Return the mean loss of rows at weights 0."""
    several = settings.family.several
    loss = settings.family.loss(rows.y if several else rows.y[:, 0], rows.w / rows.w.sum())
    eta = np.zeros((rows.n, settings.n_responses)) if rows.offset is None else rows.offset
    return loss.at(np.ascontiguousarray(eta.T if several else eta[:, 0]))[0]


def _objective(settings, learner, rows, features):
    """Return the mean loss of a second pass, each row before it was learned, plus the penalty."""
    for _ in range(2):
        learner.measure([rows])
        total, weight = learner.total, learner.weight
        learner.learn(rows)
    W = learner.weights()[0]
    v = np.ones(len(features)) if settings.factors is None else settings.factors[features]
    laid = Laid(None, len(features), settings.n_responses, settings.alpha, v, settings.grouped)
    return (learner.total - total) / (learner.weight - weight) + laid.value(
        np.ascontiguousarray(W), settings.lam)  # fmt: skip


def unit(settings, rows):
    """Return the step size around which the candidates lie."""
    counts = np.diff(rows.start).clip(1)
    mean = float((rows.w / rows.w.sum()) @ (np.add.reduceat(
        np.append(rows.x**2, 0.0), rows.start[:-1]) * (np.diff(rows.start) > 0)))  # fmt: skip
    if mean == 0.0:
        return 1.0
    if settings.method != "ftrl":
        return 1.0 / mean
    entry = np.sqrt(mean / float(counts.mean()))
    scale = 1.0
    if settings.family.read in (read_real, read_several):
        scale = float(np.sqrt(np.average((rows.y - rows.y.mean(axis=0)) ** 2))) or 1.0
    return 0.25 * scale / entry
