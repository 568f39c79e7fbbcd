"""Path: what can be asked of a fitted path, on lassos whose solution is known in closed form."""

import dataclasses
import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from random_sparse import random_csc
from scipy import sparse

import sparsesolve as ss
from sparsesolve.result import ConvergenceWarning, Path, Status

# Orthogonal columns of mean 0 and mean square 1: the lasso is soft thresholding of X'y/n.
X = np.array(
    [[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]]
    + [[-1, 1, 1], [-1, 1, -1], [-1, -1, 1], [-1, -1, -1]],
    dtype=float,
)
TRUE = np.array([3.0, -2.0, 0.5])
y = X @ TRUE + 10.0


def soft_path(
    X,
    y,
    *,
    lambdas=None,
    n_lambdas=4,
    lambda_min_ratio=0.1,
    stop="deviance",
    dfmax=None,
    pmax=None,
    family="gaussian",
    offset=None,
    weights=None,
    names=None,
):
    """A fitter in closed form with the keywords of sparsesolve.path that matter here."""
    options = dict(locals())
    del options["X"], options["y"]
    z = np.asarray(X).T @ (y - y.mean()) / len(y)
    top = np.abs(z).max()
    if lambdas is None:
        lambdas = np.geomspace(top, lambda_min_ratio * top, n_lambdas)
    lambdas = np.asarray(lambdas, dtype=float)
    if dfmax is not None:
        lambdas = lambdas[[(np.abs(z) > lam).sum() <= dfmax for lam in lambdas]]
    b = np.sign(z)[:, None] * np.maximum(np.abs(z)[:, None] - lambdas, 0.0)
    eta = y.mean() + np.asarray(X) @ b
    null = float(((y - y.mean()) ** 2).sum())
    return Path(
        lambdas=lambdas,
        coefs=sparse.csc_array(b),
        intercepts=np.full(len(lambdas), y.mean()),
        df=(b != 0.0).sum(axis=0),
        dev_ratio=1.0 - ((y[:, None] - eta) ** 2).sum(axis=0) / null,
        null_deviance=null,
        gaps=np.full(len(lambdas), 1e-12),
        n_iters=np.ones(len(lambdas), dtype=int),
        status=np.zeros(len(lambdas), dtype=np.int8),
        stop_reason="all lambdas solved",
        family=family,
        feature_names=names,
        options=options,
        fitter=soft_path,
    )


def soft(lam):
    return np.sign(TRUE) * np.maximum(np.abs(TRUE) - lam, 0.0)


def softmany(lams):
    return np.stack([soft(lam) for lam in lams], axis=1)


fit = soft_path(X, y, lambdas=[3.0, 2.0, 1.0])


def many_classes():
    """A hand-made path of three classes, two features and two lambdas."""
    coefs = [
        sparse.csc_array(np.array(b, dtype=float))
        for b in ([[0, 1], [0, 0]], [[0, 0], [0, -1]], [[0, -1], [0, 0]])
    ]
    return Path(
        lambdas=np.array([2.0, 1.0]),
        coefs=coefs,
        intercepts=np.array([[0, 0], [1, 1], [0, 0.5]]),
        df=np.array([0, 2]),
        dev_ratio=np.array([0, 0.5]),
        null_deviance=1.0,
        gaps=np.zeros(2),
        n_iters=np.ones(2, int),
        status=np.zeros(2, np.int8),
        stop_reason="",
        family="multinomial",
        class_names=np.array(["a", "b", "c"]),
    )


# Status, freezing, pickling


def test_status_members_are_codes_with_a_sentence():
    assert [status.value for status in Status] == [0, 1, 2, 3]
    assert Status(1) is Status.MAX_ITER == 1
    assert all(status.sentence for status in Status)
    assert_array_equal(fit.status == Status.CONVERGED, [True] * 3)
    assert fit.status[0].sentence == Status.CONVERGED.sentence
    assert issubclass(ConvergenceWarning, UserWarning)


