"""Summary: moments of some rows, and with a response inner products, which merge without loss.

Both are taken about the means of the rows summarised; a merged pair is about the joint mean. One
pass over blocks of rows is therefore enough, and no digits are lost.

Reference: Chan, Golub, LeVeque, "Algorithms for computing the sample variance" (1983).
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.gram.gram import tall_gram


class Summary(NamedTuple):
    """Moments of some rows; each column is measured in units of 2**exponent."""

    finite: bool
    weight: float
    mean: np.ndarray | None = None  # (p,)
    square: np.ndarray | None = None  # (p,) sum of w (x - mean)^2
    exponent: np.ndarray | None = None  # (p,)
    gram: np.ndarray | None = None  # (p, p) sum of w (x - mean)(x - mean)'
    cross: np.ndarray | None = None  # (p,) or (K, p) sum of w (x - mean)(y - response_mean)
    response_mean: float | np.ndarray = 0.0  # or (K,)
    response_power: int = 0  # the response is measured in units of 2**response_power


NOTHING = Summary(True, 0.0)


def summarise(block, read, w, response=None):
    """Return the Summary of one block under weights w (k,).

    `read` converts the block to a matrix that Design accepts.
    """
    design, total = Design(read(block)), w.sum()
    share = w / total if total > 0.0 else np.full(len(w), 1.0 / len(w))
    if not design.moments(share):
        return Summary(False, total)
    mean, square = np.array(design.mean), total * np.square(design.spread)
    found = Summary(True, total, mean, square, np.array(design.exponent, dtype=np.int64))
    if response is None:
        return found
    design.standardise(True, np.ones(design.p))
    centre = share @ response
    rest = response - centre
    gram, cross = tall_gram(design, np.sqrt(share), rest if rest.ndim == 1 else 0.0 * share)
    if rest.ndim == 2:
        cross = design.response_products(np.ascontiguousarray((share[:, None] * rest).T))
    return found._replace(gram=total * gram, cross=total * cross, response_mean=centre)


def merged(a, b):
    """Return the Summary of two blocks; a block without weight contributes only its NaNs."""
    if not (a.finite and b.finite):
        return Summary(False, 0.0)
    if a.weight == 0.0 or b.weight == 0.0:
        return b if a.weight == 0.0 else a
    zero_a, zero_b = (((s.mean == 0.0) & (s.square == 0.0)) for s in (a, b))
    power = np.where(zero_a, b.exponent, np.maximum(a.exponent, b.exponent))
    power = np.where(zero_b, a.exponent, power)
    a, b = _in_units(a, power), _in_units(b, power)
    total = a.weight + b.weight
    share = b.weight / total
    way, lever = b.mean - a.mean, a.weight * share
    both = Summary(True, total, a.mean + share * way, a.square + b.square + lever * way**2, power)
    if a.gram is None:
        return both
    further = b.response_mean - a.response_mean
    return both._replace(
        gram=a.gram + b.gram + lever * np.outer(way, way),
        cross=a.cross + b.cross + np.multiply.outer(lever * further, way),
        response_mean=a.response_mean + share * further,
    )


def summarise_parts(block, parts, counts, read, w, response=None):
    """Return the Summary of each part of the rows of one block, in a list.

    `parts` (R, k) holds the part of every row in each of R divisions, which have `counts` (R,)
    parts. Each division multiplies a row once.
    """
    found = []
    for ids, count in zip(parts, counts, strict=True):
        for rows in (np.flatnonzero(ids == part) for part in range(count)):
            y = () if response is None else (response[rows],)
            found.append(summarise(block[rows], read, w[rows], *y) if len(rows) else NOTHING)
    return found


def merged_parts(left, right):
    """Return the Summaries of the parts of two blocks."""
    return [merged(a, b) for a, b in zip(left, right, strict=True)]


def all_but_each(parts):
    """Return the Summary of all parts, and that of all parts but each, with weights of sum 1.

    Others are merged rather than one subtracted: so no digit is lost, and a column that varies in
    one part alone is exactly constant without it.
    """
    after = [*accumulate(reversed(parts), lambda later, part: merged(part, later))][::-1]
    found, before = [after[0]], NOTHING
    for part, rest in zip(parts, [*after[1:], NOTHING], strict=True):
        found.append(merged(before, rest))
        before = merged(before, part)
    return [_of_weight_one(s) if s.finite else s for s in found]


def _of_weight_one(s):
    totals = {"square": s.square, "gram": s.gram, "cross": s.cross}
    shares = {name: None if sums is None else sums / s.weight for name, sums in totals.items()}
    return s._replace(weight=1.0, **shares)


def _in_units(s, power):
    """Return the Summary with columns measured in units of 2**power."""
    shift = s.exponent - power
    if not shift.any():
        return s
    with np.errstate(under="ignore"):
        s = s._replace(mean=np.ldexp(s.mean, shift), square=np.ldexp(s.square, 2 * shift))
        if s.gram is None:
            return s
        gram = np.ldexp(np.ldexp(s.gram, shift), shift[:, None])
        return s._replace(gram=gram, cross=np.ldexp(s.cross, shift))
