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
from sparsesolve.data.paragraphs import described_by
from sparsesolve.paths.path import path
from sparsesolve.paths.progress import progress_bar
from sparsesolve.structured.arc_pass import ArcPass
from sparsesolve.structured.group_norm import GroupNorm
from sparsesolve.structured.parser import DEFAULT, Parser, coded, many_templates, read_heads
from sparsesolve.structured.spom_learner import SMALL

METHODS = ("mira", "spom")
LOSSES = ("hinge", "log")
# The table of exact features has at first 2 to this power places, and doubles when half full.
FIRST_BITS = 16


@answers_keywords()
@described_by(path)
def parse_trees(
    sentences: Any,
    *,
    templates: Sequence[str] | str | None = None,
    method: str | None = None,
    loss: str = "hinge",
    C: float = 0.05,
    lam: float = 1e-4,
    eta0: float | None = None,
    norm: str | None = None,
    average: bool | None = None,
    epochs: int = 5,
    bits: int | None = 22,
    single_root: bool = True,
    seed: int = 0,
    progress: bool = False,
) -> Parser:
    r"""Learn to parse dependency trees, one sentence at a time.

    .. math:: \mathrm{score}(T) = \sum_{(h, m) \in T} \sum_t
              \theta_t[\text{value of template $t$ at } (h, m)]

    Parameters
    ----------
    sentences : as `read_sentences` returns them
        Words with their heads, as numbers within the sentence, in the column "head".
    templates : list of str or "many", default None
        Such as ``"h.upos+m.upos[-1]+m.upos+distance"``: columns of the head h and the word m,
        with offsets, and ``direction`` or ``distance`` between them. None: 44 templates on the
        columns form, lemma, upos and xpos; "many": 304 templates, for a norm to choose from.
    method : {"mira", "spom"}, default None
        "mira": passive-aggressive steps of the hinge loss and the mean of all iterates. "spom":
        gradient steps with a norm over templates, which sets some to 0, and the last iterate.
        None: "mira", or with loss="log" "spom".
    loss : {"hinge", "log"}, default "hinge"
        "log": minus the log of a tree's probability, so that `Parser.marginals` are probabilities
        of arcs. Gradients come from marginals, in O(n^3) for n words.
    C : float > 0, default 0.05
        Largest step of "mira".
    lam : float > 0, default 1e-4
        Strength of the norm of "spom".
    eta0 : float > 0, default None
        None: 1, or 10 with loss="log".
        Steps of "spom" are ``eta0 / sqrt(t)``, and with loss="log" ``eta0 / sqrt(N + t)`` for N
        sentences: a long first step would stay in the weights of rare values.
    norm : {"l1_squared", "l1", "l2"}, default None
        Norm of "spom", as in `spom`. None: "l1_squared", or with loss="log" "l2", which leaves
        out no template.
    average : bool, default None
        With "spom" and norm="l2": return the mean of all iterates. None: with loss="log".
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

    Returns
    -------
    Parser
        It has no certificate.

    References
    ----------
    McDonald, Crammer, Pereira (2005), "Online large-margin training of dependency parsers".
    Martins, Smith, Xing, Aguiar, Figueiredo (2011) on norms over templates.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> text = "dogs N 2\nbark V 0\n\nloud A 2\ncats N 3\nmeow V 0\n"
    >>> with open("trees.txt", "w") as stream:
    ...     _ = stream.write(text)
    >>> trees = structured.read_sentences("trees.txt", ["form", "tag", "head"])
    >>> parser = structured.parse_trees(trees, templates=["h.tag+m.tag+direction"])
    >>> parser.predict(trees)
    array([2, 0, 2, 3, 0], dtype=int32)
    """
    log = read_choice("loss", loss, LOSSES) == "log"
    method = "spom" if method is None and log else read_choice("method", method or "mira", METHODS)
    if norm is None:
        norm = "l2" if log else "l1_squared"
    read_choice("norm", norm, ("l1_squared", "l1", "l2"))
    average = _read_average(average, method, log, norm)
    eta0 = (10.0 if log else 1.0) if eta0 is None else eta0
    C, lam, eta0 = (read_number(name, value, 0, np.inf, open_low=True, open_high=True)
                    for name, value in (("C", C), ("lam", lam), ("eta0", eta0)))  # fmt: skip
    epochs = read_count("epochs", epochs, 1)
    bits = None if bits is None else read_count("bits", bits, 1)
    if bits is not None and bits > 30:
        raise ValueError(f"bits is {bits}; at most 30, a table of 8 GB")
    single_root = read_flag("single_root", single_root)
    read_flag("progress", progress)
    rng = np.random.default_rng(read_seed(seed))
    names = read_templates(templates)
    head, word, ptr, read = coded(names, sentences)
    gold = read_heads(sentences)
    if single_root:
        refuse_many_roots(gold)
    size, mira = 1 << (FIRST_BITS if bits is None else bits), method == "mira"
    owned = not average  # means of iterates are kept of places that templates share
    c, square = np.ones(len(names)), np.zeros(len(names))
    version = np.ones(len(names), dtype=np.uintc)
    work = ArcPass(
        head, word, read.apart, ptr, np.zeros(size), np.zeros(size if average else 0), c, square,
        np.zeros(size if owned else 0, dtype=np.uintc), version,
        np.zeros(size if bits is None else 0, dtype=np.uint64),
    )  # fmt: skip
    steps = {"C": C if mira else None, "eta0": eta0, "lam": lam, "log": log}
    learner = _Learner(work, gold, single_root, GroupNorm(norm), average, steps)
    losses, along = [], []
    with progress_bar(epochs, progress, "epoch") as advance:
        for epoch in range(epochs):
            losses.append(learner.epoch(rng.permutation(len(gold))))
            along.append(learner.norms())
            advance(epoch + 1, "loss %.4g", losses[-1])
    weights, norms = learner.weights(), learner.norms()
    owners = _owners(np.asarray(work.owner), version) if owned else None
    keys = None
    if bits is None:
        kept = (np.asarray(work.keys) != 0) & (weights.astype(np.float32) != 0.0)
        if owners is not None:
            kept &= owners < len(names)
            owners = owners[kept]
        keys, weights = np.asarray(work.keys)[kept], weights[kept]
    if average:
        c = np.ones(len(names))  # the mean is of weights that hold them
    return Parser(
        templates=tuple(names), weights=weights.astype(np.float32), keys=keys,
        template_weights=np.where(norms > 0.0, c, 0.0), norms=norms, losses=np.array(losses),
        single_root=single_root, owners=owners, norms_along=np.array(along),
        options={"method": method, "C": C, "lam": lam, "norm": norm, "loss": loss},
    )  # fmt: skip


