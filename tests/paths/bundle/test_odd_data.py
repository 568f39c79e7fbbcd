"""Rows of zeros, repeated rows, constant columns, scales far from 1: every method solves them."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.paths import bundle

RNG = np.random.default_rng(0)
BASE = RNG.normal(size=(30, 4))
Y = np.where(BASE[:, 0] + RNG.normal(size=30) > 0, 1.0, -1.0)
DESIGNS = {
    "rows of zeros": np.where(np.arange(30)[:, None] % 3 == 0, 0.0, BASE),
    "repeated rows": np.repeat(BASE[:10], 3, axis=0),
    "a constant column": np.c_[BASE, np.ones(30)],
    "nothing": 0.0 * BASE,
    "large": 1e6 * BASE,
    "small": 1e-6 * BASE,
    "mixed": BASE * [1e6, 1.0, 1e-6, 1.0],
}


@pytest.mark.parametrize("name", DESIGNS)
def test_methods_solve_odd_data(name):
    X = DESIGNS[name]
    lam = 0.05 * np.mean(np.sum(X**2, axis=1)) or 0.1
    for bias in (False, True):
        risk = bundle.hinge_risk(X, Y, bias=bias)
        traces = [
            bundle.bmrm(risk, lam, 60), bundle.bmrm(risk, lam, 60, line_search=True),
            bundle.pragam(X, Y, lam, 60, bias=bias),
            bundle.pragam(X, Y, lam, 60, bias=bias, L="backtracking"),
        ]  # fmt: skip
        if not bias:
            traces += [bundle.pegasos(X, Y, lam, 60), bundle.pegasos(X, Y, lam, 60, batch=1)]
        highest = max(trace.bounds.max() for trace in traces)
        for trace in traces:
            w, b = trace.coef, trace.intercept
            J = 0.5 * lam * w @ w + np.maximum(1 - Y * (X @ w + b), 0).mean()
            assert pytest.approx(trace.objectives.min(), rel=1e-9) == J >= highest - 1e-12
            assert trace.gap < 0.06


@pytest.mark.parametrize("solver", ["qp_bmrm", "ls_bmrm", "pragam", "pegasos"])
@pytest.mark.parametrize("name", DESIGNS)
def test_solvers_of_path_certify_odd_data(name, solver):
    X = DESIGNS[name]
    lam = 0.05 * np.mean(np.sum(X**2, axis=1)) or 0.1
    fit = ss.path(X, Y, family=ss.families.hinge(), alpha=0, solver=solver, lambdas=[lam, lam / 4],
                  standardize=False, tol=0.1)  # fmt: skip
    assert fit.gaps.max() <= 0.1


def test_two_rows_are_enough():
    assert bundle.bmrm(bundle.hinge_risk([[1.0], [2.0]], [0, 1]), 0.1, 20).gap < 1e-12
    assert bundle.pragam([[1.0], [2.0]], [0, 1], 0.1, 50).gap < 0.01
