"""tree_path: random fields of dependency trees along a path of lambdas, with certificates.

    minimise over b   F(X b)  +  lam Omega(b)
    F(eta) = sum_s w_s [log sum_trees exp(score_s(tree)) - score_s(tree_s)]

Arcs are samples, values of templates features. eta holds the scores of all pairs (h, m) of all
sentences, (L + 1)^2 of a sentence of L words; X is binary and has no entries where there is no
arc. -F' = w (y - mu): arcs minus their marginals. With u = -s F'(eta) and 0 <= s <= 1 the dual
point is (1 - s) y + s mu, a mixture of trees. By concavity of the entropy H, with H(y) = 0,

    F*(-u) <= -s sum_s w_s H(mu_s),   H(mu) = log Z - <score, mu>,
    so   F(eta) + F*(-u) + eta'u <= (1 - s) F(eta),

as for chains, see log_loss.pyx. The solver is that of chains without its metric.
References: Koo, Globerson, Carreras, Collins (2007), "Structured prediction models via the
matrix-tree theorem"; Smith, Smith (2007), "Probabilistic models of nonprojective dependency
trees".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import (
    answers_keywords,
    read_count,
    read_flag,
    read_lambdas,
    read_number,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.paths.progress import progress_bar
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.penalties import ElasticNet, GroupL2
from sparsesolve.results.coefficient_table import Named
from sparsesolve.results.explored import View
from sparsesolve.results.frozen import Solved
from sparsesolve.results.interpolation import read_s
from sparsesolve.results.pictures.axes import on_axes
from sparsesolve.solvers.follow import follow
from sparsesolve.structured.arc_pass import ArcPass
from sparsesolve.structured.crf import MAX_ITER, RIDGE_START, columns_of, crf_path
from sparsesolve.structured.parser import Parser, coded, read_heads
from sparsesolve.structured.parser_training import read_templates, refuse_many_roots
from sparsesolve.structured.pictures import plot_norms
from sparsesolve.structured.problem import Coupled
from sparsesolve.structured.sequences import sequence_weights
from sparsesolve.structured.state import CoupledState
from sparsesolve.structured.tree import TreeSums

# u counts as a multiple of -F' if it differs from one by at most this fraction of the largest |u|.
SAME = 1e-9


class TreeLog:
    """F of all sentences, with the methods of a Loss that solvers of whole vectors call.

    Parameters
    ----------
    gold : list of (L,) arrays, the heads of each sentence
    w : (N,) weights that sum to 1
    single_root : bool
    """

    saturated = 0.0

    def __init__(self, gold, w, single_root):
        self.w, self.single_root = w, single_root
        self.sizes = np.array([len(heads) + 1 for heads in gold])
        self.ptr = np.concatenate([[0], np.cumsum(self.sizes**2)])
        self.n, self.last = int(self.ptr[-1]), None
        arcs = [start + heads * (len(heads) + 1) + np.arange(1, len(heads) + 1)
                for start, heads in zip(self.ptr, gold, strict=False)]  # fmt: skip
        #: (number of words,) place of each true arc
        self.arcs = np.concatenate(arcs)

    def at(self, eta):
        """Return F(eta) and -F'(eta)."""
        if self.last is not None and np.array_equal(self.last[0], eta):
            return self.last[1:]
        value, u = 0.0, np.zeros(self.n)
        u[self.arcs] = np.repeat(self.w, self.sizes - 1)
        for s, (size, w) in enumerate(zip(self.sizes, self.w, strict=True)):
            own = slice(self.ptr[s], self.ptr[s + 1])
            sums = TreeSums(eta[own].reshape(size, size), self.single_root)
            u[own] -= w * sums.marginals.ravel()
            value += w * sums.log_partition
        value = max(value - float(eta[self.arcs] @ np.repeat(self.w, self.sizes - 1)), 0.0)
        self.last = eta.copy(), value, u
        return value, u

    def fenchel_young_at(self, eta, u):
        """Return (1 - s) F(eta), an upper bound, where u is s times -F'(eta); infinity if it is
        not.
        """
        value, own = self.at(eta)
        down = float(own @ own)
        s = float(u @ own) / down if down > 0.0 else 1.0
        off = float(np.abs(u - s * own).max(initial=0.0))
        if off > SAME * float(np.abs(own).max(initial=0.0)) or s < 0.0 or s > 1.0 + SAME:
            return np.inf
        return max(1.0 - s, 0.0) * value

    def raise_pending(self):
        """Do nothing: no method keeps an exception."""


