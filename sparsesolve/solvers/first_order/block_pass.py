"""What a pass computes of the rows of one block, for many points at the same time.

    eta = offset + b0 + Zb,    u = -F'(eta),    H = F''(eta),    v = u - H (d0 + Zd)

Given: the rows of a block, their part of a loss, and points (b0, b), some with a direction (d0,
d). Returned: sums over the rows that no vector of n leaves: F, Z'v, Z'HQ for few columns Q, Z'HZ
for the columns of a model, and Fenchel-Young of F at multiples of v. Invariant: sums of blocks add
up to those of all rows, in the order of merging.

A loss that couples its rows (Cox) takes two passes: one brings the linear predictors of all points
to the client, which finds v, and one takes v to the blocks and returns products. Its Hessian H <=
diag(h) - C'C has few rows C (k, n), which are products as well: Z'HZ = Z'diag(h)Z - (CZ)'CZ. So
does the envelope of a loss with kinks, whose multipliers are at the client; its H is diagonal.

A direction that minimises a quadratic model makes v a dual point, whose products are the model's
slope; at the end of the step it is near -F'. Rows whose v would leave the domain of F* stay at its
end.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

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
    square: float  # u'H^-1 u, H not below the floor; without a direction
    rounding: float  # sum of (what rounding v may hide)^2 / weight; with scales
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
    n_parts: int = 0  # rows of C
    loose: Any = ()  # of a coupled loss: columns whose images follow those of the points


class Samples(NamedTuple):
    """What an Ask needs of samples, before products with columns."""

    V: np.ndarray  # (r, K, n) v and, of a coupled loss, HQ and the rows of C
    h: list  # curvatures (K, n) to multiply Q
    curved: np.ndarray  # H of the inner products: (n,) or (K, K, n)
    sums: tuple  # value, square, rounding and excess of Sums


def make_parts(kind, arguments, offset, count):
    """Return the rows of a loss that belong to a block: (loss, weights, offset) of each chunk."""
    y, w, *rest = arguments
    chunks = (slice(start, start + count) for start in range(0, len(w), count))
    return [(kind(y[rows], w[rows], *rest), w[rows], offset[..., rows]) for rows in chunks]


def pass_over(block, parts, read, frame, common):
    """Return the Sums (a list) of one block for every Ask; `parts` are of its rows, in order."""
    found, end = None, 0
    block = block.tocsr() if scipy.sparse.issparse(block) and len(parts) > 1 else block
    for part in parts:
        start, end = end, end + len(part[1])
        rows = rows_of(block if len(parts) == 1 else block[start:end], read, frame)
        samples = _of_samples(part, _images(rows, common.b, common.c), common)
        sums = _summed(rows, samples, common)
        found = sums if found is None else added(found, sums)
    return found


def _images(rows, b, c):
    """Return the linear predictors, less the offset, of points: (m, n), or (m, K, n)."""
    m, K, p = b.shape
    images = rows.combinations(b.reshape(m * K, p)) + c.reshape(-1, 1)
    return images if K == 1 else images.reshape(m, K, -1)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _of_samples(part, images, common):
    """Return the Samples of every Ask, from the images of its points."""
    loss, w, offset = part
    own = _of_coupled if loss.coupled else _of_point if common.b.shape[1] == 1 else _of_responses
    return [own(ask, images, loss, w, offset, common) for ask in common.asks]


def coupled_pass(design, part, common, in_blocks):
    """Return the Sums of all rows for every Ask, for a loss that has or couples all rows."""
    loose = np.unique(np.concatenate([ask.loose for ask in common.asks]).astype(int))
    images = design.combinations(np.concatenate([common.b[:, 0], np.eye(design.p)[loose]]))
    images[: len(common.b)] += common.c
    samples = _of_samples(part, images, common._replace(loose=loose))
    common = common._replace(b=common.b[:0])
    if in_blocks:
        cuts = zip(*(design.cut(each.V, each.curved, *each.h) for each in samples), strict=True)
        parts = [[Samples(V, h, curved, (0.0,) * 4) for V, curved, *h in cut] for cut in cuts]
        arguments = [(part, design.read, design.frame, common) for part in parts]
        found = design.gather(products_over, arguments, added)
    else:
        found = products_over(design, samples, None, None, common)
    if not part[0].coupled:
        return [Sums(*own.sums, *sums[4:]) for own, sums in zip(samples, found, strict=True)]
    return [_bounded(*each) for each in zip(common.asks, samples, found, strict=True)]


def products_over(block, samples, read, frame, common):
    """Return the Sums of one block for every Ask, from its part of the Samples."""
    return _summed(rows_of(block, read, frame), samples, common)


def _bounded(ask, samples, sums):
    """Return the Sums of all rows, the products of C taken out of inner products."""
    kept = 1 + len(ask.loose)
    M, gram = sums.products[kept:, 1:], sums.gram
    if ask.which is not None:
        gram = gram - M[:, ask.which].T @ M[:, ask.which]
    return Sums(*samples.sums, sums.products[:kept], gram)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _summed(rows, samples, common):
    """Return the Sums of every Ask."""
    held, rest = [], []
    for ask, found in zip(common.asks, samples, strict=True):
        n = found.V.shape[-1]
        Q = rows.unpacked(ask.loose).T if len(ask.loose) and found.h else np.zeros((0, n))
        Q = np.concatenate([np.ones((1, n)), Q]) if common.intercept else Q
        held.append(np.stack([*found.V, *(h * q for h in found.h for q in Q)]))
        gram = () if ask.which is None else _gram(rows, ask.which, found.curved)
        rest.append((found.sums, np.asarray(gram, dtype=float)))
    V = np.concatenate(held)
    products = rows.products(V.reshape(-1, V.shape[-1])).reshape(*V.shape[:2], -1)
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


def _of_point(ask, images, loss, w, offset, common):
    """Return Samples: H where v is inside its domain, then floored H where it is asked."""
    eta = offset + images[ask.point]
    value, u = loss.at(eta)
    h = loss.curvature_at(eta)
    v, inside = u, h
    if ask.along >= 0:
        v = u - h * images[ask.along]
        if loss.ends is not None:
            low, high = loss.ends
            inside, v = np.where((v < low) | (v > high), 0.0, h), np.clip(v, low, high)
    floored = _floored(h, w, common)
    sums = value, *_sums(ask, v, u, h, floored, images, loss, w, offset, eta)
    H = [inside[None], *([floored[None]] if ask.which is not None else [])]
    return Samples(v[None, None], H, floored, sums)


def _of_coupled(ask, images, loss, w, offset, common):
    """Return Samples of all rows of a loss that couples them: V is v, HQ and C."""
    eta = offset + images[ask.point]
    value, u = loss.at(eta)
    v = u if ask.along < 0 else u - loss.curvature_product(eta, images[ask.along])
    Q = images[len(common.b) + np.searchsorted(common.loose, ask.loose)]
    V = [v, *(loss.curvature_product(eta, q) for q in Q)]
    h, C = loss.curvature_bound(eta, 1 if ask.which is None else common.n_parts)
    floored = _floored(h, w, common)
    sums = value, *_sums(ask, v, u, h, floored, images, loss, w, offset, eta)
    if ask.which is None:
        return Samples(np.stack(V)[:, None], [], floored[None][:0], sums)
    return Samples(np.stack([*V, *C])[:, None], [], floored, sums)


def _of_responses(ask, images, loss, w, offset, common):
    """Return Samples of K responses: HQ of one response after the other, and H (K, K, n)."""
    eta = offset + images[ask.point]
    (value, u), K = loss.at(eta), len(eta)
    h = loss.curvature_at(eta)
    v = u if ask.along < 0 else u - loss.curvature_product(eta, images[ask.along])
    curved = np.stack([
        loss.curvature_product(eta, np.repeat(row[:, None], len(w), axis=1)) for row in np.eye(K)
    ])  # fmt: skip
    H = list(curved.copy())
    sums = _sums(ask, v, u, h, _floored(h, w, common), images, loss, w, offset, eta)
    curved[np.arange(K), np.arange(K)] += LEAST_CURVATURE * np.einsum("kkn->n", curved)
    return Samples(v[None], H, curved, (value, *sums))


def _floored(h, w, common):
    flat, least = common.floors
    return np.maximum(h, np.where(h > 0.0, least, flat) * w)


def _sums(ask, v, u, h, floored, images, loss, w, offset, eta):
    """Return `square`, `rounding` and `excess` of Sums."""
    end = eta if ask.end < 0 else offset + images[ask.end]
    excess = np.array([loss.fenchel_young_at(end, s * v) for s in ask.scales])
    square = rounding = 0.0
    if ask.along < 0:
        square = np.sum(np.square(u) / np.where(w > 0.0, floored, np.inf))
    if ask.scales:
        hidden = 1e-11 * np.abs(v) + CENTRED * h
        rounding = np.sum(np.square(hidden) / np.where(w > 0.0, w, np.inf))
    return square, rounding, excess


def added(left, right):
    """Return the Sums of two parts of the rows."""
    return [
        Sums(*(a + b for a, b in zip(one, other, strict=True)))
        for one, other in zip(left, right, strict=True)
    ]
