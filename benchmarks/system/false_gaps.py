"""Does a gap of a structured norm ever claim what is not? false_gaps.py [FIRST] [COUNT].

Small problems, one a seed: trees, overlapping groups, images, graphs, trends, sums and disjoint
parts; squared error or logistic, one response or two; hostile columns (`design` of
false_faces.py), ridge parts, weights of 0, tolerances from 1e-3 to 1e-11, few
iterations. Every gap of a path is a claim, also where the solver gave up: the objective is at most
so much above its minimum. The judge shares no line with the package. It writes the norm as
sum_k w_k N_k(A_k b) from the groups drawn, smooths N_k (lengths and singular values as
sqrt(. + mu^2), largest sizes as mu log sum exp), takes Newton steps for mu down to what tells the
claim, and compares objectives in long double. FALSE is a claim that a point of the judge refutes,
with the seed that repeats it; so the judge can miss, and never accuse.

    OPENBLAS_NUM_THREADS=1 python benchmarks/system/false_gaps.py 0 25000
"""

import fuzz
import numpy as np
from false_faces import design

import sparsesolve as ss
from sparsesolve import penalties as P

LD = np.longdouble
SLACK = 1e-13  # of the null objective and of the terms: what long double may be off by
LEVELS = (30.0, 1.0, 0.03, 1e-3)  # mu, of what it may be for the smoothed norm to be off by a gap
STEPS = 15  # of Newton's method, for each mu


def picked(p, K, features):
    """The matrix (q, K p) that takes these features of all responses."""
    where = np.concatenate([np.asarray(features) + k * p for k in range(K)])
    return np.eye(K * p)[where]


def apart(p, K, D):
    """Each row of D (m, p) for each response, as (1, K p) matrices."""
    return [np.kron(np.eye(K)[k], row)[None] for k in range(K) for row in D]


def tree(rng, p, K):
    """A random tree; features in no group are leaves of weight 1."""
    order, groups, stack = rng.permutation(p), [], [(0, p)]
    while stack:
        a, b = stack.pop()
        if b - a < 1 or rng.random() < 0.1:
            continue
        groups.append(order[a:b].tolist())
        if b - a > 1:
            m = int(rng.integers(a + 1, b))
            stack += [(a, m), (m, b)]
    groups = groups or [[0, 1]]
    kind = "l2" if rng.random() < 0.5 else "linf"
    w, given = np.sqrt([len(g) for g in groups]), None
    if rng.random() < 0.5:
        w = given = rng.uniform(0.1, 2.0, len(groups))
        w[rng.integers(len(w))] *= rng.random() < 0.8
    made = P.TreeL2 if kind == "l2" else P.TreeLinf
    return made(groups, given), grouped(p, K, groups, w, kind)


def grouped(p, K, groups, w, kind):
    """Terms of groups, and of the features in none."""
    terms = [(kind, x, picked(p, K, g)) for g, x in zip(groups, w, strict=True)]
    rest = sorted(set(range(p)).difference(*groups))
    return terms + [(kind, 1.0, picked(p, K, [j])) for j in rest]


def overlap(rng, p, K):
    """Random groups that overlap, all features in some."""
    groups = [sorted(rng.choice(p, rng.integers(1, p), replace=False).tolist())
              for _ in range(rng.integers(2, 5))]  # fmt: skip
    rest = sorted(set(range(p)).difference(*groups))
    groups += [rest] if rest else []
    kind = "l2" if rng.random() < 0.4 else "linf"
    w = rng.uniform(0.2, 2.0, len(groups))
    made = P.OverlapL2 if kind == "l2" else P.OverlapLinf
    return made(groups, w), grouped(p, K, groups, w, kind)


def image(rng, p, K):
    """Pixels of 2 rows."""
    w, l1 = rng.uniform(0.2, 2.0, 2), float(rng.choice([0.0, 0.4]))
    q = p // 2
    edges = [(j, j + q, w[0]) for j in range(q)]
    edges += [(r * q + j, r * q + j + 1, w[1]) for r in range(2) for j in range(q - 1)]
    return P.TotalVariation2D((2, q), tuple(w), l1), differences(p, K, edges, l1)


def graph(rng, p, K):
    """Random edges."""
    drawn = rng.permutation([(i, j) for j in range(p) for i in range(j)])[: rng.integers(1, 2 * p)]
    edges = [(int(i), int(j), x) for (i, j), x in
             zip(drawn, rng.uniform(0.1, 2.0, len(drawn)), strict=True)]  # fmt: skip
    l1 = float(rng.choice([0.0, 0.4]))
    penalty = P.GraphTV([e[:2] for e in edges], [e[2] for e in edges], l1)
    return penalty, differences(p, K, edges, l1)


