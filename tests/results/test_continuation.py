"""Lambdas that continue a path, and two paths of one problem made into one."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.results.continuation import extend, join, lambdas_below, solve_at

RNG = np.random.default_rng(5)
X = RNG.standard_normal((30, 6))
Y = X @ [2.0, -1, 0.5, 0, 0, 0] + RNG.standard_normal(30)
KINDS = (Y[:, None] > [0.0, 1.0]).sum(axis=1)
GRID = [1.0, 0.5, 0.25, 0.125]


def fitted(lambdas=GRID, y=Y, **options):
    return ss.path(X, y, lambdas=lambdas, tol=1e-12, stop=None, **options)


def stopped(count, **options):
    """A path that ended after `count` of its lambdas."""
    return dataclasses.replace(fitted(GRID[:count]), options=options)


@pytest.mark.parametrize("count, asked, wanted", [
    (4, {"n_lambdas": 2}, [1 / 16, 1 / 32]),
    (3, {"n_lambdas": 1}, [1 / 8]),
    (4, {"lambda_min_ratio": 1 / 32}, [1 / 16, 1 / 32]),  # the end lies on the grid: no more
    (4, {"lambda_min_ratio": 1 / 33}, [1 / 16, 1 / 32, 1 / 64]),
    (4, {"lambda_min_ratio": 1 / 31}, [1 / 16, 1 / 32]),
    (4, {"lambda_min_ratio": 0.12}, [1 / 16]),
    (4, {"lambda_min_ratio": 1e-3, "n_lambdas": 3}, np.geomspace(0.125, 1e-3, 4)[1:]),
    (1, {"lambda_min_ratio": 0.25, "n_lambdas": 2}, [0.5, 0.25]),
])  # fmt: skip
def test_lambdas_asked_for(count, asked, wanted):
    given = {"n_lambdas": None, "lambda_min_ratio": None, **asked}
    assert lambdas_below(fitted(GRID[:count]), **given) == pytest.approx(wanted, rel=1e-14)


def test_lambdas_of_another_scale_follow_their_own_first():
    path = fitted([8.0, 0.5, 0.25])
    found = lambdas_below(path, None, 1 / 64)  # of 8, at the ratio of the last two
    assert found == pytest.approx([0.125])
    tiny = dataclasses.replace(path, lambdas=np.array([1.0, 1e-200, 0.5e-300]))
    assert lambdas_below(tiny, 5, None) == pytest.approx([])  # 0 at once: underflow


@pytest.mark.parametrize("count, options, wanted", [
    (2, {"n_lambdas": 4}, [0.25, 0.125]),
    (3, {"n_lambdas": 4, "lambdas": None}, [0.125]),
    (2, {"lambdas": [0.2, 3.0, 0.5, 1.0, 0.2, 0.3]}, [0.3, 0.2]),
    (2, {"lambdas": np.array([1.0, 0.5, 0.0]), "n_lambdas": 9}, [0.0]),
])  # fmt: skip
def test_what_the_fit_did_not_reach(count, options, wanted):
    assert lambdas_below(stopped(count, **options), None, None) == pytest.approx(wanted)


COMPLETE = "The path is complete; say how far to extend it by n_lambdas or lambda_min_ratio"


@pytest.mark.parametrize("path, asked, sentence", [
    (stopped(2), {}, COMPLETE),
    (stopped(2, n_lambdas=2), {}, COMPLETE),
    (stopped(2, lambdas=[1.0, 0.5]), {}, COMPLETE),
    (dataclasses.replace(stopped(2), options=None), {}, COMPLETE),
    (fitted([0.5, 0.0]), {"n_lambdas": 1},
     "The path cannot be extended: it has no positive last lambda"),
    (fitted([0.5]), {"n_lambdas": 1}, "The path has one lambda and so no spacing to continue; "
     "give both n_lambdas and lambda_min_ratio"),
    (stopped(1, n_lambdas=3), {}, "The path has one lambda and so no spacing to continue; "
     "give both n_lambdas and lambda_min_ratio"),
    (fitted(), {"lambda_min_ratio": 0.125}, "The path already reaches 0.125 of its first lambda; "
     "lambda_min_ratio must be below that"),
    (fitted(), {"n_lambdas": 0}, "n_lambdas must be at least 1, not 0"),
    (fitted(), {"lambda_min_ratio": 1.0}, "lambda_min_ratio must be in (0, 1), not 1.0"),
    (fitted(), {"lambda_min_ratio": 0.0}, "lambda_min_ratio must be in (0, 1), not 0.0"),
])  # fmt: skip
def test_what_adds_nothing_is_refused(path, asked, sentence):
    with pytest.raises(ValueError) as caught:
        extend(path, X, Y, **asked)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("family, y", [("gaussian", Y), ("multinomial", KINDS)])
def test_an_extended_path_is_the_longer_path(family, y):
    whole, start = fitted(y=y, family=family), fitted(GRID[:2], y=y, family=family)
    longer = extend(start, X, y, n_lambdas=2)
    assert len(start.lambdas) == 2
    for name in ("lambdas", "df", "status"):
        assert getattr(longer, name).tolist() == getattr(whole, name).tolist()
    assert longer.dev_ratio == pytest.approx(whole.dev_ratio, rel=1e-10)
    assert longer.coef(GRID) == pytest.approx(whole.coef(GRID), abs=1e-5)
    assert longer.intercepts == pytest.approx(whole.intercepts, abs=1e-5)
    assert longer.options["lambdas"].tolist() == GRID
    assert longer.stop_reason == whole.stop_reason
    with pytest.raises(ValueError, match="The path is complete"):
        extend(longer, X, y)


def test_limits_of_the_fit_do_not_end_it_again():
    few = fitted(pmax=3)
    assert 0 < len(few.lambdas) < len(GRID)
    assert extend(few, X, Y).coef(0.125) == pytest.approx(fitted().coef(0.125), abs=1e-6)


def test_solving_at_a_lambda_leaves_the_others_as_they_are():
    path = fitted()
    assert solve_at(path, np.array([0.5, 1.0]), X, Y) is path
    for s in (np.array(0.3), np.array([0.3, 2.0, 0.5, 0.3])):
        found = solve_at(path, s, X, Y)
        assert found.lambdas.tolist() == sorted({*GRID, *np.ravel(s)}, reverse=True)
        old = np.isin(found.lambdas, GRID)
        assert (found.coefs.toarray()[:, old] == path.coefs.toarray()).all()
        assert found.coef(0.3) == pytest.approx(fitted([0.3]).coef(0.3), abs=1e-6)
    for data in ((None, Y), (X, None)):
        with pytest.raises(ValueError) as caught:
            solve_at(path, np.array(0.5), *data)
        assert str(caught.value) == (
            "exact=True fits again: give the data of the fit as X=X, y=y"
        )


def test_other_data_are_noticed():
    path = fitted()
    for X_, y, words in ((X[:, :5], Y, "X has 5 columns; the path was fitted to 6"),
                         (X, Y + Y**2, "data is not that of the fit: the last lambda explains .* "
                          f"of its deviance, and {path.dev_ratio[-1]:.9g} of the deviance"),
                         (X, Y * (1 + 1e-5), "not that of the fit"),
                         (X[::-1], Y, "not that of the fit")):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            solve_at(path, np.array(0.3), X_, y)
        with pytest.raises(ValueError, match=words):
            extend(path, X_, y, n_lambdas=1)


def test_a_path_of_steps_has_no_other_lambdas():
    steps = ss.omp_path(X, Y)
    for ask in (lambda: extend(steps, X, Y, n_lambdas=1),
                lambda: solve_at(steps, np.array(1e-3), X, Y)):  # fmt: skip
        with pytest.raises(ValueError) as caught:
            ask()
        assert str(caught.value) == (
            "A greedy path has its steps alone; fit it again, with more of them"
        )


@pytest.mark.parametrize("several", [False, True])
def test_joined_paths_are_in_order(several):
    odd, even = (fitted(lams, KINDS if several else Y, family="multinomial" if several else
                        "gaussian") for lams in ([0.9, 0.2], [0.7, 0.5, 0.1]))  # fmt: skip
    even = dataclasses.replace(even, stop_reason="that of the other")
    both = join(odd, even)
    order = [0.9, 0.7, 0.5, 0.2, 0.1]
    assert both.lambdas.tolist() == order and both.stop_reason == "that of the other"
    for lam, name in ((lam, name) for lam in order for name in ("df", "gaps", "n_iters")):
        source = odd if lam in odd.lambdas else even
        wanted = getattr(source, name)[source.lambdas == lam]
        assert getattr(both, name)[order.index(lam)] == wanted
        assert (both.coef(lam) == source.coef(lam)).all()
        assert np.all(both.intercept(lam) == source.intercept(lam))
    for matrix in both.coefs if several else [both.coefs]:
        assert isinstance(matrix, sparse.csc_array) and matrix.shape == (6, 5)
