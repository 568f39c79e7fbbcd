"""Paths of genotypes of 2 bits are those of the imputed matrix in 64 bits, for every loss."""

import numpy as np
import pytest
from packed_genotypes import drawn, imputed, packed
from sparsesolve.linalg.design.genotypes import MixedColumns

import sparsesolve as ss
from sparsesolve.penalties import MCP, GroupL2, Slope

N, P = 203, 60  # N leaves three rows in the last byte
RNG = np.random.default_rng(5)
COVARIATES = np.asfortranarray(RNG.standard_normal((N, 2)))
G = drawn(N, P, seed=5, missing=0.05)
SIGNAL = imputed(G, np.ones(N))[0][:, :4] @ [1.0, -1.0, 0.7, 0.5] + 0.5 * COVARIATES[:, 0]
SIGNAL = SIGNAL - SIGNAL.mean()
RESPONSES = {
    "gaussian": SIGNAL + RNG.standard_normal(N),
    "binomial": RNG.binomial(1, 1 / (1 + np.exp(-SIGNAL))),
    "poisson": RNG.poisson(np.exp(0.5 * SIGNAL)),
    "cox": np.column_stack([RNG.exponential(np.exp(-SIGNAL)), RNG.random(N) < 0.7]),
    "multinomial": np.digitize(SIGNAL + RNG.standard_normal(N), [-1.0, 1.0]),
    "multigaussian": np.column_stack([SIGNAL, -SIGNAL]) + RNG.standard_normal((N, 2)),
    "huber(1.0)": SIGNAL + RNG.standard_t(2, N),
    "hinge": RNG.binomial(1, 1 / (1 + np.exp(-SIGNAL))),
}
OPTIONS = {
    "plain": {},
    "weights": {"weights": RNG.random(N)},
    "some rows": {"weights": (RNG.random(N) < 0.8).astype(float)},
    "as it is": {"standardize": False},
    "bounds": {"lower": -0.2, "upper": 0.3},
    "elastic net": {"alpha": 0.5},
    "two threads": {"n_threads": 2},
}


def genotypes(rows=slice(None)):
    return MixedColumns([np.asfortranarray(COVARIATES[rows]), packed(G[rows])])


def numbers(weights=None):
    w = np.ones(N) if weights is None else np.asarray(weights)
    return np.hstack([COVARIATES, imputed(G, w)[0]])


def both(y, **options):
    options = {"n_lambdas": 12, "lambda_min_ratio": 0.05, "tol": 1e-10, **options}
    options.setdefault("penalty_factor", np.repeat([0.0, 1.0], [2, P]))
    X = numbers(options.get("weights"))
    return ss.path(genotypes(), y, **options), ss.path(X, y, **options), X


def same(packed_path, path, tol=1e-6, first=0):
    """Compare the coefficients from lambda number `first`; all gaps and lambdas."""
    assert packed_path.lambdas == pytest.approx(path.lambdas, rel=1e-8)
    assert max(packed_path.gaps.max(), path.gaps.max()) <= 1e-7
    for one, other in zip(*map(matrices, (packed_path, path)), strict=True):
        assert one[:, first:] == pytest.approx(other[:, first:], abs=tol)
    found, expected = (each.intercepts[..., first:] for each in (packed_path, path))
    assert found == pytest.approx(expected, abs=tol)


def matrices(path):
    return [c.toarray() for c in (path.coefs if isinstance(path.coefs, list) else [path.coefs])]


@pytest.mark.parametrize("name", RESPONSES)
@pytest.mark.parametrize("options", OPTIONS)
def test_every_family(name, options):
    given = dict(OPTIONS[options])
    if name in ("multigaussian", "hinge") and options == "bounds":
        return  # refused for tied rows, and without a unique solution
    mine, theirs, X = both(RESPONSES[name], family=name, **given)
    # The first lambda of a hinge is a breakpoint: an edge of solutions leads from the null model.
    first = int(name == "hinge")
    same(mine, theirs, tol=1e-4 if name == "hinge" else 1e-6, first=first)
    assert mine.means[2:] == pytest.approx(imputed(G, given.get("weights", np.ones(N)))[1])
    eta, expected = mine.predict(genotypes(), kind="link"), theirs.predict(X, kind="link")
    assert eta[..., first:] == pytest.approx(
        expected[..., first:], abs=1e-3 if name == "hinge" else 1e-5
    )


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_without_an_intercept_missing_values_are_the_mean_all_the_same(family):
    mine, theirs, _ = both(RESPONSES[family], family=family, intercept=False)
    same(mine, theirs)