def test_a_path_is_frozen_and_the_givers_arrays_are_not():
    given = np.array([3.0, 1.0])
    path = soft_path(X, y, lambdas=given)
    given[0] = 4.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.lambdas = given
    for array in (path.lambdas, path.df, path.status, path.coefs.data, path.coefs.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_pickled_path_is_the_same_and_frozen():
    copy = pickle.loads(pickle.dumps(fit))
    assert_array_equal(copy.coefs.toarray(), fit.coefs.toarray())
    assert copy.status[0] is Status.CONVERGED
    assert copy.fitter is soft_path or copy.fitter.__name__ == "soft_path"
    assert not copy.lambdas.flags.writeable
    assert_allclose(copy.coef(1.5), fit.coef(1.5))


# coef, intercept, nonzero


def test_coef_between_lambdas_is_linear_and_held_at_the_ends():
    assert_allclose(fit.coef(2.5), [0.5, 0, 0])
    assert_allclose(fit.coef(1.25), soft(1.25))
    assert_array_equal(fit.coef(50.0), 0.0)
    assert_array_equal(fit.coef(0.0), fit.coef(1.0))


def test_coef_at_a_lambda_of_the_path_is_the_solution_itself():
    odd = soft_path(X, y, lambdas=[2.9, 1.7, 0.3, 0.1])
    for k, lam in enumerate(odd.lambdas):
        assert_array_equal(odd.coef(lam), odd.coefs.toarray()[:, k])
    assert_array_equal(odd.coef(odd.lambdas), odd.coefs.toarray())


def test_shapes_of_coef_and_intercept():
    assert fit.coef(1.5).shape == (3,)
    assert fit.coef([1.5]).shape == (3, 1)
    assert fit.coef([1.0, 2.5, 2.5, 9.0]).shape == (3, 4)
    assert fit.coef(np.array([])).shape == (3, 0)
    assert fit.coef() is fit.coefs
    assert fit.intercept() is fit.intercepts
    assert isinstance(fit.intercept(1.5), float)
    assert_allclose(fit.intercept([1.5, 9.0]), 10.0)


def test_s_of_one_lambda_is_held_everywhere():
    one = soft_path(X, y, lambdas=[1.0])
    assert_array_equal(one.coef([0.0, 1.0, 5.0]), soft(1.0)[:, None].repeat(3, axis=1))


def test_lambda_zero_is_a_lambda_like_others():
    path = soft_path(X, y, lambdas=[1.0, 0.0])
    assert_allclose(path.coef([0.0, 0.5]), np.stack([TRUE, (TRUE + soft(1.0)) / 2], axis=1))


def test_nonzero_interpolates_too():
    assert_array_equal(fit.nonzero(2.5), [0])
    assert_array_equal(fit.nonzero(1.5), [0, 1])
    assert_array_equal(fit.nonzero(3.0), [])
    assert [found.tolist() for found in fit.nonzero()] == [[], [0], [0, 1]]
    assert [found.tolist() for found in fit.nonzero([1.0, 3.5])] == [[0, 1], []]


@pytest.mark.parametrize(
    "s, error, words",
    [
        (-1.0, ValueError, "at least 0"),
        (np.nan, ValueError, "nan at position 0"),
        ([1.0, np.nan], ValueError, "position 1"),
        ("lambda_1se", TypeError, "as numbers"),
        ([[1.0]], ValueError, "shape"),
        ([1.0, [2.0]], TypeError, "as numbers"),
    ],
)
@pytest.mark.parametrize("ask", [fit.coef, fit.intercept, fit.nonzero])
def test_a_bad_s_is_refused(ask, s, error, words):
    with pytest.raises(error, match=words):
        ask(s)


def test_an_empty_path_says_so():
    empty = soft_path(X, y, lambdas=[])
    with pytest.raises(ValueError, match="no solution"):
        empty.coef(1.0)
    assert empty.nonzero() == []
    assert empty.predict(X).shape == (8, 0)
    assert "no lambda" in repr(empty) and str(empty)


# predict


DESIGNS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: X.astype(int),
    "list": lambda X: X.tolist(),
    "csc": sparse.csc_array,
    "csr": sparse.csr_matrix,
    "coo": sparse.coo_array,
}


