"""Two columns without a penalty that are all but alike: gaps are met, and none claimed in vain.

Inner products do not tell their difference, though it may explain much. Exact arithmetic does: the
judge goes from the coefficients' own linear predictor along a constant, one column and the exact
difference of the two, down to where the loss is least.
"""

import warnings
from fractions import Fraction

import numpy as np
from cases import every
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, softmax

import sparsesolve as ss
from sparsesolve.penalties import GroupL2

N, P, K = 20, 12, 3
ALONE = {"penalty_factor": np.r_[0.0, 0.0, 0.0, np.ones(P - 3)]}
GROUPS = {"penalty": GroupL2(np.arange(P) // 3), "penalty_factor": [0] + (P // 3 - 1) * [1]}
FORMS = {"alone": ALONE, "groups": GROUPS, "tied": {"grouped": True, **ALONE}}
# per family: the loss summed over responses, and its slope, of (y, eta)
LOSSES = {
    "gaussian": (lambda y, e: (y - e) ** 2 / 2, lambda y, e: e - y),
    "binomial": (lambda y, e: np.logaddexp(0.0, e) - y * e, lambda y, e: expit(e) - y),
    "poisson": (lambda y, e: np.exp(e) - y * e, lambda y, e: np.exp(e) - y),
    "multigaussian": (lambda y, e: (y - e) ** 2 / 2, lambda y, e: e - y),
    "multinomial": (
        lambda y, e: logsumexp(e, axis=1) - (y * e).sum(axis=1),
        lambda y, e: softmax(e, axis=1) - y,
    ),
}
CASES = [
    (family, form, solver)
    for family, form, solvers in [
        ("gaussian", "alone", ["auto", "proximal_newton", "fista"]),
        ("gaussian", "groups", ["auto", "proximal_newton", "bcd"]),
        ("binomial", "alone", ["auto", "pass_newton"]),
        ("binomial", "groups", ["auto", "pass_newton", "bcd"]),
        ("poisson", "alone", ["auto"]),
        ("poisson", "groups", ["auto", "bcd"]),
        ("multigaussian", "alone", ["auto"]),
        ("multigaussian", "groups", ["auto"]),
        ("multinomial", "alone", ["auto", "response_blocks"]),
        ("multinomial", "groups", ["auto"]),
        ("multinomial", "tied", ["auto", "response_blocks"]),
    ]
    for solver in solvers
]


def data(family, eps, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, P))
    X[:, 1] = X[:, 0] + eps * rng.standard_normal(N)
    score = X[:, 3] + rng.standard_normal(N)
    y = {
        "gaussian": rng.standard_normal(N),
        "binomial": (score > 0).astype(float),
        "poisson": rng.poisson(np.exp(score / 2)).astype(float),
        "multigaussian": rng.standard_normal((N, K)),
        "multinomial": np.eye(K)[rng.permutation(np.arange(N) % K)],
    }
    return X, y[family]


def exact(values):
    return [Fraction(float(v)) for v in values]


def orthogonal_basis(columns):
    """Of exact columns, an orthonormal basis (N, f) in floats."""
    basis = []
    for column in columns:
        for q in basis:
            share = _dot(q, column) / _dot(q, q)
            column = [c - share * v for c, v in zip(column, q, strict=True)]
        if any(column):
            largest = max(abs(c) for c in column)
            basis.append([c / largest for c in column])
    Q = np.array([[float(c) for c in q] for q in basis]).T
    return Q / np.linalg.norm(Q, axis=0)


def _dot(a, b):
    return sum(x * z for x, z in zip(a, b, strict=True))


def predictors(fit, X, k):
    """eta (N,) or (N, K) at the k-th lambda."""
    if not isinstance(fit.coefs, list):
        return predictor(X, fit.coefs.toarray()[:, k], fit.intercepts[k])
    rows = zip(fit.coefs, fit.intercepts[:, k], strict=True)
    return np.stack([predictor(X, b.toarray()[:, k], b0) for b, b0 in rows], axis=1)


def predictor(X, b, intercept):
    """eta of these coefficients, exact but for its own rounding."""
    eta = exact([intercept] * len(X))
    for j in np.flatnonzero(b):
        step = Fraction(float(b[j]))
        eta = [e + step * v for e, v in zip(eta, exact(X[:, j]), strict=True)]
    return np.array([float(e) for e in eta])


def left_to_gain(family, y, eta, Q):
    """By how much the mean loss falls from eta along Q."""
    value, slope = LOSSES[family]
    start = value(y, eta)

    def moved(c):
        there = eta + Q @ c.reshape(Q.shape[1], *eta.shape[1:])
        return np.sum(value(y, there) - start) / N, (Q.T @ slope(y, there)).ravel() / N

    zero = np.zeros(Q.shape[1] * (eta.size // N))
    found = minimize(moved, zero, jac=True, method="BFGS", options={"gtol": 1e-10})
    return max(-found.fun, 0.0)


@every(("far", "eps"), [
    *(([], eps) for eps in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)),
    *((far, eps) for far in ([2], [0, 1]) for eps in (1e-6, 1e-12)),
])  # fmt: skip
@every(("family", "form", "solver"), CASES)
def test_what_their_difference_could_still_explain_is_in_the_gap(family, form, solver, eps, far):
    """Also beside another column without a penalty that is far from 0: its rounding is its own.
    Where they are themselves far from 0, their intercept is summed with all digits.
    """
    for seed in range(2):
        X, y = data(family, eps, seed)
        X[:, far] += 1e6
        labels = y.argmax(axis=1) if family == "multinomial" else y
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ss.ConvergenceWarning)
            fit = ss.path(X, labels, family=family, solver=solver, **FORMS[form], n_lambdas=4,
                          lambda_min_ratio=0.1, stop=None)  # fmt: skip
        assert eps < 1e-8 or not fit.status.any()
        Q = orthogonal_basis([exact(np.ones(N)), exact(X[:, 0]), exact(X[:, 1])])
        for k in np.flatnonzero(fit.status == 0):
            gain = left_to_gain(family, y, predictors(fit, X, k), Q)
            assert gain <= 1.05 * fit.gaps[k] * fit.null_deviance / (2 * N) + 1e-10
