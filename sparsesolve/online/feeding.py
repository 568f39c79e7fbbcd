"""Feeding: passes rows to a Learner, once the first rows have chosen its step size.

The first rows wait until there are enough of them. A question before that is answered by a
learner of the rows so far, which is discarded, so that asking changes nothing.
"""

import copy
from itertools import chain
from typing import Any

import numpy as np

from sparsesolve.online.rows import joined
from sparsesolve.online.step_size import ROWS, choose


class Feeding:
    """Base of OnlineFit: what it has learned, and how it learns more.

    Parameters
    ----------
    settings : Settings
    reader : ResponseReader
    names : (p,) or None
        Names of the features.
    """

    def __init__(self, settings, reader, names=None):
        self.settings, self.reader, self.feature_names = settings, reader, names
        self.holdout_losses = None  # for each pass, if rows were held out
        self.columns = None  # StreamColumns of a table in a file
        self.reading = {}  # how the features of a file were read: hashing, hash_bits, zero_based
        self._learner = None  # set once the step size is known
        self._opening = []  # rows until then
        self._guess = None  # a temporary learner for questions before that
        self._p = settings.n_features or 0

    @property
    def _is_new(self):
        """True until the first rows have come."""
        return self._learner is None and not self._opening

    def _weights(self, features=None):
        return self._current().weights(features)

    def _current(self):
        """Return the learner; before the step size is known, one made from the rows so far."""
        if self._learner is not None:
            return self._learner
        if self._guess is None:
            waiting, copied = self._opening, copy.copy(self)
            copied._choose_step(list(waiting))
            self._guess = copied._learner
        return self._guess

    def _choose_step(self, opening):
        """Choose the step size from the first rows, and learn them."""
        self._learner = self.settings.learner(self._chosen(opening), self._p)
        for rows in opening:
            self._learner.learn(rows)

    def _chosen(self, opening):
        """Return eta0: the given one, or the best for the first rows; 1 if a callable gives the
        steps.
        """
        step = self.settings.step
        if not callable(step) and step != "auto":
            return float(step)
        first = joined(opening) if opening and not callable(step) else None
        if first is None or not first.n:
            return 1.0
        return choose(self.settings, first.part(0, min(ROWS, first.n)), self._p)[0]

    def _widen(self, X):
        """Count the columns of a first table, including those without an entry."""
        if self.settings.n_features is None and self._learner is None and not self._opening:
            self._p = max(self._p, np.shape(X)[1])

    def _measure(self, blocks):
        """Measure the mean gradient of all rows; the first rows choose the step size."""
        blocks = (self._counted(rows.weighted()) for rows in blocks)
        if self._learner is None:
            opening = []
            for rows in blocks:
                opening.append(rows)
                if sum(part.n for part in opening) >= ROWS:
                    break
            self._learner = self.settings.learner(self._chosen(opening), self._p)
            blocks = chain(opening, blocks)
        self._learner.measure(blocks)

    def take_columns(self, source: Any) -> None:
        """Keep how the features of a TextFile were read, and their names so far."""
        self.columns = source.encoder
        self.reading = {"hashing": source.hashing, "hash_bits": source.bits,
                        "zero_based": source.zero_based}  # fmt: skip
        if source.names is not None:
            self.feature_names = source.names
            self._p = max(self._p, len(source.names))

    def _counted(self, rows):
        """Return the rows after counting their features."""
        if len(rows.columns):
            self._p = max(self._p, int(rows.columns.max()) + 1)
        return rows

    @property
    def _loss_so_far(self):
        """Return the progressive loss; nan until the step size is known."""
        return np.nan if self._learner is None else self._learner.mean_loss

    def _learn(self, rows):
        """Learn rows in order, once there are enough of them to choose a step size."""
        rows = self._counted(rows.weighted())
        if not rows.n:
            return
        if self._learner is None and self.settings.step == "auto":
            self._guess = None
            self._opening.append(rows)
            waiting = sum(part.n for part in self._opening)
            if waiting >= ROWS:
                block = joined(self._opening)
                self._opening = []
                self._choose_step([block.part(0, ROWS)])
                self._learner.learn(block.part(ROWS, waiting))
            return
        if self._learner is None:
            self._choose_step([])
        self._learner.learn(rows)

    def __getstate__(self):
        learner = self._learner
        kept = None if learner is None else (learner.engine.n_features, learner.kept())
        return {**self.__dict__, "_guess": None, "_learner": kept}

    def __setstate__(self, state):
        self.__dict__.update({"columns": None, "reading": {"hashing": 1}, **state})
        if self._learner is not None:
            n_features, kept = self._learner
            self._learner = self.settings.learner(kept["clock"].eta0, n_features)
            self._learner.go_on(kept)
