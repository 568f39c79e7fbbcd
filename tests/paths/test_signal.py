"""Signals, whose X is the identity, and entries of matrices to be completed."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.paths import entries
from sparsesolve.penalties import GraphTV, TotalVariation, TotalVariation2D, TrendFilter, prox

RNG = np.random.default_rng(0)
N = 60
Y = np.repeat([0.0, 3.0, 1.0], N // 3) + 0.4 * RNG.normal(size=N) + 500.0
EDGES = [(i, i + 1) for i in range(N - 1)] + [(0, N - 1), (5, 40)]
IMAGE = np.zeros((8, 12))
IMAGE[2:5, 4:9] = 2.0
IMAGE += 0.3 * RNG.normal(size=IMAGE.shape)
SIGNALS = {
    "pieces": (TotalVariation(), Y), "weighted": (TotalVariation(RNG.uniform(0.5, 2, N - 1)), Y),
    "sparse": (TotalVariation(l1=0.3), Y - 500.0), "linear": (TrendFilter(1), Y),
    "quadratic": (TrendFilter(2), Y), "graph": (GraphTV(EDGES), Y),
    "apart": (GraphTV([e for e in EDGES if e[0] != 19 and e[1] < 50][:-1]), Y),
    "image": (TotalVariation2D(IMAGE.shape), IMAGE),
}  # fmt: skip


@pytest.fixture(scope="module", params=SIGNALS)
def signal(request):
    penalty, y = SIGNALS[request.param]
    return penalty, y, ss.path(None, y, penalty=penalty, tol=1e-10, n_lambdas=25)


def test_gaps_are_of_the_signal_itself(signal):
    """The duality gap by hand: P(b) - D(u), with u = (y - b) / n, made feasible."""
    penalty, y, fit = signal
    bound, values, n = penalty.over(y.size), y.ravel(), y.size
    for k in range(1, len(fit.lambdas), 5):
        lam, b = fit.lambdas[k], fit.coef(fit.lambdas[k])
        u = fit.dual(lam, None, y)
        u[np.abs(u) < 1e-20] = 0.0  # a place that no edge joins has no residual but rounding
        assert bound.polar(u) <= lam * (1.0 + 1e-9)
        primal = 0.5 * np.mean((values - b) ** 2) + lam * bound.value(b)
        dual = values @ u - 0.5 * n * (u @ u)
        null = fit.null_deviance / (2.0 * n)
        assert -1e-9 <= (primal - dual) / null <= fit.gaps[k] + 1e-9


def test_the_null_model_is_what_the_penalty_does_not_see(signal):
    penalty, y, fit = signal
    kernel, values = penalty.over(y.size).kernel(), y.ravel()
    K = np.zeros((y.size, 1)) if kernel is None else np.asarray(
        kernel.toarray() if sparse.issparse(kernel) else kernel)  # fmt: skip
    null = K @ np.linalg.lstsq(K, values, rcond=None)[0]
    np.testing.assert_allclose(fit.coef(fit.lambdas[0]), null, atol=1e-6)
    assert fit.null_deviance == pytest.approx(np.sum((values - null) ** 2))
    left = np.sum((values[:, None] - fit.coefs.toarray()) ** 2, axis=0)
    np.testing.assert_allclose(fit.dev_ratio, 1.0 - left / fit.null_deviance, atol=1e-9)
    assert not fit.intercepts.any()


def test_a_level_changes_nothing():
    low = ss.path(None, Y - 500.0, penalty=TotalVariation(), n_lambdas=20, tol=1e-11)
    high = ss.path(None, Y + 500.0, penalty=TotalVariation(), n_lambdas=20, tol=1e-11)
    np.testing.assert_allclose(high.coefs.toarray() - low.coefs.toarray(), 1000.0)
    np.testing.assert_array_equal(low.degrees, high.degrees)
    assert high.gaps.max() <= 1e-11


def test_pieces_are_counted_in_print(signal):
    _, y, fit = signal
    head = str(fit).splitlines()[0]
    assert f"{y.size} values" in head and f"Df counts {fit.counted}." in head
    assert fit.degrees[-1] > fit.degrees[0]
    assert f"{fit.degrees[-1]} {fit.counted} of {y.size} values" in repr(fit)


def test_exact_solutions_and_longer_paths(signal):
    penalty, y, fit = signal
    lam = np.sqrt(fit.lambdas[3] * fit.lambdas[4])
    expected = penalty.over(y.size).prox(y.ravel(), y.size * lam)
    np.testing.assert_allclose(fit.coef(lam, exact=True, y=y), expected, atol=2e-5)
    longer = fit.extend(None, y, n_lambdas=2)
    assert len(longer.lambdas) == len(fit.lambdas) + 2 and longer.gaps.max() <= 1e-10
    with pytest.raises(ValueError, match="data is not that of the fit"):
        fit.extend(None, 2.0 * y, n_lambdas=2)
    np.testing.assert_array_equal(fit.predict(s=lam), fit.coef(lam))


def test_relaxed_pieces_are_least_squares(signal):
    """Residuals have no part along the pieces, and pieces stay what they were."""
    _, y, fit = signal
    relaxed = ss.relax(fit, None, y)
    assert relaxed.gaps.max() <= 1e-9
    B, own, values = relaxed.coefs.toarray(), fit.coefs.toarray(), y.ravel()
    for k in range(0, len(relaxed.lambdas), 4):
        assert relaxed.degrees[k] <= fit.degrees[k]
        assert abs((values - B[:, k]) @ (own[:, k] - B[:, k])) <= 1e-6 * (values @ values)
        assert np.sum((values - B[:, k]) ** 2) <= np.sum((values - own[:, k]) ** 2) + 1e-9
    half = ss.relax(fit, None, y, gamma=0.25)
    L = len(relaxed.lambdas)
    np.testing.assert_allclose(half.coefs.toarray(), 0.25 * own[:, :L] + 0.75 * B, rtol=1e-9)
    left = np.sum((values[:, None] - B) ** 2, axis=0)
    np.testing.assert_allclose(relaxed.dev_ratio, 1.0 - left / fit.null_deviance, atol=1e-9)


def test_relaxed_pieces_are_means_with_weights():
    w = RNG.uniform(0.5, 2.0, N)
    fit = ss.path(None, Y, penalty=TotalVariation(), weights=w, n_lambdas=20)
    k = int(np.flatnonzero(fit.degrees == 3)[0])
    b, c = fit.coef(fit.lambdas[k]), ss.relax(fit, None, Y).coef(fit.lambdas[k])
    for value in np.unique(b):
        own = b == value
        np.testing.assert_allclose(c[own], np.average(Y[own], weights=w[own]))
    assert fit.coef(fit.lambdas[0])[0] == pytest.approx(np.average(Y, weights=w))


@pytest.mark.parametrize("penalty", [TotalVariation(), TrendFilter(1), GraphTV(EDGES[:-2])])
def test_a_value_of_no_weight_may_hold_anything(penalty):
    w = np.ones(N)
    w[25:28] = 0.0
    far = np.where(w > 0.0, Y, 9.0)
    one, other = (ss.path(None, y, penalty=penalty, weights=w, tol=1e-10, lambdas=[0.5, 0.1])
                  for y in (Y, far))  # fmt: skip
    np.testing.assert_allclose(one.coefs.toarray(), other.coefs.toarray(), rtol=1e-6)


def test_refit_by_pieces():
    pd = pytest.importorskip("pandas")
    y = pd.Series(Y, index=range(1901, 1901 + N))
    fit = ss.path(None, y, penalty=TotalVariation(), n_lambdas=40)
    k = int(np.flatnonzero(fit.degrees == 3)[-1])
    table = ss.refit(fit, None, y, fit.lambdas[k])
    b = fit.coef(fit.lambdas[k])
    starts = np.flatnonzero(np.diff(b, prepend=np.inf))
    ends = np.append(starts[1:], N)
    assert table.names == [str(1901 + i) if j == i + 1 else f"{1901 + i}-{1900 + j}"
                           for i, j in zip(starts, ends, strict=True)]  # fmt: skip
    means = [Y[i:j].mean() for i, j in zip(starts, ends, strict=True)]
    np.testing.assert_allclose(table.estimates, means)
    left = sum(np.sum((Y[i:j] - m) ** 2) for i, j, m in zip(starts, ends, means, strict=True))
    np.testing.assert_allclose(table.errors, np.sqrt(left / (N - 3) / (ends - starts)))
    names = ss.refit(ss.path(None, y, penalty=TrendFilter(1)), None, y, s=2.0).names
    assert names[:2] == ["polynomial 0", "polynomial 1"] and names[2].startswith("knot at 19")


def test_criteria_count_pieces():
    fit = ss.path(None, Y, penalty=TotalVariation(), n_lambdas=40)
    found = ss.criteria(fit, None, Y, noise_variance=0.16)
    left = np.sum((Y[:, None] - fit.coefs.toarray()) ** 2, axis=0)
    np.testing.assert_allclose(found["bic"], left / 0.16 + np.log(N) * fit.degrees)
    assert 3 <= fit.degrees[found["bic"].argmin()] <= 8


def test_a_signal_from_a_file_is_one(tmp_path):
    fit = ss.path(None, Y, penalty=TotalVariation(), n_lambdas=20)
    ss.save(fit, tmp_path / "signal.npz")
    loaded = ss.load(tmp_path / "signal.npz")
    np.testing.assert_array_equal(loaded.predict(None), fit.predict(None))
    assert str(loaded) == str(fit)
    best = ss.criteria(fit, None, Y, noise_variance=0.16)
    again = ss.criteria(loaded, None, Y, noise_variance=0.16)
    np.testing.assert_array_equal(again["bic"], best["bic"])
    for function in (ss.relax, partial(ss.refit, s=fit.lambdas[5])):
        with pytest.raises(ValueError, match="lacks its penalty"):
            function(loaded, None, Y)


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    pd = pytest.importorskip("pandas")
    fit = ss.path(None, pd.Series(Y, index=range(1901, 1901 + N)), penalty=TotalVariation())
    ax = fit.plot()
    assert ax.lines[0].get_xdata()[0] == 1901
    np.testing.assert_array_equal(ax.lines[-1].get_ydata(), fit.coefs.toarray()[:, -1])
    image = ss.path(None, IMAGE, penalty=TotalVariation2D(IMAGE.shape))
    axes = image.plot()
    last = axes[-1].images[0].get_array()
    np.testing.assert_array_equal(last, image.coefs.toarray()[:, -1].reshape(IMAGE.shape))
    assert len(axes) == 4 and f"{image.degrees[-1]} pieces" in axes[-1].get_title()
    assert len(image.plot(ax=axes[0])) == 1
    with pytest.raises(ValueError, match="no image"):
        fit.plot(by="image")
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("options, message", [
    ({}, "takes a penalty that compares neighbours"),
    ({"penalty": TotalVariation(), "family": "poisson"}, "squared error smooths"),
    ({"penalty": TotalVariation(), "offset": Y}, "offset is not for signals"),
    ({"penalty": TotalVariation(), "dfmax": 3}, "dfmax is not for signals"),
    ({"penalty": TotalVariation(), "standardize": True}, "leave standardize out"),
])  # fmt: skip
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        ss.path(None, Y, **options)


def test_bad_signals():
    with pytest.raises(ValueError, match=r"give penalty=penalties.TotalVariation2D\(\(8, 12\)\)"):
        ss.path(None, IMAGE, penalty=TotalVariation())
    with pytest.raises(ValueError, match=r"a signal is \(n,\), an image \(rows, columns\)"):
        ss.path(None, IMAGE[None], penalty=TotalVariation())
    with pytest.raises(TypeError, match="y .* holds text"):
        ss.path(None, ["up", "down"], penalty=TotalVariation())
    with pytest.raises(ValueError, match="y holds NaN or infinity at 3; fill gaps"):
        ss.path(None, np.where(np.arange(N) == 3, np.nan, Y), penalty=TotalVariation())
    with pytest.raises(ValueError, match="X is None, and y a signal, whose neighbours"):
        ss.cv_path(None, Y, penalty=TotalVariation())


def test_proxes_by_their_names():
    v, t = RNG.normal(size=12), 0.3
    np.testing.assert_array_equal(prox.tv1d(v, t), TotalVariation().prox(v, t))
    np.testing.assert_allclose(prox.l1(v, t), np.sign(v) * np.maximum(np.abs(v) - t, 0.0))
    length = np.linalg.norm(v[:6])
    np.testing.assert_allclose(
        prox.group_l2(v, [0] * 6 + [1] * 6, t, [1.0, 0.0]),
        np.append(v[:6] * max(1.0 - t / length, 0.0), v[6:]),
    )
    path = [(i, i + 1) for i in range(11)]
    np.testing.assert_allclose(prox.tv_graph(v, path, t), prox.tv1d(v, t), atol=1e-12)
    np.testing.assert_allclose(prox.tv2d(v[None], t)[0], prox.tv1d(v, t), atol=1e-12)
    np.testing.assert_allclose(prox.trend_filter(v, t, degree=0), prox.tv1d(v, t), atol=1e-9)
    with pytest.raises(ValueError, match="image has shape"):
        prox.tv2d(v, t)
    for own in (prox.l1, prox.tv1d, prox.trend_filter):
        with pytest.raises(ValueError, match="v holds NaN or infinity; fill gaps"):
            own([np.nan, 1.0, 2.0, 3.0], 1.0)
        with pytest.raises(ValueError, match="t must be a finite number of at least 0, not -1"):
            own([0.0, 1.0, 2.0, 3.0], -1)


def test_knots_of_a_fused_signal_are_where_its_path_bends():
    y = RNG.normal(size=12).repeat(2)
    w = RNG.uniform(0.2, 2.0, size=24) * (np.arange(24) != 7)
    knots, level = ss.paths.fused_knots(y, weights=w), np.average(y, weights=w)
    assert len(knots) == 11 and (np.diff(knots) < 0.0).all()
    options = {"penalty": TotalVariation(), "weights": w, "tol": 1e-13}
    ends = ss.path(None, y, lambdas=knots, **options).coefs.toarray()
    middles = ss.path(None, y, lambdas=0.5 * (knots[1:] + knots[:-1]), **options)
    np.testing.assert_allclose(ends[:, 0], level, atol=1e-6)
    for k, b in enumerate(middles.coefs.toarray().T):
        assert np.count_nonzero(np.abs(np.diff(b)) > 1e-7) == k + 1
        np.testing.assert_allclose(b, 0.5 * (ends[:, k] + ends[:, k + 1]), atol=1e-6)


def test_weights_of_knots_follow_the_labels_of_the_signal():
    pd = pytest.importorskip("pandas")
    y = pd.Series([0.0, 2.0, 1.0], index=list("abc"))
    w = pd.Series([1.0, 5.0, 2.0], index=list("abc"))
    found = ss.paths.fused_knots(y, weights=w[::-1])
    np.testing.assert_array_equal(found, ss.paths.fused_knots(y.to_numpy(), weights=[1, 5, 2]))


def test_knots_of_special_signals():
    assert ss.paths.fused_knots([3.0, 3.0]).size == 0 == ss.paths.fused_knots([1.0]).size
    # two steps of the same height go at the same time: 1 - 6 lam = 3 lam
    np.testing.assert_allclose(ss.paths.fused_knots([1e9, 1e9 + 1, 1e9]), [1 / 9] * 2)
    assert len(ss.paths.fused_knots(np.arange(50.0))) == 49
    for y, said in ((np.ones((2, 2)), "a signal is"), ([1.0, np.nan], "infinity at 1")):
        with pytest.raises(ValueError, match=said):
            ss.paths.fused_knots(y)


RNG_ENTRIES = np.random.default_rng(0)
M, K = 25, 18
WHOLE = RNG_ENTRIES.normal(size=(M, 2)) @ RNG_ENTRIES.normal(size=(2, K))
WHOLE += 0.1 * RNG_ENTRIES.normal(size=(M, K))
SEEN = RNG_ENTRIES.random((M, K)) < 0.6
Y_ENTRIES = np.where(SEEN, WHOLE, np.nan)


def shrunk(B, amount):
    u, d, v = np.linalg.svd(B, full_matrices=False)
    return (u * np.maximum(d - amount, 0.0)) @ v


def soft_impute(lambdas):
    """Fill the gaps with the last solution and shrink singular values, until nothing moves."""
    B = np.zeros((M, K))
    for lam in lambdas:
        for _ in range(20_000):
            new = shrunk(np.where(SEEN, WHOLE, B), lam * SEEN.sum())
            done = np.abs(new - B).max() < 1e-11
            B = new
            if done:
                break
        yield B.copy()


def test_the_solutions_are_those_of_soft_impute():
    X, y = entries(Y_ENTRIES)
    fit = ss.path(X, y, penalty=ss.penalties.TraceNorm((M, K)), intercept=False, n_lambdas=8,
                  lambda_min_ratio=0.05, stop=None, tol=1e-12)  # fmt: skip
    assert fit.gaps.max() <= 1e-12
    for lam, B in zip(fit.lambdas, soft_impute(fit.lambdas), strict=True):
        np.testing.assert_allclose(fit.coef(lam).reshape(M, K), B, atol=1e-5)
    first = np.linalg.norm(np.where(SEEN, WHOLE, 0.0), 2) / SEEN.sum()
    assert fit.lambdas[0] == pytest.approx(first)
    assert np.linalg.matrix_rank(fit.coef(fit.lambdas[3]).reshape(M, K), tol=1e-6) < K


def test_cross_validation_completes_the_matrix():
    X, y = entries(Y_ENTRIES)
    penalty = ss.penalties.TraceNorm((M, K))
    folds = np.arange(len(y)) % 5
    lambdas = np.geomspace(0.05, 5e-4, 12)
    cv = ss.cv_path(X, y, penalty=penalty, folds=folds, lambdas=lambdas, tol=1e-7)
    found = cv.intercept("lambda_min") + cv.coef("lambda_min").reshape(M, K)
    hidden = np.mean((found - WHOLE)[~SEEN] ** 2)
    assert hidden < 0.25 * np.var(WHOLE[~SEEN])
    held = folds == 2
    fold = ss.path(X[~held], y[~held], penalty=penalty, lambdas=lambdas, tol=1e-7)
    errors = ((y[held, None] - fold.predict(X[held])) ** 2).mean(axis=0)
    np.testing.assert_allclose(cv.fold_scores[2], errors, rtol=1e-2)


def test_kinds_of_matrices():
    X, y = entries(Y_ENTRIES)
    assert X.shape == (SEEN.sum(), M * K)
    np.testing.assert_array_equal(X @ WHOLE.ravel(), y)
    stored = sparse.coo_array((WHOLE[SEEN], np.nonzero(SEEN)), shape=(M, K))
    pandas = pytest.importorskip("pandas")
    for other in (stored, sparse.csr_matrix(stored), pandas.DataFrame(Y_ENTRIES),
                  Y_ENTRIES.tolist()):
        again, values = entries(other)
        np.testing.assert_array_equal(again @ WHOLE.ravel(), values)
        assert sorted(values) == sorted(y)


def test_refusals():
    for bad, said in [(np.full((2, 2), np.nan), "no observed entry"), ([1.0, 2.0], "a matrix"),
                      ([[1.0, np.inf]], "inf at row 0, column 1")]:  # fmt: skip
        with pytest.raises(ValueError, match=said):
            entries(bad)