@pytest.mark.parametrize("make", DESIGNS.values(), ids=DESIGNS)
def test_predict_on_every_storage(make):
    design = make(X)
    s = [2.5, 1.5, 0.0]
    expected = 10.0 + X @ fit.coef(s)
    assert_allclose(fit.predict(design, s), expected)
    assert_allclose(fit.predict(design, 1.5), expected[:, 1])
    assert_allclose(fit.predict(design), 10.0 + X @ fit.coefs.toarray())
    assert_allclose(fit.predict(design, s, kind="response"), expected)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_predict_on_frames_checks_the_names(library):
    frames = pytest.importorskip(library)
    named = dataclasses.replace(fit, feature_names=np.array(["u", "v", "w"]))
    frame = frames.DataFrame({"u": X[:, 0], "v": X[:, 1], "w": X[:, 2]})
    assert_allclose(named.predict(frame, 1.5), fit.predict(X, 1.5))
    assert_allclose(fit.predict(frame, 1.5), fit.predict(X, 1.5))
    assert_allclose(named.predict(X, 1.5), fit.predict(X, 1.5))
    with pytest.raises(ValueError, match="Column 1 .*'w'.*'v'.*another order"):
        named.predict(frame[["u", "w", "v"]], 1.5)
    other = frames.DataFrame({"u": X[:, 0], "v": X[:, 1], "z": X[:, 2]})
    with pytest.raises(ValueError, match="Column 2 .*'z'.*'w'.*other columns"):
        named.predict(other, 1.5)


def test_predict_of_no_rows():
    assert fit.predict(X[:0], [1.0, 2.0]).shape == (0, 2)


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
def test_predict_refuses_other_columns(make):
    with pytest.raises(ValueError, match="X has 2 columns; the path was fitted to 3"):
        fit.predict(make(X[:, :2]))
    with pytest.raises(ValueError, match="reshape"):
        fit.predict(X[0])


def test_predict_reads_only_the_columns_in_use():
    holed = X.copy()
    holed[5, 2] = np.nan  # never selected
    assert_allclose(fit.predict(holed, 1.0), fit.predict(X, 1.0))
    holed[4, 0] = np.nan
    with pytest.raises(ValueError, match="nan at row 4, column 0"):
        fit.predict(holed, 1.0)


def test_predict_adds_an_offset_and_asks_for_one_where_the_fit_had_it():
    offset = np.arange(8.0)
    assert_allclose(fit.predict(X, 1.0, offset=offset), fit.predict(X, 1.0) + offset)
    with_offset = soft_path(X, y, offset=offset)
    with pytest.raises(ValueError, match="offset"):
        with_offset.predict(X)
    assert with_offset.predict(X, offset=offset).shape == (8, 4)
    with pytest.raises(ValueError, match="offset"):
        fit.predict(X, 1.0, offset=offset[:3])


def test_kinds_of_prediction():
    assert_array_equal(fit.predict(kind="nonzero", s=1.0), [0, 1])
    with pytest.raises(ValueError, match="kind is 'clas'; choose one of 'link'"):
        fit.predict(X, kind="clas")
    with pytest.raises(ValueError, match="no classes"):
        fit.predict(X, kind="class")
    with pytest.raises(ValueError, match="X is missing"):
        fit.predict(s=1.0)
    poisson = dataclasses.replace(fit, family="poisson", intercepts=np.zeros(3))
    assert_allclose(poisson.predict(X, 1.0, kind="response"), np.exp(X @ soft(1.0)))
    binomial = dataclasses.replace(
        fit, family="binomial", intercepts=np.zeros(3), class_names=np.array(["no", "yes"])
    )
    eta = X @ soft(1.0)
    assert_allclose(binomial.predict(X, 1.0, kind="response"), 1 / (1 + np.exp(-eta)))
    assert_array_equal(binomial.predict(X, 1.0, kind="class"), np.where(eta > 0, "yes", "no"))


def test_several_classes_come_first_in_coef_and_second_in_predict():
    path, new = many_classes(), np.array([[4.0, 0.0], [0.0, -4.0]])
    assert path.coef(1.5).shape == (3, 2)
    assert_allclose(path.coef([2.0, 1.5])[:, 0, :], [[0, 0.5], [0, 0], [0, -0.5]])
    assert_allclose(path.intercept([2.0, 1.5]), [[0, 0], [1, 1], [0, 0.25]])
    assert_array_equal(path.nonzero(1.0), [0, 1])
    assert_allclose(path.predict(new, 1.0), [[4, 1, -3.5], [0, 5, 0.5]])
    assert path.predict(new).shape == (2, 3, 2)
    assert_allclose(path.predict(new, kind="response").sum(axis=1), 1.0)
    assert_array_equal(path.predict(new, 1.0, kind="class"), ["a", "b"])
    shifted = path.predict(new, 1.0, offset=np.array([[0, 9, 0], [9, 0, 0.0]]))
    assert_allclose(shifted, [[4, 10, -3.5], [9, 5, 0.5]])


