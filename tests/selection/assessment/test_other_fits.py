"""assess, roc, confusion and calibration of kernels, chains and fits learned online."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import structured

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
SCORE = X[:, 0] - X[:, 2] + 0.7 * RNG.normal(size=90)
LABELS = {2: np.where(SCORE > 0, "well", "ill"), 3: np.digitize(SCORE, [-0.7, 0.7])}
LENGTHS = np.full(15, 6)
KERNELS = [np.outer(x, x) for x in X.T]


def kernels(y, K):
    fit = ss.mkl_path(KERNELS, y, family="binomial" if K == 2 else "multinomial", n_lambdas=4)
    return fit, KERNELS, {"s": fit.lambdas[-1]}, fit.predict(KERNELS, fit.lambdas[-1], "response")


def online(y, K):
    fit = ss.online(X, y, family="binomial" if K == 2 else "multinomial", lam=0.01)
    return fit, X, {}, fit.predict(X, kind="response")


def chains(y, K):
    fit = ss.crf_path(X, y, lengths=LENGTHS, n_lambdas=4)
    return fit, X, {"s": fit.lambdas[-1], "lengths": LENGTHS}, fit.marginals(X, LENGTHS)


def chosen_chains(y, K):
    cv = structured.cv_crf_path(X, y, lengths=LENGTHS, n_folds=3, n_lambdas=4)
    return cv, X, {"lengths": LENGTHS}, cv.path.marginals(X, LENGTHS, cv.lambda_1se)


@pytest.mark.parametrize("make", [kernels, online, chains, chosen_chains])
@pytest.mark.parametrize("K", [2, 3])
def test_measures_are_those_of_its_predictions(make, K):
    y = LABELS[K]
    fit, rows, at, p = make(y, K)
    names = np.unique(y)
    P = p if p.ndim == 2 else np.column_stack([1 - p, p])
    true = y[:, None] == names
    found = ss.assess(fit, rows, y, **at)
    assert found["deviance"] == pytest.approx(-2 * np.log(P[true]).mean())
    assert found["mse"] == pytest.approx(((true - P) ** 2).sum(axis=1).mean())
    at_best = at | ({"s": fit.lambda_1se} if hasattr(fit, "lambda_1se") else {})
    chosen = fit.predict(rows, **at_best) if "lengths" in at else names[P.argmax(axis=1)]
    table = ss.confusion(fit, rows, y, **at)
    assert found["class"] == pytest.approx(np.mean(chosen != y))
    assert table.class_names.tolist() == names.tolist()
    assert table.counts == pytest.approx(true.T.astype(float) @ (chosen[:, None] == names))
    bins = ss.calibration(fit, rows, y, n_bins=1, target=names[-1], **at)
    assert bins.predicted[0] == pytest.approx(P[:, -1].mean())
    if K == 2:
        pairs = P[true[:, 1], 1][:, None] - P[true[:, 0], 1]
        area = np.mean((pairs > 0) + 0.5 * (pairs == 0))
        assert ss.roc(fit, rows, y, **at).auc == pytest.approx(area) == found["auc"]
    if hasattr(fit, "lambdas") and fit.lambdas is not None:
        several = ss.assess(fit, rows, y, **{**at, "s": fit.lambdas})
        assert several["class"].shape == fit.lambdas.shape
        assert several.to_frame()["lambda"].tolist() == fit.lambdas.tolist()


def test_rows_and_sequences_may_have_weights_and_responses_be_new():
    y, w = LABELS[2], RNG.integers(1, 4, 15)
    fit, _, at, p = chains(y, 2)
    each = np.repeat(w, LENGTHS)
    found = ss.assess(fit, X, y, weights=w, **at)
    assert found["deviance"] == pytest.approx(
        -2 * np.average(np.log(np.where(y == "well", p[:, 1], p[:, 0])), weights=each))
    cuts = np.cumsum(LENGTHS)[:-1]
    lists = ss.assess(fit, np.split(X, cuts), np.split(y, cuts), s=at["s"])
    assert lists["class"] == pytest.approx(1 - fit.score(X, y, LENGTHS, at["s"]))
    with pytest.raises(ValueError, match="which the fit does not know"):
        ss.confusion(fit, X, np.where(y == "well", "odd", y), **at)


def test_what_only_chooses_classes_has_no_probabilities():
    y = LABELS[2]
    for fit in (ss.spom(X, y, lengths=LENGTHS, groups=list("uuvv"), lam=0.1, seed=0),
                structured.max_margin(X, y, lengths=LENGTHS)):  # fmt: skip
        s = None if fit.lambdas is None else fit.lambdas[0]
        found = ss.assess(fit, X, y, s, lengths=LENGTHS)
        assert found == {"class": pytest.approx(1 - fit.score(X, y, LENGTHS))}
        for ask in (ss.roc, ss.calibration):
            with pytest.raises(ValueError, match="only chooses classes|no probabilities"):
                ask(fit, X, y, s, lengths=LENGTHS)


@pytest.mark.parametrize("ask, words", [
    (lambda y: ss.assess(online(y, 2)[0], X, y, s=0.1), "one model, without a path; leave s out"),
    (lambda y: ss.assess(online(y, 2)[0], X, y, lengths=LENGTHS), "has no sequences"),
    (lambda y: ss.assess(kernels(y, 2)[0], KERNELS, y[:-1]), "y has 89"),
    (lambda y: ss.roc(chains(y, 2)[0], X, y, 0.1, offset=X[:, 0]), "has no offset"),
    (lambda y: ss.assess(kernels(y, 2)[0], [K[:, :9] for K in KERNELS], y), "shape"),
])  # fmt: skip
def test_what_does_not_suit_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask(LABELS[2])


def test_criteria_of_chains_count_sequences_and_nonzero_coefficients():
    y, w = LABELS[3], RNG.integers(1, 4, 15).astype(float)
    fit = ss.crf_path(X, y, lengths=LENGTHS, n_lambdas=5, weights=w)
    found = ss.criteria(fit, X, y, lengths=LENGTHS, weights=w)
    for k, lam in enumerate(fit.lambdas):
        df = np.count_nonzero(fit.coefs[:, [k]].toarray())
        loss = -2 * fit.log_likelihood(X, y, LENGTHS, lam) @ w
        assert found.df[k] == df and found["aic"][k] == pytest.approx(loss + 2 * df)
        assert found["bic"][k] == pytest.approx(loss + np.log(15) * df)
    assert found.best("bic") == fit.lambdas[found["bic"].argmin()]
    with pytest.raises(ValueError, match="not that of the fit"):
        ss.criteria(fit, X, y, lengths=LENGTHS)
    for other in (online(y, 3), kernels(y, 3)):
        with pytest.raises(ValueError, match="criteria count the coefficients"):
            ss.criteria(other[0], other[1], y)
