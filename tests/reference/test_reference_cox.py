"""The cox family against numbers of R's survival and glmnet (tests/reference/cox.R made them)."""

from functools import lru_cache

import numpy as np
import pytest
from baselines import baseline_hazard
from glmnet_tables import rows_of, thinned
from scipy import optimize, sparse
from sparsesolve.results.concordance import count_pairs

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.results.survival import concordance

P = 12
FIELDS = ("start", "stop", "status", "stratum", "weight", "offset", "eta")


def rows(name):
    return rows_of(f"cox_{name}.csv")


@lru_cache
def data():
    """The columns by name, with the design as X."""
    columns = {name: np.array([float(row[name]) for row in rows("data")]) for name in FIELDS}
    X = np.array([[float(row[f"x{j + 1}"]) for j in range(P)] for row in rows("data")])
    return {**columns, "X": X}


def read(late, stratified, ties="breslow"):
    """A family and what it reads."""
    d = data()
    family = families.cox(ties, strata=d["stratum"].astype(int) if stratified else None)
    y = (d["start"], d["stop"], d["status"]) if late else (d["stop"], d["status"])
    return family, family.read(y, len(d["stop"])).values


LIKELIHOODS = [row["setting"] for row in rows("likelihood")]


@lru_cache
def likelihood(setting):
    """R's numbers for a setting, and the family, responses and raw weights they are for."""
    row = next(row for row in rows("likelihood") if row["setting"] == setting)
    family, y = read(row["late"] == "1", row["stratified"] == "1", row["ties"])
    w = data()["weight"] if row["weighted"] == "1" else np.ones(len(y))
    return row, family, y, w


@pytest.mark.parametrize("setting", LIKELIHOODS)
def test_likelihood_and_information_are_those_of_coxph(setting):
    row, family, y, w = likelihood(setting)
    eta, total = data()["eta"], w.sum()
    loss = family.loss(y, w / total)
    # log risks are of weights that sum to 1: for each death, by its weight, log(total) less
    value = loss.at(eta)[0] * total + np.log(total) * (w @ y[:, 2])
    assert -value == pytest.approx(float(row["loglik"]), rel=1e-12)
    information = total * (eta @ loss.curvature_product(eta, eta))
    assert information == pytest.approx(float(row["information"]), rel=1e-11)


