"""Does any face claim what is not? false_faces.py [FIRST] [COUNT].

`false_converged.py` asks that of `path`; this asks it of knots (with columns without a penalty,
and from inner products), greedy paths, codes, kernels, cross-validation, estimators, and of what
is predicted, saved and loaded. Problems are small and hostile: columns that all but depend on one
another, far from 0, of sizes from 1e-8 to 1e8, sparse, single precision. Every claim is judged by
a certificate recomputed in long double from the data and the numbers returned. FALSE is a claim
that another solution refutes, or a number that is not what it says; with the seed that repeats it.

    OPENBLAS_NUM_THREADS=1 python benchmarks/system/false_faces.py 0 1000000
"""

import os
import tempfile

import exact_lasso
import fuzz
import numpy as np
from scipy import sparse

import sparsesolve as ss
from sparsesolve import estimators

LD = np.longdouble
NOTHING = LD(1e-15)  # of a column of length 1: what is left of it outside a span, and is rounding
SLACK = 1e-11  # of the null objective: what the judge's own arithmetic may be off by
TOLD_APART = 1e-14  # an eigenvalue of products of columns of length 1 above it is no rounding
MAY_BE_ROUNDING = 1e-12  # of |x_j| |y|: a product of what is left that the package may take for 0
MEMORY = "/dev/shm"  # where there is one: `save` waits for a disk, 5 ms a file
FOLDER = MEMORY if os.path.isdir(MEMORY) else tempfile.gettempdir()
FILE = os.path.join(FOLDER, f"false_faces_{os.getpid()}.npz")


