"""Responses of a stream: read block by block, with classes that are known beforehand."""

import numpy as np

from sparsesolve.data import (
    Response,
    label_array,
    read_all_classes,
    read_amounts,
    read_binary,
    read_classes,
    read_response,
    read_sides,
)

# Readers of responses that may be labels.
SIDES = (read_binary, read_classes, read_sides)


class ResponseReader:
    """Reads the y of a family.

    Parameters
    ----------
    family : Family
    classes : array-like (K,) or None
        Labels, in any order. None: those of the first y, if it comes as a whole. The y of a
        stream must then be 0 and 1, or shares.
    """

    def __init__(self, family, classes=None):
        self.family = family
        self.classes = None if classes is None else self._sorted(classes)
        self.ones = True  # no other label of binomial was seen so far

    def meet(self, source):
        """Take the classes from the first rows of a TextFile, if they are not known."""
        if self.classes is not None or self.family.read not in SIDES:
            return
        found = np.unique(label_array(source.peek().labels))
        if found.dtype.kind in "fiu" and np.isin(found, (-1.0, 1.0)).all() and found[0] < 0.0:
            found = np.array([-1.0, 1.0])  # a sign has its opposite
        shares = self.family.read is read_binary and found.dtype.kind in "fiu" and (
            (found >= 0.0) & (found <= 1.0)).all()  # fmt: skip
        if len(found) > 1 and not shares:
            self.classes = self._sorted(found)

    def _sorted(self, classes):
        if self.family.read not in SIDES:
            raise ValueError(f"classes are for families of classes, not {self.family.name!r}")
        found = read_all_classes(classes)
        if len(found) < 2 or (hasattr(classes, "__len__") and len(found) < len(classes)):
            raise ValueError(f"classes must be at least two different labels, not {classes!r}")
        if len(found) > 2 and self.family.read is not read_classes:
            raise ValueError(
                f"classes has {len(found)} labels where family {self.family.name!r} takes two; "
                "use family='multinomial'"
            )
        return found

    def whole(self, y, n):
        """Return the Response of n rows that are all there; its labels become the classes."""
        if self.classes is not None:
            return self.block(y, n)
        response = self.family.read(y, n)
        if self.family.read in SIDES and np.ndim(y) < 2:
            self.classes = response.class_names
        return response

    def block(self, y, n):
        """Return the Response of n rows out of many."""
        read = self.family.read
        if read is read_amounts:  # which requires a positive amount among all rows
            values = read_response(y, n)
            if (values < 0.0).any():
                raise ValueError(f"y holds {values.min()!r}; every value must be at least 0")
            return Response(values)
        if read not in SIDES or np.ndim(y) > 1:
            return read(y, n)
        if self.classes is not None:
            return self._labels(y, n)
        values = label_array(y)
        if values.dtype.kind in "fiub" and read is not read_classes:
            values = read_response(y, n)
            found = self._numbers(values)
            if found is not None:
                return found
        raise ValueError(
            "classes is missing: the rows come in blocks, and a block need not show all labels; "
            f"name them all, {_example(values)} (in a shell --classes A,B), or for two classes "
            "give y of 0 and 1"
        )

    def _numbers(self, values):
        """Return the Response of classes written as -1 and 1, or 0 and 1, or of shares, or None.

        A first block of ones alone leaves open which.
        """
        signs = (np.abs(values) == 1.0).all()
        if signs and self.ones and (values < 0.0).any():
            self.classes = np.array([-1.0, 1.0])
        elif self.family.read is read_sides and np.isin(values, (0.0, 1.0)).all() and not signs:
            self.classes = np.array([0.0, 1.0])
        if self.classes is not None:
            return self._labels(values, len(values))
        if not ((values >= 0.0) & (values <= 1.0)).all() or (
            self.family.read is read_sides and not signs
        ):
            return None
        self.ones = self.ones and signs
        return Response(values)

    def _labels(self, y, n):
        labels = label_array(y)
        if labels.shape != (n,):
            raise ValueError(f"y has shape {labels.shape} for {n} rows; give one label per row")
        if (labels.dtype.kind in "fiub") != (self.classes.dtype.kind in "fiub"):
            kinds = ("text", "numbers")
            raise ValueError(
                f"y holds {labels.tolist()[0]!r}, {kinds[labels.dtype.kind in 'fiub']}, where the "
                f"classes {self.classes.tolist()!r} are {kinds[labels.dtype.kind not in 'fiub']}"
            )
        place = np.searchsorted(self.classes, labels).clip(0, len(self.classes) - 1)
        strange = np.flatnonzero(self.classes[place] != labels)
        if len(strange):
            raise ValueError(
                f"y holds {labels.tolist()[strange[0]]!r} at row {strange[0]}, none of the "
                f"classes {self.classes.tolist()!r}"
            )
        if self.family.read is read_classes:
            return Response(np.eye(len(self.classes))[place], class_names=self.classes)
        codes = place.astype(float)
        return Response(codes if self.family.read is read_binary else 2.0 * codes - 1.0,
                        class_names=self.classes)  # fmt: skip


def _example(values):
    """Return the argument that names the labels seen so far; a sign has its opposite."""
    seen = np.unique(values)
    if seen.dtype.kind == "f" and (seen == np.rint(seen)).all():
        seen = seen.astype(np.int64)
    if values.dtype.kind in "fi" and (np.abs(seen) == 1).all():
        seen = np.array([-1, 1])
    more = ", ..." if len(seen) > 5 else ""
    return f"classes=[{', '.join(map(repr, seen[:5].tolist()))}{more}]"
