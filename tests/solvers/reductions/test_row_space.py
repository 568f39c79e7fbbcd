"""Wide ridge of any loss in the coordinates of the rows: the same solutions, certified."""

import numpy as np
import pytest
from oracles.recession import no_optimum
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.solvers.reductions.row_space import RowSpace

RNG = np.random.default_rng(4)
N, P = 30, 90
X = RNG.normal(size=(N, P)) * RNG.uniform(0.2, 5, P) + 1
X[:, 7] = 3.0  # constant
ETA = X[:, 0] / X[:, 0].std() - X[:, 1] / X[:, 1].std()
Y = ETA + RNG.normal(size=N)
KINDS = {
    "binomial": ("binomial", Y > 0), "poisson": ("poisson", RNG.poisson(np.exp(0.5 * ETA))),
    "cox": ("cox", (RNG.exponential(np.exp(-ETA)), RNG.random(N) < 0.8)),
    "huber": (families.huber(1.0), Y), "probit": (families.probit(), Y > 0),
    "multinomial": ("multinomial", np.digitize(Y, [-1, 1])),
    "multigaussian": ("multigaussian", np.column_stack([Y, ETA])),
}  # fmt: skip
WEIGHTS = np.append([0.0, 0.0], RNG.uniform(0.5, 2, N - 2))
FACTORS = np.append([np.inf], RNG.uniform(0.5, 2, P - 1))


@pytest.fixture
def states(monkeypatch):
    """Those that are chosen."""
    found, begin = [], RowSpace.__init__
    monkeypatch.setattr(RowSpace, "__init__",
                        lambda self, *a, **k: begin(self, *a, **k) or found.append(self))
    return found


def elsewhere(family):
    several = getattr(family, "several", family in ("multinomial", "multigaussian"))
    return "response_blocks" if several else "proximal_newton"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [
    {}, {"standardize": False}, {"weights": WEIGHTS, "penalty_factor": FACTORS},
    {"intercept": False}, {"X": sparse.csc_array(np.where(np.abs(X) > 1.5, X, 0.0))},
], ids=lambda options: "-".join(options) or "plain")  # fmt: skip
def test_solutions_are_those_of_other_solvers(kind, options, states):
    family, y = KINDS[kind]
    own = {"X": X, "y": y, "family": family, "alpha": 0.0, "n_lambdas": 8, **options}
    loose, tight = ss.path(**own, tol=1e-6), ss.path(**own, tol=1e-12)
    assert len(states) == 2 and isinstance(states[0], RowSpace)
    other = ss.path(**own, tol=1e-10, solver=elsewhere(family))
    assert len(states) == 2
    np.testing.assert_allclose(tight.lambdas, other.lambdas, rtol=1e-12)
    assert loose.gaps.max() <= 1e-6 and tight.gaps.max() <= 1e-12
    a, b = (fit.predict(own["X"]) for fit in (tight, other))
    assert np.abs(a - b).max() <= 1e-3 * np.abs(b).max()
    np.testing.assert_allclose(tight.dev_ratio, other.dev_ratio, atol=2e-5)
    assert (np.asarray(tight.df) == np.asarray(other.df)).all()


@pytest.mark.parametrize("family", ["binomial", "poisson"])
def test_gaps_bound_what_the_objective_lacks(family, states):
    """By an objective of our own, beside a solution that is far closer."""
    _, y = KINDS[family]
    own = {"family": family, "alpha": 0.0, "n_lambdas": 6, "standardize": False}
    loose, tight = ss.path(X, y, **own, tol=1e-4), ss.path(X, y, **own, tol=1e-13)

    def objectives(fit):
        eta, y_ = fit.predict(X), np.asarray(y, dtype=float)[:, None]
        loss = np.logaddexp(0, eta) if family == "binomial" else np.exp(eta)
        squares = (fit.coefs.toarray() ** 2).sum(axis=0)
        return (loss - y_ * eta).mean(axis=0) + 0.5 * fit.lambdas * squares

    missing = objectives(loose) - objectives(tight)
    null = 0.5 * tight.null_deviance / N
    assert (missing <= loose.gaps * null + 1e-12).all() and (missing >= -1e-12).all()
    assert missing.max() > 0.0


@pytest.mark.parametrize("options", [
    {"alpha": 1e-6}, {"lambdas": [1.0, 0.0]}, {"lower": 0.0}, {"solver": "proximal_newton"},
    {"penalty_factor": np.append(0.0, np.ones(P - 1))}, {"X": X[:, :50]},
], ids=lambda options: next(iter(options)))  # fmt: skip
def test_others_are_solved_otherwise(options, states):
    ss.path(**{"X": X, "y": Y > 0, "family": "binomial", "alpha": 0.0, "n_lambdas": 3, **options})
    assert not states


@pytest.mark.parametrize("lam", [1e-12, 1e-30, 1e-300])
@pytest.mark.parametrize("kind", ["binomial", "poisson", "huber", "multinomial"])
def test_levels_all_but_zero_are_left_to_the_solver_of_the_columns(kind, lam, states):
    """1 / lam made coefficients of 1e77 of rounding, and a warning."""
    family, y = KINDS[kind]
    own = {"X": X, "y": y, "family": family, "alpha": 0.0, "lambdas": [0.1, lam]}
    fit, other = ss.path(**own), ss.path(**own, solver=elsewhere(family))
    assert len(states) == 1 and other.gaps.max() <= 1e-7
    assert fit.gaps.max() <= 1e-7 and fit.status[0] == ss.Status.CONVERGED
    asked = {"binomial": "two classes", "poisson": "counts", "multinomial": "classes"}.get(kind)
    endless = asked is not None and no_optimum(asked, np.column_stack([np.ones(N), X]), y)
    assert fit.status[1] == (ss.Status.UNBOUNDED if endless else ss.Status.CONVERGED)
    np.testing.assert_allclose(fit.dev_ratio, other.dev_ratio, atol=1e-3)
