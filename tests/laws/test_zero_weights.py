"""A row of weight 0 is a row left out: what lets a fold be trained without copying X."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families

N = 80
RNG = np.random.default_rng(31)
ETA_OF = [0.8, -0.6, 0.0, 0.5]
LEFT_OUT = RNG.random(N) < 0.25
SHAPES = {"tall": 9, "wide": 130}
OPTIONS = {
    "plain": {},
    "net": {"alpha": 0.4, "standardize": False},
    "weights": {"weights": RNG.uniform(0.3, 2.0, N), "offset": 0.3 * RNG.standard_normal(N)},
    "origin": {"intercept": False},
}


def design(p):
    """Columns of several sizes; one is constant, another nearly, among the rows that are kept."""
    X = RNG.standard_normal((N, p)) * np.resize([1.0, 5.0, 0.2, 1.0], p) + np.resize([0, 2.0], p)
    X[~LEFT_OUT, p - 1] = 3.0
    X[~LEFT_OUT, p - 2] *= 1e-3
    X[LEFT_OUT, 0] += 40.0  # rows left out lie far away
    return X


DESIGNS = {name: design(p) for name, p in SHAPES.items()}


def responses(X):
    eta = (X[:, :4] - X[:, :4].mean(axis=0)) @ (np.array(ETA_OF) / X[:, :4].std(axis=0))
    counts = RNG.poisson(np.exp(0.5 * eta)).astype(float)
    yes = eta + RNG.logistic(size=N) > 0
    real = eta + RNG.standard_normal(N)
    real[LEFT_OUT] *= 1e3
    time = np.ceil(5 * RNG.exponential(np.exp(-eta)))  # with ties
    scores = np.column_stack([eta, -eta, 0 * eta]) + RNG.gumbel(size=(N, 3))
    return {
        "gaussian": ("gaussian", real),
        "binomial": ("binomial", yes),
        "counts": ("binomial", np.column_stack([counts + 1, yes * 2.0])),
        "poisson": ("poisson", counts),
        "cox": ("cox", np.column_stack([time, RNG.random(N) < 0.7])),
        "late": ("cox", np.column_stack([time / 2 - 0.5, time, RNG.random(N) < 0.7])),
        "multinomial": ("multinomial", scores.argmax(axis=1)),
        "multigaussian": ("multigaussian", np.column_stack([real, eta + 1])),
        "huber": (families.huber(1.0), real),
        "squared_hinge": (families.squared_hinge(), yes),
        "gamma": (families.gamma(), counts + 0.5),
        "tweedie": (families.tweedie(1.5), counts),
    }


RESPONSES = {name: responses(X) for name, X in DESIGNS.items()}
STORES = {"dense": np.asfortranarray, "sparse": sparse.csc_array}


def rows(options, kept):
    return {k: v[kept] if isinstance(v, np.ndarray) else v for k, v in options.items()}


def compare(X, y, weights, options=None, store=np.asfortranarray, **given):
    """The grid, where it ends, the null model and every solution are those of the rows kept."""
    options, kept = options or {}, ~LEFT_OUT
    whole = ss.path(store(X), y, weights=np.where(LEFT_OUT, 0.0, weights), **options, **given)
    part = ss.path(store(X[kept]), y[kept], weights=weights[kept], **rows(options, kept), **given)
    assert whole.lambdas == pytest.approx(part.lambdas, rel=1e-8)
    assert whole.stop_reason == part.stop_reason
    assert whole.null_deviance == pytest.approx(part.null_deviance, rel=1e-9)
    assert whole.dev_ratio == pytest.approx(part.dev_ratio, abs=3e-6)
    more = {"offset": options["offset"]} if "offset" in options else {}
    here, there = (fit.predict(X, **more)[..., -1][kept] for fit in (whole, part))
    assert here == pytest.approx(there, abs=1e-4 * np.ptp(there))


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize(
    "name, store", [*((name, "dense") for name in sorted(OPTIONS)), ("weights", "sparse")]
)
@pytest.mark.parametrize("response", sorted(RESPONSES["tall"]))
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_weight_zero_are_rows_left_out(shape, response, name, store):
    X, (family, y) = DESIGNS[shape], RESPONSES[shape][response]
    options = dict(OPTIONS[name])
    if response.startswith("multi") and "offset" in options:
        options["offset"] = np.outer(options["offset"], [1.0, -1.0, 0.5][: 3 - (y.ndim > 1)])
    compare(X, y, options.pop("weights", np.ones(N)), options, STORES[store], family=family,
            n_lambdas=12, lambda_min_ratio=0.03, tol=1e-11)  # fmt: skip


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize("kind", ["GroupL2", "SparseGroup", "GroupLinf"])
@pytest.mark.parametrize("response", ["gaussian", "binomial", "cox"])
@pytest.mark.parametrize("shape", SHAPES)
def test_with_penalties_of_groups_as_well(shape, response, kind):
    X, (family, y) = DESIGNS[shape], RESPONSES[shape][response]
    penalty = getattr(ss.penalties, kind)(np.arange(X.shape[1]) // 3)
    compare(X, y, np.ones(N), family=family, penalty=penalty, n_lambdas=8, lambda_min_ratio=0.1,
            tol=1e-11, stop=None)  # fmt: skip
