"""Dependency parsing on the user's own CoNLL-U files: seconds an epoch, words a second, UAS.

    python benchmarks/structured/trees.py --train train.conllu --dev dev.conllu

MIRA over the default templates; then SPOM, and MIRA once more with the templates that SPOM chose
and with as many that a plain SVM's norms ("l2") would choose (Fig. 3 of Martins et al. 2011).
Processor time of one thread.
"""

import argparse
import time

import numpy as np
from sparsesolve.structured.arc_pass import ArcPass

from sparsesolve import structured
from sparsesolve.structured.arc_templates import ArcTemplates


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
    chosen = report("SPOM", train, dev, method="spom", epochs=3, lam=1e-2)
    plain = report("SVM", train, dev, method="spom", norm="l2", epochs=3, lam=1e-2)
    count = len(chosen.used())
    for name, parser in (("SPOM", chosen), ("SVM", plain)):
        report(f"MIRA with {count} templates of {name}", train, dev, epochs=args.epochs,
               templates=list(parser.used())[:count])  # fmt: skip


if __name__ == "__main__":
    main()
