"""Concave penalties along a path: stationary, no worse than coordinate descent, in any unit."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.solvers.reductions import reweighting

RNG = np.random.default_rng(7)
X = RNG.standard_normal((80, 30))
X[:, 5:10] += X[:, :5]
X = (X - X.mean(axis=0)) / X.std(axis=0)
SIGNAL = X[:, :4] @ [2.0, -1.5, 1.0, 0.5]
Y = SIGNAL + RNG.standard_normal(80)


def _objective(b, a, lam, penalty):
    r = Y - X @ b - a
    return r @ r / 160 + penalty.value(b, lam)


def stationary(fit, Z, slopes, penalty, atol, alpha=1.0):
    """Check that Z'u is in the subgradient at every point; `slopes`(eta) gives u of the mean loss.
    """
    bound = penalty.over(Z.shape[1])
    for k, lam in enumerate(fit.lambdas):
        b = fit.coefs[:, [k]].toarray().ravel()
        z = Z.T @ slopes(Z @ b + fit.intercepts[k]) - (1.0 - alpha) * lam * b
        size, limit = bound.lengths(b), alpha * lam * bound.slopes(b, alpha * lam)
        assert (bound.lengths(z) <= limit + atol).all()
        share = (limit / np.where(size > 0, size, 1))[bound.of]
        assert z[b != 0] == pytest.approx((share * b)[b != 0], abs=atol)


def _coordinate_descent(lam, penalty, b):
    """The twin: exact scalar proxes in turn, columns of mean square 1."""
    b, r = b.copy(), Y - Y.mean() - X @ b
    for _ in range(3000):
        before = b.copy()
        for j in range(30):
            new = penalty.prox([b[j] + X[:, j] @ r / 80], lam)[0]
            r += X[:, j] * (b[j] - new)
            b[j] = new
        if np.abs(b - before).max() < 1e-13:
            break
    return b


@pytest.mark.parametrize("penalty", [P.MCP(), P.SCAD(), P.Log(0.5)], ids=repr)
def test_no_worse_than_coordinate_descent_and_stationary(penalty):
    fit = ss.path(X, Y, penalty=penalty, n_lambdas=25, lambda_min_ratio=0.05, tol=1e-10)
    assert fit.gaps.max() <= 1e-10 and fit.df[0] <= 1
    twin, better = np.zeros(30), 0
    for k, lam in enumerate(fit.lambdas):
        b, a = fit.coefs[:, [k]].toarray().ravel(), fit.intercepts[k]
        twin = _coordinate_descent(lam, penalty, twin)
        mine, other = _objective(b, a, lam, penalty), _objective(twin, Y.mean(), lam, penalty)
        better += mine <= other + 1e-7
    stationary(fit, X, lambda eta: (Y - eta) / 80, penalty, 1e-4)
    # Stationary points are not unique: under the log penalty the twin's is better at 3 of 25 here.
    assert better >= (0.8 if isinstance(penalty, P.Log) else 0.95) * len(fit.lambdas)


def test_one_round_a_lambda_and_few_features_under_a_common_factor(monkeypatch):
    """All features are near the first lambdas; no round may take in all of them."""
    rng = np.random.default_rng(3)
    Z = np.sqrt(0.1) * rng.standard_normal((60, 400))
    Z += np.sqrt(0.9) * rng.standard_normal((60, 1))
    y, most = Z[:, :4] @ [2.0, -1.0, 1.0, 1.5] + rng.standard_normal(60), []
    descend = reweighting.Reweighting._descend

    def noted(self, lam, which, limit):
        most.append(len(which))
        descend(self, lam, which, limit)

    monkeypatch.setattr(reweighting.Reweighting, "_descend", noted)
    fit = ss.path(Z, y, penalty=P.MCP(), n_lambdas=30, lambda_min_ratio=0.1, stop=None)
    assert not fit.status.any()
    assert max(most) <= 100 and len(most) <= 1.5 * 30


def test_groups_of_one_are_coefficients_and_groups_enter_whole():
    options = {"n_lambdas": 8, "lambda_min_ratio": 0.2, "tol": 1e-9}
    fit = ss.path(X, Y, penalty=P.MCP(), **options)
    ones = ss.path(X, Y, penalty=P.MCP(groups=list(range(30)), weights=np.ones(30)), **options)
    assert fit.coefs.toarray() == pytest.approx(ones.coefs.toarray(), abs=1e-4)
    groups = np.repeat(range(15), 2)
    pairs = ss.path(X, Y, penalty=P.MCP(groups=groups), **options)
    assert pairs.gaps.max() <= 1e-9
    b = pairs.coefs.toarray().reshape(15, 2, -1)
    assert ((b[:, 0] != 0) == (b[:, 1] != 0)).all()


def test_groups_that_interleave_are_stationary_for_curved_losses():
    """The convex problems alone went back and forth here, and missed the tolerance by far."""
    rng = np.random.default_rng(3)
    Z, groups = rng.normal(size=(100, 80)), rng.permutation(np.repeat(range(20), 4))
    Z[:, 1:] += 0.7 * Z[:, :-1]
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    eta = Z @ (np.isin(groups, [1, 5, 9]) * rng.normal(size=80))
    y, penalty = rng.poisson(np.exp(np.clip(eta / 4, -3, 2))), P.MCP(groups=groups)
    fit = ss.path(Z, y, family="poisson", penalty=penalty, n_lambdas=12, lambda_min_ratio=0.1)
    assert not fit.status.any() and fit.df[-1] >= 12
    stationary(fit, Z, lambda eta: (y - np.exp(eta)) / 100, penalty, 1e-3)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("penalty", [P.MCP(), P.Log(0.5)], ids=repr)
def test_units(standardize, penalty):
    """y times a power of two: MCP scales with it; of Log epsilon would have to, too."""
    options = {"penalty": penalty, "standardize": standardize, "tol": 1e-10}
    fit = ss.path(X, Y, lambdas=[0.3], **options)
    scaled = P.Log(0.5 * 8) if isinstance(penalty, P.Log) else penalty
    lam = 0.3 * 64 if isinstance(penalty, P.Log) else 0.3 * 8
    large = ss.path(X, 8 * Y, lambdas=[lam], **{**options, "penalty": scaled})
    assert large.coef(lam) / 8 == pytest.approx(fit.coef(0.3), abs=1e-6)
    if not standardize:
        wide = ss.path(X / 8, Y, lambdas=[0.3 / 8], **{**options, "penalty": P.MCP(3.0)})
        assert wide.gaps[0] <= 1e-10


def test_everything_else_a_path_has():
    fit = ss.path(X, Y, penalty=P.SCAD(), n_lambdas=20, lambda_min_ratio=0.3)
    assert "SCAD is not convex: these are stationary points." in str(fit)
    fused = ss.path(X, Y, penalty=P.TotalVariation(), lambdas=[1.0])
    assert "Features not standardised." in str(fused)
    assert "stationary" not in str(ss.path(X, Y, penalty=P.GroupL2([0] * 30), lambdas=[1.0]))
    assert len(fit.extend(X, Y, n_lambdas=2).lambdas) == len(fit.lambdas) + 2
    assert ss.cv_path(X, Y, penalty=P.MCP(), n_folds=3, n_lambdas=10).lambda_min > 0
    weighted = ss.path(X, Y, penalty=P.MCP(weights=np.r_[0.0, np.ones(29)]), n_lambdas=3)
    assert weighted.coefs.toarray()[0].all()


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("penalty", [P.MCP(), P.SCAD(groups=np.repeat(range(15), 2))], ids=repr)
def test_a_ridge_part(family, penalty):
    """Stationary: the slope of the loss is that of the penalty, and of the squares, of alpha."""
    y = Y if family == "gaussian" else Y > 0
    fit = ss.path(X, y, family=family, penalty=penalty, alpha=0.6, n_lambdas=8, tol=1e-10,
                  lambda_min_ratio=0.1)  # fmt: skip
    assert not fit.status.any() and fit.df[0] <= 2 < fit.df[-1]
    mean = {"gaussian": lambda eta: eta, "binomial": lambda eta: 1 / (1 + np.exp(-eta))}[family]
    stationary(fit, X, lambda eta: (y - mean(eta)) / 80, penalty, 1e-4, alpha=0.6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_and_tall_sparse_designs(n_classes):
    """Equal rows of few features are looked for, together with the offsets of all classes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    X *= np.abs(X) > 0.5
    score = X[:, 0] - X[:, 1] + 0.5 * rng.standard_normal(60)
    y = np.digitize(score, [0.0, 1.0][: n_classes - 1])
    given = {"family": "multinomial", "penalty": P.MCP(), "n_lambdas": 5, "tol": 1e-9}
    thin, whole = ss.path(sparse.csc_array(X), y, **given), ss.path(X, y, **given)
    assert not thin.status.any()
    for lam in whole.lambdas:
        assert thin.coef(lam) == pytest.approx(whole.coef(lam), abs=1e-5)


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
def test_several_responses_enter_together(family):
    several = np.column_stack([Y, SIGNAL - Y, RNG.standard_normal(80)])
    y = several if family == "multigaussian" else several.argmax(axis=1)
    fit = ss.path(X, y, family=family, penalty=P.MCP(), n_lambdas=6, lambda_min_ratio=0.3)
    assert not fit.status.any() and fit.df[0] <= 1 < fit.df[-1]
    B = np.stack([coefs.toarray() for coefs in fit.coefs])
    assert ((B != 0).all(axis=0) | (B == 0).all(axis=0)).all()
    if family == "multigaussian":
        for k, lam in enumerate(fit.lambdas):
            r = y - X @ B[:, :, k].T - fit.intercepts[:, k]
            z, size = X.T @ r / 80, np.linalg.norm(B[:, :, k], axis=0)
            slope = P.MCP()._slope(size, lam)
            assert (np.linalg.norm(z, axis=1) <= slope + 1e-3).all()


