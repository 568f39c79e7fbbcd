"""Newton steps along tangents: same solutions as FISTA in fewer iterations, to the last digits."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.solvers.first_order import tangent_newton

RNG = np.random.default_rng(3)
X = np.cumsum(RNG.standard_normal((60, 12)), axis=1)  # neighbours are much alike
SIGNAL = X @ np.repeat([0.0, 1.0, -0.5], 4)
Y = SIGNAL + RNG.standard_normal(60)
SEVERAL = np.column_stack([Y, SIGNAL - Y, Y + RNG.standard_normal(60)])
RESPONSES = {
    "gaussian": Y, "binomial": Y > 0, "poisson": RNG.poisson(np.exp(0.1 * SIGNAL)),
    "cox": np.column_stack([RNG.exponential(np.exp(-0.1 * SIGNAL)), RNG.random(60) < 0.8]),
    "multigaussian": SEVERAL, "multinomial": SEVERAL.argmax(axis=1),
}  # fmt: skip
PENALTIES = {
    "slope": P.Slope(q=0.5, kind="oscar"), "fused": P.TotalVariation(l1=0.3),
    "trace": P.TraceNorm((3, 4)),
    "separate": P.Separate({
        range(4): P.Slope(), (4, 5, 6): P.TotalVariation(), (7, 8): None, range(9, 12): P.L1(),
    }),
}  # fmt: skip


@pytest.mark.parametrize("family, name", [
    ("gaussian", "slope"), ("gaussian", "fused"), ("gaussian", "trace"), ("gaussian", "separate"),
    ("binomial", "separate"), ("binomial", "trace"), ("poisson", "fused"), ("cox", "slope"),
    ("multigaussian", "separate"), ("multinomial", "fused"), ("multinomial", "trace"),
])  # fmt: skip
def test_it_finishes_what_fista_begins(family, name, monkeypatch):
    # Iterations are compared, so all of them cost the same here.
    overhead = tangent_newton.PROXIMAL_STEP_OVERHEAD
    monkeypatch.setattr(tangent_newton, "NEWTON_STEP_OVERHEAD", overhead)
    options = {"family": family, "penalty": PENALTIES[name], "n_lambdas": 4,
               "lambda_min_ratio": 0.05, "stop": None}  # fmt: skip
    newton = ss.path(X, RESPONSES[family], tol=1e-12, solver="tangent_newton", **options)
    fista = ss.path(X, RESPONSES[family], tol=1e-7, solver="fista", **options)
    assert not newton.status.any()
    assert newton.n_iters.sum() < 0.7 * fista.n_iters.sum()  # at a gap 100,000 times as large
    for k in range(len(newton.lambdas)):
        assert newton.dev_ratio[k] == pytest.approx(fista.dev_ratio[k], abs=3e-3)


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
def test_factors_of_responses_by_features(family):
    fit = ss.path(X, RESPONSES[family], family=family, penalty=P.TraceNorm(), tol=1e-12,
                  n_lambdas=8, lambda_min_ratio=0.05, solver="tangent_newton")  # fmt: skip
    assert not fit.status.any()
    assert np.linalg.matrix_rank(fit.coef(fit.lambdas[2]), tol=1e-6) == 1


def test_a_penalty_without_tangents_is_refused_and_goes_to_fista():
    with pytest.raises(ValueError, match="needs a penalty with tangents"):
        ss.path(X, Y, penalty=P.Spectral("spectral", (3, 4)), solver="tangent_newton")
    fit = ss.path(X, Y, penalty=P.Spectral("spectral", (3, 4)), n_lambdas=5)
    assert not fit.status.any()


def test_a_penalty_of_a_user_may_tell_its_tangents():
    class Sizes:
        def value(self, b):
            return np.abs(b).sum()

        def prox(self, v, t):
            return np.sign(v) * np.maximum(np.abs(v) - t, 0.0)

        def polar(self, z):
            return np.abs(z).max()

        def tangent(self, b):
            return P.L1().over(len(b)).tangent(b)

    fit = ss.path(X, Y, penalty=Sizes(), tol=1e-12, n_lambdas=5)
    lasso = ss.path(X, Y, standardize=False, tol=1e-12, lambdas=fit.lambdas)
    assert not fit.status.any()
    assert fit.coefs.toarray() == pytest.approx(lasso.coefs.toarray(), abs=1e-6)


def test_newton_steps_wait_until_proximal_steps_have_cost_as_much(monkeypatch):
    """A support of 300 and 40 rows: a Newton step costs as much as many proximal ones."""
    rng, made = np.random.default_rng(0), []
    X = rng.standard_normal((40, 300))
    y = X @ rng.standard_normal(300)
    penalty = ss.penalties.TreeL2([range(150), range(150, 300)])
    step = tangent_newton.TangentNewton._newton_step
    monkeypatch.setattr(tangent_newton.TangentNewton, "_newton_step",
                        lambda self, lam: made.append(lam) or step(self, lam))  # fmt: skip
    counts = []
    for overhead in (1e12, 1.0):  # all steps cost the same; arithmetic is all
        monkeypatch.setattr(tangent_newton, "PROXIMAL_STEP_OVERHEAD", overhead)
        monkeypatch.setattr(tangent_newton, "NEWTON_STEP_OVERHEAD", overhead)
        made.clear()
        fit = ss.path(X, y, penalty=penalty, n_lambdas=8, solver="tangent_newton")
        assert fit.gaps.max() <= 1e-7
        counts.append(len(made))
    assert counts[0] > 8 > counts[1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize("penalty", [P.TotalVariation2D((3, 4)), P.TreeLinf([range(12), range(5)]),
                                     P.TraceNorm((3, 4))])  # fmt: skip
def test_without_a_penalty_it_is_least_squares(penalty, alpha):
    fit = ss.path(X, Y, penalty=penalty, alpha=alpha, lambdas=[0.1, 0.0], solver="tangent_newton",
                  tol=1e-12)  # fmt: skip
    rest = Y - Y.mean()
    centred = X - X.mean(axis=0)
    twin = np.linalg.lstsq(centred, rest, rcond=None)[0]
    assert fit.coef(0.0) == pytest.approx(twin, abs=1e-5)
