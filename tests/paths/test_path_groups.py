"""Paths with penalties on groups: every two options together, certified from the data."""

import group_oracle
import numpy as np
import numpy_losses
import pandas as pd
import pytest
from covering import meeting
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families, penalties

TOL, LOOSE = 1e-9, 1e-3


FAMILIES = {
    "gaussian": ("gaussian", numpy_losses.GAUSSIAN),
    "binomial": ("binomial", numpy_losses.BINOMIAL),
    "poisson": ("poisson", numpy_losses.POISSON),
    "huber": (families.huber(0.8), numpy_losses.huber(0.8)),
    "squared_hinge": (families.squared_hinge(), numpy_losses.SQUARED_HINGE),
    "gamma": (families.gamma(), numpy_losses.GAMMA),
    "probit": (families.probit(), numpy_losses.PROBIT),
    "cox": ("cox", "cox"),
    "a user's": (numpy_losses.CertifiedLogCosh(), numpy_losses.LOG_COSH),
}
PENALTIES = {"l2": penalties.GroupL2, "sparse": penalties.SparseGroup, "linf": penalties.GroupLinf}
LEVELS = {
    "family": list(FAMILIES),
    "kind": list(PENALTIES),
    "shape": ["tall", "wide"],
    "groups": ["labels", "lists", "mapping", "partly", "giant", "ones"],
    "group_weights": ["sizes", "given"],
    "penalty_factor": ["even", "given"],
    "alpha": [1.0, 0.6, 0.0],
    "limits": ["none", "mixed", "positive", "boxes"],
    "weights": [False, True],
    "offset": [False, True],
    "intercept": [True, False],
    "standardize": [True, False],
    "storage": ["columns", "rows", "single", "sparse", "memmap", "frame"],
    "columns": ["plain", "constant", "twins within", "twins across", "empty", "alike"],
}


def grouping(name, p):
    """Groups of features in one of the ways to say it; all but the giant are scattered."""
    label = np.resize([0, 1, 2, 0, 3, 2, 2, 0, 3, 4, 2, 3], p)
    label[label == 1] = np.where(np.arange((label == 1).sum()) < 2, 1, 0)  # a small one
    parts = {k: np.flatnonzero(label == k) for k in dict.fromkeys(label)}
    return {
        "labels": [f"g{k}" for k in label],
        "lists": [part.tolist() for part in parts.values()],
        "mapping": {f"g{k}": part.tolist() for k, part in parts.items()},
        "partly": [None if k == 3 else k for k in label.tolist()],
        "giant": ["all"] * p,
        "ones": list(range(p)),
    }[name]


def design(rng, shape, columns, groups):
    n, p = {"tall": (45, 12), "wide": (22, 30)}[shape]
    X = rng.standard_normal((n, p)) + np.resize([0.0, 1.0, 0.0, -2.0], p)
    X[:, 1:] += 0.5 * X[:, :-1]
    X[rng.random(X.shape) < 0.3] = 0.0
    X = X.astype(np.float32).astype(float)
    part = max(group_oracle.read_groups(groups, p)[1], key=len)
    if columns == "constant":
        X[:, part[:2]], X[:, 1] = 2.0, -1.0
    elif columns == "empty":
        X[:, part[-1]] = X[:, 0] = 0.0
    elif columns == "twins within":
        X[:, part[-1]] = X[:, part[0]]
    elif columns == "twins across":
        X[:, 5], X[:, 4] = X[:, 0], -X[:, 3]
    elif columns == "alike":  # nearly collinear groups
        X[:, part] = X[:, [part[0]]] + 1e-5 * X[:, part]
        X = X.astype(np.float32).astype(float)
    return X


def response(rng, family, X):
    signal = 0.7 * X[:, 0] - 0.5 * X[:, 3] + 0.4 * X[:, 5]
    binary = (signal > rng.logistic(size=len(X))).astype(float)
    binary[:2] = 0, 1
    return {
        "binomial": binary, "probit": binary, "squared_hinge": 2 * binary - 1,
        "poisson": rng.poisson(np.exp(np.clip(signal, -2, 2))).astype(float),
        "gamma": np.exp(np.clip(signal, -3, 3)) * rng.gamma(2.0, 0.5, len(X)),
        "cox": np.column_stack([np.ceil(5 * rng.exponential(np.exp(-signal))),
                                rng.random(len(X)) < 0.7]),
    }.get(family, signal + rng.standard_normal(len(X)))  # fmt: skip


