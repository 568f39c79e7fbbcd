"""
Part-of-speech tagging from a CoNLL-U file (simulated grammar)
==============================================================

A file in CoNLL-U, templates over its words, a path on which whole templates enter, and new
sentences that come back with their tags. The sentences are drawn from a small grammar, so that the
example needs no download; a treebank is read by the same lines.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss
from sparsesolve import structured

plt.style.use("tableau-colorblind10")
rng = np.random.default_rng(0)
words = {
    "DET": ["the", "a", "this", "every"], "ADP": ["near", "with", "under"],
    "NOUN": ["walk", "runner", "train", "station", "play", "light", "walker", "signal"],
    "VERB": ["walks", "plays", "trains", "lights", "waited", "signalled", "played"],
    "ADJ": ["light", "slow", "cheerful", "careful", "late"],
    "ADV": ["slowly", "lately", "carefully"],
}  # fmt: skip
phrases = [["DET", "NOUN"], ["DET", "ADJ", "NOUN"]]


def sentence():
    """Words and tags of one sentence."""
    subject, thing = (phrases[k] for k in rng.integers(2, size=2))
    rest = [[], ["ADP", *thing], ["ADV"]][rng.integers(3)]
    tags = [*subject, "VERB", *rest]
    return [str(rng.choice(words[tag])) for tag in tags], tags


folder = Path(tempfile.mkdtemp())
with open(folder / "train.conllu", "w") as out:
    for _ in range(150):
        for i, (word, tag) in enumerate(zip(*sentence(), strict=True)):
            out.write("\t".join([str(i + 1), word, "_", tag, *"______"]) + "\n")
        out.write("\n")

# %%
# The file is read column by column. Templates name what may matter; each is a group of features,
# one for every value that training saw.
train = structured.read_sentences(folder / "train.conllu")
templates = structured.Templates([
    "form", "form.suffix2", "form.suffix3", "form.prefix2", "form[-1]", "form[1]", "form.shape",
    "form[-1].suffix2 & form.suffix2",
])  # fmt: skip
X = templates.fit_transform(train.columns, train.lengths)
fit = ss.crf_path(X, train.columns["upos"], lengths=train.lengths, groups=templates.groups,
                  n_lambdas=12, lambda_min_ratio=0.02, tol=1e-3)  # fmt: skip
print(fit)

# %%
# Few templates carry the tags; which, and how much, the path tells.
axes = fit.plot(by="template")
axes.set_title("Weights of templates along the path")

# %%
# New sentences, read from a file without tags, come back tagged.
new = [sentence() for _ in range(30)]
text = [word for found, _ in new for word in found]
gold = np.array([tag for _, found in new for tag in found])
lengths = [len(found) for found, _ in new]
Z = templates.transform({"form": text}, lengths)
tagged = fit.predict(Z, lengths, s=fit.lambdas[-1])
print(" ".join(f"{word}/{tag}" for word, tag in zip(text[:12], tagged[:12], strict=True)))
print(f"{100 * np.mean(tagged == gold):.1f} % of new words; templates in use:",
      ", ".join(fit.templates(fit.lambdas[-1])))  # fmt: skip

# %%
# Which tags does the order of tags give away, before any template is in use? Precision, recall and
# F1 of each at the first λ, dark where they are large.
report = structured.tag_report(gold, fit.predict(Z, lengths, s=fit.lambdas[0]))
print(report)
report.plot()
plt.show()
