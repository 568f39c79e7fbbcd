"""Genotypes with linkage, as a .bed file: haplotypes of latent Gaussians cut at thresholds.

    python benchmarks/genotypes/draw.py FOLDER --samples 2000 --variants 100000

Neighbours are autoregressive (0.95) in blocks of 200 variants, with breaks of 2 %; frequencies
are uniform on 0.01 to 0.5, and 200 variants have an effect. FOLDER gets study.bed, .bim, .fam and
y.npy.
"""

import argparse
from pathlib import Path

import numpy as np

BLOCK = 200


def block_of_variants(rng, n):
    """Return genotypes (n, BLOCK) of one block, int8."""
    total = np.zeros((n, BLOCK), dtype=np.int8)
    frequency = rng.uniform(0.01, 0.5, BLOCK)
    cuts = np.quantile(rng.standard_normal(100_000), frequency)
    for _ in range(2):
        latent = rng.standard_normal(n)
        for j in range(BLOCK):
            noise = rng.standard_normal(n)
            latent = noise if rng.random() < 0.02 else 0.95 * latent + np.sqrt(1 - 0.95**2) * noise
            total[:, j] += latent < cuts[j]
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--variants", type=int, default=100_000)
    parser.add_argument("--missing", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng, n, p = np.random.default_rng(args.seed), args.samples, args.variants
    args.folder.mkdir(parents=True, exist_ok=True)
    # 100 blocks are drawn; later ones are these in another order of samples, to save time.
    kept = [block_of_variants(rng, n) for _ in range(min(p // BLOCK, 100))]
    eta, size = np.zeros(n), (n + 3) // 4
    effects = set(rng.choice(p, 200, replace=False).tolist())
    with (args.folder / "study.bed").open("wb") as bed:
        bed.write(b"\x6c\x1b\x01")
        for b in range(p // BLOCK):
            block = kept[b % len(kept)]
            block = block if b < len(kept) else block[rng.permutation(n)]
            for j in effects.intersection(range(b * BLOCK, (b + 1) * BLOCK)):
                g = block[:, j - b * BLOCK] - block[:, j - b * BLOCK].mean()
                eta += rng.standard_normal() * g / max(g.std(), 0.05)
            codes = np.full((BLOCK, size * 4), 0, dtype=np.uint8)
            codes[:, :n] = np.array([3, 2, 0], dtype=np.uint8)[block.T]
            if args.missing:
                codes[:, :n][rng.random((BLOCK, n)) < args.missing] = 1
            four = codes.reshape(BLOCK, size, 4)
            packed = four[..., 0] | four[..., 1] << 2 | four[..., 2] << 4 | four[..., 3] << 6
            bed.write(packed.astype(np.uint8).tobytes())
    np.save(args.folder / "y.npy", eta / eta.std() + rng.standard_normal(n))
    (args.folder / "study.bim").write_text(
        "".join(f"{1 + 22 * j // p}\trs{j}\t0\t{1000 + 50 * j}\tA\tC\n" for j in range(p))
    )
    (args.folder / "study.fam").write_text("".join(f"f{i} s{i} 0 0 0 -9\n" for i in range(n)))


if __name__ == "__main__":
    main()
