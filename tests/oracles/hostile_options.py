"""Hostile options of ss.path, in the three tables of hostile_designs.py."""

import numpy as np
import scipy.sparse as sp
from hostile_designs import INF, NAN, WIDE, N, P, X, Y, case, put, with_columns

ONES = np.ones(N)
TWINS = with_columns(X[:, 0])
FLAT = sp.csc_array(with_columns(3.3 * ONES, 0 * ONES))  # constant columns, as they are
RAW = {"intercept": False, "standardize": False}
SIXTHS = np.eye(6)[np.arange(N) % 6]


SOLVED = {
    # weights
    "zero weights": lambda: case(weights=np.arange(N) % 2),
    "one positive weight": lambda: case(weights=put(0 * ONES, 4, 2.0)),
    "two positive weights": lambda: case(weights=(np.arange(N) < 2) * 1.0),
    "weights of 1e308": lambda: case(weights=ONES * 1e308),
    "weights of 1e-320": lambda: case(weights=ONES * 1e-320),
    "weights from 1e-300 to 1e300": lambda: case(weights=10.0 ** np.linspace(-300, 300, N)),
    "weights that make a column constant": lambda: case(
        put(X, (slice(0, 10), 0), 1.0), weights=(np.arange(N) < 10) * 1.0),
    "boolean weights": lambda: case(weights=Y > 0),
    "weights that make a sparse column constant": lambda: case(
        sp.csc_array(put(X, (slice(0, 10), 0), 1.5)), weights=(np.arange(N) < 10) * 1.0),
    # offset
    "offset equal to y": lambda: case(offset=Y),
    "offset of 1e300": lambda: case(offset=Y * 1e300),
    "offset of mean 1e10": lambda: case(offset=ONES * 1e10),
    # lambdas
    "unsorted and duplicate lambdas": lambda: case(lambdas=[0.1, 1, 0.1, 0.5, 1]),
    "one lambda": lambda: case(lambdas=0.3),
    "lambda zero": lambda: case(lambdas=[0.0]),
    "lambda zero after others": lambda: case(lambdas=[1, 0.1, 0]),
    "lambda zero, wide": lambda: case(WIDE, Y[:10], lambdas=[1, 0]),
    "lambda zero, collinear": lambda: case(TWINS, lambdas=[0]),
    "lambda zero, weights and offset": lambda: case(
        weights=np.arange(N), offset=np.sin(np.arange(N)), lambdas=[0.5, 0]),
    "lambda zero, limits": lambda: case(lower=-0.2, upper=0.5, lambdas=[0.5, 0]),
    "lambda zero, limits, wide": lambda: case(WIDE, Y[:10], lower=-0.2, upper=0.5, lambdas=0),
    "lambda zero, ridge, wide": lambda: case(WIDE, Y[:10], alpha=0, lambdas=[0.5, 0]),
    "lambda zero, raw": lambda: case(alpha=0.5, lambdas=[0.5, 0], **RAW),
    "lambda zero, one-hot": lambda: case(np.hstack([SIXTHS, X]), lambdas=[0.1, 1e-6, 0]),
    "tiny lambdas": lambda: case(lambdas=[1e-300, 1e-12, 1e-320]),
    "tiny lambdas, wide": lambda: case(WIDE, Y[:10], lambdas=[1e-3, 1e-8, 1e-12]),
    "huge lambdas": lambda: case(lambdas=[1e300, 1e308, 1.0]),
    "lambdas close together": lambda: case(lambdas=np.nextafter(1.0, 0) ** np.arange(5)),
    "a grid of one": lambda: case(n_lambdas=1),
    "a grid of two": lambda: case(n_lambdas=2),
    "a grid down to 1e-12": lambda: case(lambda_min_ratio=1e-12, stop=None),
    "a grid of 2,000": lambda: case(n_lambdas=2000, stop=None, lambda_min_ratio=0.1),
    # penalty factors
    "all unpenalised": lambda: case(penalty_factor=np.zeros(P)),
    "all excluded": lambda: case(penalty_factor=np.full(P, INF)),
    "some of each": lambda: case(penalty_factor=[0, 1, INF, 0, 1e-8, 3]),
    "unpenalised twins": lambda: case(TWINS, penalty_factor=[0, 1, 1, 1, 1, 1, 0]),
    "unpenalised, more than rows": lambda: case(
        WIDE, Y[:10], penalty_factor=np.arange(60) >= 30),
    "unpenalised columns that fit y": lambda: case(
        y=X[:, 0] - X[:, 1], penalty_factor=[0, 0, 1, 1, 1, 1]
    ),
    "unpenalised constant": lambda: case(
        with_columns(ONES), penalty_factor=np.append(np.ones(P), 0.0)),
    "factors of 1e300": lambda: case(penalty_factor=np.full(P, 1e300)),
    "factors of 1e-300": lambda: case(penalty_factor=np.full(P, 1e-300)),
    "factors from 1e-8 to 1e8": lambda: case(penalty_factor=10.0 ** np.linspace(-8, 8, P)),
    "unpenalised one-hot": lambda: case(
        sp.csc_array(np.hstack([SIXTHS, X])), penalty_factor=np.repeat([0, 1], 6)),
    # without an intercept
    "raw constants": lambda: case(FLAT, **RAW),
    "raw constants, half of each": lambda: case(FLAT.toarray(), alpha=0.5, **RAW),
    "raw constants, ridge": lambda: case(FLAT, alpha=0, **RAW),
    "a raw constant, lambda zero": lambda: case(3.3 * ONES[:, None], lambdas=0, **RAW),
    "one raw row": lambda: case(X[:1], Y[:1], lambdas=[1, 0.1], **RAW),
    "one row from the origin": lambda: case(X[:1], Y[:1], intercept=False),
    # limits
    "limits of zero": lambda: case(lower=0, upper=0),
    "nonnegative": lambda: case(lower=0),
    "nonnegative twins": lambda: case(with_columns(X, -X), lower=0),
    "tight limits": lambda: case(lower=-1e-12, upper=1e-12),
    "limits that bind, to the last bit": lambda: case(X * 7.3, lower=-0.7 / 7.3, upper=0.7 / 7.3),
    "limits of 1e-300": lambda: case(lower=-1e-300, upper=1e-300),
    "limits of 1e300": lambda: case(lower=-1e300, upper=1e300),
    "limits and more active columns than rows": lambda: case(
        WIDE, Y[:10], lower=-0.15, upper=0.15),
    "limits, ridge": lambda: case(lower=-0.1, upper=[1, 0, 0.5, INF, 1, 1], alpha=0),
    # mixing
    "ridge": lambda: case(alpha=0),
    "ridge, wide": lambda: case(WIDE, Y[:10], alpha=0),
    "ridge, twins": lambda: case(TWINS, alpha=0.0),
    "alpha 0.1, more active columns than rows": lambda: case(WIDE, Y[:10], alpha=0.1),
    "alpha 1e-10": lambda: case(alpha=1e-10),
    "alpha 1 - 1e-15": lambda: case(alpha=1 - 1e-15),
    "half of each, y of 1e-300": lambda: case(y=Y * 1e-300, alpha=0.5),
    "half of each, y of 1e300": lambda: case(y=Y * 1e300, alpha=0.5),
    "half of each, X of 1e155": lambda: case(X * 1e155, alpha=0.5),
    # budgets
    "dfmax 0": lambda: case(dfmax=0),
    "pmax 0": lambda: case(pmax=0),
    "dfmax beyond p": lambda: case(dfmax=10**12),
    "tol 1e-6": lambda: case(tol=1e-6),
    "numpy scalars": lambda: case(
        alpha=np.float32(1), n_lambdas=np.int8(20), tol=np.array(1e-8), intercept=np.True_),
}  # fmt: skip

