"""Fits as arrays by name and back, without a file."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.results.files import fit_arrays
from sparsesolve.results.files.fit_arrays import add_kind, arrays_of_fit, fit_of_arrays

RNG = np.random.default_rng(21)
X = RNG.standard_normal((40, 4))
Y = X[:, 0] + 0.3 * RNG.standard_normal(40)


def there_and_back(fit):
    return fit_of_arrays({name: np.asarray(v) for name, v in arrays_of_fit(fit, False).items()})


@pytest.mark.parametrize("fit, kind", [
    (ss.path(X, Y, n_lambdas=5), "path"),
    (ss.lars_path(X, Y, max_features=2), "knots"),
    (ss.cv_path(X, Y > 0, family="binomial", n_folds=3, n_lambdas=5, seed=0), "cv"),
    (ss.path(X, np.column_stack([Y, -Y]), family="multigaussian", n_lambdas=5), "path"),
])  # fmt: skip
def test_the_same_kind_with_the_same_numbers(fit, kind):
    assert arrays_of_fit(fit, False)["kind"] == kind
    other = there_and_back(fit)
    assert type(other) is type(fit) and (other.lambdas == fit.lambdas).all()
    own, its = fit.coef(fit.lambdas[-1]), other.coef(fit.lambdas[-1])
    assert (own == its).all()


def test_what_was_read_cannot_be_fitted_again():
    other = there_and_back(ss.path(X, Y, n_lambdas=5))
    with pytest.raises(ValueError, match="lacks the options of a new fit"):
        other.extend(X, Y, n_lambdas=1)


def test_kinds_of_other_rooms(monkeypatch):
    monkeypatch.setattr(fit_arrays, "OTHERS", {})
    add_kind("pair", tuple, None, lambda arrays, family: (arrays["first"], family.name))
    assert fit_of_arrays({"kind": "pair", "family": "poisson", "first": 3}) == (3, "poisson")


def test_a_table_of_kernels_is_asked_of_kernels_alone():
    with pytest.raises(ValueError, match="^rows=True keeps the table"):
        arrays_of_fit(ss.path(X, Y, n_lambdas=3), True)
