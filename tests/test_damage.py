"""Every face that takes X refuses a damaged matrix before anything is converted: never a signal.

So does every function what cannot be data: NaN, infinities, text, files that were cut short.

Codes of missing values among small integers, or far from all other numbers, are told.
"""

import importlib
import inspect
import re
import warnings

import hostile_designs
import numpy as np
import pytest
from cases import estimators, response_of
from hostile_designs import REFUSED, N, P, put, truncated_map
from scipy import sparse
from test_hostile_lasso import assert_sentence, time_limit

import sparsesolve as ss

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(N, P)) * (RNG.random((N, P)) < 0.6)
GOOD = sparse.csr_array(DENSE)
Y = DENSE @ [1.0, -1.0, 0.5, 0.0, 0.0, 0.0] + RNG.normal(size=N)
CLASS, COUNT = (Y > 0).astype(int), np.exp(0.3 * Y).round() + 1.0
TIMES = np.column_stack([np.exp(-Y / 3), RNG.random(N) < 0.8])
LENGTHS = [5] * 4


def changed(form, **arrays):
    """A matrix of the form whose arrays are replaced; scipy checks nothing of them.

    Of an array it is told (position, value), or a slice to keep.
    """
    matrix = GOOD.asformat(form).copy()
    for name, change in arrays.items():
        array = getattr(matrix, name)
        setattr(matrix, name, array[change] if isinstance(change, slice) else put(array, *change))
    return matrix


def triplets(name, value):
    """COO keeps its rows and columns as coordinates."""
    matrix = GOOD.tocoo()
    coords = [part.copy() for part in matrix.coords]
    coords["row column".split().index(name)][3] = value
    matrix.coords = tuple(coords)
    return matrix


def masked():
    table = np.ma.array(DENSE.copy(), mask=np.zeros(DENSE.shape, bool))
    table.data[5, 0], table.mask[5, 0] = 1e6, True
    return table


DAMAGES = {
    "csr too large": lambda: changed("csr", indices=(3, P + 3)),
    "csr far too large": lambda: changed("csr", indices=(3, 2**30)),
    "csr negative": lambda: changed("csr", indices=(3, -1)),
    "csr pointers fall": lambda: changed("csr", indptr=(5, 90)),
    "csr pointers beyond": lambda: changed("csr", indptr=(-1, 10**6)),
    "csr pointers begin": lambda: changed("csr", indptr=(0, 2)),
    "csr pointers missing": lambda: changed("csr", indptr=slice(-1)),
    "csr values missing": lambda: changed("csr", data=slice(-9)),
    "csr indices missing": lambda: changed("csr", indices=slice(-9)),
    "csc too large": lambda: changed("csc", indices=(3, N + 3)),
    "csc negative": lambda: changed("csc", indices=(3, -7)),
    "csc pointers beyond": lambda: changed("csc", indptr=(-1, 10**6)),
    "coo rows too large": lambda: triplets("row", N),
    "coo columns too large": lambda: triplets("column", P + 2**20),
    "coo columns negative": lambda: triplets("column", -2),
    "masked": masked,
}


GIVEN_TO = {"real": Y, "classes": CLASS, "counts": COUNT, "times": TIMES,
            "tasks": np.column_stack([Y, Y**2])}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, kind", [*estimators("DesignEncoder")])  # which takes tables
def test_estimators_refuse_damage_in_every_method(name, kind):
    y, model = response_of(kind, **GIVEN_TO), kind()
    if "cv" in model.get_params():
        model.set_params(cv=2)
    if "probability" in model.get_params():
        model.set_params(probability=True)
    model.fit(DENSE, y)
    methods = [method for method, body in inspect.getmembers(kind, inspect.isfunction)
               if not method.startswith("_") and "X" in inspect.signature(body).parameters]
    assert {"fit"} < set(methods)
    for damage, make in DAMAGES.items():
        for method in methods:
            known = inspect.signature(getattr(kind, method)).parameters
            given = {"y": y} if "y" in known else {}
            if "classes" in known:
                given["classes"] = np.unique(y)
            with pytest.raises(ValueError, match="corrupt|masked"):
                getattr(model, method)(make(), **given)
                pytest.fail(f"{name}.{method} takes {damage}")


