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

from sparsesolve.linalg.design.distributed import DistributedDesign, chunk_rows, rows_of
from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.solvers.newton.local_model import floors
from sparsesolve.solvers.tolerances import CENTRED

# Parts of the event times in the bound of the Hessian of Cox's loss: 1 take 22 passes for 50
# lambdas of 5,000 x 30, 4 take 18, 8 take 16, 16 take 14; with a steeper loss 32, 26, 24 and 22.
TIME_PARTS = 16
# Numbers of rows, up to 21 each for a lambda, that the client may hold of a coupled loss: 1 GB.
# Batches of 6 take 40 passes for 100 lambdas of 5,000 x 30, those of 12 take 24.
MOST_ROW_NUMBERS = 1 << 27


class Ask(NamedTuple):
    """What is asked of one point."""

    point: int  # its row among the coefficients of the pass
    along: int = -1  # the row of its direction; -1: none, and v is u
    end: int = -1  # the row of the point of which v is the dual point; -1: the point itself
    scales: tuple = ()  # multiples of v at which Fenchel-Young is asked
    unpenalised: Any = ()  # the columns of Q, after a constant if there is an intercept
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
    unpenalised: Any = ()  # of a coupled loss: columns whose images follow those of the points


class Evaluation(NamedTuple):
    """A point, and what a pass returned there."""

    b: np.ndarray  # (K f,), those of one response after the other
    c: np.ndarray  # (K,) constants
    sums: Sums | None  # with v = u; None before a pass


class Samples(NamedTuple):
    """What an Ask needs of samples, before products with columns."""

    V: np.ndarray  # (r, K, n) v and, of a coupled loss, HQ and the rows of C
    h: list  # curvatures (K, n) to multiply Q
    curved: np.ndarray  # H of the inner products: (n,) or (K, K, n)
    sums: tuple  # value, square, rounding and excess of Sums


