"""spom: online multiple kernel learning for structured outputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import (
    answers_keywords,
    read_choice,
    read_count,
    read_flag,
    read_number,
    read_seed,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.linalg.threads import thread_count
from sparsesolve.paths.progress import progress_bar
from sparsesolve.solvers.baselines.subgradient import SCHEDULES as STEP_SIZES
from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.decoding import read_cost
from sparsesolve.structured.group_norm import KINDS, GroupNorm, read_penalty
from sparsesolve.structured.spom_input import (
    first_rate,
    read_blocks,
    read_lam,
    read_more,
    read_orders,
    read_positive,
)
from sparsesolve.structured.spom_learner import SPOMDual, SPOMLearner, raise_bound
from sparsesolve.structured.spom_result import SPOM

LOSSES = ("hinge", "log")
TRANSITIONS = ("fixed", "group")
SCHEDULES = (*STEP_SIZES, "pegasos")


@answers_keywords()
@described_by(crf_path)
def spom(
    X: Any,
    y: Any,
    *,
    lengths: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    loss: str = "hinge",
    norm: str = "l1_squared",
    p: float = 2.0,
    q: float | None = None,
    share: float = 0.5,
    penalty: Any = None,
    alpha: float = 1.0,
    lam: float | None = None,
    C: float | None = None,
    epochs: int = 20,
    eta0: float | str = "auto",
    schedule: str = "sqrt",
    shuffle: bool = True,
    order: ArrayLike | None = None,
    radius: float | str = "auto",
    average: bool | str = False,
    transitions: str = "fixed",
    cost: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    certify: int = 0,
    seed: int = 0,
    n_threads: int = 1,
    progress: bool = False,
) -> SPOM:
    r"""Learn label sequences from groups of features or several kernels, one sequence at a time.

    .. math::

        \min_\theta \; \lambda \Omega(\lVert \theta_1 \rVert, \dots, \lVert \theta_M \rVert)
        + \frac{1}{N} \sum_s \mathrm{loss}_s(\theta)

        \mathrm{score}(y) = \sum_i \sum_m \langle \theta_m, \phi_m(x_i) \rangle_{y_i}
        + \sum_i T_{y_i, y_{i+1}} + \mathrm{start}_{y_1} + \mathrm{stop}_{y_L}

    Parameters
    ----------
    X : array-like (n, p), sparse or list of (L, p); or a list or dict of blocks
        Explicit features, with `groups`. Or blocks by number or name: a kernel between all
        positions, (n, n) dense (float64 or float32) or sparse; or ``mkl.LowRank(Z)`` for explicit
        features Z (n, r), dense or sparse, that form one group. Kernels must be positive
        semidefinite; this is not checked.
    lengths : array-like (n_sequences,), default None
        Positions of each sequence. All 1 is plain classification into two or more classes. None:
        a table, or blocks, are one sequence.
    groups : sequence or mapping, default None
        Groups of the features of X, as in ``penalties.GroupL2``; None: all form one group.
    loss : {"hinge", "log"}, default "hinge"
        Structured hinge loss with the number of wrong labels as its cost, or the log loss of a
        conditional random field.
    norm : {"l1_squared", "l1", "lp", "elastic", "l2"}, default "l1_squared"
        Omega of the norms n of groups: ``(sum n)^2 / 2``; ``sum n``; ``sum n^q`` with
        ``q = 2p / (p + 1)``; ``share sum n^2 / 2 + (1 - share) (sum n)^2 / 2``; or
        ``sum n^2 / 2``, with which no group is left out (a structured support vector machine).
    p : float > 1, default 2.0
        For "lp": kernel weights lie in the lp ball.
    q : float > 1, default None
        For "lp": the power itself, in place of p; 2 and more spread the norms.
    share : float in [0, 1], default 0.5
        For "elastic": the share of the squared norms.
    penalty : object of `sparsesolve.penalties`, or a list of them, default None
        Omega in place of `norm`. A list, or pairs (c, penalty), stand for their sum: proximal
        operators are applied in the given order, so for nested groups give inner ones first.
        Without `groups` it is on all coefficients (p, K), and a group holds all K of its
        features; a step then costs p K. With `groups`, or for blocks, it is on their norms, by
        number or name: ``GroupL2`` makes groups of kernels. It must grow with the size of each
        coefficient.
    alpha : float in [0, 1], default 1.0
        With `penalty`: Omega is ``alpha penalty + (1 - alpha) |theta|^2 / 2``.
    lam, C : float > 0
        Give one: ``lam = 1 / (C N)`` for N sequences. Default ``C = 1``.
    epochs : int, default 20
        Passes over the sequences.
    shuffle : bool, default True
        Draw a new random order for each epoch, or take sequences as they come.
    order : array-like (m,) or (epochs, m) of int, default None
        An order of one's own: numbers of sequences, for every epoch or each. A sequence may come
        several times, or not at all.
    eta0 : float > 0 or "auto", default "auto"
        Factor of the step sizes. "auto" tries 0.01, 0.1, 1 and 10 and takes the one with the
        least objective after five epochs. With schedule="inverse" and a strongly convex norm it
        is 1 / lam over the share of the ridge.
    schedule : {"sqrt", "inverse", "constant", "pegasos"}, default "sqrt"
        Steps are ``eta0 / sqrt(t)``, ``eta0 / t`` or ``eta0``. "inverse" is for the norms "l2"
        and "elastic". "pegasos", for "l2", takes steps of 1 / (lam t) along the gradient of loss
        and ridge; "inverse" uses the prox of the ridge instead.
    radius : float > 0 or "auto", default "auto"
        Parameters are projected onto a ball of this radius. "auto" computes one that contains the
        optimum from the objective at zero; it is infinite with "pegasos", with "inverse" for
        norm="l2", and with `penalty` where alpha is 1.
    average : bool or "epoch", default False
        Return the last iterate, the mean of all (True), or the mean of the last epoch.
    transitions : {"fixed", "group"}, default "fixed"
        Transitions, start and stop scores have their own ``|T|^2 / 2``, or are one more group;
        with `penalty` that adds ``sqrt(K + 2) |T|``.
    cost : array-like (K, K), default None
        For "hinge": what it costs to take the label of a row for that of a column, in the sorted
        order of the labels (a frame is read by its labels); at least 0, and 0 on the diagonal.
        None: 1 for every wrong label.
    labels : array-like (K,), default None
        All labels that there may be, also in later data of `SPOM.more`; None: those of y.
    certify : int, default 0
        Passes of block Frank-Wolfe over the sequences, after the last epoch, that raise a lower
        bound of the optimum; `gap` is the objective minus the bound. Each costs about as much as
        an epoch. 0: no bound, except with "pegasos", and "inverse" with norm="l2", which give
        one.
    seed : int, default 0
        Seed of the orders.
    n_threads : int, default 1
        Threads over dense kernels and their columns; -1 for all cores. Any number gives the same
        bits.

    Returns
    -------
    SPOM
        With `gap`, an upper bound on the excess of the objective, if `certify` asks for it.

    Notes
    -----
    For each wrong label, a step costs n operations per dense kernel, and one per nonzero for
    sparse kernels and features. Shrinking a group costs one product. Memory: each kernel, and 2 n
    K numbers for it. Squared norms are half of those in the paper's objective, as in its
    algorithm 2, and the paper's recursion for norms is corrected.

    References
    ----------
    Martins, Smith, Xing, Aguiar, Figueiredo (2011), "Online learning of structured predictors
    with multiple kernels", AISTATS.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6))
    >>> y = np.where(X[:, 0] > 0, "up", "down")
    >>> kernels = {"says": X[:, :2] @ X[:, :2].T, "noise": X[:, 2:] @ X[:, 2:].T}
    >>> model = ss.spom(kernels, y, lengths=[10] * 20, C=10.0, eta0=1.0)
    >>> max(model.weights(), key=model.weights().get)
    'says'
    """
    hinge = read_choice("loss", loss, LOSSES) == "hinge"
    read_choice("norm", norm, KINDS)
    read_choice("schedule", schedule, SCHEDULES)
    learned = read_choice("transitions", transitions, TRANSITIONS) == "group"
    p = read_number("p", p, 1, np.inf, open_low=True, open_high=True)
    q = 2.0 * p / (p + 1.0) if q is None else read_number("q", q, 1, np.inf, open_low=True,
                                                          open_high=True)  # fmt: skip
    share, alpha = read_number("share", share, 0, 1), read_number("alpha", alpha, 0, 1)
    epochs, certify = read_count("epochs", epochs, 1), read_count("certify", certify, 0)
    read_flag("progress", progress)
    if average not in (False, True, "epoch"):
        raise ValueError(f"average must be False, True or 'epoch', not {average!r}")
    rng_seed, threads = read_seed(seed), thread_count(n_threads)
    each = penalty is not None and groups is None  # of a table, every feature is a group
    data = read_blocks(X, y, lengths, groups, each, labels)
    N, K = len(data.ptr) - 1, len(data.labels)
    if cost is not None:
        if not hinge:
            raise ValueError("cost is for loss='hinge'; the log loss has none")
        hinge = read_cost(cost, data.labels)
    lam, null = read_lam(lam, C, N), _null_objective(data, hinge)
    if penalty is None:
        omega = GroupNorm(norm, q, share)
    else:
        norm = "penalty"
        omega = read_penalty(penalty, alpha, data, K, learned, each and data.of is not None)
    if schedule == "pegasos" and norm != "l2":
        raise ValueError(f"schedule='pegasos' is of norm='l2' alone, not of {norm!r}")
    if radius != "auto":
        ball = read_positive("radius", radius)
    elif norm == "l2" and schedule in ("inverse", "pegasos"):
        ball = np.inf
    else:
        ball = omega.radius(null, lam, data.n_groups + learned)
    rng = np.random.default_rng(rng_seed)
    orders = read_orders(read_flag("shuffle", shuffle), order, N, epochs, rng)
    settings = Settings(hinge, omega, lam, learned, ball, average, schedule, threads)
    strong = omega.strong * lam if schedule in ("inverse", "pegasos") else 0.0
    rate = first_rate(eta0, lambda kept: settings.learner(data, kept), N, epochs, rng_seed, strong)
    learner = settings.learner(data, average)
    with progress_bar(epochs, progress, "epoch") as advance:
        trace, bound = _learn(learner, orders, epochs, rate, advance)
    options = {"loss": loss, "norm": norm, "transitions": transitions, "epochs": epochs,
               "average": average, "schedule": schedule}  # fmt: skip
    kept, found = learner.kept(), settings.returned(learner, data)
    if certify:
        bound = max(bound, raise_bound(settings.dual(data), found, certify, rng))
    return SPOM(
        labels=data.labels, group_labels=data.group_labels, lam=lam, eta0=rate, radius=ball,
        bound=float(bound), groups=data.of, n_features=data.n_features, blocks=data.kinds,
        feature_names=data.feature_names, options=options, feed=(settings, kept),
        **_columns(found, learner, trace, null),
    )  # fmt: skip


class Settings(NamedTuple):
    """What a learner depends on besides the data."""

    hinge: Any  # True, False for the log loss, or costs (K, K)
    norm: Any  # GroupNorm or PenaltyNorm
    lam: float
    learned: bool
    radius: float
    average: Any
    schedule: str
    threads: int

    def problem(self, data):
        """Return what SPOMLearner and SPOMDual begin with."""
        return (data.make, data.n_groups, data.ptr, data.codes, len(data.labels), self.hinge,
                self.norm, self.lam, self.learned)  # fmt: skip

    def learner(self, data, average):
        """Return a learner of these data, which keeps a mean of iterates if asked."""
        return SPOMLearner(*self.problem(data), radius=self.radius, average=average,
                           schedule=self.schedule, n_threads=self.threads)  # fmt: skip

    def dual(self, data):
        """Return dual variables of these data."""
        return SPOMDual(*self.problem(data), n_threads=self.threads)

    def returned(self, learner, data):
        """Return a learner at the parameters that are returned: the last ones, or the mean."""
        if not self.average:
            return learner
        found = self.learner(data, False)
        found.put(*learner.parameters())
        return found


def _null_objective(data, hinge):
    """Return the objective of parameters that are all 0."""
    N, K = len(data.ptr) - 1, len(data.labels)
    if hinge is False:
        return data.ptr[-1] / N * np.log(K)
    return data.ptr[-1] / N if hinge is True else hinge.max(axis=1)[data.codes].sum() / N


def _learn(learner, orders, epochs, rate, advance):
    """Make the epochs; return weights, those of transitions and objectives after each, and a
    bound.
    """
    trace, bound = [], -np.inf
    free = learner.norm.kind == "l2" and learner.schedule in ("inverse", "pegasos")
    for epoch, order in enumerate(orders):
        if learner.average == "epoch" and epoch == epochs - 1:
            learner.begin_mean()
        learner.epoch(order, rate)
        objective = learner.objective()
        trace.append((*_weights(learner), objective))
        whole = np.bincount(order, minlength=learner.N)  # the bound is of whole passes
        free = free and whole.min() == whole.max()
        if free and not learner.projected and rate == 1.0 / learner.lam:
            bound = max(bound, learner.pegasos_bound())
        advance(epoch + 1, "objective %.4g", objective)
    return trace, bound


def _weights(learner):
    """Return the weights of the groups, of sum 1, and that of transitions."""
    n, tied = learner.norms()
    if not learner.learned:
        return learner.norm.weights(n), 1.0
    return learner.norm.weights(n), float(learner.norm.weights(np.append(n, tied))[-1])


def _columns(found, learner, trace, null):
    """Return what a SPOM says of its steps and of the parameters that are returned."""
    weights, tied_weights, objectives = zip(*trace, strict=True)
    parameters, tied = found.parameters()
    return {
        "parameters": tuple(parameters), "tied": tied, "kernel_weights": np.array(weights),
        "transition_weights": np.array(tied_weights), "objectives": np.array(objectives),
        "regret_sums": learner.regret.copy(), "null_objective": float(null),
        "objective": objectives[-1] if found is learner else found.objective(),
    }  # fmt: skip


def learn_more(model, X, y, lengths, epochs, shuffle, order, seed):
    """Return the model after more steps: see `SPOM.more`."""
    if model.groups is None:
        raise ValueError(
            "kernels stand between the positions of training; fit spom to all of them, or make "
            "further epochs there"
        )
    if model.feed is None:
        raise ValueError("the model was read from a file, which does not hold its last iterate "
                         "and clock; fit it by spom")  # fmt: skip
    epochs, rng = read_count("epochs", epochs, 1), np.random.default_rng(read_seed(seed))
    settings, kept = model.feed
    data = read_more(model, X, y, lengths)
    orders = read_orders(read_flag("shuffle", shuffle), order, len(data.ptr) - 1, epochs, rng)
    learner = settings.learner(data, settings.average)
    learner.go_on(kept)
    trace, _ = _learn(learner, orders, epochs, model.eta0, lambda *told: None)
    kept, found = learner.kept(), settings.returned(learner, data)
    columns = _columns(found, learner, trace, _null_objective(data, settings.hinge))
    for name in ("kernel_weights", "transition_weights", "objectives"):
        columns[name] = np.concatenate([getattr(model, name), columns[name]])
    return replace(model, bound=-np.inf, feed=(settings, kept), **columns)