def stored(X, how, folder):
    if how == "memmap":
        file = np.memmap(folder / "X", dtype=float, mode="w+", shape=X.shape, order="F")
        file[:] = X
        return file
    return {
        "columns": np.asfortranarray, "rows": np.ascontiguousarray, "sparse": sparse.csc_array,
        "single": lambda X: np.asfortranarray(X, dtype=np.float32),
        "frame": lambda X: pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]),
    }[how](X)  # fmt: skip


def made(case, seed=0):
    """The data and options of a case: (X, y, what both take, what is said to the oracle alone)."""
    rng = np.random.default_rng(seed)
    p = {"tall": 12, "wide": 30}[case["shape"]]
    groups = grouping(case["groups"], p)
    X = design(rng, case["shape"], case["columns"], groups)
    y, n = response(rng, case["family"], X), len(X)
    named, lists = group_oracle.read_groups(groups, p)
    both = {"alpha": case["alpha"], "standardize": case["standardize"],
            "intercept": case["intercept"] and case["family"] != "cox"}  # fmt: skip
    if case["weights"]:
        both["weights"] = rng.uniform(0.5, 2.0, n) * (np.arange(n) % 9 != 4)
    if case["offset"]:
        both["offset"] = 0.3 * rng.standard_normal(n)
    if case["limits"] != "none":
        low, high = {"mixed": ([-0.1, -np.inf, 0.0, -0.3], [np.inf, 0.2, 0.4, 0.0, 0.05]),
                     "positive": ([0.0], [np.inf]), "boxes": ([-0.15], [0.1])}[case["limits"]]
        both["lower"], both["upper"] = np.resize(low, p), np.resize(high, p)
    few = 0.5 if case["groups"] in ("giant", "ones") else 0.0
    if case["penalty_factor"] == "given":
        both["penalty_factor"] = np.resize([1.0, few, 2.0, 0.5, np.inf], len(lists))
    group_weights = None
    if case["group_weights"] == "given":
        group_weights = np.resize([2.0, 1.0, 1.0, few, 0.7, np.inf, 1.0], len(named))
    own = {"kind": case["kind"], "groups": groups, "group_weights": group_weights, "tau": 0.3,
           "loss": FAMILIES[case["family"]][1]}  # fmt: skip
    return X, y, both, own


def penalty_of(own):
    more = (own["tau"],) if own["kind"] == "sparse" else ()
    return PENALTIES[own["kind"]](own["groups"], *more, weights=own["group_weights"])


def check(case, folder, seed=0):
    X, y, both, own = made(case, seed)
    given = {"family": FAMILIES[case["family"]][0], "penalty": penalty_of(own), "stop": None}
    q = group_oracle.problem(X, y, **both, **own)
    X_ = stored(X, case["storage"], folder)
    fit = ss.path(X_, y, n_lambdas=3, lambda_min_ratio=0.03, tol=TOL, **given, **both)
    rough = ss.path(X_, y, lambdas=fit.lambdas, tol=LOOSE, **given, **both)
    assert not fit.status.any() and (fit.gaps <= TOL).all()
    largest = group_oracle.lambda_max(X, y, **both, **own)
    if largest < 1e-9:  # what has no penalty explains everything
        assert group_oracle.certificate(q, fit.intercepts[0], fit.coefs.toarray()[:, 0], 1.0) < TOL
        return
    assert fit.lambdas[0] == pytest.approx(largest, rel=1e-6), "lambda_max"
    for k, lam in enumerate(fit.lambdas):
        point, loose = ((f.intercepts[k], f.coefs[:, [k]].toarray().ravel()) for f in (fit, rough))
        found = group_oracle.certificate(q, *point, lam)
        assert found <= 1.5 * TOL + 1e-11, (k, found)
        least, reached = (group_oracle.objective(q, *b, lam) for b in (point, loose))
        assert (reached - least) / q.null[1] <= rough.gaps[k] + 2 * TOL, k


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", meeting(LEVELS, 2), ids=lambda c: "-".join(map(str, c.values())))
def test_every_two_options_meet(case, tmp_path):
    check(case, tmp_path)
