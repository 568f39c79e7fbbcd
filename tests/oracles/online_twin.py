"""Online methods step by step on dense arrays: slow, and without a line of the package.

Every step moves all weights: nothing is lazy. Penalties are written by their proximal operators.
"""

import numpy as np


def soft(v, level):
    return np.sign(v) * np.maximum(np.abs(v) - level, 0.0)


def prox(V, level, ridge, h, tied):
    """argmin_W h |W|^2 / 2 - <V, W> + sum_j level_j N(W_j) + ridge_j |W_j|^2 / 2, V (p, K)."""
    if tied:
        length = np.linalg.norm(V, axis=1, keepdims=True)
        shrunk = V * np.maximum(1.0 - level[:, None] / np.maximum(length, 1e-300), 0.0)
    else:
        shrunk = soft(V, level[:, None])
    return shrunk / (h + ridge[:, None])


def logistic(y, eta):
    return np.log1p(np.exp(-abs(eta))) + max(eta[0], 0) - y * eta, 1 / (1 + np.exp(-eta)) - y


def squared(y, eta):
    return 0.5 * np.sum((eta - y) ** 2), eta - y


def hinge(y, eta):
    return max(0.0, 1.0 - (y * eta)[0]), np.where(y * eta < 1.0, -y, 0.0)


def poisson(y, eta):
    return np.exp(eta) - y * eta, np.exp(eta) - y


def softmax(y, eta):
    top = eta - eta.max()
    return np.log(np.exp(top).sum()) - y @ top, np.exp(top) / np.exp(top).sum() - y


