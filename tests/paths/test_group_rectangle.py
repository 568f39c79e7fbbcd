"""Groups: each family with each option, certificates and first lambdas taken from the data."""

import group_oracle
import numpy as np
import numpy_losses
import pytest
import response_group_oracle
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.penalties import GroupL2

pytestmark = pytest.mark.filterwarnings("error")
N, P, K = 50, 10, 3
GROUPS, LISTS = [0, 1, 0, 2, 1, 2, 0, None, 3, 3], [[0, 2, 6], [1, 4], [3, 5], [8, 9], [7]]
RNG = np.random.default_rng(21)
X = RNG.standard_normal((N, P)) + np.resize([0.0, 1.0, -2.0], P)
X[:, 1:] += 0.4 * X[:, :-1]
X[RNG.random(X.shape) < 0.3] = 0.0
X = X.astype(np.float32).astype(float)
SIGNAL = 0.6 * X[:, 0] - 0.5 * X[:, 1] + 0.4 * X[:, 3]
SIGNAL -= SIGNAL.mean()
BINARY = (SIGNAL > RNG.logistic(size=N)) * 1.0
COUNTS = RNG.poisson(np.exp(np.clip(SIGNAL, -2, 2))) * 1.0
SCORES = np.outer(SIGNAL, [1.0, -0.5, 0.0]) + RNG.standard_normal((N, K))
FAMILIES = {  # name: (family, response, the loss in numpy)
    "gaussian": ("gaussian", SCORES[:, 0], numpy_losses.GAUSSIAN),
    "binomial": ("binomial", BINARY, numpy_losses.BINOMIAL),
    "poisson": ("poisson", COUNTS, numpy_losses.POISSON),
    "cox": ("cox", np.column_stack([RNG.exponential(np.exp(-SIGNAL)), RNG.random(N) < 0.7]),
            "cox"),
    "huber": (families.huber(0.8), SCORES[:, 0], numpy_losses.huber(0.8)),
    "squared_hinge": (families.squared_hinge(), 2 * BINARY - 1, numpy_losses.SQUARED_HINGE),
    "probit": (families.probit(), BINARY, numpy_losses.PROBIT),
    "cloglog": (families.cloglog(), BINARY, numpy_losses.CLOGLOG),
    "gamma": (families.gamma(), np.exp(0.5 * SIGNAL) * RNG.gamma(2.0, 0.5, N), numpy_losses.GAMMA),
    "negative_binomial": (families.negative_binomial(2.0), COUNTS,
                          numpy_losses.negative_binomial(2.0)),
    "tweedie": (families.tweedie(1.5), COUNTS * 0.7, numpy_losses.tweedie(1.5)),
    "multigaussian": ("multigaussian", SCORES, SCORES),
    "multinomial": ("multinomial", SCORES.argmax(axis=1), np.eye(K)[SCORES.argmax(axis=1)]),
}  # fmt: skip
OPTIONS = {
    "plain": {},
    "weights": {"weights": RNG.uniform(0.5, 2.0, N)},
    "offset": {"offset": 0.3 * RNG.standard_normal((N, K))},
    "origin": {"intercept": False},
    "boxes": {"lower": -0.1, "upper": np.resize([0.05, np.inf, 0.2], P)},
    "positive": {"lower": 0.0},
    "raw": {"standardize": False},
    "spans": {"standardize": "group"},
    "sparse": {},
    "single": {},
}
STORED = {"sparse": sparse.csc_array, "single": lambda X: X.astype(np.float32)}


def orthonormal(weights, intercept):
    """Bases of the groups by QR, side by side, each group's map back, and the means."""
    w = np.full(N, 1 / N) if weights is None else weights / weights.sum()
    mean, Z, back = w @ X, [], np.zeros((P, P))
    for part, at in zip(LISTS, np.cumsum([0, *map(len, LISTS)]), strict=False):
        R = np.linalg.qr(np.sqrt(w)[:, None] * (X[:, part] - mean[part]), mode="r")
        back[part, at : at + len(part)] = np.linalg.inv(R)
        Z.append((X[:, part] - (mean[part] if intercept else 0.0)) @ np.linalg.inv(R))
    return np.column_stack(Z), back, mean if intercept else np.zeros(P)


def judged_one(fit, family, options):
    """First lambda and certificates of one response."""
    _, y, loss = FAMILIES[family]
    given = {"intercept": family != "cox", **options, "kind": "l2", "groups": GROUPS, "loss": loss}
    data, back, mean = X, np.eye(P), np.zeros(P)
    if options.get("standardize") == "group":
        data, back, mean = orthonormal(options.get("weights"), given["intercept"])
        groups = np.repeat(np.arange(len(LISTS)), [len(part) for part in LISTS]).tolist()
        given |= {"standardize": False, "groups": groups}
    q = group_oracle.problem(data, y, **given)
    b = fit.coefs.toarray()
    points = zip(fit.intercepts + mean @ b, np.linalg.solve(back, b).T, fit.lambdas, strict=True)
    return group_oracle.lambda_max(data, y, **given), [
        group_oracle.certificate(q, *point) for point in points]  # fmt: skip


def judged_several(fit, family, options):
    """The same of several."""
    w, intercept = options.get("weights"), options.get("intercept", True)
    shares = np.full(N, 1 / N) if w is None else w / w.sum()
    how, mean, lists = options.get("standardize", True), shares @ X, LISTS
    scale = np.sqrt(shares @ (X - mean) ** 2) if how is True else np.ones(P)
    mean = mean if intercept else 0.0 * mean
    Z, back = (X - mean) / scale, np.diag(1 / scale)
    if how == "group":
        Z, back, mean = orthonormal(w, intercept)
        lists = np.split(np.arange(P), np.cumsum([len(part) for part in LISTS])[:-1])
    limits = {"low": options.get("lower", -np.inf) * scale,
              "high": options.get("upper", np.inf) * scale}  # fmt: skip
    offset = options.get("offset")
    slow = response_group_oracle.Problem(
        Z, FAMILIES[family][2], lists, family=family, kind="l2", w=w, intercept=intercept,
        offset=None if offset is None else offset.T, **limits)  # fmt: skip
    found = []
    for k, lam in enumerate(fit.lambdas):
        b = np.stack([part.toarray()[:, k] for part in fit.coefs])
        c = np.linalg.solve(back, b.T).T
        found.append(slow.certificate(lam, fit.intercepts[:, k] + b @ mean, c))
    return slow.lambda_max(), found


@pytest.mark.parametrize("name", sorted(OPTIONS))
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_takes_every_option(family, name):
    several, options = family.startswith("multi"), dict(OPTIONS[name])
    if not several and "offset" in options:
        options["offset"] = options["offset"][:, 0]
    if family == "cox":
        options.pop("intercept", None)
    kind, y, _ = FAMILIES[family]
    tol = 1e-9
    fit = ss.path(STORED.get(name, np.asfortranarray)(X), y, family=kind, penalty=GroupL2(GROUPS),
                  n_lambdas=3, lambda_min_ratio=0.05, tol=tol, stop=None, **options)  # fmt: skip
    assert not fit.status.any() and (fit.gaps <= tol).all()
    largest, found = (judged_several if several else judged_one)(fit, family, options)
    assert fit.lambdas[0] == pytest.approx(largest, rel=1e-6)
    assert max(found) <= 3 * tol + 1e-10