def differences(p, K, edges, l1):
    rows = np.eye(p)
    D = np.stack([rows[j] - rows[i] for i, j, _ in edges])
    terms = [("l2", x, A) for A, x in zip(apart(p, K, D), K * [e[2] for e in edges], strict=True)]
    return terms + [("l2", l1, A) for A in apart(p, K, rows) if l1]


def trend(rng, p, K):
    """Second or third differences."""
    degree = int(rng.integers(1, 3))
    D = np.diff(np.eye(p), degree + 1, axis=0)
    return P.TrendFilter(degree), [("l2", 1.0, A) for A in apart(p, K, D)]


def both(rng, p, K):
    """A sum of two of these, or of one and l1 or the trace norm."""
    one = (tree, overlap, image, graph)[rng.integers(4)](rng, p, K)
    way = rng.integers(3)
    if way == 0:
        other = P.L1(0.5), [("l2", 0.5, A) for A in apart(p, K, np.eye(p))]
    elif way == 1 and K > 1:
        other = P.TraceNorm(), [("trace", 1.0, np.eye(K * p), (K, p))]
    elif way == 1:
        other = P.TraceNorm((2, p // 2)), [("trace", 1.0, np.eye(p), (2, p // 2))]
    else:
        other = (tree, overlap, image)[rng.integers(3)](rng, p, K)
    return P.Sum([one[0], other[0]]), one[1] + other[1]


def separate(rng, p, K):
    """Disjoint features, each with a penalty: one of these or a sum, and l1."""
    order = rng.permutation(p)
    most, few = np.sort(order[2:]), np.sort(order[:2])
    one, terms = (tree, overlap, image, graph, both)[rng.integers(5)](rng, p - 2, K)
    if any(term[0] == "trace" for term in terms):  # its matrix has columns for all features
        return separate(rng, p, K)
    terms = [(*term[:2], placed(term[2], most, p, K)) for term in terms]
    terms += [("l2", 0.5, A) for A in apart(p, K, np.eye(p)[few])]
    return P.Separate({tuple(map(int, most)): one, tuple(map(int, few)): P.L1(0.5)}), terms


def placed(A, features, p, K):
    """A (q, K m) of m features as a matrix (q, K p) of all."""
    out = np.zeros((len(A), K, p))
    out[:, :, features] = A.reshape(len(A), K, len(features))
    return out.reshape(len(A), K * p)


KINDS = {"tree": tree, "overlap": overlap, "image": image, "graph": graph, "trend": trend,
         "sum": both, "separate": separate}  # fmt: skip
# Shares of the kinds among the problems: a path of a sum takes a second.
SHARES = (0.36, 0.14, 0.14, 0.16, 0.1, 0.03, 0.07)


class Judge:
    """P(c, b) = F(c + X b) + lam (alpha Omega(b) + (1 - alpha) |b|^2 / 2) of K responses.

    x (K + K p,): the intercepts, then the coefficients, response by response.
    """

    def __init__(self, X, Y, logistic, terms, alpha):
        n, p = X.shape
        self.K, self.logistic, self.alpha, self.terms = Y.shape[1], logistic, alpha, terms
        self.y, self.n, self.p = Y.T.ravel(), n, p
        columns = np.column_stack([np.ones(n), X])
        places = np.arange(self.K * (p + 1)).reshape(self.K, p + 1)
        self.of_b = places[:, 1:].ravel()
        self.Z = np.kron(np.eye(self.K), columns)
        self.inner = np.ix_(self.of_b, self.of_b)
        self.blocks = [(SMOOTH[kind], Block([t for t in terms if t[0] == kind]))
                       for kind in SMOOTH if any(t[0] == kind for t in terms)]  # fmt: skip
        self.null = self.null_objective(Y)

    def null_objective(self, Y):
        if self.logistic:
            q = Y.mean()
            return -(q * np.log(q) + (1 - q) * np.log(1 - q))
        return float(0.5 * ((Y.astype(LD) - Y.astype(LD).mean(axis=0)) ** 2).sum() / self.n)

    def objective(self, x, lam):
        """In long double."""
        x = x.astype(LD)
        eta, b = self.Z.astype(LD) @ x, x[self.of_b]
        if self.logistic:
            margin = np.where(self.y > 0, -eta, eta)
            loss = (np.maximum(margin, 0) + np.log1p(np.exp(-np.abs(margin)))).sum() / self.n
        else:
            loss = ((self.y - eta) ** 2).sum() / (2 * self.n)
        omega = sum(LD(t[1]) * size(t, t[2].astype(LD) @ b) for t in self.terms)
        return loss + LD(lam) * (self.alpha * omega + (1 - self.alpha) / 2 * (b @ b))

    def smoothed(self, x, lam, mu, derivatives=True):
        """Value, gradient and Hessian, or a bound of it, of the smoothed objective."""
        eta, b = self.Z @ x, x[self.of_b]
        if self.logistic:
            value = (np.logaddexp(0, eta) - self.y * eta).sum() / self.n
        else:
            value = ((self.y - eta) ** 2).sum() / (2 * self.n)
        value += lam * (1 - self.alpha) / 2 * (b @ b)
        parts = [make(own, own.A @ b, mu, derivatives) for make, own in self.blocks]
        value += lam * self.alpha * sum(part[0] for part in parts)
        if not derivatives:
            return value
        if self.logistic:
            q = 1 / (1 + np.exp(-np.clip(eta, -500, 500)))
            g, h = (q - self.y) / self.n, np.maximum(q * (1 - q), 1e-300) / self.n
        else:
            g, h = (eta - self.y) / self.n, np.full(len(eta), 1 / self.n)
        g, H = self.Z.T @ g, self.Z.T @ (h[:, None] * self.Z)
        g[self.of_b] += lam * ((1 - self.alpha) * b + self.alpha * sum(p[1] for p in parts))
        ridge = (1 - self.alpha) * np.eye(len(b))
        H[self.inner] += lam * (ridge + self.alpha * sum(p[2] for p in parts))
        return value, g, H

    def best(self, x, lam, gap):
        """The point of the least objective met from x on, smoothed as a claim of that gap asks."""
        least, found = np.inf, x
        unit = max(gap, 1e-13) * self.null / max(lam * sum(t[1] for t in self.terms), 1e-300)
        for mu in unit * np.asarray(LEVELS):
            for _ in range(STEPS):
                value, g, H = self.smoothed(x, lam, mu)
                s = np.sqrt(np.maximum(np.diag(H), 1e-300))
                scaled = H / np.outer(s, s)
                scaled[np.diag_indices(len(s))] += 1e-13
                d = -np.linalg.solve(scaled, g / s) / s
                slope, t = g @ d, 1.0
                while t > 1e-5 and not (
                    self.smoothed(x + t * d, lam, mu, False) < value + 1e-4 * t * slope
                ):
                    t *= 0.3
                if t <= 1e-5:
                    break
                x = x + t * d
                if -slope <= 1e-4 * gap * self.null:
                    break
            value = self.smoothed(x, lam, 1e-300, False)
            if value < least:
                least, found = value, x
        return found


class Block:
    """Terms of one kind below one another: A (q, K p), starts (m,) of each, weights (m,)."""

    def __init__(self, terms):
        self.A = np.concatenate([t[2] for t in terms])
        self.sizes = np.array([len(t[2]) for t in terms])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        self.w = np.array([t[1] for t in terms], dtype=float)
        self.shape = terms[0][3] if len(terms[0]) > 3 else None

    def rows(self, x):
        """A number of each term for each of its rows."""
        return np.repeat(x, self.sizes)


def size(term, a):
    """N_k(a)."""
    if term[0] == "linf":
        return np.abs(a).max()
    if term[0] == "l2":
        return np.sqrt((a * a).sum())
    B = a.reshape(term[3])
    m, other = (B @ B.T, B) if B.shape[0] <= B.shape[1] else (B.T @ B, B.T)
    if len(m) == 2:  # s1 + s2 = sqrt(|B|^2 + 2 s1 s2), and s1 s2 by Cauchy and Binet
        minors = [other[0, i] * other[1, j] - other[0, j] * other[1, i]
                  for j in range(other.shape[1]) for i in range(j)]  # fmt: skip
        return np.sqrt((a * a).sum() + 2 * np.sqrt((np.array(minors) ** 2).sum()))
    return np.sqrt((a * a).sum())


def smooth_lengths(own, a, mu, derivatives):
    s = np.sqrt(np.add.reduceat(a * a, own.starts) + mu * mu)
    if not derivatives:
        return (own.w @ s,)
    bend, rows = own.rows(own.w / s), a[:, None] * own.A
    sums = np.add.reduceat(rows, own.starts, axis=0) * np.sqrt(own.w / s**3)[:, None]
    return own.w @ s, own.A.T @ (bend * a), own.A.T @ (bend[:, None] * own.A) - sums.T @ sums


def smooth_largest(own, a, mu, derivatives):
    top = np.maximum.reduceat(np.abs(a), own.starts)
    high = own.rows(top)
    up, down = np.exp((a - high) / mu), np.exp((-a - high) / mu)
    total = np.add.reduceat(up + down, own.starts)
    value = own.w @ (top + mu * np.log(total))
    if not derivatives:
        return (value,)
    share = own.rows(own.w / total)
    g, rows = (up - down) * share, ((up - down) / own.rows(total))[:, None] * own.A
    sums = np.add.reduceat(rows, own.starts, axis=0) * np.sqrt(own.w / mu)[:, None]
    return value, own.A.T @ g, (own.A.T * ((up + down) * share / mu)) @ own.A - sums.T @ sums


def smooth_trace(own, a, mu, derivatives):
    left, s, right = np.linalg.svd(a.reshape(own.shape), full_matrices=False)
    root = np.sqrt(s * s + mu * mu)
    if not derivatives:
        return (own.w[0] * root.sum(),)
    M = np.kron((left / root) @ left.T, np.eye(own.shape[1]))  # a bound of the curvature
    return own.w[0] * root.sum(), own.w[0] * (left * (s / root) @ right).ravel(), own.w[0] * M


SMOOTH = {"l2": smooth_lengths, "linf": smooth_largest, "trace": smooth_trace}


def problem(seed):
    """(kind, X, Y, options of the path, judge) of a seed."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(list(KINDS), p=SHARES))
    n, p, K = int(rng.integers(6, 16)), 2 * int(rng.integers(2, 4)), 1 + int(rng.random() < 0.25)
    X = design(rng, n, p) if rng.random() < 0.3 else rng.normal(size=(n, p))
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    scores = X / spread @ (rng.normal(size=(p, K)) * (rng.random((p, 1)) < 0.6))
    Y = scores + rng.choice([0.01, 0.5, 2.0]) * rng.normal(size=(n, K))
    logistic = bool(K == 1 and rng.random() < 0.3)
    if logistic:
        Y = (Y > np.median(Y)).astype(float)
        Y[0], Y[1] = 0.0, 1.0
    penalty, terms = KINDS[kind](rng, p, K)
    alpha = float(rng.choice([1.0, 1.0, 0.6]))
    family = "binomial" if logistic else "multigaussian" if K > 1 else "gaussian"
    options = {"family": family, "penalty": penalty, "alpha": alpha, "stop": None,
               "tol": 10.0 ** rng.choice([-3, -5, -7, -9, -11]), "standardize": False,
               "max_iter": int(rng.choice([20, 200, 1000])), "n_lambdas": 6,
               "lambda_min_ratio": float(rng.choice([0.3, 0.05, 0.001]))}  # fmt: skip
    return kind, X, Y, options, Judge(X, Y, logistic, terms, alpha)


def judged(seed, total):
    """Count the claims of a problem, and print those that are false."""
    kind, X, Y, options, judge = problem(seed)
    fit = ss.path(X, Y if Y.shape[1] > 1 else Y[:, 0], **options)
    total[f"problems of {kind}, {options['family']}"] += 1
    for lam, gap in zip(fit.lambdas, fit.gaps, strict=True):
        b, c = np.atleast_2d(fit.coef(lam)), np.atleast_1d(fit.intercept(lam))
        x = np.column_stack([c, b]).ravel()
        value = judge.objective(x, lam)
        total["claims"] += 1
        if not np.isfinite(float(value)):
            continue
        try:
            over = float((value - judge.objective(judge.best(x, lam, gap), lam)) / judge.null)
        except np.linalg.LinAlgError:
            total["not judged"] += 1
            continue
        rounding = SLACK * (1.0 + float(abs(value)) / judge.null)
        total["within a factor of 10"] += bool(gap > 0 and over > 0.1 * gap)
        if over > gap * (1.0 + 1e-9) + rounding:
            total["FALSE"] += 1
            print(f"FALSE seed {seed} {kind} {options['family']} lambda {lam:.3g}: gap {gap:.2e}, "
                  f"is {over:.2e}; {options}", flush=True)  # fmt: skip


if __name__ == "__main__":
    asked = fuzz.seeds(__doc__, 1000)
    fuzz.loop(judged, asked.first, asked.count, 1000)