FIT = ss.path(DENSE, Y, n_lambdas=5)
COX = ss.path(DENSE, TIMES, family="cox", n_lambdas=5)
LAST = COX.lambdas[-1]  # where every column has a coefficient
TWO = ss.path(DENSE, CLASS, family="binomial", n_lambdas=5)
KNOTS, ONLINE = ss.lars_path(DENSE, Y, max_steps=1), ss.online(DENSE, Y, lam=0.1)
CHAIN = ss.crf_path(DENSE, CLASS, lengths=LENGTHS, lambdas=[0.1])
SPOM = ss.spom(DENSE, CLASS, lengths=LENGTHS, epochs=1, eta0=1.0)
TABLE = ss.mkl.build_grams(DENSE, [(ss.mkl.gaussian(1.0), None)])
KERNELS = ss.mkl_path(TABLE, Y, n_lambdas=3)
GRAM = DENSE @ DENSE.T
GIVEN = ss.mkl_path([GRAM], Y, n_lambdas=3)
BLOCKS = ss.spom({"k": GRAM}, CLASS, lengths=LENGTHS, epochs=1, eta0=1.0)
chains = ss.structured
FACES = {
    "path": lambda X: ss.path(X, Y),
    "path groups": lambda X: ss.path(X, Y, penalty=ss.penalties.GroupL2([0, 0, 1, 1, 2, 2])),
    "path several": lambda X: ss.path(X, np.column_stack([Y, Y]), family="multigaussian"),
    "cv_path": lambda X: ss.cv_path(X, Y, n_folds=3),
    "stability_path": lambda X: ss.stability_path(X, Y, n_pairs=2),
    "adaptive_factors": lambda X: ss.selection.adaptive_factors(X, Y),
    "adaptive_factors coefs": lambda X: ss.selection.adaptive_factors(X, Y, coefs=np.ones(P)),
    "lars_path": lambda X: ss.lars_path(X, Y),
    "omp_path": lambda X: ss.omp_path(X, Y, n_nonzero=2),
    "pretrained_path": lambda X: ss.paths.pretrained_path(X, Y, FIT, s=0.1, n_lambdas=5),
    "cooperative_path": lambda X: ss.paths.cooperative_path(X, Y, [0, 0, 1, 1, 1, 1], n_lambdas=5),
    "interaction_path": lambda X: ss.paths.interaction_path(X, Y, n_lambdas=5),
    "uni_lasso_path": lambda X: ss.paths.uni_lasso_path(X, Y, n_lambdas=5),
    "hard_threshold_path": lambda X: ss.paths.hard_threshold_path(X, Y, n_nonzero=2),
    "online": lambda X: ss.online(X, Y, lam=0.1),
    "online stream": lambda X: ss.online([(X, Y)], lam=0.1),
    "online svrg": lambda X: ss.online(X, Y, lam=0.1, method="svrg"),
    "online holdout": lambda X: ss.online(DENSE, Y, lam=0.1, holdout=(X, Y)),
    "more": lambda X: ss.online(DENSE, Y, lam=0.1).more(X, Y),
    "certify": lambda X: ONLINE.certify(X, Y),
    "online predict": lambda X: ONLINE.predict(X),
    "predict": lambda X: FIT.predict(X, 0.1),
    "survival": lambda X: COX.predict(X, LAST, "survival", data=(DENSE, TIMES)),
    "survival data": lambda X: COX.predict(DENSE, 0.1, "survival", data=(X, TIMES)),
    "concordance": lambda X: COX.concordance(X, TIMES, LAST),
    "dual": lambda X: FIT.dual(0.1, X, Y),
    "coef": lambda X: FIT.coef(0.1, exact=True, X=X, y=Y),
    "extend": lambda X: FIT.extend(X, Y, n_lambdas=1),
    "knots coef": lambda X: KNOTS.coef(0.01, exact=True, X=X, y=Y),
    "assess": lambda X: ss.assess(FIT, X, Y),
    "roc": lambda X: ss.roc(TWO, X, CLASS, 0.05),
    "confusion": lambda X: ss.confusion(TWO, X, CLASS, 0.05),
    "calibration": lambda X: ss.calibration(TWO, X, CLASS, 0.05),
    "refit": lambda X: ss.refit(FIT, X, Y, 0.1),
    "spacing": lambda X: ss.lars_path(DENSE, Y, method="lar", standardize=False).spacing(X, Y),
    "carve": lambda X: ss.inference.carve(X, Y, 0.1),
    "split": lambda X: ss.inference.split(X, Y, n_splits=2),
    "knockoffs": lambda X: ss.inference.knockoffs(X, Y),
    "selective": lambda X: ss.inference.selective(FIT, X, Y, FIT.lambdas[2]),
    "debiased": lambda X: ss.inference.debiased(X, Y, [0]),
    "relax": lambda X: ss.relax(FIT, X, Y),
    "criteria": lambda X: ss.criteria(FIT, X, Y),
    "at_radius": lambda X: ss.selection.at_radius(ss.path(DENSE, Y, standardize=False), 0.5, X, Y),
    "build_grams": lambda X: ss.mkl.build_grams(X, [(ss.mkl.linear(), None)]),
    "between": lambda X: TABLE.between(X),
    "kernels of a table": lambda X: KERNELS.predict(X, 0.1),
    "crf_path": lambda X: ss.crf_path(X, CLASS, lengths=LENGTHS, lambdas=[0.1]),
    "crf list": lambda X: ss.crf_path([DENSE, X], [CLASS, CLASS], lambdas=[0.1]),
    "cv_crf_path": lambda X: chains.cv_crf_path(X, CLASS, lengths=LENGTHS, lambdas=[0.1]),
    "max_margin": lambda X: chains.max_margin(X, CLASS, lengths=LENGTHS, lam=0.1, epochs=1),
    "spom": lambda X: ss.spom(X, CLASS, lengths=LENGTHS, epochs=1, eta0=1.0),
    "cv_spom": lambda X: chains.cv_spom(X, CLASS, lengths=LENGTHS, epochs=1, eta0=1.0),
    "structured pegasos": lambda X: chains.pegasos(X, CLASS, lengths=LENGTHS, lam=0.1, epochs=1),
    "wrapped_mkl": lambda X: chains.wrapped_mkl(X, CLASS, lengths=LENGTHS, lam=0.1, epochs=1),
    "crf predict": lambda X: CHAIN.predict(X, LENGTHS),
    "marginals": lambda X: CHAIN.marginals(X, LENGTHS),
    "crf score": lambda X: CHAIN.score(X, CLASS, LENGTHS),
    "report": lambda X: CHAIN.report(X, CLASS, LENGTHS),
    "log_likelihood": lambda X: CHAIN.log_likelihood(X, CLASS, LENGTHS),
    "spom predict": lambda X: SPOM.predict(X, LENGTHS),
    "spom factor": lambda X: ss.spom({"z": ss.mkl.LowRank(X)}, CLASS, lengths=LENGTHS, epochs=1,
                                     eta0=1.0),
    "hinge_risk": lambda X: ss.paths.bundle.hinge_risk(X, CLASS),
    "bundle pegasos": lambda X: ss.paths.bundle.pegasos(X, CLASS, 0.1, n_iter=3),
    "pragam": lambda X: ss.paths.bundle.pragam(X, CLASS, 0.1, n_iter=3),
    "sparse_code": lambda X: ss.sparse_code(X, np.eye(N), lam=0.1),
    "sparse_code D": lambda X: ss.sparse_code(np.ones((N, 2)), X, lam=0.1),
    "DictionaryLearning": lambda X: ss.DictionaryLearning(2, lam=0.1, n_epochs=1).fit(X),
    "partial_fit": lambda X: ss.DictionaryLearning(2, lam=0.1).partial_fit(X),
    "transform": lambda X: ss.DictionaryLearning(2, lam=0.1, n_epochs=1).fit(DENSE).transform(X),
}  # fmt: skip