@pytest.mark.parametrize("options, sentence", [
    ({"alpha": 0.0}, "alpha = 0 leaves nothing of MCP"),
    ({"solver": "fista"}, "minimises convex object"),
    ({"lower": 0}, "lower and upper are for the elastic net"),
    ({"penalty_factor": np.ones(30)}, "penalty_factor"),
])  # fmt: skip
def test_what_is_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        ss.path(X, options.pop("y", Y), penalty=P.MCP(), **options)


def _nearly_separable():
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((60, 100))
    return Z, Z[:, :6] @ [3.0, -2.0, 2.0, 1.5, -1.0, 1.0] + 0.5 * rng.standard_normal(60) > 0


def test_the_end_of_a_path_does_not_depend_on_inner_tolerances(monkeypatch):
    """A plateau of the deviance, on which only rounding moves, is no end."""
    Z, labels = _nearly_separable()
    ends = []
    for still in (1e-13, 1e-11, 1e-8):
        monkeypatch.setattr(reweighting, "STILL", still)
        for tol in (1e-7, 1e-9) if still == 1e-11 else (1e-7,):
            with pytest.warns(ss.ConvergenceWarning, match="No finite coefficients"):
                fit = ss.path(Z, labels, family="binomial", penalty=P.MCP(), tol=tol)
            ends.append((len(fit.lambdas), tuple(fit.df), fit.stop_reason))
            plateau = np.abs(np.diff(fit.dev_ratio)) < 1e-9
    assert len(set(ends)) == 1 and plateau[1:].any()
    assert "of the deviance is explained" in fit.stop_reason


def test_where_the_chosen_features_separate_the_status_says_so():
    Z, labels = _nearly_separable()
    with pytest.warns(ss.ConvergenceWarning, match="No finite coefficients"):
        fit = ss.path(Z, labels, family="binomial", penalty=P.SCAD(), n_lambdas=20, stop=None)
    first = int(np.flatnonzero(fit.status == ss.Status.UNBOUNDED)[0])
    assert first > 0
    for k, status in enumerate(fit.status):  # the twin: is there a separating hyperplane?
        b = fit.coefs[:, [k]].toarray().ravel()
        sizes = np.abs(b) * Z.std(axis=0)
        flat = np.flatnonzero(sizes > 3.7 * fit.lambdas[k])
        assert (status == ss.Status.UNBOUNDED) == _separates(Z[:, flat], labels), k


def _separates(columns, labels):
    """Whether a combination of columns and a constant has no wrong sign: a linear programme."""
    sign = np.where(labels, 1.0, -1.0)[:, None]
    A = np.column_stack([np.ones(len(labels)), columns]) * sign
    found = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(len(A)), bounds=(-1, 1))
    return -found.fun > 1e-7
