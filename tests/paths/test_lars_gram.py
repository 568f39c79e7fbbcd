"""What inner products alone can tell of a path, and what they cannot be."""

import numpy as np
import pandas
import pytest

import sparsesolve as ss
from sparsesolve import ConvergenceWarning

RNG = np.random.default_rng(4)
X = RNG.standard_normal((30, 4))
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(30)


def test_no_data_no_certificate_at_lambda_0():
    """Two columns that are one cannot have different products with y."""
    with pytest.warns(ConvergenceWarning, match="gap is inf at lambda = 0"):
        fit = ss.paths.lars_path_gram(np.ones((2, 2)), [1.0, 0.5], 1)
    assert fit.gaps.tolist() == [0.0, np.inf]
    assert ss.paths.lars_path_gram(np.ones((2, 2)), [1.0, 1.0], 1).gaps.max() == 0.0


def test_the_columns_of_a_frame_keep_their_names():
    frame = pandas.DataFrame(X, columns=list("abcd"))
    fit = ss.paths.lars_path_gram(frame.T @ frame, frame.T @ Y, 30)
    assert fit.feature_names.tolist() == list("abcd")


@pytest.mark.parametrize("copies", [1, 40])
def test_dependent_columns_are_certified_however_many_there_are(copies):
    """1,200 columns of rank 30: those that are not active are added to the projection in turn."""
    low = RNG.standard_normal((60, 30))
    wide = np.repeat(low, 40, axis=1) if copies > 1 else low @ RNG.standard_normal((30, 1200))
    fit = ss.lars_path(wide, RNG.standard_normal(60))
    assert fit.lambdas[-1] == 0.0 and fit.gaps.max() <= 1e-12


@pytest.mark.parametrize("other", [(X, -Y), (X[:, ::-1], Y), (X, Y + 1.0)])
def test_a_path_goes_on_with_its_own_data_alone(other):
    fit = ss.lars_path(X, Y, max_steps=2)
    assert len(fit.extend(X, Y).lambdas) > 3
    with pytest.raises(ValueError, match="not the data of the fit"):
        fit.extend(*other)
    with pytest.raises(ValueError, match="not the data of the fit"):
        fit.coef(0.0, exact=True, X=other[0], y=other[1])