class TreeProblem(Coupled):
    """The methods that a path needs of a problem.

    Parameters
    ----------
    X : csr_array (number of pairs, p)
    loss : TreeLog
    penalty : Penalty on vectors (p,)
    """

    def __init__(self, X, loss, penalty):
        self.rows, self.columns = X, sparse.csr_array(X.T)
        self.loss, self.penalty, self.p = loss, penalty, X.shape[1]
        self.n_coefficients = self.p
        self.null_value, _ = loss.at(np.zeros(loss.n))

    def scores(self, b, n_threads=1):
        """Return eta for coefficients b."""
        return self.rows @ b

    def products(self, u, n_threads=1):
        """Return the products of the columns with u."""
        return self.columns @ u


def arc_features(work, arcs, ptr, every):
    """Return X, the codes of its columns (p,) in order, and the template of each (p,).

    Parameters
    ----------
    work : ArcPass
    arcs : (number of words,) places of the true arcs
    ptr : (N + 1,) where the pairs of a sentence begin
    every : bool
        Whether values count that occur at no true arc.
    """
    values = [work.values(s).reshape(-1, work.n_templates) for s in range(len(ptr) - 1)]
    values = np.concatenate(values)
    keys, first = np.unique(values if every else values[arcs], return_index=True)
    owners = first % work.n_templates
    kept = keys != 0
    keys, owners = keys[kept], owners[kept]
    at = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
    known = (keys[at] == values) & (values != 0)
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    columns = at[known].astype(np.int32)
    X = sparse.csr_array((np.ones(len(columns)), columns, starts), shape=(len(values), len(keys)))
    X.sort_indices()
    return X, keys, owners