def design(rng, n, p):
    """Hostile columns (n, p): see the head."""
    X = rng.normal(size=(n, p))
    kind = rng.integers(8)
    if kind == 1 and p > 1:
        X[:, 1] = X[:, 0] + 10.0 ** rng.uniform(-12, -2) * rng.normal(size=n)
    elif kind == 2:
        X += 10.0 ** rng.uniform(0, 6)
    elif kind == 3:
        X *= 10.0 ** rng.uniform(-8, 8, size=p)
    elif kind == 4:
        X = np.round(X)
    elif kind == 5:
        X = X[:, rng.integers(max(p // 2, 1), size=p)]
    elif kind == 6:
        X = np.vander(np.linspace(0.5, 1.5, n), p)
    return X * (rng.random((n, p)) < 0.4) if rng.random() < 0.15 else X


def stored(rng, X):
    """X as users have it, and the numbers that it then holds."""
    way = rng.integers(6)
    if way == 0:
        return sparse.csc_array(X), X
    if way == 1 and np.abs(X).max() < 1e6:
        return X.astype(np.float32), X.astype(np.float32).astype(float)
    return (np.asfortranarray(X) if way == 2 else X), X


def response(rng, X):
    b = rng.normal(size=X.shape[1]) * (rng.random(X.shape[1]) < 0.5)
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    y = (X - X.mean(axis=0)) / spread @ b + rng.choice([1e-3, 0.3, 1.0]) * rng.normal(size=len(X))
    return y + 10.0 ** rng.uniform(0, 9) if rng.random() < 0.1 else y


def within(columns):
    """An orthonormal basis of long doubles (n, r) of the span of columns (n, k)."""
    basis = []
    for a in columns.T.astype(LD):
        size = np.sqrt(a @ a)
        if size == 0:
            continue
        a = a / size
        for _ in range(3):
            for q in basis:
                a = a - (q @ a) * q
        left = np.sqrt(a @ a)
        if left > NOTHING:
            basis.append(a / left)
    return np.array(basis).reshape(len(basis), len(columns)).T


class Squares:
    """Squared error with an l1 penalty and perhaps a ridge, in long double.

    P(b0, b) = sum w (y - b0 - Xb)^2 / 2 + ridge sum u_j b_j^2 / 2 + lam sum v_j |b_j|,
    u_j = v_j s_j^2, v_j times s_j, with s_j the standard deviation where standardised.
    """

    def __init__(self, X, y, factors=None, weights=None, intercept=True, standardize=True,
                 ridge=0.0, positive=False):
        n, p = X.shape
        self.X, self.y = X.astype(LD), y.astype(LD)
        w = np.ones(n, dtype=LD) if weights is None else weights.astype(LD)
        self.w = w / w.sum()
        v = np.ones(p) if factors is None else np.asarray(factors, dtype=float)
        finite = np.where(np.isinf(v), 1.0, v)
        v = np.where(np.isinf(v), np.inf, finite * (p / finite.sum() if finite.sum() else 1.0))
        mean = self.w @ self.X
        s = np.sqrt(self.w @ (self.X - mean) ** 2) if standardize else np.ones(p, dtype=LD)
        self.v, self.u = v * s, v * s * s
        self.intercept, self.ridge, self.positive = intercept, LD(ridge), positive
        far = self.y - self.w @ self.y if intercept else self.y
        self.null = max(self.w @ far**2 / 2, LD(1e-300))
        self.root = np.sqrt(self.w)
        centred = self.X - mean if intercept else self.X
        self.Z = self.root[:, None] * centred
        self.free = np.flatnonzero(v == 0)

    def value(self, b0, b, lam):
        r = self.y - LD(b0) - self.X @ b.astype(LD)
        used = b != 0
        size = (self.v[used] * np.abs(b[used])).sum()
        square = self.ridge * (self.u[used] * b[used] ** 2).sum() / 2
        return self.w @ r**2 / 2 + square + lam * size

    def gap(self, b0, b, lam):
        """P less the dual objective at a scaled residual, over the null objective."""
        r = self.root * (self.y - LD(b0) - self.X @ b.astype(LD))
        unheld = self.Z if lam == 0 and not self.ridge else self.Z[:, self.free]
        span = within(np.column_stack([self.root, unheld] if self.intercept else [unheld]))
        d = r - span @ (span.T @ r)
        c = self.Z.T @ d - self.ridge * np.where(b != 0, self.u * b, 0)
        held = (self.v > 0) & np.isfinite(self.v) & (lam > 0)
        over = (c if self.positive else np.abs(c))[held] / self.v[held]
        s = LD(1.0)
        if len(over) and over.max() > lam:
            s = LD(lam) / over.max()
        y = self.root * self.y
        if self.intercept:
            y = y - self.root * (self.root @ y)
        ridge = self.ridge * (self.u[b != 0] * b[b != 0] ** 2).sum()
        dual = s * (d @ y) - s * s * (d @ d) / 2 - s * s * ridge / 2
        return float((self.value(b0, b, lam) - dual) / self.null)


def judge(total, about, claim, found, better=None):
    """Count a claim that the certificate is at most `claim`, where the judge finds `found`.

    `better` is how much lower another solution is, asked for where the judge cannot confirm.
    """
    total["claims"] += 1
    if found <= 1.01 * claim + SLACK:
        return
    lower = better() if better is not None else found
    name = "FALSE" if not lower <= 1.01 * claim + SLACK else "undecided"
    total[name] += 1
    if name == "FALSE":
        words = f"claimed {claim:.1e}, is {found:.1e}, {lower:.1e} lower"
        print(f"{about}: FALSE, {words}", flush=True)


def knots(rng, total, about):
    n, p = rng.integers(5, 25), rng.integers(1, 9)
    X, X0 = stored(rng, design(rng, n, p))
    y = response(rng, X0)
    factors = np.where(rng.random(p) < 0.3, 0.0, rng.choice([1.0, 2.0], p))
    factors = None if rng.random() < 0.4 else factors
    kept = {"weights": rng.random(n) + 0.1 if rng.random() < 0.3 else None,
            "intercept": bool(rng.random() < 0.8), "standardize": bool(rng.random() < 0.8),
            "ridge": float(rng.choice([0.0, 0.0, 0.1]))}  # fmt: skip
    kept["positive"] = bool(rng.random() < 0.2 and factors is None)
    fit = ss.lars_path(X, y, penalty_factor=factors, **kept)
    truth = Squares(X0, y, factors, **kept)
    pieces = list(zip(fit.lambdas[:-1], fit.lambdas[1:], strict=True))
    between = [(a + b) / 2 if rng.random() < 0.5 else np.sqrt(a * b) for a, b in pieces]
    for k in rng.permutation(len(fit.lambdas))[:3]:
        if fit.status[k] == 0:
            point = fit.intercepts[k], fit.coefs[:, [k]].toarray()[:, 0], fit.lambdas[k]
            judged_point(total, about, truth, point, max(fit.gaps[k], 1e-7), X, y, factors, kept)
    if between and not fit.status.any():
        s = between[rng.integers(len(between))]
        point = fit.intercept(s), fit.coef(s), s
        judged_point(total, about + " between", truth, point, 1e-7, X, y, factors, kept)


def judged_point(total, about, truth, point, claim, X, y, factors, kept):
    def better():
        if kept["ridge"]:
            return 0.0
        lower = 0.0 if kept["positive"] else None
        steer = {name: kept[name] for name in ("weights", "intercept", "standardize")}
        fit = ss.path(X, y, penalty_factor=factors, lower=lower, lambdas=[point[2]], tol=1e-13,
                      **steer)  # fmt: skip
        other = truth.value(fit.intercepts[0], fit.coefs.toarray()[:, 0], point[2])
        return float((truth.value(*point) - other) / truth.null)

    judge(total, about, claim, truth.gap(*point), better)


def products(rng, total, about):
    n, p = rng.integers(5, 25), rng.integers(1, 8)
    X = design(rng, n, p)
    y = response(rng, X)
    X, y = X - X.mean(axis=0), y - y.mean()
    factors = np.where(rng.random(p) < 0.3, 0.0, 1.0)
    gram, cross = X.T @ X, X.T @ y
    fit = ss.paths.lars_path_gram(gram, cross, n, yty=y @ y, penalty_factor=factors)
    kept = {"intercept": False, "standardize": False, "ridge": 0.0, "positive": False,
            "weights": None}  # fmt: skip
    plain = {"intercept": False, "standardize": False}
    X1, y1, outside, told = from_products(gram, cross, y @ y, n)
    truth, made = Squares(X, y, factors, **plain), Squares(X1, y1, factors, **plain)
    null = float(truth.null)
    for k in np.flatnonzero(fit.status == 0)[:3]:
        b, lam = fit.coefs[:, [k]].toarray()[:, 0], fit.lambdas[k]
        size = np.abs(b) @ np.sqrt(np.diag(gram) / n) + np.sqrt(y @ y / n)
        claim = max(fit.gaps[k], 1e-7) + 1e-15 * n * size**2 / null
        if told or truth.gap(0.0, b, lam) <= claim:
            judged_point(total, about, truth, (0.0, b, lam), claim, X, y, factors, kept)
            continue
        faint = min(MAY_BE_ROUNDING, 7.2e-15 * np.sqrt(n) * size / np.sqrt(y @ y / n))
        if lam == 0:
            judge(total, f"{about} outside", faint, outside)
        allowed = claim + unpriced(X, factors == 0, faint)
        claim = allowed + abs(b @ (gram / n - (X1.T @ X1).astype(float) / len(X1)) @ b) / 2 / null
        if made.gap(0.0, b, lam) <= claim or truth.gap(0.0, b, lam) <= allowed:
            total["claims"] += 1
            continue
        v = np.where(factors > 0, factors * (p / max(factors.sum(), 1.0)), 0.0)
        total["decided in fractions"] += 1
        judge(total, about, allowed, exact_lasso.excess(X, y, v, b, lam))


def unpriced(X, free, e):
    """What columns without a penalty that were left out of b could still explain, of |y|^2.

    Each correlates with what is left, r, by at most e |y|, on columns of length 1. With S the
    Schur complement of the L left out in the inner products of all columns, whose least eigenvalue
    is at least that of all, s, P falls by c' S^-1 c / 2 <= L e^2 |y|^2 / (2 s) at most when they
    and all others move: b is the best with them at 0, so what else moves only adds to P. It is of
    the columns that judge: others with the same products, to rounding, may have another s.
    """
    length = np.linalg.norm(X, axis=0)
    unit = X[:, length > 0] / length[length > 0]
    if not free.any() or np.linalg.svd(X[:, free & (length > 0)] / length[free & (length > 0)],
                                       compute_uv=False).min(initial=1.0) ** 2 > TOLD_APART:
        return 0.0  # fmt: skip
    least = np.linalg.svd(unit, compute_uv=False)[-1] ** 2 if len(unit) >= unit.shape[1] else 0.0
    return free.sum() * e**2 / max(least, 1e-32)


def from_products(gram, cross, square, n):
    """Data (r + 1, p) and (r + 1,) with these products, and how well they tell columns apart.

    Directions whose eigenvalue is rounding are left out, in long double: columns that differ
    along these alone have equal products, and count as one (docstring of `lars_path_gram`). What
    X'y has along these, over |x_j| |y|, comes third; last, whether there is no such direction.
    Then the data at hand are the only judge: an explained share (X'y)^2 / eigenvalue that the
    package takes for rounding is at most MAY_BE_ROUNDING^2 / TOLD_APART = 1e-10 of y'y.
    """
    size = np.sqrt(np.diag(gram))
    unit = np.where(size > 0, size, 1.0)
    values, U = np.linalg.eigh(gram / np.outer(unit, unit))
    kept = (values > TOLD_APART) if size.any() else np.zeros(len(size), dtype=bool)
    told = kept.sum() == (size > 0).sum()
    root, along, dropped = np.sqrt(values[kept]), U[:, kept].astype(LD), within(U[:, ~kept])
    along -= dropped @ (dropped.T @ along)
    c = cross / unit
    explained = along.T @ c / root
    outside = np.abs(c - along @ (along.T @ c)).max() / max(np.sqrt(square), 1e-300)
    rest = np.sqrt(max(square - explained @ explained, LD(0)))
    X = np.vstack([root[:, None] * along.T * size, np.zeros(len(size))])
    y = np.append(explained, rest)
    scale = np.sqrt(LD(len(y)) / n)  # Squares divides by the number of rows
    return X * scale, y * scale, float(outside), told


def greedy(rng, total, about):
    n, p = rng.integers(5, 25), rng.integers(1, 12)
    X, X0 = stored(rng, design(rng, n, p))
    y = response(rng, X0)
    kept = {"intercept": bool(rng.random() < 0.8), "standardize": bool(rng.random() < 0.8)}
    method = rng.choice(["omp", "forward", "niht", "iht", "cosamp"])
    face = ss.omp_path if method in ("omp", "forward") else ss.paths.hard_threshold_path
    fit = face(X, y, method=str(method), n_nonzero=int(rng.integers(1, 6)),
               max_iter=200, **kept)
    truth = Squares(X0, y, **kept)
    for k in np.flatnonzero(fit.status == 0):
        b = fit.coefs[:, [k]].toarray()[:, 0]
        r = truth.root * (truth.y - LD(fit.intercepts[k]) - truth.X @ b.astype(LD))
        parts = [truth.root[:, None]] * kept["intercept"] + [truth.Z[:, b != 0]]
        along = within(np.hstack(parts)).T @ r
        judge(total, f"{about} {method}", max(fit.gaps[k], 1e-7), float(
            along @ along / 2 / truth.null))  # fmt: skip


def codes(rng, total, about):
    m, p = rng.integers(4, 20), rng.integers(1, 15)
    D = design(rng, m, p)
    D = D / np.where(np.linalg.norm(D, axis=0) > 0, np.linalg.norm(D, axis=0), 1.0)
    Y = D @ (rng.normal(size=(p, 3)) * (rng.random((p, 3)) < 0.4)) + 0.1 * rng.normal(size=(m, 3))
    method = str(rng.choice(["lasso", "omp"]))
    stop = {"lam": 10.0 ** rng.uniform(-6, 0)} if method == "lasso" else {"n_nonzero": int(
        rng.integers(1, 8))}  # fmt: skip
    found = ss.sparse_code(Y, D, method=method, **stop)
    for i in np.flatnonzero(found.status == 0):
        y, a = Y[:, i], found.codes[:, [i]].toarray()[:, 0]
        r = y.astype(LD) - D.astype(LD) @ a.astype(LD)
        c = np.abs(D.astype(LD).T @ r)
        if method == "omp":
            largest = np.abs(D.astype(LD).T @ y.astype(LD)).max()
            judge(total, f"{about} omp", max(found.gaps[i], 1e-7), float(
                c[a != 0].max(initial=0) / max(largest, LD(1e-300))))  # fmt: skip
            continue
        truth = Squares(D, y, intercept=False, standardize=False)
        lam = stop["lam"] / m
        point = 0.0, a, lam
        kept = {"ridge": 0.0, "positive": False, "weights": None, "intercept": False,
                "standardize": False}  # fmt: skip
        judged_point(total, f"{about} lasso", truth, point, max(found.gaps[i], 1e-7), D, y, None,
                     kept)  # fmt: skip


def kernels(rng, total, about):
    n, M = rng.integers(6, 20), rng.integers(1, 5)
    X = rng.normal(size=(n, M)) * 10.0 ** rng.uniform(-2, 2, size=M)
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=n)
    centred = np.eye(n) - 1.0 / n
    K = [centred @ np.outer(x, x) @ centred for x in X.T]
    K = [k / max(np.trace(k) / n, 1e-300) for k in K]
    fit = ss.mkl_path(K, y, n_lambdas=4, lambda_min_ratio=0.05)
    root = 1 / np.sqrt(LD(n))
    null = ((y - y.mean()).astype(LD) ** 2).mean() / 2
    for k in np.flatnonzero(fit.status == 0):
        parts = [fit.kernel_weights[m, k] * K[m].astype(LD) @ fit.dual_coefs[:, k].astype(LD)
                 for m in range(M)]  # fmt: skip
        r = y.astype(LD) - LD(fit.intercepts[k]) - sum(parts)
        norms = np.array([LD(fit.kernel_norms[m, k]) for m in range(M)])
        d = r - r.mean()
        own = np.array([np.sqrt(max(d @ (K[m].astype(LD) @ d), LD(0))) / n for m in range(M)])
        s = min(LD(1), LD(fit.lambdas[k]) / max(own.max(), LD(1e-300)))
        far = (y - y.mean()).astype(LD)
        dual = s * (d @ far) / n - s * s * (d @ d) / (2 * n)
        value = (r @ r) * root * root / 2 + LD(fit.lambdas[k]) * norms.sum()
        judge(total, about, max(fit.gaps[k], 1e-7), float((value - dual) / null))


def predicted(rng, total, about, fit, X, X0):
    """Predictions of a fit, saved and loaded, are those of its coefficients."""
    ss.save(fit, FILE)
    again = ss.load(FILE)
    path = getattr(fit, "path", fit)
    matrices = path.coefs if isinstance(path.coefs, list) else [path.coefs]
    intercepts = np.atleast_2d(path.intercepts)
    s = path.lambdas
    found = np.asarray(fit.predict(X, s=s) if path is fit else path.predict(X, s=s))
    copy = getattr(again, "path", again)
    total["claims"] += 2
    if type(again) is not type(fit) or not np.array_equal(found, copy.predict(X, s=s)):
        total["FALSE"] += 1
        print(f"{about}: FALSE, what is loaded differs", flush=True)
    B = [m.toarray().astype(LD) for m in matrices]
    eta = np.stack([X0.astype(LD) @ b + a.astype(LD) for b, a in zip(B, intercepts, strict=True)])
    size = np.stack([np.abs(X0) @ np.abs(b) + np.abs(a)
                     for b, a in zip(B, intercepts, strict=True)])  # fmt: skip
    eta, size = (np.moveaxis(part, 0, 1) for part in (eta, size))
    off = np.abs(found.reshape(eta.shape) - eta) / np.maximum(size, LD(1e-300))
    if not off.max(initial=0) <= 1e-13 * (1 + X0.shape[1]):
        total["FALSE"] += 1
        print(f"{about}: FALSE, predictions are off by {float(off.max()):.1e}", flush=True)


FAMILIES = ("gaussian", "binomial", "multinomial", "poisson")


def made(rng, n, p, family):
    X, X0 = stored(rng, design(rng, n, p))
    eta = rng.normal(size=n)
    y = {"gaussian": lambda: response(rng, X0), "binomial": lambda: eta > rng.normal(),
         "multinomial": lambda: np.digitize(eta, [-0.5, 0.5]),
         "poisson": lambda: rng.poisson(np.exp(eta))}[family]()  # fmt: skip
    return X, X0, y


def round_trip(rng, total, about):
    family = str(rng.choice(FAMILIES))
    X, X0, y = made(rng, rng.integers(12, 30), rng.integers(1, 6), family)
    face = rng.integers(3)
    if face == 0:
        fit = ss.path(X, y, family=family, n_lambdas=4)
    elif face == 1:
        fit = ss.lars_path(X, response(rng, X0))
    else:
        fit = ss.omp_path(X, response(rng, X0), n_nonzero=3)
    predicted(rng, total, about, fit, X, X0)


def folds(rng, total, about):
    """Scores of a cross-validation are those of its fold paths on the rows held out."""
    n = int(rng.integers(12, 25))
    X, X0, y = made(rng, n, rng.integers(1, 5), "gaussian")
    w = rng.random(n) + 0.2 if rng.random() < 0.5 else np.ones(n)
    cv = ss.cv_path(X, y, n_folds=3, seed=int(rng.integers(1000)), n_lambdas=4, weights=w,
                    keep=True, measure="mse")  # fmt: skip
    ids = np.asarray(cv.folds).ravel()
    for k, path in enumerate(cv.fold_paths):
        test = ids == k
        eta = X0[test].astype(LD) @ path.coef(cv.lambdas).astype(LD) + path.intercept(cv.lambdas)
        score = (w[test].astype(LD) @ (y[test].astype(LD)[:, None] - eta) ** 2) / w[test].sum()
        size = np.abs(X0[test]) @ np.abs(path.coef(cv.lambdas))
        size += np.abs(path.intercept(cv.lambdas))
        off = np.abs(score - cv.fold_scores[k])
        allowed = 1e-9 * score + 1e-12 * size.max() ** 2
        total["claims"] += 1
        if not (off <= allowed).all():
            total["FALSE"] += 1
            print(f"{about}: FALSE, a score is off by {float(off.max()):.1e}", flush=True)
    predicted(rng, total, about, cv, X, X0)


def fitted(rng, total, about):
    """Estimators: dual gaps of what they keep."""
    n, p = rng.integers(6, 25), rng.integers(1, 8)
    X, X0 = stored(rng, design(rng, n, p))
    y = response(rng, X0)
    alpha = 10.0 ** rng.uniform(-4, 0) * y.std()
    positive = bool(rng.random() < 0.2)
    model = estimators.Lasso(alpha=alpha, positive=positive).fit(X, y)
    truth = Squares(X0, y, standardize=False, positive=positive)
    point = model.intercept_, np.asarray(model.coef_, dtype=float), alpha
    kept = {"ridge": 0.0, "positive": positive, "weights": None, "intercept": True,
            "standardize": False}  # fmt: skip
    if model.gap_ <= 1e-10:
        judged_point(total, about, truth, point, 1e-10, X, y, None, kept)


FACES = {"knots": knots, "products": products, "greedy": greedy, "codes": codes,
         "kernels": kernels, "round trip": round_trip, "folds": folds,
         "estimators": fitted}  # fmt: skip
SHARE = {"knots": 5, "products": 5, "codes": 5, "estimators": 3, "round trip": 2, "greedy": 2,
         "kernels": 1, "folds": 1}  # calls of 24: those that cost little come oftener  # fmt: skip


if __name__ == "__main__":
    fuzz.run(__doc__, FACES, SHARE, 10_000, 10_000, strict=True)
    if os.path.exists(FILE):
        os.remove(FILE)