# exact and extend


def test_exact_solves_between_the_lambdas():
    s = [2.75, 0.25, 2.0]
    assert_allclose(fit.coef(s, exact=True, X=X, y=y), softmany(s))
    assert_allclose(fit.coef(0.25, exact=True, X=X, y=y), soft(0.25))
    assert_allclose(fit.intercept(0.25, exact=True, X=X, y=y), 10.0)


def test_exact_needs_no_fit_at_a_lambda_of_the_path():
    def refuse(*args, **options):
        raise AssertionError("a fit that was not needed")

    path = dataclasses.replace(fit, fitter=refuse)
    assert_array_equal(path.coef([3.0, 1.0], exact=True, X=X, y=y), fit.coef([3.0, 1.0]))


def test_exact_goes_beyond_what_ended_the_path():
    short = soft_path(X, y, lambdas=[3.0, 2.5, 1.0], dfmax=1)
    assert len(short.lambdas) == 2
    assert_allclose(short.coef(0.1, exact=True, X=X, y=y), soft(0.1))


def test_exact_asks_for_the_data_of_the_fit():
    with pytest.raises(ValueError, match="X=X, y=y"):
        fit.coef(1.5, exact=True)
    with pytest.raises(ValueError, match="not that of the fit"):
        fit.coef(1.5, exact=True, X=X, y=2 * y)
    with pytest.raises(ValueError, match="not that of the fit"):
        fit.coef(1.5, exact=True, X=X[::-1] + X[:, ::-1], y=y)
    with pytest.raises(ValueError, match="2 columns"):
        fit.coef(1.5, exact=True, X=X[:, :2], y=y)


def test_extend_keeps_the_spacing():
    path = soft_path(X, y, n_lambdas=3, lambda_min_ratio=0.25)
    longer = path.extend(X, y, n_lambdas=2)
    assert_allclose(longer.lambdas, 3.0 * 0.5 ** np.arange(5))
    assert_allclose(longer.coefs.toarray(), softmany(longer.lambdas), atol=1e-12)
    assert_allclose(longer.df, [0, 2, 2, 3, 3])
    assert len(longer.gaps) == len(longer.n_iters) == len(longer.status) == 5
    assert len(path.lambdas) == 3  # the old path stays
    assert_allclose(longer.extend(X, y, n_lambdas=1).lambdas[-1], 3.0 / 32)


def test_extend_down_to_a_ratio():
    path = soft_path(X, y, n_lambdas=3, lambda_min_ratio=0.25)
    assert_allclose(path.extend(X, y, lambda_min_ratio=1 / 16).lambdas[-1], 3.0 / 16)
    assert_allclose(path.extend(X, y, lambda_min_ratio=0.06).lambdas[-1], 3.0 / 32)
    both = path.extend(X, y, lambda_min_ratio=0.01, n_lambdas=7)
    assert_allclose(both.lambdas[2:], np.geomspace(0.75, 0.03, 8))


def test_extend_without_arguments_completes_what_was_asked_for():
    stopped = soft_path(X, y, n_lambdas=5, lambda_min_ratio=1 / 16, dfmax=2)
    assert len(stopped.lambdas) == 3
    whole = stopped.extend(X, y)
    assert_allclose(whole.lambdas, 3.0 * 0.5 ** np.arange(5))
    with pytest.raises(ValueError, match="complete"):
        whole.extend(X, y)
    own = soft_path(X, y, lambdas=[3.0, 2.5, 1.0, 0.2], dfmax=1)
    assert_allclose(own.extend(X, y).lambdas, [3.0, 2.5, 1.0, 0.2])


