"""Decoding and marginals of chains and of dependency trees with given scores, from any model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, read_count, read_flag
from sparsesolve.linalg.threads import thread_count
from sparsesolve.losses.chain.sequences import Chains
from sparsesolve.penalties.columns import index_of, places_by_label
from sparsesolve.structured.sequences import (
    is_list_of_sequences,
    joined_tags,
    read_allowed,
    read_lengths,
)
from sparsesolve.structured.tree import TreeSums
from sparsesolve.structured.tree import best_tree as found_tree


@answers_keywords()
def viterbi(
    S: Any,
    T: ArrayLike,
    *,
    lengths: ArrayLike | None = None,
    start: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    allowed: ArrayLike | None = None,
    y: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    n_best: int | None = None,
    n_threads: int = 1,
) -> tuple[Any, Any]:
    r"""Find the labellings of chains with the largest score.

    .. math:: \mathrm{score}(y) = \mathrm{start}_{y_1} + \sum_i S_{i, y_i}
              + \sum_i T_{y_i, y_{i+1}} + \mathrm{stop}_{y_L}

    Parameters
    ----------
    S : array-like (n, K), or list of array-like (L, K)
        Scores of the K labels at each position; -inf forbids a label.
    T : array-like (K, K)
        Scores of transitions, from row to column; -inf forbids a transition.
    lengths : array-like (n_sequences,), default None
        Positions of each sequence, in order. None: S is one sequence, or a list of them.
    start, stop : array-like (K,), default None
        Scores of the first and last label of a sequence.
    allowed : array-like (K, K) of bool, default None
        Transitions that are possible; None means all.
    y : array-like (n,) of int, or list of label sequences, default None
        Labels by number. If given, every label that differs from y scores its cost more. This is
        the loss-augmented decoding of a structured hinge loss.
    cost : array-like (K, K), default None
        With y: what it costs to take the true label (row) for another (column); at least 0, and 0
        on the diagonal. None: 1 for every wrong label.
    n_best : int, default None
        Return this many of the best labellings of each sequence.
    n_threads : int, default 1
        Threads over sequences; -1 for all cores. The result does not depend on it.

    Returns
    -------
    labels : ndarray (n,) of int, or a list
        Labels by number; if several labellings are best, the first. With `n_best` a list with an
        array (m, L) for each sequence, best first; m is smaller if fewer exist.
    scores : ndarray (n_sequences,), or a list
        The scores. With `n_best` a list with an array (m,) for each sequence.

    Raises
    ------
    ValueError, TypeError
        Where shapes do not fit, a score is NaN or +inf, or a sequence has no possible labelling.

    References
    ----------
    Viterbi (1967), "Error bounds for convolutional codes and an asymptotically optimum decoding
    algorithm".

    Examples
    --------
    >>> from sparsesolve import structured
    >>> S = [[2.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    >>> structured.viterbi(S, [[1.0, -9.0], [0.0, 0.0]])
    (array([0, 0, 0], dtype=int32), array([4.]))
    """
    S, T, chains, threads = _read(S, T, lengths, start, stop, allowed, n_threads)
    if y is not None:
        codes = _numbers(joined_tags(y, chains.starts, of="S"), len(S), chains.K)
        S += read_cost(cost, np.arange(chains.K))[codes]
    elif cost is not None:
        raise ValueError("cost is what it costs to take y for another label; give y as well")
    if n_best is None:
        labels, scores = chains.viterbi(S, T, threads)
        _refuse_impossible(scores)
        return labels, scores
    n_best = read_count("n_best", n_best, 1)
    ptr, found = np.asarray(chains.starts), []
    for first, last in zip(ptr[:-1], ptr[1:], strict=True):
        one = Chains(np.array([0, last - first]), chains.K)
        found.append(one.best(np.ascontiguousarray(S[first:last]), T, n_best))
    _refuse_impossible(np.array([scores[0] if len(scores) else -np.inf for _, scores in found]))
    return [paths for paths, _ in found], [scores for _, scores in found]


@answers_keywords()
def marginals(
    S: Any,
    T: ArrayLike,
    *,
    lengths: ArrayLike | None = None,
    start: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    allowed: ArrayLike | None = None,
    pairs: bool = False,
    n_threads: int = 1,
) -> tuple[np.ndarray, ...]:
    """Return probabilities of labels where P(y) is proportional to exp(score(y)).

    Parameters
    ----------
    S, T, lengths, start, stop, allowed, n_threads
        As in `viterbi`.
    pairs : bool, default False
        Also return the probabilities of neighbouring labels: K^2 numbers for each position.

    Returns
    -------
    nodes : ndarray (n, K)
        P(y_i = k).
    log_partition : ndarray (n_sequences,)
        log sum_y exp(score(y)) of each sequence.
    pairs : ndarray (n - n_sequences, K, K)
        P(y_i = a, y_i+1 = b), sequence by sequence; only with `pairs`.

    Raises
    ------
    ValueError, TypeError
        As `viterbi`.

    Notes
    -----
    The forward-backward algorithm works with scaled numbers, and with logarithms where these
    would vanish, so that scores may have any size.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import structured
    >>> nodes, log_partition = structured.marginals(np.zeros((3, 2)), np.zeros((2, 2)))
    >>> nodes[0], float(np.exp(log_partition[0]).round(6))
    (array([0.5, 0.5]), 8.0)
    """
    S, T, chains, threads = _read(S, T, lengths, start, stop, allowed, n_threads)
    pairs = read_flag("pairs", pairs)
    nodes, log_partition, found = chains.marginals(S, T, None, pairs, threads)
    _refuse_impossible(log_partition)
    return (nodes, log_partition, found) if pairs else (nodes, log_partition)


def _read(S, T, lengths, start, stop, allowed, n_threads):
    """Return a copy of the scores with start and stop added, transitions under the mask, and
    Chains.
    """
    if is_list_of_sequences(S):
        if lengths is not None:
            raise ValueError(
                "S is a list of sequences, which have their lengths; leave lengths out"
            )
        lengths = [len(part) for part in S]
        S = np.concatenate([np.asarray(part, dtype=float) for part in S])
    S = np.array(S, dtype=float, order="C")
    if S.ndim != 2 or 0 in S.shape:
        raise ValueError(f"S has shape {S.shape}; it must be positions by labels")
    K = S.shape[1]
    T = _scores("T", T, (K, K))
    allowed = read_allowed(allowed, K)
    if allowed is not None:
        T = np.where(allowed, T, -np.inf)
    ptr = read_lengths(lengths, len(S))
    _refuse_large("S", S)
    if start is not None:
        S[ptr[:-1]] += _scores("start", start, (K,))
    if stop is not None:
        S[ptr[1:] - 1] += _scores("stop", stop, (K,))
    return S, np.ascontiguousarray(T), Chains(ptr, K), thread_count(n_threads)


def _scores(name, values, shape):
    values = np.array(values, dtype=float)
    if values.shape != shape:
        raise ValueError(f"{name} has shape {values.shape}; with {shape[0]} labels it is {shape}")
    _refuse_large(name, values)
    return values


def _refuse_large(name, values):
    wrong = np.isnan(values) | (values == np.inf)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"{name} holds {values[place]} at {place}; scores are finite, or -inf")


def _numbers(y, n, K):
    y = np.asarray(y)
    if y.shape != (n,) or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= K:
        raise ValueError(f"y must be {n} whole numbers from 0 to {K - 1}, the labels by number")
    return y


def read_cost(cost: Any, labels: Any) -> np.ndarray:
    """Return the costs (K, K) of taking the label of a row for that of a column.

    None: every wrong label costs 1. Rows and columns of a frame are found by the labels (K,).
    """
    K = len(labels)
    if cost is None:
        return 1.0 - np.eye(K)
    found = np.array(cost, dtype=float)
    if hasattr(cost, "columns") and found.shape == (K, K):
        rows = places_by_label("the index of cost", index_of(cost), labels, "label")
        across = places_by_label("the columns of cost", index_of(cost.T), labels, "label")
        found = found[np.ix_(rows, across)]
    return checked_cost(found, (K, K), "from the true label to another")


def checked_cost(cost: np.ndarray, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Return costs of this shape that are finite and at least 0; 0 on the diagonal."""
    if cost.shape != shape:
        raise ValueError(f"cost has shape {cost.shape}; it must be {shape}, {what}")
    wrong = ~((cost >= 0.0) & (cost < np.inf))
    wrong |= (np.eye(shape[0], shape[1]) > 0.0) & (cost != 0.0)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"cost holds {cost[place]} at {place}; costs are finite and at least 0, and 0 on the "
            "diagonal"
        )
    return np.ascontiguousarray(cost)


def _refuse_impossible(scores):
    if (scores == -np.inf).any():
        s = int((scores == -np.inf).argmax())
        raise ValueError(
            f"sequence {s} has no possible labelling: each contains a score of -inf"
        )


@answers_keywords()
def best_tree(
    A: ArrayLike, single_root: bool = True, *, heads: ArrayLike | None = None,
    cost: ArrayLike | None = None,
) -> tuple[np.ndarray, float]:
    r"""Find the tree with the largest score over n words under a root.

    .. math:: \mathrm{score}(T) = \sum_m A[\text{head of } m, m]

    Parameters
    ----------
    A : array-like (n + 1, n + 1)
        ``A[h, m]`` is the score of the arc from head h to word m; 0 is the root and words are 1
        to n. -inf forbids an arc. The diagonal and column 0 are not read.
    single_root : bool, default True
        Whether exactly one word depends on the root.
    heads : array-like (n,) of int, default None
        Heads of the words. If given, every arc that differs from them scores its cost more. This
        is the loss-augmented decoding of a structured hinge loss.
    cost : array-like (n + 1, n + 1), default None
        With `heads`: the cost of each wrong arc, at least 0. The diagonal, column 0 and the arcs
        of `heads` are not read. None: 1 for every wrong arc.

    Returns
    -------
    heads : ndarray (n,)
        ``heads[m - 1]`` is the head of word m, 0 the root.
    score : float

    Raises
    ------
    ValueError
        If A is not square, holds NaN or +inf, or no tree is possible; if `heads` do not fit.

    Notes
    -----
    Time and memory are O(n^2). With one root the answer is exact for scores of any size: no
    constant is subtracted from the arcs of the root.

    References
    ----------
    Tarjan (1977), "Finding optimum branchings". McDonald, Pereira, Ribarov, Hajic (2005),
    "Non-projective dependency parsing using spanning tree algorithms".

    Examples
    --------
    >>> from sparsesolve import structured
    >>> A = [[0.0, 2.0, 9.0], [0.0, 0.0, 8.0], [0.0, 5.0, 0.0]]
    >>> structured.best_tree(A)
    (array([2, 0], dtype=int32), 14.0)
    """
    scores, single_root = _read_arcs(A), read_flag("single_root", single_root)
    if heads is not None:
        gold = _read_heads(heads, len(scores) - 1)
        words = np.arange(1, len(scores))
        more = np.ones_like(scores) if cost is None else np.array(cost, dtype=float)
        if more.shape == scores.shape:
            more[gold, words] = 0.0
            more[:, 0] = 0.0
            np.fill_diagonal(more, 0.0)
        scores += checked_cost(more, scores.shape, "from heads to words")
    elif cost is not None:
        raise ValueError("cost is that of arcs that differ from heads; give heads as well")
    found, score = found_tree(scores, single_root)
    if score == -np.inf:
        raise ValueError(_IMPOSSIBLE)
    return found, float(score)


@answers_keywords()
def tree_marginals(A: ArrayLike, single_root: bool = True) -> tuple[np.ndarray, float]:
    """Return probabilities of arcs where P(tree) is proportional to exp(score(tree)).

    Parameters
    ----------
    A, single_root
        As in `best_tree`.

    Returns
    -------
    marginals : ndarray (n + 1, n + 1)
        ``marginals[h, m]`` is the probability that h is the head of m; columns of words sum to 1.
    log_partition : float
        log of the sum of exp(score) over all trees.

    Raises
    ------
    ValueError
        If A is not square, holds NaN or +inf, or no tree is possible.

    Notes
    -----
    The algorithm is elimination without subtraction, in logarithms, so that scores may have any
    size, in O(n^3). The determinant of the matrix-tree theorem loses all digits where scores are
    far apart.

    References
    ----------
    Koo, Globerson, Carreras, Collins (2007), "Structured prediction models via the matrix-tree
    theorem". Grassmann, Taksar, Heyman (1985), the elimination.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import structured
    >>> marginals, log_partition = structured.tree_marginals(np.zeros((3, 3)))
    >>> float(np.exp(log_partition).round(6)), marginals[0].round(6)
    (2.0, array([0. , 0.5, 0.5]))
    """
    single_root = read_flag("single_root", single_root)
    sums = TreeSums(_read_arcs(A), single_root)
    if sums.log_partition == -np.inf:
        raise ValueError(_IMPOSSIBLE)
    return sums.marginals, float(sums.log_partition)


_IMPOSSIBLE = (
    "no tree is possible: with the arcs that are not -inf some word cannot be reached from the "
    "root, or not under single_root"
)


def _read_arcs(A):
    """Return a checked copy of the scores."""
    A = np.array(A, dtype=float, order="C")
    if A.ndim != 2 or A.shape[0] != A.shape[1] or len(A) == 0:
        raise ValueError(
            f"A has shape {A.shape}; it must be (n + 1, n + 1), from heads to words"
        )
    read = ~np.eye(len(A), dtype=bool)
    read[:, 0] = False
    wrong = read & (np.isnan(A) | (A == np.inf))
    if wrong.any():
        h, m = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"A holds {A[h, m]} at ({h}, {m}); scores are finite, or -inf")
    return A


def _read_heads(heads, n):
    heads = np.asarray(heads)
    if heads.shape != (n,) or (n and heads.dtype.kind not in "iu"):
        raise ValueError(f"heads must be {n} whole numbers, one for each word")
    if n and (heads.min() < 0 or heads.max() > n):
        raise ValueError(f"heads must be from 0 (the root) to {n}, the number of words")
    return heads