@pytest.mark.parametrize(
    "penalty",
    [GroupL2(np.arange(P + 2) // 3), Slope(np.linspace(2.0, 1.0, P + 2)), MCP(3.0)],
    ids=["groups", "slope", "mcp"],
)
def test_penalties(penalty):
    mine, theirs, _ = both(RESPONSES["gaussian"], penalty=penalty, penalty_factor=None)
    same(mine, theirs, tol=1e-5)


@pytest.mark.parametrize("solver", ["working_set", "sufficient", "proximal_newton", "fista"])
@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_solvers(solver, family):
    if family == "binomial" and solver in ("sufficient", "working_set"):
        return  # squared error alone
    mine, theirs, _ = both(RESPONSES[family], family=family, solver=solver, tol=1e-9)
    same(mine, theirs, tol=1e-4)


def test_folds_impute_by_the_rows_they_train_on():
    """Scores are those of each fold's path of the matrix that its own rows impute."""
    folds, y = np.arange(N) % 4, RESPONSES["gaussian"]
    options = {"lambdas": np.geomspace(0.5, 0.05, 8), "tol": 1e-12}
    cv = ss.cv_path(genotypes(), y, folds=folds, **options)
    for k in range(4):
        train = folds != k
        X = numbers(train)
        path = ss.path(X[train], y[train], **options)
        error = np.mean((y[~train, None] - path.predict(X[~train], s=cv.lambdas)) ** 2, axis=0)
        assert cv.fold_scores[k] == pytest.approx(error, rel=1e-5)
    again = ss.cv_path(numbers(), y, folds=folds, **options)
    assert cv.path.coefs.toarray() == pytest.approx(again.path.coefs.toarray(), abs=1e-7)


def test_refits_relaxed_fits_and_files_know_the_means(tmp_path):
    y, X = RESPONSES["gaussian"], numbers()
    mine, theirs, _ = both(y, lambda_min_ratio=0.2)
    s = mine.lambdas[6]
    table, other = ss.refit(mine, genotypes(), y, s=s), ss.refit(theirs, X, y, s=s)
    assert table.estimates == pytest.approx(other.estimates, rel=1e-6)
    assert table.errors == pytest.approx(other.errors, rel=1e-6)
    relaxed, expected = ss.relax(mine, genotypes(), y), ss.relax(theirs, X, y)
    assert relaxed.coef(s) == pytest.approx(expected.coef(s), abs=1e-6)
    ss.save(mine, tmp_path / "m.npz")
    loaded = ss.load(tmp_path / "m.npz")
    new = genotypes(slice(50))  # imputed by all rows, which the file knows
    assert loaded.predict(new, s) == pytest.approx(mine.predict(genotypes(), s)[:50], rel=1e-12)
    exact = mine.coef(0.9 * s, exact=True, X=genotypes(), y=y)
    assert exact == pytest.approx(theirs.coef(0.9 * s, exact=True, X=X, y=y), abs=1e-6)
    cv = ss.cv_path(genotypes(), y, n_folds=3, seed=0, gammas=[0.0, 1.0], n_lambdas=5)
    assert len(cv.candidates) == 2 and np.isfinite(cv.mean).all()


def test_a_model_of_numbers_refuses_missing_genotypes():
    fit = ss.path(numbers(), RESPONSES["gaussian"], n_lambdas=5)
    with pytest.raises(ValueError, match="is missing, and the model does not know the mean"):
        fit.predict(genotypes())


def test_functions_without_genotypes_say_so():
    with pytest.raises(TypeError, match="X is genotypes, which path"):
        ss.stability_path(genotypes(), RESPONSES["gaussian"])
    with pytest.raises(TypeError, match="use standardize=True"):
        ss.path(genotypes(), RESPONSES["gaussian"], penalty=GroupL2(np.arange(P + 2) // 2),
                standardize="group")  # fmt: skip
    bad = MixedColumns([np.full((N, 1), np.nan), packed(G)])
    with pytest.raises(ValueError, match="X holds nan at row 0, column 0"):
        ss.path(bad, RESPONSES["gaussian"])
