"""Does a bound of a newer room ever claim what is not? false_rooms.py [FIRST] [COUNT].

`false_faces.py` asks that of paths of features; this asks it of `OnlineFit.certify` and
`regret_bound`, of the traces of `bundle`, of `spom`, `crf_path` and `mkl_path`. Problems are small
and hostile: columns of sizes from 1e-3 to 1e3, equal ones, zeros, responses far from 0, rows of
weight 0, steps that are far too long or lengthen, few iterations. Each bound is a claim, also
where the solver gave up. The judge shares no line with the package: label sequences are listed one
by one, norms and maxima are smoothed, Newton steps go down to a smoothing of 1e-10, and objectives
are compared in long double. FALSE is a claim that a point of the judge refutes, or an objective
that is not that of the numbers returned, with the seed that repeats it; so the judge can miss, and
never accuse.

    OPENBLAS_NUM_THREADS=1 python benchmarks/system/false_rooms.py 0 6000
"""

import itertools

import fuzz
import numpy as np

import sparsesolve as ss
from sparsesolve import penalties as P

LD = np.longdouble
SLACK = 1e-13  # of the terms of an objective: what long double and its inputs may be off by
LEVELS = (1.0, 0.1, 1e-2, 1e-4, 1e-7, 1e-10)  # mu, of the size of what is smoothed
STEPS = 12  # of Newton's method, for each mu


class Squares:
    """sum_i w_i (y_i - a_i't)^2 / 2, smooth as it is; `of` takes the dtype of t."""

    def __init__(self, A, y, w):
        self.A, self.y, self.w = A, y, w

    def of(self, t):
        r = self.y.astype(t.dtype) - self.A.astype(t.dtype) @ t
        return self.w.astype(t.dtype) @ r**2 / 2

    def near(self, t, mu):
        r = self.A @ t - self.y
        return self.of(t), self.A.T @ (self.w * r), self.A.T @ (self.w[:, None] * self.A)


class Counts(Squares):
    """sum_i w_i (exp(a_i't) - y_i a_i't)."""

    def of(self, t):
        eta = self.A.astype(t.dtype) @ t
        return self.w.astype(t.dtype) @ (np.exp(eta) - self.y.astype(t.dtype) * eta)

    def near(self, t, mu):
        m = np.exp(self.A @ t)
        return (self.of(t), self.A.T @ (self.w * (m - self.y)),
                self.A.T @ ((self.w * m)[:, None] * self.A))  # fmt: skip


class Largest:
    """sum_s w_s max_y (a_sy't + c_sy), or log sum exp in place of max: A (S, Y, d), c (S, Y)."""

    def __init__(self, A, c, w, soft):
        self.A, self.c, self.w, self.soft = A, c, w, soft

    def of(self, t):
        s = self.A.astype(t.dtype) @ t + self.c.astype(t.dtype)
        top = s.max(axis=1)
        more = np.log(np.exp(s - top[:, None]).sum(axis=1)) if self.soft else 0
        return self.w.astype(t.dtype) @ (top + more)

    def near(self, t, mu):
        mu = 1.0 if self.soft else mu
        s = self.A @ t + self.c
        top = s.max(axis=1)
        e = np.exp((s - top[:, None]) / mu)
        total = e.sum(axis=1)
        q = e / total[:, None]
        mean = np.einsum("sy,syd->sd", q, self.A)
        H = np.einsum("s,sy,syd,sye->de", self.w, q, self.A, self.A, optimize=True)
        H -= (self.w[:, None] * mean).T @ mean
        return self.w @ (top + mu * np.log(total)), self.w @ mean, H / mu


def two_sides(A, y, w, hinge):
    """Largest for labels of -1 and 1."""
    none = np.zeros_like(A)
    return Largest(np.stack([none, -y[:, None] * A], axis=1),
                   np.stack([np.zeros(len(y)), np.ones(len(y)) * hinge], axis=1), w, not hinge)


