"""Every solver that takes a problem finds what "auto" finds, and all others say what they need.

All losses, penalties and options; tests/laws/test_solvers.py has the elastic net by an oracle.
"""

import numpy as np
import pytest
from cases import every
from scipy import sparse
from states import problem_of

import sparsesolve as ss
from sparsesolve import families
from sparsesolve import penalties as P
from sparsesolve.solvers import SOLVERS

RNG = np.random.default_rng(8)
N, p = 50, 12
X = RNG.standard_normal((N, p)) + np.resize([0.0, 1.0, -2.0], p)
X[:, 1:] += 0.4 * X[:, :-1]
X[RNG.random((N, p)) < 0.3] = 0.0
ETA = 0.8 * X[:, 0] - 0.6 * X[:, 2] + 0.3 * X[:, 5] + 0.5
SIGN = (ETA > RNG.logistic(size=N)).astype(float)
COUNT = RNG.poisson(np.exp(np.minimum(ETA, 3)))
NOISY = ETA + RNG.standard_normal(N)
SEVERAL = np.column_stack([NOISY, -NOISY + RNG.standard_normal(N), RNG.standard_normal(N)])
RESPONSES = {
    "gaussian": ("gaussian", NOISY), "binomial": ("binomial", SIGN), "poisson": ("poisson", COUNT),
    "cox": ("cox", np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(N) < 0.7])),
    "huber": (families.huber(0.5), ETA + RNG.standard_t(2, N)),
    "squared_hinge": (families.squared_hinge(), SIGN), "cloglog": (families.cloglog(), SIGN),
    "gamma": (families.gamma(), np.exp(0.3 * ETA) * RNG.gamma(2.0, 0.5, N)),
    "probit": (families.probit(), SIGN), "tweedie": (families.tweedie(1.5), COUNT * 0.7),
    "negative_binomial": (families.negative_binomial(2.0), COUNT),
    "multigaussian": ("multigaussian", SEVERAL), "multinomial": ("multinomial", SEVERAL.argmax(1)),
    "hinge": (families.hinge(), SIGN), "quantile": (families.quantile(0.3), NOISY),
}  # fmt: skip
GROUPS = np.resize([0, 1, 2, 0, 3], p)
WEIGHTS = np.where(np.arange(N) == 7, 0.0, RNG.uniform(0.5, 2.0, N))
OPTIONS = {
    "lasso": {}, "ridge": {"alpha": 0.0}, "no intercept": {"alpha": 0.4, "intercept": False},
    "factors": {"penalty_factor": np.resize([1.0, 0.5, 0.0, 3.0, np.inf], p), "weights": WEIGHTS},
    "limits": {"lower": np.resize([-0.1, -np.inf, 0.0], p), "upper": 0.4, "standardize": False},
    "groups": {"penalty": P.GroupL2(GROUPS, weights=[1.0, 0.0, 2.0, 1.0])},
    "group bases": {"penalty": P.GroupL2(GROUPS), "standardize": "group"},
    "sparse groups": {"penalty": P.SparseGroup(GROUPS, 0.4), "alpha": 0.8, "weights": WEIGHTS},
    "largest": {"penalty": P.GroupLinf(GROUPS), "upper": 0.5}, "tied": {"grouped": True},
    "tree": {"penalty": P.TreeL2([range(4), range(p)])},
    "fused": {"penalty": P.TotalVariation(l1=0.3)},
    "image": {"penalty": P.TotalVariation2D((3, 4))},
    "slope": {"penalty": P.Slope(), "alpha": 0.7}, "trace": {"penalty": P.TraceNorm((3, 4))},
    "overlap": {"penalty": P.OverlapLinf(P.window_groups(p, 3)), "weights": WEIGHTS},
    "overlap l2": {"penalty": P.OverlapL2(P.window_groups(p, 3))},
    "latent": {"penalty": P.LatentGroupL2([range(5), range(3, 8), range(7, p)])},
    "parts": {"penalty": P.Separate({(0, 1): None, range(2, p): P.TotalVariation()})},
}  # fmt: skip
# Relative gaps that slow solvers come to soon; all others are asked for 1e-8.
NEAR = {"reweighted": 1e-5, "admm": 1e-6, "linearized_admm": 1e-6, "bcd_plain": 1e-6,
        "pragam": 1e-4, "ls_bmrm": 3e-3, "qp_bmrm": 1e-6}  # fmt: skip
FEW = {"gaussian", "binomial", "multinomial", "hinge"}  # losses tried under norms of whole vectors
UNTRIED = {"ista", "subgradient", "pegasos"}  # which get nowhere near