def test_extend_several_classes():
    kind = np.digitize(y, [8.0, 11.0])
    path = ss.path(X, kind, family="multinomial", lambdas=[0.2, 0.1])
    longer = path.extend(X, kind, n_lambdas=2)
    assert_allclose(longer.lambdas, [0.2, 0.1, 0.05, 0.025])
    whole = ss.path(X, kind, family="multinomial", lambdas=longer.lambdas)
    assert_allclose(longer.coef(0.025), whole.coef(0.025), atol=1e-4)
    assert longer.intercepts.shape == (3, 4)


@pytest.mark.parametrize(
    "asked, words",
    [
        ({"n_lambdas": 0}, "n_lambdas"),
        ({"lambda_min_ratio": 1.5}, "lambda_min_ratio"),
        ({"lambda_min_ratio": 0.9}, "already reaches"),
        ({}, "complete"),
    ],
)
def test_extend_refuses_what_adds_nothing(asked, words):
    with pytest.raises(ValueError, match=words):
        fit.extend(X, y, **asked)


def test_extend_refuses_paths_without_a_next_lambda():
    with pytest.raises(ValueError, match="positive last lambda"):
        soft_path(X, y, lambdas=[1.0, 0.0]).extend(X, y, n_lambdas=1)
    one = soft_path(X, y, lambdas=[1.0])
    with pytest.raises(ValueError, match="no spacing"):
        one.extend(X, y, n_lambdas=1)
    assert_allclose(one.extend(X, y, n_lambdas=1, lambda_min_ratio=0.5).lambdas, [1.0, 0.5])


# in words


def test_print_is_glmnets_table_with_the_certificate():
    lines = str(soft_path(X, y, lambdas=[3.0, 2.0, 0.25])).splitlines()
    assert lines[0] == "gaussian path: 3 lambdas, 3 features; all lambdas solved."
    assert lines[2].split() == ["Df", "%Dev", "Lambda", "Gap"]
    assert lines[4].split() == [
        "1",
        "1",
        f"{100 * (1 - (4 + 4 + 0.25) / 13.25):.2f}",
        "2.0000",
        "1.0e-12",
    ]
    assert [line.split()[3] for line in lines[3:]] == ["3.0000", "2.0000", "0.2500"]
    assert len({len(line) for line in lines[2:]}) == 1


def test_print_marks_the_lambdas_that_missed_the_tolerance():
    path = dataclasses.replace(fit, status=[0, 1, 2], gaps=np.array([1e-9, 2e-3, 1e-5]))
    lines = str(path).splitlines()
    assert lines[4].endswith("2.0e-03*") and lines[5].endswith("1.0e-05*")
    assert lines[6:] == [f"* 1 lambda: {Status(k).sentence}" for k in (1, 2)]
    assert "1.0e-05*" in path._repr_html_()


def test_tiny_and_wide_ranges_of_lambda_stay_readable():
    tiny = dataclasses.replace(fit, lambdas=np.array([3e-11, 2e-11, 1e-12]))
    assert [line.split()[3] for line in str(tiny).splitlines()[3:]] == [
        "3.000e-11",
        "2.000e-11",
        "1.000e-12",
    ]
    zero = dataclasses.replace(fit, lambdas=np.array([123456.0, 12.0, 0.0]))
    assert [line.split()[3] for line in str(zero).splitlines()[3:]] == [
        "123500.00",
        "12.00",
        "0.00",
    ]


def test_repr_is_one_line():
    assert repr(fit) == (
        "<Path gaussian: 3 lambdas from 3 to 1, 2 of 3 features at the end, "
        f"{100 * fit.dev_ratio[-1]:.1f}% deviance explained, worst gap 1.0e-12>"
    )


def test_html_holds_the_table_and_escapes():
    path = dataclasses.replace(fit, stop_reason="dev < 1")
    page = path._repr_html_()
    assert page.count("<tr>") == 4 and "<th>Lambda</th>" in page
    assert "dev &lt; 1" in page


def test_nothing_is_printed_or_warned():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit.coef([0.5, 2.2]), fit.predict(X), fit.nonzero(), str(fit)


# With sparsesolve.path itself


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 25)) @ (np.eye(25) + 0.3)
    return X, X[:, :4] @ [2.0, -1.0, 1.0, 0.5] + rng.normal(size=60) + 5.0


