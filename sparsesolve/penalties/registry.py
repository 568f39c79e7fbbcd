"""The words of penalties, such as "mcp(3)", and the penalty that a word means."""

import difflib
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sparsesolve import penalties


class Kind(NamedTuple):
    """The meaning of a word."""

    make: Callable  # (*parameters), after the groups if it takes groups
    groups: str  # "needs", "may have" or "has no" groups
    parameters: str = ""  # text in parentheses, for messages
    most: int = 0  # most numbers in parentheses
    overlapping: bool = False  # True if a feature may be in several groups


def _of_groups(penalty):
    return lambda groups, gamma=None: penalty(*[] if gamma is None else [gamma], groups=groups)


KINDS = {
    "group": Kind(penalties.GroupL2, "needs"),
    "sparse-group": Kind(lambda groups, tau=0.5: penalties.SparseGroup(groups, tau=tau), "needs",
                         "tau", 1),
    "group-linf": Kind(penalties.GroupLinf, "needs"),
    "group-lq": Kind(lambda groups, q=2.0: penalties.GroupLq(groups, q), "needs", "q", 1),
    "latent-group": Kind(penalties.LatentGroupL2, "needs", overlapping=True),
    "overlap-linf": Kind(penalties.OverlapLinf, "needs", overlapping=True),
    "overlap-l2": Kind(penalties.OverlapL2, "needs", overlapping=True),
    "tree-l2": Kind(penalties.TreeL2, "needs", overlapping=True),
    "tree-linf": Kind(penalties.TreeLinf, "needs", overlapping=True),
    "l1": Kind(penalties.L1, "has no"),
    "total-variation": Kind(lambda l1=0.0: penalties.TotalVariation(l1=l1), "has no", "l1", 1),
    "total-variation-2d": Kind(
        lambda rows, columns, l1=0.0: penalties.TotalVariation2D(
            (_whole(rows, "rows"), _whole(columns, "columns")), l1=l1
        ), "has no", "rows,columns,l1", 3,
    ),
    "graph-tv": Kind(
        lambda groups, l1=0.0: penalties.GraphTV(_edges(groups), l1=l1), "needs", "l1", 1,
        overlapping=True,
    ),
    "trend-filter": Kind(lambda degree=1: penalties.TrendFilter(_whole(degree, "degree")),
                         "has no", "degree", 1),
    "slope": Kind(lambda q=0.1: penalties.Slope(q=q), "has no", "q", 1),
    "trace-norm": Kind(lambda *shape: penalties.TraceNorm(_shape(shape)), "has no",
                       "rows,columns", 2),
    "k-support": Kind(lambda k: penalties.KSupport(_whole(k, "k")), "has no", "k", 1),
    "berhu": Kind(lambda delta=1.0: penalties.Berhu(delta), "has no", "delta", 1),
    "exclusive-lasso": Kind(penalties.ExclusiveLasso, "may have"),
    "mcp": Kind(_of_groups(penalties.MCP), "may have", "gamma", 1),
    "scad": Kind(_of_groups(penalties.SCAD), "may have", "gamma", 1),
    "log": Kind(_of_groups(penalties.Log), "may have", "epsilon", 1),
    "bridge": Kind(lambda groups, q, smoothing=1e-3: penalties.Bridge(
        q, groups=groups, smoothing=smoothing), "may have", "q,smoothing", 2),
}  # fmt: skip
# Words of the elastic net, which is no penalty object.
ELASTIC_NET = ("elastic-net", "elasticnet", "lasso", "ridge", "l2", "enet")


class Chosen(NamedTuple):
    """A word and its parameters."""

    name: str
    parameters: tuple[float, ...] = ()

    @property
    def kind(self):
        """The meaning of the word."""
        return KINDS[self.name]

    def made(self, groups=None):
        """Return the penalty."""
        given = () if self.kind.groups == "has no" else (groups,)
        return self.kind.make(*given, *self.parameters)


def read_word(text):
    """Return Chosen for a word, perhaps with numbers in parentheses; ValueError says why not."""
    name, inside = re.fullmatch(r"\s*(.*?)\s*(?:\((.*)\))?\s*", text, re.DOTALL).groups()
    name = name.replace("_", "-").lower()
    if name not in KINDS:
        near = difflib.get_close_matches(name, KINDS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        if name in ELASTIC_NET:
            hint = ("; leave it out for the elastic net, whose alpha is 1 for the l1 norm and 0 "
                    "for ridge")  # fmt: skip
        raise ValueError(f"{text!r} is none of {', '.join(KINDS)}{hint}")
    kind = KINDS[name]
    parts = inside.split(",") if inside and inside.strip() else []
    takes = f"({kind.parameters})" if kind.most else "no parameter"
    try:
        numbers = tuple(float(part) for part in parts)
    except ValueError:
        raise ValueError(f"{text!r}: {name} takes {takes}, as numbers") from None
    if len(numbers) > kind.most:
        raise ValueError(f"{text!r}: {name} takes {takes}")
    chosen = Chosen(name, numbers)
    try:
        if kind.groups != "needs":
            chosen.made()
    except (TypeError, ValueError) as error:
        said = f"{name} takes {takes}" if "() " in str(error) else error
        raise ValueError(f"{text!r}: {said}") from None
    return chosen


def named_penalty(penalty, labels=None):
    """Return the penalty that a word means; anything else as it is.

    `labels` (p,) are groups for words that need some.
    """
    if not isinstance(penalty, str):
        return penalty
    try:
        chosen = read_word(penalty)
    except ValueError as error:
        raise ValueError(f"penalty: {error}") from None
    if chosen.kind.groups == "needs" and labels is not None:
        return chosen.made(of_labels(labels, chosen.kind.overlapping))
    if chosen.kind.groups == "needs":
        raise ValueError(
            f"penalty={penalty!r} needs groups; give an object of sparsesolve.penalties made with "
            "them, such as penalties.GroupL2(groups), or X as a formula or make_design makes it"
        )
    return chosen.made()


def of_labels(labels, overlapping):
    """Return groups of a label for each feature, as lists if they may overlap."""
    if not overlapping:
        return labels
    labels = np.asarray(labels)
    return [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels.tolist())]


def _whole(k, name):
    if k != int(k):
        raise ValueError(f"{name} must be a whole number, not {k:g}")
    return int(k)


def _edges(groups):
    """Return the edges of a graph: groups of two features each."""
    lists = groups if isinstance(groups, list) else list(getattr(groups, "values", list)())
    for label, which in zip(groups, lists, strict=False):
        if len(which) != 2:
            raise ValueError(
                f"graph-tv: group {label!r} has {len(which)} features; each group is an edge, of "
                "two"
            )
    if not lists:
        raise ValueError("graph-tv takes a file of groups, each group an edge")
    return lists


def _shape(shape):
    """Return the shape of a matrix of coefficients, or None for features by responses."""
    if not shape:
        return None
    if len(shape) != 2 or any(size != int(size) for size in shape):
        raise ValueError("trace-norm takes (rows,columns), two whole numbers, or nothing")
    return int(shape[0]), int(shape[1])
