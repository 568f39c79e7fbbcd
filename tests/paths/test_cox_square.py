"""Cox paths of nearly as many columns as rows: risks lie far apart, and yet steps stay few."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families

REFERENCE = Path(__file__).parents[1] / "reference" / "cox_square.csv"
N, P, M = 120, 100, 10007
STEPS = 40  # on average a lambda, of a second-order method; diagonal models take thousands


def draw(i, j):
    """Numbers that look random, in (0, 1), as tests/reference/cox_square.R makes them."""
    return ((i**3 + 31 * i * j**2 + 17 * j**3 * i**2) % M + 0.5) / M


ROW = np.arange(1, N + 1)
X = draw(ROW[:, None], np.arange(1, P + 1)) - 0.5
TIME = -np.log(draw(ROW, P + 7)) * np.exp(-3 * (X[:, 0] - X[:, 1] + X[:, 2]))
DEAD = ROW % 3 > 0


def follow(X, ties="breslow", start=None, strata=None):
    """The path with default options, certified in few steps."""
    y = {"time": TIME, "status": DEAD} if start is None else (start, TIME, DEAD)
    fit = ss.path(X, y, family=families.cox(ties, strata=strata))
    assert (fit.gaps <= 1e-7).all() and fit.n_iters.sum() <= STEPS * len(fit.lambdas)
    spread = np.ptp(X @ fit.coefs[:, [-1]].toarray().ravel())
    assert spread > 150.0  # or this is no such path
    return fit


def test_path_is_that_of_glmnet():
    with open(REFERENCE, newline="") as file:
        theirs = list(csv.DictReader(file))
    lambdas = np.array([float(row["lambda"]) for row in theirs])
    fit = ss.path(X, {"time": TIME, "status": DEAD}, family="cox", lambdas=lambdas, tol=1e-9)
    assert (fit.gaps <= 1e-9).all()
    assert fit.df[1:].tolist() == [int(row["df"]) for row in theirs][1:]
    assert fit.dev_ratio == pytest.approx([float(row["dev_ratio"]) for row in theirs], abs=1e-7)
    sizes = np.abs(fit.coefs.toarray()).sum(axis=0)
    assert sizes[1:] == pytest.approx([float(row["size"]) for row in theirs][1:], rel=1e-6)


def test_dense_and_sparse_columns_take_the_same_few_steps():
    dense, stored = follow(X), follow(sparse.csc_array(X * (np.abs(X) < 0.06)))
    assert dense.dev_ratio[-1] > 0.98 and stored.dev_ratio[-1] > 0.98
    assert stored.n_iters.sum() <= 2 * dense.n_iters.sum()


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_late_entries_and_strata(ties):
    late = follow(X, ties, start=np.where(ROW % 2 == 0, 0.5, 0.0) * TIME)
    strata = follow(X, ties, strata=ROW % 2)
    assert late.dev_ratio[-1] > 0.98 and strata.dev_ratio[-1] > 0.98
