"""Paths of families with several responses, as a user sees them."""

import numpy as np
import pytest
import response_oracle as oracle

import sparsesolve as ss

N, P = 80, 15
NAMES = np.array(["ash", "beech", "oak"])


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((N, P))
    X, scores = Z * np.resize([1.0, 5.0, 0.2], P) + 1, Z[:, :4] @ rng.standard_normal((4, 3))
    codes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return X, codes, scores + rng.standard_normal(scores.shape)


def dense(fit):
    """Coefficients (K, p, L)."""
    return np.stack([matrix.toarray() for matrix in fit.coefs])


FORMS = [
    ("multinomial", {}), ("multinomial", {"grouped": True}), ("multigaussian", {}),
    ("multinomial", {"alpha": 0.5}), ("multigaussian", {"alpha": 0.5}),
]  # fmt: skip


def response(data, family):
    return NAMES[data[1]] if family == "multinomial" else data[2]


@pytest.mark.parametrize("family, options", FORMS)
def test_shapes_and_certificates_of_a_whole_path(data, family, options):
    X, y = data[0], response(data, family)
    fit = ss.path(X, y, family=family, tol=1e-8, **options)
    L = len(fit.lambdas)
    B = dense(fit)
    assert B.shape == (3, P, L) and fit.intercepts.shape == (3, L)
    assert fit.df.tolist() == (B != 0).any(axis=0).sum(axis=0).tolist()
    assert (fit.gaps <= 1e-8).all() and not fit.status.astype(int).any()
    assert fit.df[0] == 0 and (np.diff(fit.dev_ratio) > 0).all()
    Y = np.eye(3)[data[1]] if family == "multinomial" else y
    Z, form = (X - X.mean(axis=0)) / X.std(axis=0), {"family": family, **options}
    form["grouped"] = family == "multigaussian" or options.get("grouped", False)
    start = fit.intercepts[:, 0][:, None] * np.ones(N)
    null = oracle.loss(family, Y, np.full(N, 1 / N), start)[0]
    for k in range(0, L, 9):
        b = B[:, :, k] * X.std(axis=0)
        b0 = fit.intercepts[:, k] + B[:, :, k] @ X.mean(axis=0)
        gap = oracle.certificate(Z, Y, fit.lambdas[k], b0, b, **form)
        assert gap <= 1.01e-8 * null + 1e-12


@pytest.mark.parametrize("grouped", [False, True])
def test_predictions_are_probabilities_and_labels(data, grouped):
    X, codes, _ = data
    fit = ss.path(X, NAMES[codes], family="multinomial", grouped=grouped)
    assert fit.class_names.tolist() == NAMES.tolist()
    few = fit.lambdas[[5, 30]]
    eta = fit.predict(X, few)
    assert eta.shape == (N, 3, 2)
    p = fit.predict(X, few, kind="response")
    assert p.sum(axis=1) == pytest.approx(np.ones((N, 2)))
    assert p == pytest.approx(np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True))
    labels = fit.predict(X, few[1], kind="class")
    assert labels.tolist() == NAMES[eta[:, :, 1].argmax(axis=1)].tolist()
    assert (labels == NAMES[codes]).mean() > 0.7
    assert fit.intercepts.sum(axis=0) == pytest.approx(0.0, abs=1e-12)


def test_grouped_rows_enter_whole_and_ungrouped_ones_coefficient_by_coefficient(data):
    X, codes, reals = data
    for fit in (ss.path(X, codes, family="multinomial", grouped=True),
                ss.path(X, reals, family="multigaussian")):  # fmt: skip
        used = (dense(fit) != 0).sum(axis=0)
        assert set(np.unique(used)) <= {0, 3}
    used = (dense(ss.path(X, codes, family="multinomial")) != 0).sum(axis=0)
    assert used.max() <= 2  # a constant takes one of the three to 0 at no loss


def test_two_classes_are_the_logistic_path(data):
    X, codes, _ = data
    y = codes == 1
    one = ss.path(X, y, family="binomial", tol=1e-12)
    two = ss.path(X, y, family="multinomial", tol=1e-12, lambdas=one.lambdas)
    assert (two.coefs[1] - two.coefs[0]).toarray() == pytest.approx(one.coefs.toarray(), abs=1e-5)
    assert two.intercepts[1] - two.intercepts[0] == pytest.approx(one.intercepts, abs=1e-5)
    assert two.dev_ratio == pytest.approx(one.dev_ratio, abs=1e-9)


def test_counts_are_expanded_rows(data):
    X, _, _ = data
    counts = np.random.default_rng(0).integers(0, 4, (N, 3))
    counts[counts.sum(axis=1) == 0, 1] = 1
    options = {"family": "multinomial", "tol": 1e-12, "n_lambdas": 15, "stop": None}
    fit = ss.path(X, counts, **options)
    rows, codes = np.nonzero(counts)
    repeats = counts[rows, codes]
    again = ss.path(np.repeat(X[rows], repeats, axis=0), np.repeat(codes, repeats), **options)
    assert fit.lambdas == pytest.approx(again.lambdas)
    assert dense(fit) == pytest.approx(dense(again), abs=1e-5)


