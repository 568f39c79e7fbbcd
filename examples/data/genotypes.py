"""
From PLINK files to a polygenic score (simulated)
=================================================

The files of a study are opened as X, a table of phenotypes joins them by id, and the path is
drawn along the chromosomes: the higher a variant stands, the larger the penalty at which it
enters. The variants chosen by cross-validation go into a weights file, which scores new samples
whose files count other alleles.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sparsesolve as ss

# %%
# A drawn study of 800 people: 22 chromosomes of 300 variants, neighbours in linkage, ten of them
# with an effect. The files are PLINK's; a genotype takes 2 bits.
rng = np.random.default_rng(3)
folder, n, each = Path(tempfile.mkdtemp()), 800, 300
p, chromosome = 22 * each, np.repeat(np.arange(1, 23), each)
cuts = rng.normal(0.0, 0.7, size=p) - 0.6
copies = np.zeros((n, p), dtype=int)
for _ in range(2):  # two haplotypes
    latent = rng.standard_normal((n, p))
    for j in range(1, p):
        if j % 25:  # blocks of 25 variants
            latent[:, j] = 0.9 * latent[:, j - 1] + np.sqrt(1 - 0.9**2) * latent[:, j]
    copies += latent < cuts
causal = np.sort(rng.choice(p, 10, replace=False))


def write(name, values, first="A", second="G"):
    """Write genotypes (n, p) as a .bed file that counts the allele `first`."""
    codes = np.array([3, 2, 0])[values].T.reshape(p, -1, 4)
    packed = (codes << np.array([0, 2, 4, 6])).sum(axis=2).astype(np.uint8)
    (folder / f"{name}.bed").write_bytes(b"\x6c\x1b\x01" + packed.tobytes())
    lines = [f"{chromosome[j]} rs{j} 0 {1000 * j + 1} {first} {second}\n" for j in range(p)]
    (folder / f"{name}.bim").write_text("".join(lines))
    people = [f"{name}{i} {name}{i} 0 0 0 -9\n" for i in range(len(values))]
    (folder / f"{name}.fam").write_text("".join(people))
    return folder / f"{name}.bed"


effects = np.where(np.arange(10) % 2, -0.6, 0.6)
age = rng.normal(50, 10, size=n)
bmi = 25 + 0.05 * age + copies[:, causal] @ effects + rng.standard_normal(n)
study = write("study", copies[:600])
table = {"IID": [f"study{i}" for i in range(600)], "bmi": bmi[:600], "age": age[:600]}

# %%
# ``align`` joins the table by id and leaves the covariate without a penalty.
G = ss.genotypes(study)
data = G.align(table, response="bmi", covariates=["age"])
print(data.sentence)
cv = ss.cv_path(data.X, data.y, n_folds=5, seed=0, **data.options)
print(f"largest gap of {len(cv.lambdas)} lambdas: {cv.path.gaps.max():.1e}")

# %%
# Each variant at the λ at which it enters the path. A Manhattan plot shows one test for each
# variant; here neighbours compete, so that a signal is one variant, or a few, and not a tower.
B = cv.path.coefs[1:].toarray()
entry = np.where(B.any(axis=1), cv.lambdas[(B != 0).argmax(axis=1)], 0.0)
figure, axes = plt.subplots(figsize=(9, 3.4))
seen = entry > 0
colours = np.where(chromosome % 2, "tab:blue", "tab:cyan")
axes.scatter(np.flatnonzero(seen), entry[seen], s=9, c=colours[seen])
axes.scatter(causal, entry[causal], s=70, facecolors="none", edgecolors="tab:red",
             label="has an effect")  # fmt: skip
axes.axhline(cv.lambda_1se, color="grey", lw=0.8, ls="--", label="lambda_1se")
axes.set_xticks(each * np.arange(22) + each / 2, range(1, 23), fontsize=7)
axes.set(xlabel="chromosome", ylabel="λ at which it enters", ylim=0)
axes.legend(frameon=False)
figure.tight_layout()

# %%
# The weights at ``lambda_1se``, in the format of the PGS Catalog, and the variants in perfect
# linkage with them, which could stand in their place.
score = ss.polygenic_score(cv)
score.write(folder / "weights.txt.gz", build="GRCh38", trait="body mass index")
print(score)
others = data.X.proxies(cv.nonzero())
print(f"{sum(map(bool, others.values()))} of {len(others)} have a proxy")

# %%
# New samples, in files that count the other allele. ``matches`` says what became of each variant.
new = ss.genotypes(write("new", 2 - copies[600:], "G", "A"))
found = ss.polygenic_score(folder / "weights.txt.gz").score(new)
print(found.matches)
r = np.corrcoef(found.values, copies[600:, causal] @ effects)[0, 1]
print(f"correlation with the true score of 200 new samples: {r:.2f}")