def takers(family, y, options):
    """The solvers that take a problem."""
    problem = problem_of(X, y, family, **options)
    kinks = family is RESPONSES["hinge"][0] or family is RESPONSES["quantile"][0]
    return [name for name, solver in SOLVERS.items() if name not in UNTRIED
            and solver.kinks == kinks and solver.suits(problem, None)]  # fmt: skip


@every("kind", sorted(OPTIONS))
@pytest.mark.parametrize("response", sorted(RESPONSES))
def test_solvers_agree(response, kind):
    (family, y), options = RESPONSES[response], OPTIONS[kind]
    options = {key: P.TraceNorm() if kind == "trace" and response[:5] == "multi" else value
               for key, value in options.items()}  # fmt: skip
    whole = list(OPTIONS).index(kind) >= list(OPTIONS).index("tree")
    several = response.startswith("multi")
    if whole and response not in FEW or (response, kind) == ("multigaussian", "limits"):
        return
    if kind == "tied" and not several:
        return
    grid = {"n_lambdas": 3, "lambda_min_ratio": 0.1, "stop": None}
    best = ss.path(X, y, family=family, tol=1e-10, **grid, **options)

    def predictors(fit):
        eta = fit.predict(X)
        return eta - eta.mean(axis=1, keepdims=True) if response == "multinomial" else eta

    eta = predictors(best)
    assert not best.status.any() and np.abs(eta).max() > 0.01
    for k, name in enumerate(takers(family, y, options)):
        tol, store = NEAR.get(name, 1e-8), (np.asfortranarray, sparse.csc_array)[k % 2]
        fit = ss.path(store(X), y, family=family, lambdas=best.lambdas, tol=tol, stop=None,
                      solver=name, **options)  # fmt: skip
        assert fit.gaps.max() <= tol and not fit.status.any(), name
        if SOLVERS[name].kinks:  # whose minima need not be single points
            continue
        near = 4.0 * np.sqrt(tol)  # a loss that is tol above the least is so far from its minimum
        assert fit.dev_ratio == pytest.approx(best.dev_ratio, abs=near), name
        assert predictors(fit) == pytest.approx(eta, abs=8.0 * near * np.abs(eta).max()), name
        if family == "gaussian":
            again = ss.path(store(X), y, lambdas=best.lambdas, tol=tol, stop=None, solver=name,
                            n_threads=3, **options)  # fmt: skip
            assert (again.coefs != fit.coefs).nnz == 0 and (again.gaps == fit.gaps).all(), name


BY_ROWS = "needs .*a loss with kinks.* alpha = 0, every feature"
OTHERS = [  # who is asked, the response, options, and what they say
    ("bcd", "gaussian", {}, "needs a penalty on groups"),
    *((name, "hinge", {"alpha": 0.0, **options}, BY_ROWS)
      for name in ("qp_bmrm", "ls_bmrm", "pragam", "pegasos", "dual_descent", "rows_newton")
      for options in ({"alpha": 1.0}, {"lower": 0.0}, {"lambdas": [0.1, 0.0]},
                      {"penalty_factor": np.arange(p)}, {"penalty": P.GroupL2(GROUPS)})),
    ("pragam", "gaussian", {"alpha": 0.0}, "solver='pragam' needs hinge or quantile"),
    *(("reweighted", "gaussian", options, "solver='reweighted' needs")
      for options in ({"penalty": P.GroupLq([range(5)], 3.0)}, {"penalty": P.Slope()},
                      {"penalty": P.OverlapLinf([[0, 1]])}, {"lower": 0.0},
                      {"penalty": P.GroupLinf([0] * p)}, {"lambdas": [1.0, 0.0]},
                      {"penalty": P.TraceNorm((3, 4)), "alpha": 0.5})),
    ("reweighted", "poisson", {}, "solver='reweighted' needs family='gaussian'"),
    ("reweighted", "multinomial", {}, "solver='reweighted' needs family='gaussian'"),
    *(("ridge", "gaussian", options, "solver='ridge' needs")
      for options in ({"alpha": 0.1}, {"alpha": 0.0, "lower": 0}, {"alpha": 0.0, "lambdas": [0.0]},
                      {"alpha": 0.0, "penalty_factor": np.zeros(p)})),
    ("tangent_newton", "gaussian", {"penalty": P.Spectral("spectral", (3, 4))},
     "needs a penalty with tangents"),
    ("admm", "binomial", {"penalty": P.Slope()}, "solver='admm' needs family='gaussian'"),
    ("linearized_admm", "gaussian", {"penalty": P.Berhu()}, "needs a norm"),
]


@every("name, response, options, sentence", OTHERS)
def test_what_a_solver_cannot_do_is_refused(name, response, options, sentence):
    family, y = RESPONSES[response]
    with pytest.raises(ValueError, match=sentence):
        ss.path(X, y, family=family, solver=name, **options)