OPTIONS = {
    "plain": {},
    "elastic net": {"alpha": 0.4},
    "ridge": {"alpha": 0.0},
    "weights and offset": {"weights": np.arange(1.0, 61.0), "offset": np.sin(np.arange(60.0))},
    "factors": {"penalty_factor": np.r_[0.0, np.inf, np.linspace(0.5, 2, 23)]},
    "limits": {"lower": 0.0, "upper": 1.0},
    "bare": {"intercept": False, "standardize": False},
}


@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_path_in_two_parts_is_the_path(data, options, store):
    X, y = store(data[0]), data[1]
    options = {"tol": 1e-12, "stop": None, **options}
    whole = ss.path(X, y, n_lambdas=20, lambda_min_ratio=0.01, **options)
    half = ss.path(X, y, lambdas=whole.lambdas[:12], **options)
    joined = half.extend(X, y, n_lambdas=8)
    assert_allclose(joined.lambdas, whole.lambdas)
    assert_allclose(joined.coefs.toarray(), whole.coefs.toarray(), atol=1e-5)
    assert_allclose(joined.intercepts, whole.intercepts, atol=1e-4)
    assert_allclose(joined.dev_ratio, whole.dev_ratio, atol=1e-9)
    assert joined.gaps.max() <= 1e-12
    s = np.sqrt(whole.lambdas[3] * whole.lambdas[4])
    alone = ss.path(X, y, lambdas=[s], **options)
    assert_allclose(half.coef(s, exact=True, X=X, y=y), alone.coef(s), atol=1e-6)
    assert_allclose(half.intercept(s, exact=True, X=X, y=y), alone.intercept(s), atol=1e-5)


def test_extend_completes_a_path_that_a_rule_ended(data):
    X, y = data
    early = ss.path(X, y, n_lambdas=30, dfmax=3, tol=1e-10)
    assert len(early.lambdas) < 30
    whole = ss.path(X, y, n_lambdas=30, stop=None, tol=1e-10)
    longer = early.extend(X, y)
    assert_allclose(longer.lambdas, whole.lambdas)
    assert_allclose(longer.coefs.toarray(), whole.coefs.toarray(), atol=1e-4)
    assert longer.stop_reason == whole.stop_reason


def test_predictions_reach_the_deviance_the_path_claims(data):
    X, y = data
    fit = ss.path(X, y)
    residuals = y[:, None] - fit.predict(X)
    null = ((y - y.mean()) ** 2).sum()
    assert_allclose(fit.null_deviance, null)
    assert_allclose(1 - (residuals**2).sum(axis=0) / null, fit.dev_ratio, atol=1e-10)


def test_a_real_path_is_pickled_with_its_fitter(data):
    X, y = data
    fit = ss.path(X, y, n_lambdas=5, stop=None)
    copy = pickle.loads(pickle.dumps(fit))
    assert_allclose(copy.coef(0.5, exact=True, X=X, y=y), fit.coef(0.5, exact=True, X=X, y=y))
    assert repr(copy) == repr(fit) and str(copy) == str(fit)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_of_a_frame_follow_the_path(data, library):
    frames = pytest.importorskip(library)
    X, y = data
    frame = frames.DataFrame({f"x{j}": X[:, j] for j in range(25)})
    fit = ss.path(frame, y, n_lambdas=5)
    assert fit.feature_names.tolist() == [f"x{j}" for j in range(25)]
    assert fit.extend(frame, y, n_lambdas=1).feature_names.tolist() == fit.feature_names.tolist()
    with pytest.raises(ValueError, match="another order"):
        fit.predict(frame[[f"x{j}" for j in range(24, -1, -1)]])


def test_a_wide_path_is_never_made_dense():
    """A path of 500,000 features and 50 lambdas would take 200 MB dense."""
    p = 500_000
    coefs = random_csc((p, 50), 2e-6, np.random.default_rng(0))
    wide = dataclasses.replace(
        soft_path(X, y, n_lambdas=50), coefs=coefs, df=np.diff(coefs.indptr)
    )
    rows = random_csc((3, p), 1e-4, np.random.default_rng(1)).tocsr()
    tracemalloc.start()
    predicted = wide.predict(rows)
    wide.nonzero(), wide.coef(1.0), str(wide), wide._repr_html_()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_allclose(predicted, 10.0 + (rows @ coefs).toarray())
    assert peak < 20e6
