"""What a pass computes of the rows of one block, for many points at the same time.

    eta = offset + b0 + Zb,    u = -F'(eta),    H = F''(eta),    v = u - H (d0 + Zd)

Given: the rows of a block, their part of a loss, and points (b0, b), some with a direction (d0,
d). Returned: sums over the rows that no vector of n leaves: F, Z'v, Z'HQ for few columns Q, Z'HZ
for the columns of a model, and Fenchel-Young of F at multiples of v. Invariant: sums of blocks add
up to those of all rows, in the order of merging.

A direction that minimises a quadratic model makes v a dual point, whose products are the model's
slope; at the end of the step it is near -F'. Rows whose v would leave the domain of F* stay at its
end.
"""

from typing import Any, NamedTuple

import numpy as np

from sparsesolve.linalg.design.distributed import rows_of
from sparsesolve.solvers.tolerances import CENTRED

# Least curvature of K responses in any direction, over their trace: softmax has none along (1,
# ..., 1).
LEAST_CURVATURE = 1e-8


class Ask(NamedTuple):
    """What is asked of one point."""

    point: int  # its row among the coefficients of the pass
    along: int = -1  # the row of its direction; -1: none, and v is u
    end: int = -1  # the row of the point of which v is the dual point; -1: the point itself
    scales: tuple = ()  # multiples of v at which Fenchel-Young is asked
    loose: Any = ()  # the columns of Q, after a constant if there is an intercept
    which: np.ndarray | None = None  # the columns whose inner products under H are asked


class Sums(NamedTuple):
    """Sums over rows for one Ask."""

    value: float  # F
    square: float  # u'H^-1 u, H not below the floor
    rounding: float  # sum of (what rounding v may hide)^2 / weight
    excess: np.ndarray  # Fenchel-Young at the scales, of the end
    products: np.ndarray  # of v, HQ and perhaps floored HQ, with a constant and Z: K (1 + p)
    gram: np.ndarray  # (K S, K S), or ()


class Common(NamedTuple):
    """What all blocks are asked."""

    b: np.ndarray  # (m, K, p) points and directions
    c: np.ndarray  # (m, K) their constants
    intercept: bool
    floors: tuple  # least H over the weight, where H is 0 and elsewhere
    asks: list


def make_part(kind, arguments, offset):
    """Return the rows of a loss that belong to a block: (loss, weights, offset)."""
    return kind(*arguments), np.asarray(arguments[1]), offset


def pass_over(block, part, read, frame, common):
    """Return the Sums (a list) of one block for every Ask."""
    rows, (loss, w, offset) = rows_of(block, read, frame), part
    m, K, p = common.b.shape
    images = rows.combinations(common.b.reshape(m * K, p)) + common.c.reshape(-1, 1)
    images = images if K == 1 else images.reshape(m, K, -1)
    of_point, held, rest = _of_point if K == 1 else _of_responses, [], []
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for ask in common.asks:
            Q = rows.unpacked(ask.loose).T if len(ask.loose) else np.zeros((0, len(w)))
            Q = np.concatenate([np.ones((1, len(w))), Q]) if common.intercept else Q
            V, sums, curved = of_point(ask, Q, images, loss, w, offset, common.floors)
            held.append(V.reshape(-1, K, len(w)))
            gram = () if ask.which is None else _gram(rows, ask.which, curved)
            rest.append((sums, np.asarray(gram, dtype=float)))
        V = np.concatenate(held)
        products = rows.products(V.reshape(-1, len(w))).reshape(-1, K, p)
        products = np.concatenate([V.sum(axis=2)[..., None], products], axis=2)
    cuts = np.cumsum([len(V) for V in held])[:-1]
    return [
        Sums(*sums, part.reshape(len(part), -1), gram)
        for (sums, gram), part in zip(rest, np.split(products, cuts), strict=True)
    ]


def _gram(rows, which, curved):
    """Return the inner products (K S, K S) of columns under curvatures (K, K, n), or (n,)."""
    if curved.ndim == 1:
        return rows.gram(which, curved)
    K, S = len(curved), len(which)
    gram = np.empty((K, S, K, S))
    for k in range(K):
        for other in range(k + 1):
            h = curved[k, other]
            up, down = np.maximum(h, 0.0), np.maximum(-h, 0.0)
            block = rows.gram(which, up) if up.any() else np.zeros((S, S))
            gram[k, :, other] = block - rows.gram(which, down) if down.any() else block
            gram[other, :, k] = gram[k, :, other].T
    return gram.reshape(K * S, K * S)


def _of_point(ask, Q, images, loss, w, offset, floors):
    """Return v and HQ, where v is inside its domain, and that under floored H where it is asked;
    sums; and H above the floors.
    """
    eta = offset + images[ask.point]
    value, u = loss.at(eta)
    h = loss.curvature_at(eta)
    v, inside = u, h
    if ask.along >= 0:
        v = u - h * images[ask.along]
        if loss.ends is not None:
            low, high = loss.ends
            inside, v = np.where((v < low) | (v > high), 0.0, h), np.clip(v, low, high)
    flat, least = floors
    floored = np.maximum(h, np.where(h > 0.0, least, flat) * w)
    V = np.concatenate([v[None], inside * Q, *([floored * Q] if ask.which is not None else [])])
    return V, (value, *_sums(ask, v, u, h, floored, images, loss, w, offset, eta)), floored


def _of_responses(ask, Q, images, loss, w, offset, floors):
    """Return the same for K responses: HQ of one response after the other, and H (K, K, n)."""
    eta = offset + images[ask.point]
    (value, u), K = loss.at(eta), len(eta)
    h = loss.curvature_at(eta)
    v = u if ask.along < 0 else u - loss.curvature_product(eta, images[ask.along])
    curved = np.stack([
        loss.curvature_product(eta, np.repeat(row[:, None], len(w), axis=1)) for row in np.eye(K)
    ])  # fmt: skip
    HQ = [curved[k] * q for k in range(K) for q in Q]
    flat, least = floors
    floored = np.maximum(h, np.where(h > 0.0, least, flat) * w)
    sums = _sums(ask, v, u, h, floored, images, loss, w, offset, eta)
    curved[np.arange(K), np.arange(K)] += LEAST_CURVATURE * np.einsum("kkn->n", curved)
    return np.stack([v, *HQ]), (value, *sums), curved


def _sums(ask, v, u, h, floored, images, loss, w, offset, eta):
    """Return `square`, `rounding` and `excess` of Sums."""
    end = eta if ask.end < 0 else offset + images[ask.end]
    excess = np.array([loss.fenchel_young_at(end, s * v) for s in ask.scales])
    used = w > 0.0
    hidden = 1e-11 * np.abs(v) + CENTRED * h
    square = np.sum(np.square(u)[..., used] / floored[..., used])
    rounding = np.sum(np.square(hidden)[..., used] / w[used])
    return square, rounding, excess


def added(left, right):
    """Return the Sums of two parts of the rows."""
    return [
        Sums(*(a + b for a, b in zip(one, other, strict=True)))
        for one, other in zip(left, right, strict=True)
    ]