def _read_average(average, method, log, norm):
    """Return whether the mean of iterates is returned; raise ValueError if options do not fit."""
    if log and method == "mira":
        raise ValueError("method='mira' is of the hinge loss; leave method out, or give 'spom'")
    if average is None:
        return method == "mira" or log and norm == "l2"
    average = read_flag("average", average)
    if average and method == "spom" and norm != "l2":
        raise ValueError(f"average=True is for norm='l2'; norm={norm!r} leaves templates out, "
                         "which a mean of iterates would not")  # fmt: skip
    if not average and method == "mira":
        raise ValueError("method='mira' returns the mean of iterates; leave average out")
    return average


class _Learner:
    """Steps over sentences: MIRA where options["C"] is a number, else SPOM.

    A mean of iterates needs one multiplier c of all templates: `clock` is the sum of c so far,
    and (clock V - total) / (t + 1) the mean of t + 1 iterates, as in spom_step.
    """

    def __init__(self, work, gold, single_root, omega, average, options):
        self.work, self.gold, self.single_root = work, gold, single_root
        self.omega, self.average, self.options = omega, average, options
        self.t, self.clock = 0, 0.0

    def norms(self):
        """Return the norms of the templates' weights."""
        return np.asarray(self.work.c) * np.sqrt(np.maximum(self.work.square, 0.0))

    def epoch(self, order):
        """Take a step on each sentence; return the mean loss before each."""
        lost = 0.0
        for s in order:
            self.t += 1
            if self.average:
                self.clock += self.work.c[0]
            lost += self._step(s)
        return lost / len(self.gold)

    def _step(self, s):
        work, options = self.work, self.options
        if options["C"] is not None:
            return work.step(s, self.gold[s], self.single_root, options["C"], 0.0, self.clock)
        eta = options["eta0"] / np.sqrt(self.t + options["log"] * len(self.gold))
        if options["log"]:
            lost = work.log_step(s, self.gold[s], self.single_root, eta, self.clock)
        else:
            lost = work.step(s, self.gold[s], self.single_root, 0.0, eta, self.clock)
        if self.average:
            np.asarray(work.c)[:] /= 1.0 + eta * options["lam"]
            if work.c[0] < SMALL:
                self._fold()
        else:
            _shrink(self.omega, eta * options["lam"], work, np.asarray(work.c),
                    np.asarray(work.square), np.asarray(work.version))  # fmt: skip
        return lost

    def _fold(self):
        """Fold the multiplier into the weights."""
        V, total, c = (np.asarray(a) for a in (self.work.V, self.work.total, self.work.c))
        total -= self.clock * V
        V *= c[0]
        np.asarray(self.work.square)[:] *= c[0] ** 2
        c[:], self.clock = 1.0, 0.0

    def weights(self):
        """Return the weights of all places, the mean of iterates if asked, but for c if not."""
        V = np.array(self.work.V)
        if not self.average:
            return V
        return ((self.clock + self.work.c[0]) * V - np.asarray(self.work.total)) / (self.t + 1.0)


def read_templates(templates):
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


def refuse_many_roots(gold):
    many = [s for s, heads in enumerate(gold) if np.sum(heads == 0) != 1]
    if many:
        raise ValueError(
            f"sentence {many[0]} has {int(np.sum(gold[many[0]] == 0))} words under the root; "
            "say --many-roots, in Python single_root=False"
        )
