"""The baselines that SPOM is compared with: structured Pegasos, and wrappers of a structured SVM.

    minimise over beta >= 0, sum beta = 1   J(beta) = min_theta lam sum_m |theta_m|^2 / (2 beta_m)
                                                       + lam |T|^2 / 2 + (1/N) sum_s loss_s(theta)

which is `spom` with norm="l1_squared". Both wrappers solve for theta by passes of block
Frank-Wolfe that continue from the last round (spom_learner.py); the paper wraps an online solver.
Gauss-Seidel sets beta_m = |theta_m| / sum |theta|. SimpleMKL steps along the reduced gradient, dJ
/ dbeta_m = -|Z_m|^2 / (2 lam), and halves its step until the objective falls. Returned: the round
with the least objective. Invariant: the bound is valid after any number of passes.
References: Kloft, Brefeld, Sonnenburg, Zien (2011); Rakotomamonjy, Bach, Canu, Grandvalet (2008),
"SimpleMKL"; Shalev-Shwartz, Singer, Srebro, Cotter (2011), "Pegasos".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, read_choice, read_count, read_number, read_seed
from sparsesolve.data.paragraphs import described_by
from sparsesolve.linalg.threads import thread_count
from sparsesolve.structured.group_norm import GroupNorm
from sparsesolve.structured.spom_input import read_blocks, read_lam
from sparsesolve.structured.spom_learner import SPOMDual
from sparsesolve.structured.spom_result import SPOM
from sparsesolve.structured.spom_training import LOSSES, spom

ALGORITHMS = ("gauss_seidel", "simplemkl")
# A step of SimpleMKL is halved at most this often; then its weights stay.
HALVINGS = 4


@answers_keywords()
@described_by(spom)
def pegasos(
    X: Any,
    y: Any,
    *,
    lengths: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    loss: str = "hinge",
    lam: float | None = None,
    C: float | None = None,
    epochs: int = 20,
    average: bool | str = False,
    seed: int = 0,
) -> SPOM:
    """Fit a structured support vector machine by Pegasos, with a lower bound.

    Returns
    -------
    SPOM
        Its `bound` comes from the mean of all decoded labellings, which is a dual point.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro, Cotter (2011), "Pegasos: primal estimated sub-gradient solver
    for SVM".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import structured
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> model = structured.pegasos(X, X[:, 0] > 0, lengths=[10] * 10, C=1.0)
    >>> round(model.relative_gap, 2)
    0.05
    """
    return spom(X, y, lengths=lengths, groups=groups, loss=loss, norm="l2", lam=lam, C=C,
                epochs=epochs, schedule="pegasos", average=average, seed=seed)  # fmt: skip


@answers_keywords()
@described_by(spom)
def wrapped_mkl(
    X: Any,
    y: Any,
    *,
    lengths: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    algorithm: str = "gauss_seidel",
    loss: str = "hinge",
    lam: float | None = None,
    C: float | None = None,
    first_epochs: int = 20,
    epochs: int = 3,
    rounds: int = 10,
    tol: float = 1e-3,
    seed: int = 0,
    n_threads: int = 1,
) -> SPOM:
    """Multiple kernel learning for label sequences by a wrapper around a structured SVM.

    Parameters
    ----------
    algorithm : {"gauss_seidel", "simplemkl"}, default "gauss_seidel"
        How kernel weights follow from a fit.
    first_epochs : int, default 20
        Passes over the sequences with equal weights.
    epochs : int, default 3
        Passes after each change of weights, from the end of the last ones.
    rounds : int, default 10
        Most changes of weights.
    tol : float, default 1e-3
        Stop once the gap, relative to the objective at zero, is at most this.

    Returns
    -------
    SPOM
        With `objectives` and `kernel_weights` of each round, and its gap.

    References
    ----------
    Kloft, Brefeld, Sonnenburg, Zien (2011), "lp-norm multiple kernel learning"; Rakotomamonjy,
    Bach, Canu, Grandvalet (2008), "SimpleMKL".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import structured
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> model = structured.wrapped_mkl(X, X[:, 0] > 0, lengths=[10] * 10, C=1.0,
    ...                                groups=["says"] * 2 + ["noise"] * 4, rounds=30)
    >>> {name: round(weight, 2) for name, weight in model.weights().items()}
    {'says': 0.93, 'noise': 0.07}
    """
    # 1. Read the options and the data.
    simple = read_choice("algorithm", algorithm, ALGORITHMS) == "simplemkl"
    hinge = read_choice("loss", loss, LOSSES) == "hinge"
    first_epochs, epochs = (read_count("first_epochs", first_epochs, 1),
                            read_count("epochs", epochs, 1))  # fmt: skip
    rounds, tol = read_count("rounds", rounds, 0), read_number("tol", tol, 0, np.inf)
    rng, threads = np.random.default_rng(read_seed(seed)), thread_count(n_threads)
    data = read_blocks(X, y, lengths, groups)
    N, K = len(data.ptr) - 1, len(data.labels)
    lam = read_lam(lam, C, N)
    dual = SPOMDual(data.make, data.n_groups, data.ptr, data.codes, K, hinge,
                    GroupNorm("l1_squared"), lam, False, n_threads=threads)  # fmt: skip
    null = data.ptr[-1] / N * (1.0 if hinge else np.log(K))

    def learn(passes):
        for _ in range(passes):
            dual.epoch(rng.permutation(N))

    # 2. Equal weights at first, and the first passes.
    dual.use(np.full(data.n_groups, 1.0 / data.n_groups))
    learn(first_epochs)
    least, bound, objectives, weights = np.inf, -np.inf, [], []
    parameters, tied = dual.parameters()
    # 3. Rounds: keep the best, stop at the gap, change the weights.
    for made in range(rounds + 1):
        objectives.append(dual.objective())
        weights.append(dual.beta.copy())
        bound = max(bound, dual.bound())
        if objectives[-1] < least:
            least, (parameters, tied) = objectives[-1], dual.parameters()
        if least - bound <= tol * null or made == rounds:
            break
        if simple:
            _reduced_gradient_step(dual, learn, epochs)
        else:
            n = dual.norms()[0]
            dual.use(n / (n.sum() or 1.0))
            learn(epochs)
    return SPOM(
        labels=data.labels, group_labels=data.group_labels, parameters=tuple(parameters),
        tied=tied, kernel_weights=np.array(weights), objectives=np.array(objectives), lam=lam,
        eta0=np.nan, radius=np.inf, objective=least, bound=float(bound),
        null_objective=float(null), groups=data.of, n_features=data.n_features,
        blocks=data.kinds, options={"loss": loss, "norm": "l1_squared", "transitions": "fixed",
                                    "epochs": epochs, "algorithm": algorithm},
    )  # fmt: skip


def _reduced_gradient_step(dual, learn, epochs):
    """Take a step of SimpleMKL; if none lowers the objective, keep the weights and improve theta.

    The objective of theta decides: the dual value at fixed weights rises while theta is learnt.
    """
    beta, before = dual.beta.copy(), dual.objective()
    gradient = -(dual.sums()[0] ** 2) / (2.0 * dual.lam)
    top = int(np.argmax(beta))
    reduced = gradient - gradient[top]
    move = np.where((beta > 0.0) | (reduced < 0.0), -reduced, 0.0)
    move[top] = 0.0
    move[top] = -move.sum()
    falling = move < 0.0
    step = float(np.min(-beta[falling] / move[falling])) if falling.any() else 0.0
    for _ in range(HALVINGS if step > 0.0 else 0):
        trial = np.maximum(beta + step * move, 0.0)
        dual.use(trial / trial.sum())
        learn(epochs)
        if dual.objective() < before:
            return
        step *= 0.5
    dual.use(beta)
    learn(epochs)
