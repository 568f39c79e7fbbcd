"""Moments: turns X'X and X'y into data for the homotopy and a Problem without a design."""

import numpy as np

from sparsesolve.data import read_count, read_feature_names, read_gram, read_penalty_factor
from sparsesolve.paths.assembly import glmnet_factors
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.homotopy.path import GramData
from sparsesolve.solvers.problem.problem import ADVICE, NEAR, Problem


def read_moments(gram, xty, n_samples, yty, penalty_factor, positive, feature_names=None):
    """Return GramData, a Problem, the names of columns or None, and penalty factors or None.

    All numbers are divided by powers of two, so that columns and y have size 1. The parameters
    are those of :func:`sparsesolve.paths.lars_path_gram`. Raises ValueError or TypeError with a
    sentence on what is wrong with them.
    """
    n = read_count("n_samples", n_samples, 1)
    G, cross, yty, names = read_gram(gram, xty, yty)
    names = read_feature_names(feature_names, names, len(G))
    penalty_factor = read_penalty_factor(penalty_factor, len(G), labels=names)
    factors, excluded = glmnet_factors(penalty_factor, len(G))
    size = np.sqrt(np.diagonal(G) / n)
    # The root of the square that each column explains.
    explained = np.abs(cross / n) / np.where(size > 0.0, size, 1.0)
    spread = explained.max() if yty is None else np.sqrt(yty / n)
    common, exponent = (int(np.frexp(largest)[1]) for largest in (size.max(), spread))
    if max(abs(common), abs(exponent)) > NEAR:
        raise ValueError(f"gram or yty is of a size that leaves 64-bit floats; {ADVICE}")
    G, cross = np.ldexp(G / n, -2 * common), np.ldexp(cross / n, -common - exponent)
    square = float(np.ldexp(spread, -exponent)) ** 2
    problem = Problem(
        design=None,
        penalty=_penalty(factors, excluded | (size == 0.0), positive),
        weights=None,
        loss=None,
        response=None,
        offset=None,
        null_intercept=0.0,
        null_value=0.5 * square,
        unit=exponent + common,
        factor=np.ones(len(G)),
        shift=np.full(len(G), exponent - common),
        low=None,
        high=None,
        mean=0.0,
        exponent=exponent,
        intercept=False,
        grouped=False,
    )
    data = GramData(0.5 * (G + G.T), cross, square, yty is None, n)
    return data, problem, names, penalty_factor


def _penalty(factors, excluded, positive):
    low = np.where(excluded | positive, 0.0, -np.inf)
    return ElasticNet(len(factors), 1.0, factors, low, np.where(excluded, 0.0, np.inf))
