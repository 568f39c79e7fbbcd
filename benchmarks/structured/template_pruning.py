"""Templates that SPOM chooses, compared with those that a plain SVM's norms choose (Fig. 3).

    python benchmarks/structured/template_pruning.py --train train.conllu --dev dev.conllu
        [--sentences 2000] [--epochs 3] [--counts 20 50 100] [--lam 1e-3] [--out FOLDER]

304 templates are learned with norm="l1_squared" (SPOM) and with norm="l2" (a structured SVM). Then
averaged MIRA is trained again with the templates of the largest norms of either. Prints UAS on the
development file with gold tags, and draws both panels of the figure with --out. Other than in
Martins et al. (2011): UD EWT in place of CoNLL-2008, 304 templates for 507.
"""

import argparse
import time
from pathlib import Path

from sparsesolve import structured
from sparsesolve.structured.sentences import Sentences


def first(sentences, count):
    """The first so many sentences."""
    words = sum(sentences.lengths[:count])
    columns = {name: values[:words] for name, values in sentences.columns.items()}
    return Sentences(columns, list(sentences.lengths[:count]), [], [])


def learned(name, train, dev, **options):
    """A parser, reported."""
    began = time.process_time()
    parser = structured.parse_trees(train, **options)
    score = 100.0 * parser.score(dev)
    print(f"{name}: UAS {score:.2f} %, {len(parser.used())} templates in use, "
          f"{time.process_time() - began:.0f} s", flush=True)  # fmt: skip
    return parser, score


def draw(chosen, curves, counts, folder):
    """Shares of templates along the epochs, and accuracy by number of templates."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
    chosen.plot(left)
    for name, scores in curves.items():
        right.plot(counts, scores, "o-", label=name)
    right.set(xlabel="Templates", ylabel="Words with the right head (%)")
    right.legend()
    figure.tight_layout()
    figure.savefig(Path(folder) / "templates.png", dpi=100)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--train", required=True, help="CoNLL-U")
    options.add_argument("--dev", required=True, help="CoNLL-U")
    options.add_argument("--sentences", type=int, default=2000, help="of training, at most")
    options.add_argument("--epochs", type=int, default=3)
    options.add_argument("--counts", type=int, nargs="+", default=[20, 50, 100])
    options.add_argument("--lam", type=float, default=1e-3)
    options.add_argument("--out", help="a folder for the picture")
    args = options.parse_args()
    train, dev = (structured.read_sentences(file) for file in (args.train, args.dev))
    train = first(train, args.sentences)
    common = {"templates": "many", "method": "spom", "epochs": args.epochs, "lam": args.lam}
    chosen, _ = learned("SPOM", train, dev, **common)
    plain, _ = learned("SVM", train, dev, norm="l2", **common)
    curves = {"SPOM": [], "SVM": []}
    for count in args.counts:
        for name, parser in (("SPOM", chosen), ("SVM", plain)):
            best = list(parser.used())[:count]
            _, score = learned(f"MIRA, {len(best)} templates of {name}", train, dev,
                               templates=best, epochs=args.epochs)  # fmt: skip
            curves[name].append(score)
    print("SPOM's largest: " + ", ".join(list(chosen.used())[:8]))
    if args.out:
        draw(chosen, curves, args.counts, args.out)


if __name__ == "__main__":
    main()