class Objective:
    """loss(t) + sum_k c_k |A_k t| + sum_j r_j t_j^2 / 2, or + (sum_k c_k |A_k t|)^2 / 2."""

    def __init__(self, loss, terms, ridge, squared=0.0):
        self.loss, self.terms, self.ridge, self.squared = loss, terms, ridge, squared

    def of(self, t):
        t = np.asarray(t, dtype=LD)
        size = sum((LD(c) * _size(A, t) for c, A in self.terms), LD(0))
        return (self.loss.of(t) + self.ridge.astype(LD) @ t**2 / 2 + size
                + LD(self.squared) * self.root(t) ** 2 / 2)  # fmt: skip

    def root(self, t):
        return sum((_size(A, t) for A in self.inner), LD(0))

    inner = ()  # matrices A_k of the squared sum

    def near(self, t, mu):
        value, g, H = self.loss.near(t, mu)
        value, g, H = value + self.ridge @ t**2 / 2, g + self.ridge * t, H + np.diag(self.ridge)
        for c, A in self.terms:
            v, a, B = _length(A, t, mu)
            value, g, H = value + c * v, g + c * a, H + c * B
        if self.squared:
            parts = [_length(A, t, mu) for A in self.inner]
            v, a = sum(p[0] for p in parts), sum(p[1] for p in parts)
            H = H + self.squared * (np.outer(a, a) + v * sum(p[2] for p in parts))
            value, g = value + self.squared * v * v / 2, g + self.squared * v * a
        return value, g, H

    def least(self, *starts):
        """The least value found, in long double: at the starts, and at Newton's iterates."""
        found = [(self.of(t), i) for i, t in enumerate(starts)]
        best, i = min(found)
        t = np.array(starts[i], dtype=float)
        for mu in LEVELS:
            for _ in range(STEPS):
                value, g, H = self.near(t, mu)
                if not np.isfinite(H).all():
                    break
                size = np.sqrt(np.maximum(np.diag(H), 1e-300))
                values, U = np.linalg.eigh(H / np.outer(size, size))
                step = U @ ((U.T @ (g / size)) / np.maximum(values, 1e-14)) / size
                along, length = float(g @ step), 1.0
                while length > 1e-9 and not self.near(t - length * step, mu)[0] <= (
                        value - 1e-4 * length * along):  # fmt: skip
                    length /= 3
                if length <= 1e-9:
                    break
                t = t - length * step
                if not along > 1e-15 * abs(value):
                    break
            best = min(best, self.of(t))
        return best


def _size(A, t):
    return np.sqrt(((A.astype(LD) @ t) ** 2).sum())


def _length(A, t, mu):
    """sqrt(|A t|^2 + mu^2) - mu with its derivatives."""
    v = A @ t
    r = np.sqrt(v @ v + mu * mu)
    a = A.T @ v / r
    return r - mu, a, (A.T @ A - np.outer(a, a)) / r


def claim(total, about, room, bound, least, size):
    """Count the claim that no point is below `bound`, where the judge has one of `least`."""
    total["claims"] += 1
    total[f"claims of {room}"] += 1
    if bound <= least + SLACK * size:
        return
    total["FALSE"] += 1
    over = float(bound - least)
    print(f"{about}: FALSE, {room} claims {bound!r}, {over:.2e} too much", flush=True)


def same(total, about, room, told, found, size):
    """Count the claim that an objective is that of the numbers returned."""
    total["claims"] += 1
    total[f"claims of {room}"] += 1
    if not abs(told - found) <= 1e-11 * size + 1e-9 * abs(found):
        total["FALSE"] += 1
        print(f"{about}: FALSE, objective of {room} is {float(found)!r}, not {told!r}", flush=True)


def table(rng, n, p):
    """Hostile rows (n, p): see the head."""
    X, kind = rng.normal(size=(n, p)), rng.integers(7)
    if kind == 1:
        X *= 10.0 ** rng.uniform(-3, 3, size=p)
    elif kind == 2:
        X[:, -1] = X[:, 0]
    elif kind == 3:
        X += 10.0 ** rng.uniform(0, 2)
    elif kind == 4:
        X = np.round(X) * (rng.random((n, p)) < 0.5)
    elif kind == 5:
        X *= 10.0 ** rng.uniform(-3, 3)
    return X


FAMILIES = ("gaussian", "binomial", "hinge", "poisson")


