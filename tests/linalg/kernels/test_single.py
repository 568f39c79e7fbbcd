"""Solutions in single precision against numpy's in double."""

import numpy as np
from cases import every
from sparsesolve.linalg.kernels.single import FEW, solve_factored

RNG = np.random.default_rng(3)
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


@every("m", [0, 1, 2, 40, 200])
@every("K", [0, 1, 4, 7, FEW + 1])
def test_solutions_of_a_factored_matrix(m, K):
    A = RNG.normal(size=(m, m + 3))
    G = A @ A.T + 10.0 * np.eye(m)
    L = np.linalg.cholesky(G) + np.triu(np.full((m, m), 7.0), 1)  # what lies above is not read
    x = RNG.normal(size=(m, K)).T
    kept = x.copy()
    found = solve_factored(np.asfortranarray(L, dtype=np.float32), x)
    np.testing.assert_allclose(found, np.linalg.solve(G, x.T).T, **CLOSE)
    np.testing.assert_array_equal(x, kept)