class BlockPass:
    """Passes over the rows of a Problem and its loss, which lie here or in blocks elsewhere.

    Attributes
    ----------
    n_passes : int
        Passes that one evaluation takes.
    most_lambdas : int
        Lambdas whose images the client can hold at the same time.
    curvature_ratio : float
        The least curvature met since the last pass, relative to that of the bound of the Hessian.
    at_c, at_b : arrays (K,), (K f,)
        Places of constants and coefficients among K (1 + f) numbers, the constant of each response
        before its coefficients.
    """

    def __init__(self, problem):
        gaussian = problem.loss is None
        self.loss = Gaussian(problem.response, problem.weights) if gaussian else problem.loss
        self.problem, self.K, self.f = problem, problem.n_responses or 1, problem.design.p
        self.intercept = problem.intercept and not gaussian
        place = np.arange(self.K * (1 + self.f)).reshape(self.K, 1 + self.f)
        self.at_c, self.at_b = place[:, 0], place[:, 1:].ravel()
        self.null_intercept = c = np.ones(self.K) * problem.null_intercept * self.intercept
        self.offset = np.zeros(problem.design.n) if gaussian else np.asarray(problem.offset)
        eta = self.offset + (c[:, None] if self.K > 1 else c)
        self.floors = floors(self.loss.curvature_at(eta).sum() / self.K)
        self.n_parts, self.curvature_ratio = TIME_PARTS, 1.0
        self.n_passes, self.most_lambdas = 1, np.inf
        if not self.loss.by_sample:
            self.n_passes = 2
            self.most_lambdas = max(MOST_ROW_NUMBERS // (21 * problem.design.n), 1)
        self.place_rows()

    def place_rows(self):
        """Bring the rows of the loss to their blocks, unless the loss couples them."""
        design, loss = self.problem.design, self.loss
        self.in_blocks = isinstance(design, DistributedDesign)
        if not (self.in_blocks and loss.by_sample):
            self.parts = [(loss, np.asarray(self.problem.weights), self.offset)]
            return
        (y, w), parameters = loss.samples(), loss.parameters()
        cut = design.cut(np.asarray(y).T, np.asarray(w), self.offset)
        arguments = [(type(loss), (y.T, w, *parameters), offset, chunk_rows(self.f))
                     for y, w, offset in cut]  # fmt: skip
        self.parts = design.standing(make_parts, arguments)

    def sums(self, b, c, asks):
        """Return the Sums of all rows for each Ask, at points b (m, K f) and c (m, K)."""
        if self.curvature_ratio < 0.5:  # usually .8 to 1.1: the bound is loose
            most = max(MOST_ROW_NUMBERS // (8 * self.problem.design.n), TIME_PARTS)
            self.n_parts, self.curvature_ratio = min(2 * self.n_parts, most), 1.0
        b, c = b.reshape(-1, self.K, self.f), c.reshape(-1, self.K)
        common = Common(b, c, self.intercept, self.floors, asks, self.n_parts)
        if not self.loss.by_sample:
            return self._sums_at_client(common)
        return self._gathered(pass_over, self.parts, common)

    def _gathered(self, over, parts, common):
        """Return the sums over all blocks of what `over` returns of each and its part."""
        design = self.problem.design
        if not self.in_blocks:
            return over(design, parts, None, None, common)
        arguments = [(part, design.read, design.frame, common) for part in parts]
        return design.gather(over, arguments, added)

    def _sums_at_client(self, common):
        """Return the Sums by two passes, of which the first brings the linear predictors here."""
        design = self.problem.design
        columns = np.unique(np.concatenate([ask.unpenalised for ask in common.asks]).astype(int))
        images = design.combinations(np.concatenate([common.b[:, 0], np.eye(self.f)[columns]]))
        images[: len(common.b)] += common.c
        samples = parts = _of_samples(self.parts[0], images, common._replace(unpenalised=columns))
        if self.in_blocks:
            cut = (design.cut(each.V, each.curved, *each.h) for each in samples)
            parts = [[Samples(V, h, curved, (0.0,) * 4) for V, curved, *h in block]
                     for block in zip(*cut, strict=True)]  # fmt: skip
        found = self._gathered(products_over, parts, common._replace(b=common.b[:0]))
        if not self.loss.coupled:
            return [Sums(*own.sums, *sums[4:]) for own, sums in zip(samples, found, strict=True)]
        return [_bounded(*each) for each in zip(common.asks, samples, found, strict=True)]

    def joined(self, b, c):
        """Return coefficients (K f,) and constants (K,) in one array of K (1 + f)."""
        out = np.empty(len(self.at_b) + self.K)
        out[self.at_b], out[self.at_c] = b, c
        return out

    def places(self, unpenalised, columns):
        """Return where constants and the coefficients `unpenalised` are: their rows among products
        of Q, which are of the `columns`, and their places among K (1 + f).
        """
        rows, places, first = [], [], int(self.intercept)
        for k in range(self.K):
            own = unpenalised[unpenalised // self.f == k] % self.f
            start, begin = 1 + k * (first + len(columns)), k * (1 + self.f)
            rows += [start] * first + (start + first + np.searchsorted(columns, own)).tolist()
            places += [begin] * first + (begin + 1 + own).tolist()
        return rows, places


def make_parts(kind, arguments, offset, count):
    """Return the rows of a loss that belong to a block: (loss, weights, offset) of each chunk."""
    y, w, *parameters = arguments
    chunks = (slice(start, start + count) for start in range(0, len(w), count))
    return [(kind(y[rows], w[rows], *parameters), w[rows], offset[..., rows]) for rows in chunks]


def pass_over(block, parts, read, frame, common):
    """Return the Sums (a list) of one block for every Ask; `parts` are of its rows, in order."""
    (m, K, p), found, end = common.b.shape, None, 0
    block = block.tocsr() if scipy.sparse.issparse(block) and len(parts) > 1 else block
    for part in parts:
        start, end = end, end + len(part[1])
        rows = rows_of(block if len(parts) == 1 else block[start:end], read, frame)
        images = rows.combinations(common.b.reshape(m * K, p)) + common.c.reshape(-1, 1)
        images = images if K == 1 else images.reshape(m, K, -1)
        sums = _summed(rows, _of_samples(part, images, common), common)
        found = sums if found is None else added(found, sums)
    return found


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _of_samples(part, images, common):
    """Return the Samples of every Ask, from the images of its points."""
    return [_of_point(ask, images, *part, common) for ask in common.asks]


def products_over(block, samples, read, frame, common):
    """Return the Sums of one block for every Ask, from its part of the Samples."""
    return _summed(rows_of(block, read, frame), samples, common)


def _bounded(ask, samples, sums):
    """Return the Sums of all rows, the products of C taken out of inner products."""
    kept = 1 + len(ask.unpenalised)
    M, gram = sums.products[kept:, 1:], sums.gram
    if ask.which is not None:
        gram = gram - M[:, ask.which].T @ M[:, ask.which]
    return Sums(*samples.sums, sums.products[:kept], gram)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _summed(rows, samples, common):
    """Return the Sums of every Ask."""
    stacks, others = [], []
    for ask, found in zip(common.asks, samples, strict=True):
        columns, n = ask.unpenalised if found.h else (), found.V.shape[-1]
        Q = rows.unpacked(columns).T if len(columns) else np.zeros((0, n))
        Q = np.concatenate([np.ones((1, n)), Q]) if common.intercept else Q
        stacks.append(np.stack([*found.V, *(h * q for h in found.h for q in Q)]))
        gram = () if ask.which is None else _gram(rows, ask.which, found.curved)
        others.append((found.sums, np.asarray(gram, dtype=float)))
    V = np.concatenate(stacks)
    products = rows.products(V.reshape(-1, V.shape[-1])).reshape(*V.shape[:2], -1)
    products = np.concatenate([V.sum(axis=2)[..., None], products], axis=2)
    cuts = np.cumsum([len(V) for V in stacks])[:-1]
    return [
        Sums(*sums, part.reshape(len(part), -1), gram)
        for (sums, gram), part in zip(others, np.split(products, cuts), strict=True)
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
    """Return the Samples of one Ask."""
    eta, C, scalar = offset + images[ask.point], (), not loss.coupled and common.b.shape[1] == 1
    value, u = loss.at(eta)
    if loss.coupled:
        h, C = loss.curvature_bound(eta, 1 if ask.which is None else common.n_parts)
    else:
        h = loss.curvature_at(eta)
    v, inside = u, h
    if ask.along >= 0:
        along = images[ask.along]
        v = u - (h * along if scalar else loss.curvature_product(eta, along))
        if loss.ends is not None:
            low, high = loss.ends
            inside, v = np.where((v < low) | (v > high), 0.0, h), np.clip(v, low, high)
    flat, least = common.floors
    floored = np.maximum(h, np.where(h > 0.0, least, flat) * w)
    end = eta if ask.end < 0 else offset + images[ask.end]
    excess = np.array([loss.fenchel_young_at(end, s * v) for s in ask.scales])
    square = rounding = 0.0
    if ask.along < 0:
        square = np.sum(np.square(u) / np.where(w > 0.0, floored, np.inf))
    if ask.scales:
        hidden = 1e-11 * np.abs(v) + CENTRED * h
        rounding = np.sum(np.square(hidden) / np.where(w > 0.0, w, np.inf))
    sums = value, square, rounding, excess
    if scalar:  # H where v is inside its domain, and floored H where that is asked
        H = [inside[None], *([floored[None]] if ask.which is not None else [])]
        return Samples(v[None, None], H, floored, sums)
    if not loss.coupled:
        return Samples(v[None], *_of_responses(loss, eta), sums)
    Q = images[len(common.b) + np.searchsorted(common.unpenalised, ask.unpenalised)]
    V = [v, *(loss.curvature_product(eta, q) for q in Q)]
    if ask.which is None:
        return Samples(np.stack(V)[:, None], [], floored[None][:0], sums)
    return Samples(np.stack([*V, *C])[:, None], [], floored, sums)


def _of_responses(loss, eta):
    """Return H of K responses for products, and for inner products, (K, K, n)."""
    units = np.eye(len(eta))[..., None] * np.ones(eta.shape[1])
    H = np.stack([loss.curvature_product(eta, unit) for unit in units])
    # softmax has no curvature along (1, ..., 1)
    return list(H), H + 1e-8 * np.einsum("kkn->n", H) * units


def added(left, right):
    """Return the Sums of two parts of the rows."""
    return [
        Sums(*(a + b for a, b in zip(one, other, strict=True)))
        for one, other in zip(left, right, strict=True)
    ]


class PassPoints:
    """Points of a pass, what is asked of them, and whose they are."""

    def __init__(self):
        self.b, self.c, self.asks, self.items = [], [], [], []

    def add(self, item, columns, which, scales):
        """Ask for the end of an item's step and, with scales, for its dual point."""
        plan, here, first = item.plan, item.here, len(self.asks)
        t = item.t if item.end is None else 0.0
        end = self._point(here.b + t * plan.b, here.c + t * plan.c)
        self.asks.append(Ask(end, unpenalised=columns, which=which))
        if scales is not None:
            start, along = self._point(here.b, here.c), self._point(*item.direction)
            self.asks.append(Ask(start, along, end, scales, columns))
        self.items.append((item, first, None if scales is None else first + 1))

    def again(self, item, columns, which):
        """Ask for a Hessian at an item's point."""
        self.items.append((item, len(self.asks), None))
        point = self._point(item.here.b, item.here.c)
        self.asks.append(Ask(point, unpenalised=columns, which=which))

    def _point(self, b, c):
        self.b.append(b)
        self.c.append(c)
        return len(self.b) - 1


def chord(known, s):
    """Return a bound at s of a convex function known at (t, value) of ascending t."""
    for (left, low), (right, high) in zip(known[:-1], known[1:], strict=True):
        if left <= s <= right:
            t = (s - left) / (right - left) if right > left else 1.0
            return low if t == 0.0 else high if t == 1.0 else (1.0 - t) * low + t * high
    return np.inf
