"""The pretrained lasso against a path with an offset and factors made by hand."""

from functools import partial

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.paths import pretrained_path

RNG = np.random.default_rng(0)
MANY, FEW, P = 400, 40, 30
X = RNG.normal(size=(MANY + FEW, P))
SMALL = np.arange(MANY + FEW) >= MANY
ETA = X[:, :4].sum(axis=1) + X[:, 4] * SMALL + 0.5
Y = ETA + RNG.normal(size=len(X))
CLASS = np.array(["no", "yes"])[(Y > 0.5).astype(int)]
THIRD = np.digitize(Y, [-0.5, 1.5])
FAMILIES = {"gaussian": Y, "binomial": CLASS, "multinomial": THIRD}
FOLDS = np.arange(MANY) % 3
MODELS = {family: ss.cv_path(X[~SMALL], y[~SMALL], family=family, folds=FOLDS, n_lambdas=20)
          for family, y in FAMILIES.items()}
XS, YS = X[SMALL], Y[SMALL]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("trust", [0.0, 0.3, 1.0])
def test_the_offset_and_the_factors_are_those_of_the_paper(family, trust):
    y, model = FAMILIES[family][SMALL], MODELS[family]
    user = RNG.normal(size=(FEW, 3) if family == "multinomial" else FEW)
    fit = pretrained_path(XS, y, model, trust=trust, family=family, offset=user, n_lambdas=20)
    base, constant = model.coef(), model.intercept()
    eta = np.tensordot(XS, base, (1, -1)) + constant
    chosen = np.atleast_2d(base).any(axis=0)
    off = np.inf if trust == 1.0 else 1.0 / (1.0 - trust)
    twin = ss.path(XS, y, family=family, offset=user + trust * eta, n_lambdas=20,
                   penalty_factor=np.where(chosen, 1.0, off))  # fmt: skip
    np.testing.assert_allclose(fit.lambdas, twin.lambdas)
    parts = zip(*[part if family == "multinomial" else [part]
                  for part in (fit.coefs, twin.coefs, base)], strict=True)  # fmt: skip
    for found, own, pretrained in parts:
        np.testing.assert_allclose(found.toarray(), own.toarray() + trust * pretrained[:, None],
                                   atol=1e-12)  # fmt: skip
    total = user + trust * eta
    np.testing.assert_allclose(fit.predict(XS, 0.02, offset=user),
                               twin.predict(XS, 0.02, offset=total), atol=1e-10)  # fmt: skip
    plain = ss.path(XS, y, family=family, offset=user, n_lambdas=20)
    assert fit.null_deviance == pytest.approx(plain.null_deviance)
    if trust == 0.0:
        np.testing.assert_allclose(fit.dev_ratio, plain.dev_ratio, atol=1e-9)
    if trust == 1.0 and family == "gaussian":
        assert not fit.coefs.toarray()[~chosen].any() and not chosen.all()


def test_few_rows_profit_from_many():
    """Shared features and one more of the few: better than the few alone and than the many."""
    test = RNG.normal(size=(2000, P))
    truth = test[:, :5].sum(axis=1) + 0.5
    model = MODELS["gaussian"]

    def error(fit):
        return np.mean((fit.predict(test, "lambda_min") - truth) ** 2)

    guided = ss.cv_path(XS, YS, seed=0, fit=partial(pretrained_path, pretrained=model, trust=0.8))
    assert error(guided) < min(error(ss.cv_path(XS, YS, seed=0)), error(model))


def test_a_path_and_its_lambda_may_be_the_model():
    one = pretrained_path(XS, YS, MODELS["gaussian"].path, s=0.1, lambdas=[0.1])
    base = MODELS["gaussian"].path.coef(0.1)
    assert set(one.nonzero(0.1)) >= set(np.flatnonzero(base))


def test_refusals():
    model = MODELS["gaussian"]
    for call, said in [
        (lambda: pretrained_path(XS[:, 1:], YS, model), "X has 29 columns"),
        (lambda: pretrained_path(XS, YS, model.path), "s is missing"),
        (lambda: pretrained_path(XS, YS, 3), "pretrained must be"),
        (lambda: pretrained_path(XS, YS, model, trust=2), "trust"),
        (lambda: pretrained_path(XS, YS, model, penalty_factor=np.ones(P)), "penalty_factor"),
        (lambda: pretrained_path(XS, THIRD[SMALL], model, family="multinomial"), "other classes"),
        (lambda: pretrained_path(XS, np.where(YS > 0.5, "a", "b"), MODELS["binomial"],
                                 family="binomial"), "other classes"),
    ]:  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=said):
            call()
    pandas = pytest.importorskip("pandas")
    names = [f"g{j}" for j in range(P)]
    named = ss.cv_path(pandas.DataFrame(X, columns=names), Y, seed=0, n_lambdas=5)
    with pytest.raises(ValueError, match="'g29' where the pretrained model has 'g0'"):
        pretrained_path(pandas.DataFrame(XS, columns=names[::-1]), YS, named)