@pytest.mark.parametrize("family, options", FORMS)
def test_offsets_shift_the_link_and_are_asked_for(data, family, options):
    X, y = data[0], response(data, family)
    offset = np.random.default_rng(2).standard_normal((N, 3))
    fit = ss.path(X, y, family=family, offset=offset, n_lambdas=8, **options)
    lam = fit.lambdas[4]
    with pytest.raises(ValueError, match="offset"):
        fit.predict(X, lam)
    bare = fit.intercept(lam) + X @ fit.coef(lam).T
    assert fit.predict(X, lam, offset=offset) == pytest.approx(bare + offset)
    if family == "multigaussian":
        same = ss.path(X, y - offset, family=family, n_lambdas=8, **options)
        assert dense(fit) == pytest.approx(dense(same), abs=1e-9)


def test_paths_end_where_asked(data):
    X, codes, _ = data
    fit = ss.path(X, codes, family="multinomial", dfmax=3)
    assert fit.df[-1] > 3 >= fit.df[-2] and "dfmax" in fit.stop_reason
    fit = ss.path(X, codes, family="multinomial", pmax=3)
    assert fit.df.max() <= 3 and "pmax" in fit.stop_reason
    fit = ss.path(X, codes, family="multinomial", stop=lambda point: point.index == 4)
    assert len(fit.lambdas) == 5


@pytest.mark.parametrize("grouped", [False, True])
def test_separable_classes_end_the_path_and_overflow_nothing(grouped):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((30, 60))
    codes = X[:, :3].argmax(axis=1)
    fit = ss.path(X, codes, family="multinomial", grouped=grouped, lambda_min_ratio=1e-4)
    assert "deviance" in fit.stop_reason and fit.dev_ratio[-1] > 0.95
    assert np.isfinite(dense(fit)).all() and (fit.gaps < 1e-7).all()
    assert (fit.predict(X, fit.lambdas[-1], kind="class") == codes).all()


def test_a_class_of_a_lone_member():
    rng = np.random.default_rng(6)
    X, codes = rng.standard_normal((40, 4)), np.r_[2, np.resize([0, 1], 39)]
    for grouped in (False, True):
        fit = ss.path(X, codes, family="multinomial", grouped=grouped)
        assert (fit.gaps < 1e-7).all()


@pytest.mark.parametrize(
    "y, options, said",
    [
        ("classes", {"grouped": True, "lower": -1.0}, "grouped=False"),
        ("reals", {"family": "multigaussian", "upper": 1.0}, "tied"),
        ("classes", {"grouped": "yes"}, "grouped"),
        ("first", {"family": "gaussian", "grouped": True}, "grouped=True"),
        ("first", {"family": "multigaussian"}, "column per response"),
        ("classes", {"offset": np.zeros(N)}, "column per response"),
        ("classes", {"offset": np.zeros((N, 2))}, r"\(80, 3\)"),
        ("classes", {"weights": "without oak"}, "oak"),
        ("one", {}, "one class only"),
        ("reals", {"family": "multigaussian", "spoil": np.nan}, "nan"),
        ("classes", {"solver": "sufficient"}, "solver='sufficient' needs"),
        ("first", {"family": "gaussian", "solver": "response_blocks"}, "several responses"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(data, y, options, said):
    X, codes, reals = data
    options = {"family": "multinomial", **options}
    if options.get("weights") == "without oak":
        options["weights"] = (codes != 2).astype(float)
    if "spoil" in options:
        reals = reals.copy()
        reals[4, 1] = options.pop("spoil")
    y = {"classes": NAMES[codes], "reals": reals, "first": reals[:, 0], "one": ["a"] * N}[y]
    with pytest.raises((ValueError, TypeError), match=said):
        ss.path(X, y, **options)


@pytest.mark.parametrize("solver", ["fista", "sparsa", "ista"])
def test_limits_without_a_penalty_are_in_the_certificate(solver):
    rng = np.random.default_rng(26)
    X = rng.standard_normal((30, 2))
    y = (X @ rng.standard_normal((2, 3)) + rng.gumbel(size=(30, 3))).argmax(axis=1)
    given = {"family": "multinomial", "lambdas": [0.05], "standardize": False,
             "penalty_factor": [0, 1], "lower": -0.3, "upper": 0.5, "tol": 1e-9}  # fmt: skip
    ours, theirs = (ss.path(X, y, **given, solver=name) for name in (solver, "auto"))
    assert ours.dev_ratio == pytest.approx(theirs.dev_ratio, abs=1e-6)
    for a, b in zip(ours.coefs, theirs.coefs, strict=True):
        assert a.toarray() == pytest.approx(b.toarray(), abs=1e-3)


@pytest.mark.parametrize("solver", ["auto", "response_blocks"])
def test_a_ridge_grid_begins_at_the_largest_product_however_large(solver):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    X[:, 0] += 1e5
    y = rng.integers(0, 3, 60)
    fit = ss.path(X, y, family="multinomial", alpha=0, intercept=False, n_lambdas=4, solver=solver)
    Z = X / X.std(axis=0)
    share = (y[:, None] == np.arange(3)) - 1 / 3
    assert fit.lambdas[0] == pytest.approx(abs(Z.T @ share).max() / 60 / 1e-3, rel=1e-6)