class Twin:
    """Weights W (p, K) and intercepts b (K,) after each step of learn()."""

    def __init__(self, method, loss, p, K, lam, alpha=1.0, v=None, eta0=1.0, schedule="sqrt",
                 tied=False, intercept=True, beta=0.01, next_prox=False):
        self.next_prox = next_prox
        v = np.ones(p) if v is None else v
        self.method, self.loss, self.eta0, self.schedule = method, loss, eta0, schedule
        self.l1, self.l2 = lam * alpha * v, lam * (1 - alpha) * v
        self.tied, self.intercept = tied, intercept
        self.W, self.b, self.t = np.zeros((p, K)), np.zeros(K), 0.0
        self.sum, self.b_sum = np.zeros((p, K)), np.zeros(K)
        self.n = np.full_like(self.squares(self.W), beta**2)
        self.b_n = np.full(K, beta**2)
        self.losses, self.iterates, self.charges, self.slopes = [], [], [], []

    def eta(self, t):
        if callable(self.schedule):
            return self.schedule(t)
        return self.eta0 / {"sqrt": np.sqrt(t), "inverse": t, "constant": 1.0}[self.schedule]

    def beta(self, t):
        if self.schedule == "inverse":
            return (1.0 + max(np.log(t), 0.0)) / self.eta0
        return 1.0 / self.eta(t)

    def charge(self):
        size = np.linalg.norm(self.W, axis=1) if self.tied else np.abs(self.W).sum(axis=1)
        return self.l1 @ size + 0.5 * self.l2 @ (self.W**2).sum(axis=1)

    def step(self, X, y, w, offset):
        """One step of the rows of X (m, p), of which m rows are a whole step."""
        g, bg = np.zeros_like(self.W), np.zeros_like(self.b)
        self.iterates.append((self.W.copy(), self.b.copy()))
        self.charges.append(self.charge())
        for x, label, weight, known in zip(X, y, w, offset, strict=True):
            value, slope = self.loss(label, x @ self.W + self.b + known)
            self.losses.append(float(np.squeeze(value)))
            g += weight / w.sum() * np.outer(x, slope)
            bg += weight / w.sum() * slope * self.intercept
        self.slopes.append(np.sqrt((g**2).sum() + (bg**2).sum()))
        u = w.sum() / len(w)
        self.t += u
        getattr(self, self.method)(g, bg, u)

    def each(self, V, level, ridge, h):
        """The proximal operator of all weights, h a number or as squares."""
        return prox(V, level, ridge, h, self.tied)

    def squares(self, g):
        """The squares that ftrl sums, one for weights that share a step."""
        return (g**2).sum(axis=1, keepdims=True) if self.tied else g**2

    def fobos(self, g, bg, u):
        eta = self.eta(self.t) * u
        level = self.eta(self.t + u) * u if self.next_prox else eta
        self.W = self.each(self.W - eta * g, level * self.l1, level * self.l2, 1.0)
        self.b = self.b - eta * bg

    def rda(self, g, bg, u):
        self.sum, self.b_sum = self.sum + u * g, self.b_sum + u * bg
        beta = self.beta(self.t)
        self.W = self.each(-self.sum, self.t * self.l1, self.t * self.l2, beta)
        self.b = -self.b_sum / beta

    def ftrl(self, g, bg, u):
        root = np.sqrt(self.n)
        self.n = self.n + u * self.squares(g)
        self.sum = self.sum + u * g - (np.sqrt(self.n) - root) / self.eta0 * self.W
        root = np.sqrt(self.b_n)
        self.b_n = self.b_n + u * bg**2
        self.b_sum = self.b_sum + u * bg - (np.sqrt(self.b_n) - root) / self.eta0 * self.b
        h = np.sqrt(self.n) / self.eta0
        self.W = self.each(-self.sum, self.t * self.l1, self.t * self.l2, h)
        self.b = -self.b_sum / (np.sqrt(self.b_n) / self.eta0)

    def learn(self, X, y, w=None, offset=None, batch=1):
        X, y = np.asarray(X), np.asarray(y, dtype=float).reshape(len(X), -1)
        w = np.ones(len(X)) if w is None else np.asarray(w)
        offset = np.zeros((len(X), 1)) if offset is None else offset.reshape(len(X), -1)
        X, y, w, offset = (part[np.asarray(w) > 0] for part in (X, y, w, offset))
        for i in range(0, len(X) // batch * batch, batch):
            s = slice(i, i + batch)
            self.step(X[s], y[s], w[s], offset[s])
        return self


def project_l1(v, radius):
    """The nearest point with |.|_1 <= radius, by bisection."""
    if np.abs(v).sum() <= radius:
        return v
    low, high = 0.0, np.abs(v).max()
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.abs(soft(v, middle)).sum() > radius else (low, middle)
    return soft(v, high)


def group_prox(v, level, kind):
    """argmin_w |w - v|^2 / 2 + level N(w), for N of a kind: by Moreau's identity for "linf"."""
    if kind == "l2":
        length = np.linalg.norm(v)
        return v * max(1.0 - level / length, 0.0) if length > 0.0 else v
    if kind == "linf":
        return v - project_l1(v, level)
    tau, d = kind  # sparse group: first the l1 norm, then the l2 norm
    return group_prox(soft(v, level * tau), level * (1.0 - tau) * d, "l2")


class GroupTwin(Twin):
    """The same with groups of features, lists of their numbers, of weights d."""

    def __init__(self, method, loss, p, K, lam, groups, d, kind, **options):
        self.groups, self.d, self.kind = groups, d, kind
        super().__init__(method, loss, p, K, lam, **options)
        self.l1, self.l2 = self.l1[0], self.l2[0]

    def charge(self):
        return np.nan

    def each(self, V, level, ridge, h):
        W = np.zeros_like(V)
        for group, d in zip(self.groups, self.d, strict=True):
            r = h[group[0], 0] if np.ndim(h) else h
            if isinstance(self.kind, tuple):  # tau and the l2 part's weight
                tau, _ = self.kind
                r += ridge * (tau + (1 - tau) * d)
                part = group_prox(V[group].ravel() / r, level / r, (tau, d))
            else:
                r += ridge * d
                part = group_prox(V[group].ravel() / r, level * d / r, self.kind)
            W[group] = part.reshape(-1, V.shape[1])
        return W

    def squares(self, g):
        sums = np.zeros((len(g), 1))
        for group in self.groups:
            sums[group] = (g[group] ** 2).sum()
        return sums
