"""Sum: worked numbers, splittings of every penalty that has one, paths, responses, refusals."""

import pickle

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.penalties.splitting import splitting_of

RNG = np.random.default_rng(7)
X = RNG.standard_normal((70, 12))
TRUTH = np.outer([1.0, -1.0, 0.0, 0.0], [1.0, 1.0, 0.0]).ravel()
Y = X @ TRUTH + 0.5 * RNG.standard_normal(70)
LOW = P.Sum([P.L1(0.3), P.TraceNorm((4, 3))])


def test_worked_numbers():
    both = P.Sum([P.L1(0.5), P.TraceNorm((2, 2))])
    assert both.value([3, 0, 0, -4]) == 10.5
    assert both.polar([3.0, 0.0, 0.0, 0.0]) == pytest.approx(2.0)
    assert both.prox([3.0, 0, 0, -4], 1.0) == pytest.approx([1.5, 0, 0, -2.5], abs=1e-6)
    assert pickle.loads(pickle.dumps(both)).value([1.0, 0, 0, 0]) == 1.5
    assert P.Sum([P.TotalVariation(), P.TrendFilter()]).over(6).kernel().shape == (6, 1)
    assert P.Sum([P.TotalVariation(), P.L1()]).over(6).kernel() is None
    assert both.degrees(np.array([1.0, 0, 0, 0])) == 1


@pytest.mark.parametrize("penalty", [
    P.TotalVariation2D((3, 4), (1.0, 2.0), 0.3), P.TotalVariation2D((3, 4)),
    P.GraphTV([(0, 5), (2, 7), (11, 1)], [1.0, 0.0, 3.0]), P.OverlapLinf(P.window_groups(12, 3)),
    P.OverlapL2(P.interval_groups(12)), P.Slope(),
    P.Sum([P.L1(0.2), P.TotalVariation2D((3, 4)), P.OverlapL2(P.window_groups(12, 3))]),
], ids=lambda penalty: type(penalty).__name__)  # fmt: skip
def test_splittings_have_the_same_value_and_a_prox(penalty):
    own = penalty.over(12)
    A, psi, _ = splitting_of(own, 12)
    for b in RNG.standard_normal((5, 12)):
        assert psi.value(A @ b) == pytest.approx(own.value(b))
        s = A @ b
        at = psi.prox(s, 0.3)
        least = 0.5 * ((at - s) ** 2).sum() + 0.3 * psi.value(at)
        for other in at + 0.1 * RNG.standard_normal((20, len(s))):
            assert least <= 0.5 * ((other - s) ** 2).sum() + 0.3 * psi.value(other) + 1e-12


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_paths(family):
    y = Y if family == "gaussian" else Y > 0
    fit = ss.path(X, y, family=family, penalty=LOW, n_lambdas=5, lambda_min_ratio=0.1, tol=1e-6)
    assert not fit.status.any() and fit.gaps.max() <= 1e-6
    steps = ss.path(X, y, family=family, penalty=LOW, lambdas=fit.lambdas[:3], tol=1e-4,
                    solver="fista")  # fmt: skip
    assert steps.dev_ratio == pytest.approx(fit.dev_ratio[:3], abs=5e-3)


def test_the_same_as_a_sum_that_is_one_penalty():
    fit = ss.path(X, Y, penalty=P.TotalVariation(l1=0.5), n_lambdas=4, tol=1e-9)
    both = P.Sum([P.TotalVariation(), P.L1(0.5)])
    own = ss.path(X, Y, penalty=both, lambdas=fit.lambdas, tol=1e-7)
    assert not own.status.any()
    assert own.coefs.toarray() == pytest.approx(fit.coefs.toarray(), abs=2e-3)
    assert ss.path(X, Y, penalty=both, n_lambdas=2).lambdas[0] == pytest.approx(
        fit.lambdas[0], rel=1e-4)  # fmt: skip


def test_several_responses():
    Z = np.column_stack([Y, -Y + 0.1 * RNG.standard_normal(70)])
    both = P.Sum([P.L1(0.3), P.TraceNorm()])
    fit = ss.path(X, Z, family="multigaussian", penalty=both, n_lambdas=4, tol=1e-5,
                  lambda_min_ratio=0.1)  # fmt: skip
    assert fit.gaps.max() <= 1e-5
    assert np.linalg.matrix_rank(fit.coef(fit.lambdas[1]), tol=1e-3) == 1


@pytest.mark.parametrize("terms, kind, sentence", [
    ([], TypeError, "terms must be a list of penalties"),
    (P.L1(), TypeError, "terms must be a list of penalties"),
    ([P.L1(), 3], TypeError, r"terms\[1\] is 3, which has no method value"),
    ([P.L1(), P.Berhu()], TypeError, "Berhu is no norm"),
    ([P.L1(), P.TraceNorm((5, 5))], ValueError, r"shape \(5, 5\) does not have 4 entries"),
])  # fmt: skip
def test_what_is_refused(terms, kind, sentence):
    with pytest.raises(kind, match=sentence):
        P.Sum(terms).value(np.ones(4))