NO_DATA = {name: lambda maker=maker: maker()["X"] for name, (maker, _) in REFUSED.items()
           if set(maker()) == {"X", "y"} and maker()["y"] is hostile_designs.Y}  # fmt: skip
NO_DATA["truncated"] = lambda: truncated_map()["X"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("face", FACES)
def test_functions_refuse_damage(face):
    for damage, make in DAMAGES.items():
        with pytest.raises((ValueError, TypeError), match="corrupt|masked|LowRank") as found:
            FACES[face](make())
            pytest.fail(f"{face} takes {damage}")
        assert "is a" in str(found.value)
    for name, data in NO_DATA.items():
        with time_limit(), warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((ValueError, TypeError)) as found:
                FACES[face](data())
                pytest.fail(f"{face} takes {name}")
        assert "sparsesolve" in str(found.traceback[-1].path), (name, found.value)
        assert_sentence(found.value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_kernels_of_any_format_are_checked(form):
    kernel = sparse.coo_array(GRAM).asformat(form)
    if form == "coo":
        kernel.coords = (kernel.coords[0], put(kernel.coords[1], 3, N))
    else:
        kernel.indices = put(kernel.indices, 3, N)
    for call in (
        lambda: ss.mkl_path([kernel], Y), lambda: ss.mkl.precomputed([kernel]),
        lambda: GIVEN.predict([kernel], GIVEN.lambdas[-1]),
        lambda: ss.spom({"k": kernel}, CLASS, lengths=LENGTHS, epochs=1, eta0=1.0),
        lambda: BLOCKS.predict({"k": kernel}, LENGTHS),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="corrupt"):
            call()


def unsorted():
    """A CSR matrix with columns in any order and an entry in two parts."""
    matrix = sparse.csr_array(GOOD)
    at = int(matrix.indptr[1])
    indices = np.concatenate([matrix.indices[:at][::-1], matrix.indices[:1], matrix.indices[at:]])
    data = np.concatenate([matrix.data[:at][::-1], [0.0], matrix.data[at:]])
    data[at] = 0.25 * data[at - 1]
    data[at - 1] *= 0.75
    indptr = matrix.indptr + (np.arange(N + 1) > 0)
    return sparse.csr_array((data, indices, indptr), shape=(N, P))


@pytest.mark.parametrize("face", ["Lasso", "SparseLogisticRegression", "OnlineRegressor"])
def test_unsorted_and_doubled_entries_are_summed(face):
    kind = getattr(importlib.import_module("sparsesolve.estimators"), face)
    y = response_of(kind, **GIVEN_TO)
    assert np.allclose(unsorted().toarray(), DENSE)
    model = kind(0.01).fit(unsorted(), y)
    np.testing.assert_allclose(model.coef_, kind(0.01).fit(GOOD, y).coef_, rtol=1e-7, atol=1e-9)
    fit = ss.online(unsorted(), Y, lam=0.1)
    np.testing.assert_allclose(fit.coef(), ss.online(GOOD, Y, lam=0.1).coef(), rtol=1e-12)


# Codes of missing values

GENES = RNG.integers(0, 3, (N, P)).astype(np.int8)


def coded(code, dtype):
    X = GENES.astype(dtype)
    X[3, 1] = code
    return X


@pytest.mark.parametrize("code, dtype", [
    (-127, np.int8), (-9, np.int8), (3, np.int8), (9, np.int8), (-1, np.int8), (255, np.uint8),
    (3, np.uint8), (-9, np.int64), (-9, np.int16), (255, np.int32), (9, np.int64),
])  # fmt: skip
def test_a_code_among_genotypes_is_refused(code, dtype):
    X = coded(code, dtype)
    estimators = importlib.import_module("sparsesolve.estimators")
    words = re.escape(f"X holds 0, 1, 2 and {code} at row 3, column 1")
    for call in (lambda: ss.path(X, Y), lambda: ss.cv_path(X, Y), lambda: ss.lars_path(X, Y),
                 lambda: ss.online(X, Y, lam=0.1), lambda: estimators.Lasso().fit(X, Y),
                 lambda: ONLINE.more(X, Y)):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            call()
    pandas = pytest.importorskip("pandas")
    for frame in (pandas.DataFrame(X), pandas.DataFrame(X).assign(age=Y)):
        with pytest.raises(ValueError, match=f"{code} at row 3 of column '1'"):
            ss.path(frame.rename(columns=str), Y)
    ss.path(X.astype(float), Y, n_lambdas=3)


@pytest.mark.parametrize("X", [
    GENES, RNG.poisson(0.7, (N, P)), RNG.poisson(5.0, (N, P)).astype(np.uint8),
    RNG.integers(-1, 2, (N, P)).astype(np.int8), np.uint8(255) * (GENES > 1),
    RNG.integers(1, 4, (N, P)).astype(np.uint8), RNG.integers(0, 2, (N, P)),
    sparse.csr_array(RNG.integers(0, 4, (N, P)).astype(np.uint8)), RNG.integers(-2, 3, (N, P)),
], ids=range(9))  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_plain_counts_and_marks_raise_no_alarm(X):
    ss.path(X, Y, n_lambdas=3)


@pytest.mark.parametrize("code", [-999.0, 9999.0, -99.0, -9.0, 1e20])
def test_a_far_number_that_occurs_again_is_named(code):
    pandas = pytest.importorskip("pandas")
    X = np.round(RNG.uniform(0, 6, (N, 3)), 2)
    X[[3, 7, 9], 1] = code
    words = f"column 1 of X holds {re.escape(f'{code:g}')} in 3 rows, far from its other values"
    with pytest.warns(UserWarning, match=words):
        ss.path(X, Y, n_lambdas=3)
    frame = pandas.DataFrame(X, columns=list("abc"))
    for table in (frame, frame.assign(n=np.arange(N))):
        with pytest.warns(UserWarning, match="column 'b' of X holds"):
            ss.path(table, Y, n_lambdas=3)


def test_every_face_with_a_matrix_is_walked():
    tried = {word for face in FACES for word in face.split()}
    tried |= {"intercept", "fit", "more_rows"}  # as coef, DictionaryLearning and more
    tried |= {"mkl_path", "cv_mkl_path", "precomputed", "classical"}  # kernels; widths alone
    forgotten = []
    for module in (ss, ss.inference, ss.mkl, ss.structured, ss.paths.bundle):
        for name in module.__all__:
            found = getattr(module, name)
            bodies = [(name, found)] if inspect.isfunction(found) else []
            if inspect.isclass(found):
                bodies = inspect.getmembers(found, inspect.isfunction)
            for method, body in bodies:
                taken = {"X", "Y", "kernels"} & set(inspect.signature(body).parameters)
                if taken and not method.startswith("_") and method not in tried:
                    forgotten.append((name, method))
    assert not forgotten
