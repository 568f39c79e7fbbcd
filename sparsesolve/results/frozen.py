"""Frozen results: their arrays cannot be changed after they were certified."""

import numpy as np

from sparsesolve.results import printing
from sparsesolve.results.status import Status


class Frozen:
    """A dataclass whose arrays are read-only, also after pickling."""

    def __post_init__(self):
        self._freeze()

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self):
        for name, value in list(vars(self).items()):
            if isinstance(value, np.ndarray):
                view = value.view()  # the user may go on to write to the array itself
                view.flags.writeable = False
                object.__setattr__(self, name, view)


class Solved(Frozen):
    """A result with a `status` for each lambda, which prints as a table of them."""

    def __post_init__(self):
        codes = np.asarray(self.status, dtype=np.int64)
        object.__setattr__(self, "status", np.array(list(Status), dtype=object)[codes])
        self._freeze()

    def __repr__(self):
        return printing.one_line(self)

    def __str__(self):
        return printing.table(self)

    def _repr_html_(self):
        return printing.html(self)
