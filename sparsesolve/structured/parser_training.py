"""parse_trees: learn to parse dependency trees by arcs that are scored by templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparsesolve.data import (
    answers_keywords,
    read_choice,
    read_count,
    read_flag,
    read_number,
    read_seed,
)
from sparsesolve.paths.progress import progress_bar
from sparsesolve.structured.arc_pass import ArcPass
from sparsesolve.structured.arc_templates import DEFAULT, many_templates
from sparsesolve.structured.group_norm import GroupNorm
from sparsesolve.structured.parser import Parser, coded, read_heads

METHODS = ("mira", "spom")
# The table of exact features has at first 2 to this power places, and doubles when half full.
FIRST_BITS = 16
# If the multiplier of a template falls below this, it is folded into the weights, so that it
# never underflows.
SMALL = 1e-6


@answers_keywords()
def parse_trees(
    sentences: Any,
    *,
    templates: Sequence[str] | str | None = None,
    method: str = "mira",
    C: float = 0.05,
    lam: float = 1e-4,
    eta0: float = 1.0,
    norm: str = "l1_squared",
    epochs: int = 5,
    bits: int | None = 22,
    single_root: bool = True,
    seed: int = 0,
    progress: bool = False,
) -> Parser:
    """Learn to parse dependency trees, one sentence at a time.

    ::

        score(tree) = sum over arcs (h, m) of sum_t theta_t[value of template t at (h, m)]

    Parameters
    ----------
    sentences : as `read_sentences` returns them
        Words with their heads, as numbers within the sentence, in the column "head".
    templates : list of str or "many", default None
        Such as ``"h.upos+m.upos[-1]+m.upos+distance"``: columns of the head h and the word m,
        with offsets, and ``direction`` or ``distance`` between them. None: 44 templates on the
        columns form, lemma, upos and xpos; "many": 304 templates, for a norm to choose from.
    method : {"mira", "spom"}, default "mira"
        "mira": passive-aggressive steps and the mean of all iterates. "spom": subgradient steps
        with a norm over templates, which sets some to 0, and the last iterate.
    C : float > 0, default 0.05
        Largest step of "mira".
    lam : float > 0, default 1e-4
        Strength of the norm of "spom".
    eta0 : float > 0, default 1.0
        Steps of "spom" are ``eta0 / sqrt(t)``.
    norm : {"l1_squared", "l1", "l2"}, default "l1_squared"
        Norm of "spom", as in `spom`.
    epochs : int, default 5
        Passes over the sentences, each in a new random order.
    bits : int or None, default 22
        Weights are hashed into a table of ``2**bits``; values that collide share one. None: exact
        features, each with its own weight, in a table that grows with the features that steps
        touch.
    single_root : bool, default True
        Whether exactly one word depends on the root.
    seed : int, default 0
        Seed of the orders.
    progress : bool, default False
        Show a progress bar on stderr.

    Returns
    -------
    Parser
        It has no certificate.

    Raises
    ------
    ValueError, TypeError
        Before any work starts, saying what was found, where, and what to do.

    References
    ----------
    McDonald, Crammer, Pereira (2005), "Online large-margin training of dependency parsers".
    Martins, Smith, Xing, Aguiar, Figueiredo (2011) on norms over templates.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> text = "dogs N 2\\nbark V 0\\n\\nloud A 2\\ncats N 3\\nmeow V 0\\n"
    >>> with open("trees.txt", "w") as stream:
    ...     _ = stream.write(text)
    >>> trees = structured.read_sentences("trees.txt", ["form", "tag", "head"])
    >>> parser = structured.parse_trees(trees, templates=["h.tag+m.tag+direction"])
    >>> parser.predict(trees)
    array([2, 0, 2, 3, 0], dtype=int32)
    """
    read_choice("method", method, METHODS)
    read_choice("norm", norm, ("l1_squared", "l1", "l2"))
    C, lam, eta0 = (read_number(name, value, 0, np.inf, open_low=True, open_high=True)
                    for name, value in (("C", C), ("lam", lam), ("eta0", eta0)))  # fmt: skip
    epochs = read_count("epochs", epochs, 1)
    bits = None if bits is None else read_count("bits", bits, 1)
    if bits is not None and bits > 30:
        raise ValueError(f"bits is {bits}; at most 30, a table of 8 GB")
    single_root = read_flag("single_root", single_root)
    read_flag("progress", progress)
    rng = np.random.default_rng(read_seed(seed))
    names = _names(templates)
    head, word, ptr, read = coded(names, sentences)
    gold = read_heads(sentences)
    if single_root:
        _refuse_many_roots(gold)
    size, mira = 1 << (FIRST_BITS if bits is None else bits), method == "mira"
    c, square = np.ones(len(names)), np.zeros(len(names))
    version = np.ones(len(names), dtype=np.uintc)
    work = ArcPass(
        head, word, read.apart, ptr, np.zeros(size), np.zeros(size if mira else 0), c, square,
        np.zeros(0 if mira else size, dtype=np.uintc), version,
        np.zeros(size if bits is None else 0, dtype=np.uint64),
    )  # fmt: skip
    omega, losses, along, t = GroupNorm(norm), [], [], 0
    with progress_bar(epochs, progress, "epoch") as advance:
        for epoch in range(epochs):
            lost = 0.0
            for s in rng.permutation(len(gold)):
                t += 1
                if mira:
                    lost += work.step(s, gold[s], single_root, C, 0.0, float(t))
                else:
                    eta = eta0 / np.sqrt(t)
                    lost += work.step(s, gold[s], single_root, 0.0, eta, 0.0)
                    _shrink(omega, eta * lam, work, c, square, version)
            losses.append(lost / len(gold))
            along.append(c * np.sqrt(np.maximum(square, 0.0)))
            advance(epoch + 1, "loss %.4g", losses[-1])
    weights = np.array(work.V)
    if mira:
        weights -= np.asarray(work.total) / (t + 1.0)
    norms = c * np.sqrt(np.maximum(square, 0.0))
    owners = None if mira else _owners(np.asarray(work.owner), version)
    keys = None
    if bits is None:
        kept = (np.asarray(work.keys) != 0) & (weights.astype(np.float32) != 0.0)
        if owners is not None:
            kept &= owners < len(names)
            owners = owners[kept]
        keys, weights = np.asarray(work.keys)[kept], weights[kept]
    return Parser(
        templates=tuple(names), weights=weights.astype(np.float32), keys=keys,
        template_weights=np.where(norms > 0.0, c, 0.0), norms=norms, losses=np.array(losses),
        single_root=single_root, owners=owners, norms_along=np.array(along),
        options={"method": method, "C": C, "lam": lam, "norm": norm},
    )  # fmt: skip


def _names(templates):
    """Return the templates as a list."""
    if isinstance(templates, str):
        read_choice("templates", templates, ["many"])
        return many_templates()
    return DEFAULT if templates is None else list(templates)


def _shrink(omega, t, work, c, square, version):
    """Apply the prox of the norm over templates; those at 0 forget their weights by a new
    version.
    """
    n = c * np.sqrt(np.maximum(square, 0.0))
    new = omega.prox(n, t)
    c *= np.divide(new, n, out=np.ones_like(n), where=n > 0.0)
    gone = (n > 0.0) & (new == 0.0)
    version[gone] += np.uintc(1)
    square[gone], c[gone] = 0.0, 1.0
    V, owner = np.asarray(work.V), np.asarray(work.owner)
    for k in np.flatnonzero(c < SMALL):
        own = owner == version[k] * len(c) + k
        V[own] *= c[k]
        square[k], c[k] = np.sum(V[own] ** 2), 1.0


def _owners(owner, version):
    """Return the template of each place, -1 for none; places are those that a Parser keeps."""
    T = len(version)
    t = owner % T
    return np.where(owner == version[t] * T + t, t, T).astype(np.int16)


def _refuse_many_roots(gold):
    many = [s for s, heads in enumerate(gold) if np.sum(heads == 0) != 1]
    if many:
        raise ValueError(
            f"sentence {many[0]} has {int(np.sum(gold[many[0]] == 0))} words under the root; "
            "say --many-roots, in Python single_root=False"
        )
