"""Dependency parsing on the user's own CoNLL-U files: seconds an epoch, words a second, UAS.

    python benchmarks/structured/trees.py --train train.conllu --dev dev.conllu

The best tree and marginals of a sentence; MIRA over the default templates; the log loss, with a
table of how often arcs of a probability are right. Processor time of one thread.
"""

import argparse
import time

import numpy as np
from sparsesolve.structured.arc_pass import ArcPass

from sparsesolve import structured
from sparsesolve.structured.parser import ArcTemplates


def report(name, train, dev, **options):
    began = time.process_time()
    parser = structured.parse_trees(train, **options)
    took = time.process_time() - began
    began = time.process_time()
    score = parser.score(dev)
    speed = len(dev.columns["form"]) / (time.process_time() - began)
    print(f"{name}: {took / len(parser.losses):.2f} s an epoch, UAS {100 * score:.2f} % "
          f"({100 * parser.score(dev, punctuation=False):.2f} without punctuation), "
          f"{speed / 1e3:.0f} k words/s, {len(parser.used())} templates")  # fmt: skip
    return parser


def calibration(parser, dev):
    """How often arcs of a probability are right."""
    heads = np.array(dev.columns["head"], dtype=int)
    found, right, at = [], [], 0
    for A in parser.marginals(dev):
        words = np.arange(1, len(A))
        true = np.zeros(A.shape, dtype=bool)
        true[heads[at : at + len(words)], words] = True
        arcs = ~np.eye(len(A), dtype=bool)
        arcs[:, 0] = False
        found.append(A[arcs])
        right.append(true[arcs])
        at += len(words)
    found, right = np.concatenate(found), np.concatenate(right)
    ends = [0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0 + 1e-9]
    for low, high in zip(ends, ends[1:], strict=False):
        inside = (found >= low) & (found < high)
        mean, share = 100 * found[inside].mean(), 100 * right[inside].mean()
        print(f"arcs of probability {low:.2f} to {high:.2f}: {inside.sum()}, mean {mean:.2f} %, "
              f"right {share:.2f} %")  # fmt: skip


def decoding(train):
    """Microseconds of the best tree, and of marginals, on a sentence's scores."""
    templates = ArcTemplates(["h.upos+m.upos+distance"])
    head, word, ptr = templates.codes(train.columns, train.lengths)
    rng = np.random.default_rng(0)
    work = ArcPass(head, word, templates.apart, ptr, rng.normal(size=1 << 16), np.zeros(0),
                   np.ones(1), np.zeros(1), np.zeros(0, dtype=np.uintc),
                   np.zeros(1, dtype=np.uintc))  # fmt: skip
    scores = [work.scores(s) for s in range(1000)]
    words = sum(len(A) - 1 for A in scores)
    for name, function in (("best tree", structured.best_tree),
                           ("marginals", structured.tree_marginals)):  # fmt: skip
        began = time.process_time()
        for A in scores:
            function(A)
        print(f"{name}: {1e6 * (time.process_time() - began) / words:.2f} us a word")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--train", required=True, help="CoNLL-U")
    options.add_argument("--dev", required=True, help="CoNLL-U")
    options.add_argument("--epochs", type=int, default=8)
    args = options.parse_args()
    train, dev = (structured.read_sentences(file) for file in (args.train, args.dev))
    decoding(train)
    report("MIRA", train, dev, epochs=args.epochs)
    log = report("log loss", train, dev, loss="log", epochs=args.epochs)
    calibration(log, dev)


if __name__ == "__main__":
    main()
