"""Enter every parallel loop of the package with several threads, for .ci/races to watch."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.factors.tiled_cholesky import factorise, solve
from sparsesolve.linalg.gram.outer import wide_gram
from sparsesolve.mkl.symmetric import Symmetric

import sparsesolve as ss

THREADS = 4
rng = np.random.default_rng(0)


def problem(n, p, density=None):
    """A design, dense or sparse, and a response with ten true coefficients."""
    X = np.asfortranarray(rng.standard_normal((n, p)))
    if density:
        X = sparse.random_array((n, p), density=density, rng=rng, format="csc")
    return X, X[:, :10] @ rng.standard_normal(10) + 0.1 * rng.standard_normal(n)


def path(X, y, **options):
    options = {"n_lambdas": 4, "lambda_min_ratio": 0.3, "n_threads": THREADS, **options}
    return ss.path(X, y, **options)


def kernels(**options):
    X, y = problem(250, 10)
    grams = [np.exp(-(np.subtract.outer(x, x) ** 2)) for x in X.T[:5]]
    ss.mkl_path(grams, y, n_lambdas=3, lambda_min_ratio=0.3, n_threads=THREADS, **options)


def gaussian_and_others():
    X, y = problem(300, 8000)  # enough values for products to be shared out
    Design(X).response_products(rng.standard_normal((9, 300)), None, THREADS)
    path(X, y)
    path(X, y > 0, family="binomial")
    path(X, np.c_[y, y**2, -y], family="multigaussian")
    path(X, y, penalty=ss.penalties.GroupL2(np.arange(8000) // 8))
    path(X, y, solver="fista", max_iter=20, tol=1e-2)
    path(X[:, :500], y, solver="reweighted")
    path(X[:, :500], y, alpha=0.0, solver="ridge")
    ss.lars_path(X[:, :500], y, n_threads=THREADS)


def grams():
    path(*problem(60_000, 40))
    path(*problem(60_000, 40, density=0.05))
    X, y = problem(100_000, 300, density=0.1)
    path(X, y > 0, family="binomial", solver="proximal_newton", lambda_min_ratio=0.02)
    mixed = sparse.hstack([sparse.csc_array(rng.standard_normal((500, 20))),
                           sparse.random_array((500, 200), density=0.01, rng=rng)])  # fmt: skip
    for X in (np.asfortranarray(rng.standard_normal((500, 200))), mixed.tocsc()):
        p = X.shape[1]
        wide_gram(Design(X), np.arange(p, dtype=np.intc), np.ones(p), np.ones(500), THREADS)


def factors():
    half = rng.standard_normal((700, 700))
    matrix = half @ half.T + np.eye(700)
    assert factorise(matrix, THREADS)
    solve(matrix, rng.standard_normal((300, 700)), THREADS)


def several_kernels():
    kernels()
    for solver in ("proximal", "block_descent", "reweighted"):
        kernels(solver=solver, tol=1e-2)
    kernels(solver="simple_mkl", norm="l1_squared", tol=1e-2)
    Symmetric([np.eye(200)] * 9).survey(THREADS)


def codes():
    D = rng.standard_normal((20, 60))
    Y = rng.standard_normal((20, 3000))
    ss.sparse_code(Y, D, lam=0.5, n_threads=THREADS)
    for method in ("lars", "omp"):
        ss.sparse_code(Y, D, method=method, n_nonzero=3, n_threads=THREADS)


def two_at_once():
    """Fits in two Python threads, each with threads of its own."""
    X, y = problem(300, 8000)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda alpha: path(X, y, alpha=alpha), [1.0, 0.5]))


def chains():
    lengths, y = np.full(400, 10), rng.integers(3, size=4000)
    X = rng.standard_normal((4000, 20)) + y[:, None]
    fit = ss.crf_path(X, y, lengths=lengths, n_lambdas=2, n_threads=THREADS)
    fit.predict(X, lengths, n_threads=THREADS)
    ss.spom(X, y, lengths=lengths, groups=np.arange(20) // 10, epochs=1, n_threads=THREADS)


def images():
    ss.penalties.prox.tv2d(rng.standard_normal((300, 300)), 0.5, n_threads=THREADS)


WATCHED = {  # the files with parallel loops, and what enters them
    "linalg/design/design.pyx": gaussian_and_others,
    "linalg/gram/gram.pyx": grams,
    "linalg/gram/outer.pyx": grams,
    "linalg/gram/products.pyx": gaussian_and_others,
    "linalg/gram/sparse_gram.pyx": grams,
    "linalg/factors/tiled_cholesky.pyx": factors,
    "losses/chain/sequences.pyx": chains,
    "structured/spom_blocks.pyx": chains,
    "penalties/prox/chains.pyx": images,
    "mkl/symmetric.pyx": several_kernels,
    "paths/dictionary/coding.pyx": codes,
}

if __name__ == "__main__":
    package = Path(ss.__file__).parent
    parallel = {p for p in package.rglob("*.pyx") if " in prange(" in p.read_text()}
    changed = {p.relative_to(package).as_posix() for p in parallel} ^ set(WATCHED)
    assert not changed, changed
    for job in [*dict.fromkeys(WATCHED.values()), two_at_once]:
        print(job.__name__.replace("_", " "), flush=True)
        job()