def rows_of(rng, family, n, p):
    """A table, a response, and the loss of b and b0 under weights w."""
    X = table(rng, n, p)
    eta = X @ rng.normal(size=p) / (np.linalg.norm(X, axis=1).max() + 1e-3)
    if family == "gaussian":
        return X, eta + rng.normal(size=n) + rng.choice([0.0, 0.0, 10.0, 300.0])
    if family == "poisson":
        return X, rng.poisson(np.exp(np.clip(eta, -3, 2))).astype(float)
    return X, np.where(eta + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


def loss_of(family, A, y, w):
    A, y, w = A[w > 0], y[w > 0], w[w > 0]
    if family == "gaussian":
        return Squares(A, y, w)
    return Counts(A, y, w) if family == "poisson" else two_sides(A, y, w, family == "hinge")


def penalised(rng, p):
    """A penalty, and its terms over (b, b0) at lam = 1."""
    way, unit = rng.integers(5), np.eye(p + 1)[:p]
    if way < 2 or p < 2:
        return None, [(1.0, row[None]) for row in unit]
    if way == 2:
        of = rng.integers(2, size=p)
        groups = [np.flatnonzero(of == g) for g in dict.fromkeys(of)]
        return P.GroupL2(of), [(np.sqrt(len(g)), unit[g]) for g in groups]
    if way == 3:
        return P.TotalVariation(), [(1.0, (b - a)[None]) for a, b in itertools.pairwise(unit)]
    return [P.L1(), P.GroupL2([0] * p)], [*((1.0, row[None]) for row in unit), (np.sqrt(p), unit)]


def certificates(rng, total, about):
    family = str(rng.choice(FAMILIES))
    n, p = int(rng.integers(2, 25)), int(rng.integers(1, 5))
    X, y = rows_of(rng, family, n, p)
    penalty, terms = penalised(rng, p)
    lam, alpha = 10.0 ** rng.uniform(-4, 0.5), float(rng.choice([1.0, 1.0, 0.5]))
    w = rng.integers(0, 3, n) * rng.random(n) + (np.arange(n) == 0)
    w = w if rng.random() < 0.3 else np.ones(n)
    A = np.column_stack([X, np.ones(n)])
    ridge = np.append(np.full(p, lam * (1 - alpha)), 0.0)
    ridge *= 0.0 if penalty is None and alpha == 1.0 else 1.0
    if isinstance(penalty, P.GroupL2):
        ridge[:p] *= np.sqrt(np.bincount(penalty.groups))[penalty.groups]
    truth = Objective(loss_of(family, A, y, w / w.sum()),
                      [(lam * alpha * c, B) for c, B in terms], ridge)  # fmt: skip
    methods = ["ftrl", "rda", "fobos"] if penalty is None else ["fobos"]
    found, points = [], [np.zeros(p + 1)]
    for method in methods:
        step = "auto" if rng.random() < 0.5 else 10.0 ** rng.uniform(-3, 0.5)
        options = {"family": ss.families.hinge() if family == "hinge" else family, "lam": lam,
                   "alpha": alpha, "penalty": penalty, "method": method, "step": step}  # fmt: skip
        fit = ss.online(X, y, weights=w, classes=[-1, 1] if family in FAMILIES[1:3] else None,
                        **options)  # fmt: skip
        for k in range(3):
            points.append(np.append(fit.coef(), fit.intercept))
            found.append(fit.certify(X, y, weights=w))
            fit = fit.more(X, y, weights=w) if k < 2 else fit
    best = truth.least(*points)
    for point, told in zip(points[1:], found, strict=True):
        value = truth.of(point)
        size = float(abs(value)) + 1.0 + lam
        same(total, about, "certify", told.objective, value, size)
        claim(total, about, "certify", float(value) - told.gap, best, size)


def regrets(rng, total, about):
    family = str(rng.choice(FAMILIES[:3]))
    n, p = int(rng.integers(2, 40)), int(rng.integers(1, 4))
    X, y = rows_of(rng, family, n, p)
    method, batch = str(rng.choice(["ftrl", "rda", "fobos"])), int(rng.choice([1, 1, 3]))
    lam, alpha = float(rng.choice([0.0, 1e-3, 0.1, 3.0])), float(rng.choice([0.0, 0.5, 1.0]))
    step = eta0 = 10.0 ** rng.uniform(-3, 0.3)
    options = {"family": ss.families.hinge() if family == "hinge" else family, "lam": lam,
               "alpha": alpha, "method": method}  # fmt: skip
    if family in FAMILIES[1:3]:
        options["classes"] = [-1, 1]
    if method != "ftrl":
        options |= {"batch": batch, "schedule": str(rng.choice(["sqrt", "constant"])),
                    "radius": 1.0 if rng.random() < 0.2 else None}  # fmt: skip
        if rng.random() < 0.4:
            step = (lambda t: eta0 * min(t / 9, 1.0), lambda t: eta0 * (1 + 0.9 * np.sin(t)),
                    lambda t: eta0 / t)[rng.integers(3)]  # fmt: skip
    batch = options.get("batch", 1)
    w = [np.ones(n), rng.random(n) * 9 + 0.1, np.sort(rng.random(n) + 0.1)[::-1] * 9,
         np.full(n, 10.0 ** rng.uniform(-2, 2))][rng.integers(4)]  # fmt: skip
    A, share = np.column_stack([X, np.ones(n)]), lam * alpha
    unit, ridge = np.eye(p + 1)[:p], np.append(np.full(p, lam * (1 - alpha)), 0.0)
    fit, suffered, point = None, LD(0), np.zeros(p + 1)

    def charged(rows):
        W = w[rows].sum()
        return Objective(loss_of(family, A[rows], y[rows], w[rows]),
                         [(W * share, row[None]) for row in unit], W * ridge)  # fmt: skip
    guess = np.linalg.lstsq(A, y, rcond=None)[0]
    for first in range(0, n - batch + 1, batch):
        rows = slice(first, first + batch)
        suffered += charged(rows).of(point)
        fit = (ss.online(X[rows], y[rows], weights=w[rows], step=step, **options) if fit is None
               else fit.more(X[rows], y[rows], weights=w[rows]))  # fmt: skip
        point = np.append(fit.coef(), fit.intercept)
        if first % 5 and first + batch < n:
            continue
        whole = charged(slice(0, first + batch))
        for norm in (0.1, 1.0, 30.0):
            try:
                bound = fit.regret_bound(norm)
            except ValueError:
                total["regrets without a bound"] += 1
                continue
            others = [v * min(1.0, norm / max(np.linalg.norm(v), 1e-300))
                      for v in (guess, 1e9 * guess, -guess, np.zeros(p + 1))]
            fixed = min(whole.of(v) for v in others)
            claim(total, about, "regret", float(suffered) - bound, fixed,
                  float(suffered) + float(fixed))  # fmt: skip


def traces(rng, total, about):
    n, p = int(rng.integers(2, 25)), int(rng.integers(1, 5))
    X, y = rows_of(rng, "hinge", n, p)
    y[:2] = [1.0, -1.0]
    lam, steps = 10.0 ** rng.uniform(-4, 1), int(rng.integers(0, 40))
    w = rng.random(n) * (rng.random(n) < 0.8) + (np.arange(n) < 2)
    w = w if rng.random() < 0.4 else np.ones(n)
    bias, way = bool(rng.random() < 0.5), rng.integers(5)
    if way == 0:
        L = ("true", "backtracking", 10.0 ** rng.uniform(-3, 3))[rng.integers(3)]
        trace = ss.paths.bundle.pragam(X, y, lam, steps, bias=bias, L=L, weights=w)
    elif way < 3:
        risk = ss.paths.bundle.hinge_risk(X, y, bias=bias, weights=w)
        start = rng.normal(size=p) if rng.random() < 0.5 else None
        trace = ss.paths.bundle.bmrm(risk, lam, steps, line_search=way == 2, start=start)
    else:
        w, bias = np.ones(n), False
        trace = ss.paths.bundle.pegasos(X, y, lam, steps, batch="all" if way == 3 else 1,
                                  ball=bool(rng.random() < 0.5))  # fmt: skip
    A = np.column_stack([X, np.full(n, float(bias))])
    truth = Objective(two_sides(A, y, w / w.sum(), True), [], np.append(np.full(p, lam), 0.0))
    point = np.append(trace.coef, trace.intercept)
    best = truth.least(point, np.zeros(p + 1))
    size = float(np.abs(trace.objectives).max()) + 1.0
    same(total, about, "bundle", trace.objectives.min(), truth.of(point), size)
    size += float(np.abs(trace.bounds[np.isfinite(trace.bounds)]).max(initial=0.0))
    for bound in trace.bounds:
        claim(total, about, "bundle", bound, best, size)


def listed(X, y, lengths, K, cost):
    """All label sequences of each sequence, as rows less the true one: Largest's A and c.

    Parameters are (p, K) of features, K intercepts, K^2 transitions, K starts and K stops.
    """
    A, c, most, first = [], [], K ** max(lengths), 0
    for length in lengths:
        rows, right = X[first : first + length], y[first : first + length]
        first += length
        labels = list(itertools.product(range(K), repeat=length))
        every = [described(rows, np.array(s), K) for s in labels]
        wrong = [cost * sum(a != b for a, b in zip(s, right, strict=True)) for s in labels]
        at = int("".join(map(str, right)), K)
        more = most - len(every)  # the true one, far below, fills up
        A.append(np.array(every + [every[at]] * more) - every[at])
        c.append(np.array(wrong + [-np.inf] * more, dtype=float))
    return np.array(A), np.maximum(np.array(c), -1e4)


def described(rows, s, K):
    B, T = np.zeros((rows.shape[1], K)), np.zeros((K, K))
    np.add.at(B.T, s, rows)
    np.add.at(T, (s[:-1], s[1:]), 1.0)
    ends = np.eye(K)[[s[0], s[-1]]]
    return np.concatenate([B.ravel(), np.bincount(s, minlength=K), T.ravel(), *ends])


def chains(rng, N):
    lengths = rng.integers(1, 4, size=N)
    K, p, n = int(rng.integers(2, 4)), int(rng.integers(1, 4)), int(lengths.sum())
    X, y = table(rng, n, p), rng.integers(0, K, n)
    y[:K] = np.arange(K)[:n]
    K = int(y.max()) + 1
    return X, y, lengths.tolist(), K, p


def fields(rng, total, about):
    X, y, lengths, K, p = chains(rng, int(rng.integers(2, 6)))
    if K < 2:
        return
    w = rng.random(len(lengths)) + 0.1 if rng.random() < 0.4 else np.ones(len(lengths))
    alpha, ties = float(rng.choice([1.0, 0.5, 0.0])), str(rng.choice(["ridge", "l1", "group"]))
    of, few = rng.integers(2, size=p), bool(rng.random() < 0.5)
    fit = ss.crf_path(X, y, lengths=lengths, n_lambdas=3, alpha=alpha, transitions=ties, weights=w,
                      groups=of if few else None, tol=10.0 ** rng.uniform(-8, -1),
                      max_iter=int(rng.choice([1, 5, 10_000])))  # fmt: skip
    A, c = listed(X, y, lengths, K, 0.0)
    loss, d, own = Largest(A, c, w / w.sum(), True), A.shape[2], p * K
    unit = np.eye(d)
    places = [np.flatnonzero(np.repeat(of, K) == g) for g in dict.fromkeys(of)] if few else (
        np.arange(own)[:, None])  # fmt: skip
    for k, lam in enumerate(fit.lambdas):
        t = fit.coefs[:, [k]].toarray()[:, 0]
        ridge, size = np.zeros(d), [np.sqrt(len(g) / K) if few else 1.0 for g in places]
        terms = [(lam * alpha * x, unit[g]) for g, x in zip(places, size, strict=True)]
        for g, x in zip(places, size, strict=True):
            ridge[g] = lam * (1 - alpha) * x
        if ties == "ridge":
            ridge[own:] = lam
        else:
            rest = unit[own:][:, None] if ties == "l1" else [unit[own:]]
            terms += [(lam * (1.0 if ties == "l1" else np.sqrt(K + 3)), B) for B in rest]
        truth = Objective(loss, terms, ridge)
        value = truth.of(t)
        gap = fit.gaps[k] * fit.null_value
        claim(total, about, "crf_path", float(value) - gap, truth.least(t), float(value) + 1.0)


def learners(rng, total, about):
    X, y, lengths, K, p = chains(rng, int(rng.integers(2, 6)))
    if K < 2:
        return
    of, hinge = rng.integers(2, size=p), bool(rng.random() < 0.5)
    norm = str(rng.choice(["l1_squared", "l1", "l2", "elastic"]))
    lam, steps = 10.0 ** rng.uniform(-3, 1), int(rng.integers(0, 4))
    schedule = "sqrt" if norm != "l2" else str(rng.choice(["sqrt", "inverse", "pegasos"]))
    model = ss.spom(X, y, lengths=lengths, groups=of, loss="hinge" if hinge else "log", norm=norm,
                    lam=lam, epochs=int(rng.integers(1, 4)), certify=steps, schedule=schedule,
                    eta0=10.0 ** rng.uniform(-2, 1) if schedule == "sqrt" else "auto",
                    average=(False, True, "epoch")[rng.integers(3)])  # fmt: skip
    A, c = listed(X, y, lengths, K, float(hinge))
    A = np.delete(A, np.arange(p * K, p * K + K), axis=2)  # no intercepts
    d, N, unit = A.shape[2], len(lengths), np.eye(A.shape[2])
    parts = [unit[np.flatnonzero(np.repeat(of, K) == g)] for g in dict.fromkeys(of)]
    ridge, first = np.zeros(d), p * K
    ridge[first:] = lam
    if norm == "l2":
        ridge[:first] = lam
    if norm == "elastic":
        ridge[:first] = 0.5 * lam
    terms = [(lam, B) for B in parts] if norm == "l1" else []
    truth = Objective(Largest(A, c, np.ones(N) / N, not hinge), terms, ridge,
                      {"l1_squared": lam, "elastic": 0.5 * lam}.get(norm, 0.0))  # fmt: skip
    truth.inner = parts
    t = np.concatenate([model.coef().ravel(), model.tied])
    value = truth.of(t)
    same(total, about, "spom", model.objective, value, float(value) + 1.0)
    if model.gap < np.inf:
        claim(total, about, "spom", model.objective - model.gap, truth.least(t, 0 * t),
              float(value) + 1.0)  # fmt: skip


def kernels(rng, total, about):
    n, M = int(rng.integers(3, 15)), int(rng.integers(1, 4))
    family = str(rng.choice(FAMILIES[:2]))
    X, y = rows_of(rng, family, n, M)
    y[:2] = [1.0, -1.0] if family == "binomial" else y[:2]
    Z = [np.column_stack([x, x * x / (np.abs(x).max() + 1e-9)]) for x in X.T]
    norm, w = str(rng.choice(["l1", "l1_squared", "elastic"])), rng.random(n) + 0.1
    w = w if rng.random() < 0.4 else np.ones(n)
    kept = [ss.mkl.LowRank(z) for z in Z] if rng.random() < 0.4 else [z @ z.T for z in Z]
    fit = ss.mkl_path(kept, y, family=family, norm=norm, weights=w, n_lambdas=4,
                      lambda_min_ratio=10.0 ** rng.uniform(-4, -0.5),
                      tol=10.0 ** rng.uniform(-9, -1), max_iter=int(rng.choice([1, 4, 100_000])))
    A = np.column_stack([*Z, np.ones(n)])
    loss, d = loss_of(family, A, y, w / w.sum()), A.shape[1]
    parts = [np.eye(d)[2 * m : 2 * m + 2] for m in range(M)]
    start = np.zeros(d)
    if family == "gaussian":
        start[-1] = w @ y / w.sum()
    scale = float(Objective(loss_of(family, np.ones((n, 1)), y, w / w.sum()), [],
                            np.zeros(1)).least(start[-1:]))  # fmt: skip
    for k, lam in enumerate(fit.lambdas):
        t = np.concatenate([*(fit.kernel_weights[m, k] * Z[m].T @ fit.dual_coefs[:, k]
                              for m in range(M)), [fit.intercepts[k]]])  # fmt: skip
        share, ridge = {"l1": 1.0, "l1_squared": 0.0, "elastic": 0.5}[norm], np.zeros(d)
        ridge[:-1] = 0.5 * lam * (norm == "elastic")
        truth = Objective(loss, [(lam * share, B) for B in parts if share], ridge,
                          lam * (norm == "l1_squared"))  # fmt: skip
        truth.inner = parts
        value = truth.of(t)
        claim(total, about, "mkl_path", float(value) - fit.gaps[k] * scale, truth.least(t, start),
              float(value) + 1.0)  # fmt: skip


ROOMS = {"certify": certificates, "regret": regrets, "bundle": traces, "crf_path": fields,
         "spom": learners, "mkl_path": kernels}  # fmt: skip
SHARE = {"certify": 4, "regret": 5, "bundle": 4, "crf_path": 2, "spom": 3, "mkl_path": 2}


if __name__ == "__main__":
    fuzz.run(__doc__, ROOMS, SHARE, 6_000, 1_000, strict=False)