EITHER = {
    "tol 0": lambda: case(tol=0.0),
    "tol 1e-300": lambda: case(tol=1e-300),
    "max_iter 0": lambda: case(max_iter=0),
    "max_iter 1": lambda: case(max_iter=1),
    "max_iter 10**30": lambda: case(max_iter=10**30),
    "no threads": lambda: case(n_threads=0),
    "a ratio of 1": lambda: case(lambda_min_ratio=1.0),
    "a ratio of 1e-300": lambda: case(lambda_min_ratio=1e-300, n_lambdas=20),
    "pmax negative": lambda: case(pmax=-1),
    "lambdas of 1e-300 and a y of 1e-300": lambda: case(y=Y * 1e-300, lambdas=[1e-300, 1e-302]),
    "ridge, X of 1e-155, not standardised": lambda: case(X * 1e-155, alpha=0, standardize=False),
}

REFUSED = {
    "negative weights": (lambda: case(weights=put(ONES, 1, -1)), "weights holds -1.0"),
    "too long an offset": (lambda: case(offset=np.ones(N + 1)), "offset has 21 values"),
    "too few limits": (lambda: case(lower=np.zeros(5)), "lower has 5 values"),
    "dfmax as text": (lambda: case(dfmax="six"), "dfmax"),
    "-3 threads": (lambda: case(n_threads=-3), "n_threads"),
    "stop as a number": (lambda: case(stop=5), "'deviance', None or a function of a point, not"),
    "all weights zero": (lambda: case(weights=0 * ONES), "weights are all zero"),
    "NaN in weights": (lambda: case(weights=put(ONES, 1, NAN)), "weights holds nan"),
    "inf in weights": (lambda: case(weights=put(ONES, 1, INF)), "weights holds inf"),
    "too few weights": (lambda: case(weights=ONES[1:]), "weights has 19 values"),
    "NaN in offset": (lambda: case(offset=put(ONES, 1, NAN)), "offset holds nan"),
    "negative lambda": (lambda: case(lambdas=[1, -1]), "lambdas holds -1.0"),
    "infinite lambda": (lambda: case(lambdas=[INF]), "lambdas holds inf"),
    "NaN lambda": (lambda: case(lambdas=[1, NAN]), "lambdas holds nan"),
    "no lambdas": (lambda: case(lambdas=[]), "lambdas is empty"),
    "a grid of none": (lambda: case(n_lambdas=0), "n_lambdas"),
    "half a grid": (lambda: case(n_lambdas=2.5), "n_lambdas"),
    "a ratio of 0": (lambda: case(lambda_min_ratio=0.0), "lambda_min_ratio"),
    "a ratio of 2": (lambda: case(lambda_min_ratio=2.0), "lambda_min_ratio"),
    "negative factor": (lambda: case(penalty_factor=-np.ones(P)), "penalty_factor holds -1.0"),
    "NaN factor": (lambda: case(penalty_factor=np.full(P, NAN)), "penalty_factor holds nan"),
    "too few factors": (lambda: case(penalty_factor=[1]), "1 values but X has 6 columns"),
    "limits crossing 0": (lambda: case(lower=0.1), "lower holds 0.1"),
    "upper below 0": (lambda: case(upper=-0.1), "upper holds -0.1"),
    "NaN limit": (lambda: case(upper=[NAN] * P), "upper holds nan"),
    "alpha 2": (lambda: case(alpha=2), "alpha"),
    "alpha NaN": (lambda: case(alpha=NAN), "alpha"),
    "alpha true": (lambda: case(alpha=True), "alpha"),
    "alpha text": (lambda: case(alpha="lasso"), "alpha"),
    "tol negative": (lambda: case(tol=-1e-3), "tol"),
    "tol NaN": (lambda: case(tol=NAN), "tol"),
    "max_iter negative": (lambda: case(max_iter=-1), "max_iter"),
    "dfmax negative": (lambda: case(dfmax=-1), "dfmax"),
    "unknown family": (lambda: case(family="gausian"), "family"),
    "unknown solver": (lambda: case(solver="magic"), "solver"),
    "unknown stop": (lambda: case(stop="soon"), "stop"),
    "intercept as text": (lambda: case(intercept="no"), "intercept"),
    "standardize as text": (lambda: case(standardize="no"), "standardize"),
    "an unknown option": (lambda: case(lamda=0.1), "lamda"),
}  # fmt: skip
