"""Dependency trees whose arcs have scores: the best tree, and probabilities of arcs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, read_flag
from sparsesolve.structured.decoding import checked_cost
from sparsesolve.structured.tree import TreeSums
from sparsesolve.structured.tree import best_tree as found_tree


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
    scores, single_root = _read(A), read_flag("single_root", single_root)
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
    sums = TreeSums(_read(A), single_root)
    if sums.log_partition == -np.inf:
        raise ValueError(_IMPOSSIBLE)
    return sums.marginals, float(sums.log_partition)


_IMPOSSIBLE = (
    "no tree is possible: with the arcs that are not -inf some word cannot be reached from the "
    "root, or not under single_root"
)


def _read(A):
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