@pytest.mark.parametrize("setting", LIKELIHOODS)
def test_residuals_are_the_martingale_residuals_of_coxph(setting):
    _, family, y, w = likelihood(setting)
    wanted = np.array([float(row[setting]) for row in rows("samples")])
    u = family.loss(y, w / w.sum()).at(data()["eta"])[1]
    assert u / (w / w.sum()) == pytest.approx(wanted, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("setting", [s for s in LIKELIHOODS if s.endswith("breslow")])
def test_deviance_is_that_of_glmnet(setting):
    row, family, y, w = likelihood(setting)
    loss = family.loss(y, w / w.sum())
    deviance = 2 * w.sum() * (loss.at(data()["eta"])[0] - loss.saturated)
    assert deviance == pytest.approx(float(row["deviance"]), rel=1e-12)


@pytest.mark.parametrize("setting", LIKELIHOODS)
def test_baseline_hazard_and_survival_are_those_of_survfit(setting):
    row, _, y, w = likelihood(setting)
    baseline = baseline_hazard(y, data()["eta"], w, row["ties"])
    steps = [step for step in rows("baseline") if step["setting"] == setting]
    assert len(steps) == len(baseline.times)
    for step in steps:
        time, code = [float(step["time"])], int(step["stratum"]) - 1
        hazard = baseline.cumulative_hazard(time, 0.0, code)[0, 0]
        assert hazard == pytest.approx(float(step["hazard"]), rel=1e-11)
        survival = baseline.survival(time, 0.0, code)[0, 0]
        assert survival == pytest.approx(float(step["survival"]), rel=1e-11)


@pytest.mark.parametrize("setting", LIKELIHOODS)
def test_concordance_is_that_of_survival(setting):
    row, _, y, w = likelihood(setting)
    names = ("concordant", "discordant", "tied_eta", "tied_time", "tied_both")
    wanted = [float(row[name]) for name in names]
    assert count_pairs(y, data()["eta"], w) == pytest.approx(wanted, rel=1e-12)
    assert concordance(y, data()["eta"], w) == pytest.approx(float(row["concordance"]), rel=1e-12)


@lru_cache
def settings():
    """Name -> (X, y, family, options of ss.path); the same table as in cox.R."""
    d = data()
    X, w, o = d["X"], d["weight"], d["offset"]
    right, late = (d["stop"], d["status"]), (d["start"], d["stop"], d["status"])
    strata = families.cox(strata=d["stratum"])
    v = np.resize([1, 0.5, 2], P)
    v[1], v[8] = 0, np.inf
    limits = {"lower": np.resize([-0.05, -np.inf, -0.2], P),
              "upper": np.resize([0.3, 0.1, np.inf, 0.02], P)}  # fmt: skip
    S = thinned(X)
    every = {"weights": w, "offset": o, "penalty_factor": v, **limits, "alpha": 0.5}
    return {
        "plain": (X, right, "cox", {}),
        "weights": (X, right, "cox", {"weights": w, "offset": o}),
        "factors": (X, right, "cox", {"penalty_factor": v, "standardize": False}),
        "limits": (X, right, "cox", limits),
        "strata": (X, right, strata, {"weights": w}),
        "late": (X, late, "cox", {"alpha": 0.6}),
        "sparse": (S, late, "cox", {}),
        "combined": (X, late, strata, every),
    }


@lru_cache
def reference(name):
    """What R returned: the grid, the null deviance, and six points with their coefficients b."""
    path = [row for row in rows("paths") if row["setting"] == name]
    points = [row for row in rows("coefs") if row["setting"] == name]
    return (
        np.array([float(row["lambda"]) for row in path]),
        float(path[0]["null_deviance"]),
        [{"lambda": float(row["lambda"]), "dev_ratio": float(row["dev_ratio"]),
          "b": np.array([float(row[f"b{j + 1}"]) for j in range(P)])} for row in points],
    )  # fmt: skip


class Problem:
    """The conditions of optimality in the user's units, written out."""

    def __init__(self, X, y, family, *, weights=None, offset=0.0, penalty_factor=None, alpha=1.0,
                 lower=-np.inf, upper=np.inf, standardize=True):  # fmt: skip
        self.X = X.toarray() if sparse.issparse(X) else X
        self.w = np.ones(len(self.X)) if weights is None else weights
        w = self.w / self.w.sum()
        family = families.read_family(family)
        self.loss = family.loss(family.read(y, len(w)).values, w)
        self.scale = np.sqrt(w @ (self.X - w @ self.X) ** 2) if standardize else np.ones(P)
        self.offset, self.alpha = offset * np.ones(len(w)), alpha
        v = np.ones(P) if penalty_factor is None else penalty_factor
        finite = np.where(np.isinf(v), 1.0, v)
        self.v = np.where(np.isinf(v), np.inf, finite * P / finite.sum())
        self.lower, self.upper = lower * np.ones(P), upper * np.ones(P)

    def violation(self, b, lam):
        """The largest violation over all columns that are not excluded."""
        b = b * self.scale
        u = self.loss.at(self.offset + self.X @ (b / self.scale))[1]
        free = np.isfinite(self.v)
        v = np.where(free, self.v, 0.0)
        g = self.X.T @ u / self.scale - lam * (1 - self.alpha) * v * b
        level = lam * self.alpha * v
        up, down = g - np.where(b >= 0, level, -level), -g - np.where(b <= 0, level, -level)
        up[b >= self.upper * self.scale * (1 - 1e-9)] = 0.0
        down[b <= self.lower * self.scale * (1 - 1e-9)] = 0.0
        assert (b[~free] == 0.0).all()
        return np.maximum(np.maximum(up, down), 0.0)[free].max()

    def lambda_max(self):
        """The least lambda of an empty model, the unpenalised columns fitted within limits."""
        none = np.flatnonzero(self.v == 0)

        def value_and_gradient(a):
            value, u = self.loss.at(self.offset + self.X[:, none] @ a)
            return value, -self.X[:, none].T @ u

        a = np.zeros(len(none))
        if len(none):
            limits = list(zip(self.lower[none], self.upper[none], strict=True))
            a = optimize.minimize(value_and_gradient, a, jac=True, bounds=limits,
                                  options={"ftol": 0, "gtol": 1e-13}).x  # fmt: skip
        u = self.loss.at(self.offset + self.X[:, none] @ a)[1]
        factors = np.where(self.v > 0, self.v, np.inf)
        return (np.abs(self.X.T @ u) / self.scale / factors).max() / self.alpha


@pytest.mark.parametrize("name", sorted(settings()))
def test_loss_and_conventions_make_the_paths_of_glmnet_optimal(name):
    """R's coefficients meet our conditions of optimality, and our deviances are R's."""
    X, y, family, options = settings()[name]
    problem = Problem(X, y, family, **options)
    grid, null_deviance, points = reference(name)
    loss = problem.loss
    null = loss.at(problem.offset)[0] - loss.saturated
    assert 2 * problem.w.sum() * null == pytest.approx(null_deviance, rel=1e-12)
    for point in points:
        assert problem.violation(point["b"], point["lambda"]) < 3e-7 * grid[0]
        explained = null + loss.saturated - loss.at(problem.offset + problem.X @ point["b"])[0]
        assert explained / null == pytest.approx(point["dev_ratio"], abs=1e-12)


@pytest.mark.parametrize("name", sorted(settings()))
def test_coefficients_agree_with_glmnet(name):
    """The same lambdas, solved tightly, give R's coefficients."""
    X, y, family, options = settings()[name]
    _, null_deviance, points = reference(name)
    lambdas = [point["lambda"] for point in points]
    tol, error = 1e-12, 1e-6  # of a gap, which is quadratic in what coefficients lack
    fit = ss.path(X, y, family=family, lambdas=lambdas, tol=tol, **options)
    assert fit.lambdas == pytest.approx(lambdas, rel=1e-12)
    assert fit.null_deviance == pytest.approx(null_deviance, rel=1e-12)
    for k, point in enumerate(points):
        b = fit.coefs[:, [k]].toarray().ravel()
        assert b == pytest.approx(point["b"], rel=error, abs=error), k
        assert fit.dev_ratio[k] == pytest.approx(point["dev_ratio"], abs=1e-7)
        assert fit.df[k] == (point["b"] != 0).sum()
    assert (fit.gaps <= tol).all()


@pytest.mark.parametrize("name", sorted(settings()))
def test_default_path_agrees_with_glmnet(name):
    """The largest lambda, the spacing, and where the path ends.

    R fits unpenalised columns with Efron's ties before it computes the largest lambda, which so
    differs from its own path's in two settings; and it ends paths that reweighting has solved
    loosely, in two settings later than their deviances, had they converged, would say.
    """
    X, y, family, options = settings()[name]
    grid, null_deviance, _ = reference(name)
    fit = ss.path(X, y, family=family, n_lambdas=30, tol=1e-7, **options)
    largest = Problem(X, y, family, **options).lambda_max()
    assert largest == pytest.approx(grid[0], rel=1e-3 if "penalty_factor" in options else 1e-10)
    ours = grid * (largest / grid[0])
    many = min(len(grid), len(fit.lambdas))
    assert fit.lambdas[:many] == pytest.approx(ours[:many], rel=1e-6)
    assert fit.null_deviance == pytest.approx(null_deviance, rel=1e-12)
    assert 0 <= len(grid) - len(fit.lambdas) <= (2 if name in ("strata", "late") else 0)