@dataclass(frozen=True, repr=False)
class TreePath(Solved, Named):
    """Random fields of dependency trees along a path of lambdas, each with a certified gap."""

    lambdas: np.ndarray  #: (L,) decreasing
    coefs: sparse.csc_array  #: (p, L) weights of features
    df: np.ndarray  #: (L,) nonzero weights
    dev_ratio: np.ndarray  #: (L,) fraction of the loss at zero weights that is explained
    gaps: np.ndarray  #: (L,) duality gap over the objective at zero weights
    n_iters: np.ndarray  #: (L,) steps
    status: np.ndarray  #: (L,) Status of each lambda
    stop_reason: str  #: why the path ended
    null_value: float  #: loss at zero weights, the objective that gaps are relative to
    templates: tuple  #: (T,) templates as text
    keys: np.ndarray  #: (p,) codes of the features
    owners: np.ndarray  #: (p,) template of each feature, by number
    single_root: bool  #: whether one word hangs from the root
    options: dict = field(default_factory=dict)  #: options of the fit that are not data

    family, class_names = "tree", None

    @property
    def selectable(self) -> tuple[int, str]:
        """Return the number of selectable features, and their name."""
        return len(self.keys), "feature"

    def coef(self, s: float | None = None) -> np.ndarray:
        """Return the weights of the features at a lambda of the path, (p,); None: the last."""
        return self.coefs[:, [self._place(s)]].toarray()[:, 0]

    def parser(self, s: float | None = None) -> Parser:
        """Return the parser at a lambda of the path; None: the last.

        Its `predict`, `marginals` and `score` are those of new sentences; `sparsesolve.save`
        writes it into a file.

        Raises
        ------
        ValueError
            If s is not a lambda of the path.
        """
        at = self._place(s)
        b = self.coef(s)
        used = np.flatnonzero(b.astype(np.float32))
        norms = self._norms(s)
        return Parser(
            templates=self.templates, weights=b[used].astype(np.float32), keys=self.keys[used],
            template_weights=(norms > 0.0) * 1.0, norms=norms, single_root=self.single_root,
            losses=np.array([(1.0 - self.dev_ratio[at]) * self.null_value]),
            options={"loss": "log", "lam": float(self.lambdas[at]), "gap": float(self.gaps[at])},
        )  # fmt: skip

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the norm of the weights of each template along the path."""
        norms = np.array([self._norms(lam) for lam in self.lambdas])
        return plot_norms(self.lambdas, norms, self.templates, "template", ax)

    def _norms(self, s):
        """Return the norm of the weights of each template, (T,)."""
        return np.sqrt(np.bincount(self.owners, self.coef(s) ** 2, len(self.templates)))

    def _views(self):
        norms = np.stack([self._norms(lam) for lam in self.lambdas], axis=1)
        return [View("Norm of the template", self.templates, sparse.csr_array(norms))]

    def _columns_at(self, s, zeros):
        norms = np.array([self._norms(lam) for lam in np.atleast_1d(s)])
        at, template = np.nonzero((norms > 0.0) | zeros)
        columns = {"lambda": np.atleast_1d(s)[at]} if np.ndim(s) else {}
        names = np.array(self.templates, dtype=object)[template]
        return {**columns, "template": names, "norm": norms[at, template]}

    def _selected(self, s):
        return np.flatnonzero(self.coef(s))

    def _place(self, s):
        if s is None:
            return len(self.lambdas) - 1
        found = np.flatnonzero(self.lambdas == read_s(s))
        if len(found) != 1:
            raise ValueError(f"s is {s}, which is no lambda of the path; see lambdas")
        return int(found[0])


@answers_keywords()
@described_by(crf_path)
def tree_path(
    sentences: Any,
    *,
    templates: Sequence[str] | str | None = None,
    by_template: bool = False,
    alpha: float = 1.0,
    every: bool = False,
    weights: ArrayLike | None = None,
    single_root: bool = True,
    lambdas: ArrayLike | None = None,
    n_lambdas: int = 20,
    lambda_min_ratio: float = 1e-2,
    tol: float = 1e-4,
    max_iter: int | None = None,
    progress: bool = False,
) -> TreePath:
    r"""Fit random fields of dependency trees along a path, each point with a certified gap.

    .. math::

        \min_b \; \sum_s w_s \Bigl[ \log \sum_T e^{\mathrm{score}_s(T)} - \mathrm{score}_s(T_s)
        \Bigr] + \lambda \Omega(b)

        \mathrm{score}(T) = \sum_{(h, m) \in T} \sum_t b[\text{value of template $t$ at } (h, m)]

    Parameters
    ----------
    sentences, templates, single_root
        As in `parse_trees`. All features of all arcs are in memory: 12 bytes for each pair of
        words and template, twice.
    by_template : bool, default False
        Omega is the group norm with the weights of each template as a group, so that templates
        enter as a whole; a group has the weight of the square root of its size. Else it is the
        l1 norm.
    alpha : float in [0, 1], default 1.0
        Mixes Omega with a ridge part, ``alpha Omega + (1 - alpha) |b|^2 / 2``: 0 is ridge. With
        `by_template` the ridge of a group has the group's weight.
    every : bool, default False
        Count values of templates that occur at no true arc as features, too.
    weights : array-like (n_sentences,), default None
        One for each sentence, scaled to sum 1.
    lambdas : array-like (L,), default None
        In any order; solved from the largest down.

    Returns
    -------
    TreePath

    Warns
    -----
    ConvergenceWarning
        Once, with the lambdas whose certificate misses `tol`.

    Notes
    -----
    The dual point is -F' scaled until it is feasible: a mixture of the trees given and of
    marginals, whose entropy is known with the gradient. A gradient costs O(n^3) for a sentence of
    n words.

    References
    ----------
    Koo, Globerson, Carreras, Collins (2007), "Structured prediction models via the matrix-tree
    theorem". Stella, Themelis, Sopasakis, Patrinos (2017), the solver (PANOC).

    Examples
    --------
    >>> from sparsesolve import structured
    >>> text = "dogs N 2\nbark V 0\n\nloud A 2\ncats N 3\nmeow V 0\n"
    >>> with open("trees.txt", "w") as stream:
    ...     _ = stream.write(text)
    >>> trees = structured.read_sentences("trees.txt", ["form", "tag", "head"])
    >>> fit = structured.tree_path(trees, templates=["h.tag+m.tag+direction"], n_lambdas=5)
    >>> bool(fit.gaps.max() <= 1e-4), fit.parser().predict(trees)
    (True, array([2, 0, 2, 3, 0], dtype=int32))
    """
    grouped, every = read_flag("by_template", by_template), read_flag("every", every)
    alpha, tol = read_number("alpha", alpha, 0, 1), read_number("tol", tol, 0, np.inf)
    single_root, grid = read_flag("single_root", single_root), read_lambdas(lambdas)
    n_lambdas = read_count("n_lambdas", n_lambdas, 1)
    ratio = read_number("lambda_min_ratio", lambda_min_ratio, 0, 1, open_low=True, open_high=True)
    max_iter = MAX_ITER if max_iter is None else read_count("max_iter", max_iter, 0)
    read_flag("progress", progress)
    names = tuple(read_templates(templates))
    problem, keys, owners = _read_problem(sentences, names, grouped, alpha, every, weights,
                                          single_root)  # fmt: skip
    # A feature sums over the words of a sentence, whose arcs exclude each other.
    squares = problem.rows.power(2).sum(axis=1).max(initial=1.0)
    state = CoupledState(problem, 0.5 * float(squares))
    if grid is None:
        z = problem.products(state.point.u)
        levels = problem.penalty.entry_lambdas(z) if alpha > 0.0 else RIDGE_START * np.abs(z)
        largest = float(levels.max(initial=0.0))
        grid = largest * np.geomspace(1.0, ratio, n_lambdas) if largest > 0.0 else np.zeros(1)
    with progress_bar(len(grid), progress) as advance:
        points, reason = follow(state, problem, grid, tol=tol, max_iter=max_iter, stop=None,
                                dfmax=None, pmax=None, advance=advance)  # fmt: skip
    path = TreePath(
        **columns_of(points, problem.p), df=np.array([point.df for point in points]),
        stop_reason=reason, null_value=problem.null_value, templates=names, keys=keys,
        owners=owners, single_root=single_root,
        options={"alpha": alpha, "by_template": grouped, "every": every, "tol": tol},
    )  # fmt: skip
    warn_missed([path], tol)
    return path


def _read_problem(sentences, names, grouped, alpha, every, weights, single_root):
    """Check the data; return (TreeProblem, codes of its features, their templates)."""
    head, word, ptr, read = coded(names, sentences)
    gold, T = read_heads(sentences), len(names)
    if single_root:
        refuse_many_roots(gold)
    w = sequence_weights(weights, len(gold))
    loss = TreeLog(gold, w / w.sum(), single_root)
    work = ArcPass(head, word, read.apart, ptr, np.zeros(2), np.zeros(0), np.ones(T), np.zeros(T),
                   np.zeros(0, dtype=np.uintc), np.zeros(T, dtype=np.uintc))  # fmt: skip
    X, keys, owners = arc_features(work, loss.arcs, loss.ptr, every)
    p = X.shape[1]
    if grouped:
        penalty = GroupL2(owners.tolist()).over(p)
        none, ends = np.zeros(penalty.n_groups, dtype=bool), np.full(p, np.inf)
        penalty = penalty.under(alpha, np.ones(penalty.n_groups), none, -ends, ends, 1.0)
    else:
        penalty = ElasticNet(p, alpha)
    return TreeProblem(X, loss, penalty), keys, owners
