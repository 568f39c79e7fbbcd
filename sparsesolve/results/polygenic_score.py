"""Polygenic scores: weights of variants at one lambda, in files of the PGS Catalog, and scores.

    score_i = sum_j weight_j x_ij,    x_ij copies of the effect allele of variant j

The file is text of the PGS Catalog's format 2.0: lines ``#key=value``, a header, and a line for
each variant. Intercept and covariates, which that format does not have, stand in its comments.
"""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data.genotypes.alignment import MISSING
from sparsesolve.data.genotypes.columns import Genotypes, Samples, Variants
from sparsesolve.data.genotypes.files import text_columns
from sparsesolve.data.genotypes.matching import Matches, match
from sparsesolve.data.keywords import answers_keywords
from sparsesolve.data.number import shown
from sparsesolve.data.tables.files import opened_text
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.pictures.axes import on_axes, plot_curves
from sparsesolve.results.predictor import predictor_of

FORMAT = "2.0"
# Columns of a file, and those that a harmonised file has in their place.
COLUMNS = {
    "chr_name": ("hm_chr", "chr_name"), "rsID": ("hm_rsID", "rsID"),
    "chr_position": ("hm_pos", "chr_position"), "effect_allele": ("effect_allele",),
    "other_allele": ("other_allele", "hm_inferOtherAllele"), "effect_weight": ("effect_weight",),
    "allelefrequency_effect": ("allelefrequency_effect",),
}  # fmt: skip
# Columns of effects that are no sum over copies.
NOT_ADDITIVE = ("is_interaction", "is_haplotype", "is_dominant", "is_recessive", "is_diplotype")


@dataclass(frozen=True, eq=False, repr=False)
class SampleScores(Frozen, Tabled):
    """Scores of samples, and what they were made of.

    Attributes
    ----------
    samples : Samples
    values : ndarray (n,)
        Sums over variants, without intercept and covariates.
    missing : ndarray (n,) of int
        Used variants without a genotype, which stand for their mean.
    matches : Matches
        What became of each variant.
    """

    samples: Samples
    values: np.ndarray
    missing: np.ndarray
    matches: Matches

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the share of samples with at most each score."""
        share = np.arange(1, len(self.values) + 1) / len(self.values)
        return plot_curves(np.sort(self.values), {"": share}, ("Score", "Share of samples"), ax,
                           steps=True)  # fmt: skip

    def _columns(self):
        return {"FID": self.samples.fid, "IID": self.samples.iid, "score": self.values,
                "missing": self.missing}  # fmt: skip

    def __repr__(self):
        return f"<SampleScores: {len(self.values):,} samples; {repr(self.matches).strip('<>')}>"


@dataclass(frozen=True, eq=False, repr=False)
class PolygenicScore(Frozen, Tabled):
    """Weights of variants, as :func:`sparsesolve.polygenic_score` makes them.

    Attributes
    ----------
    variants : Variants
        a1 is the effect allele.
    weights : ndarray (k,)
        For each copy of it.
    frequency : ndarray (k,)
        Frequency of that allele where the weights were fitted; NaN if unknown.
    about : dict
        What the head of the file says, such as "trait_reported"; "intercept" and "covariates",
        text like "age=0.1".
    """

    variants: Variants
    weights: np.ndarray
    frequency: np.ndarray
    about: dict

    feature_names = None

    @property
    def coefs(self) -> sparse.csc_array:
        """The weights as coefficients of a path with one lambda, (k, 1)."""
        return sparse.csc_array(self.weights[:, None])

    @property
    def means(self) -> np.ndarray:
        """Mean copies of effect alleles, (k,)."""
        return 2.0 * self.frequency

    def score(self, genotypes: Genotypes, **options: Any) -> SampleScores:
        """Return the scores of samples.

        Parameters
        ----------
        genotypes : Genotypes
        **options
            ``ambiguous`` and ``min_matched`` as in :meth:`~sparsesolve.results.Genotypes.match`.

        Returns
        -------
        SampleScores
            A missing genotype counts as the mean where the weights were fitted, or if that is
            unknown as the mean of these samples; a variant that is not found likewise, or not at
            all.
        """
        if not isinstance(genotypes, Genotypes):
            raise TypeError(f"genotypes is {shown(genotypes)}; open a file by "
                            "sparsesolve.genotypes")  # fmt: skip
        matched = match(genotypes, self, **options)
        mean, place = np.array(self.means), matched.place
        unknown = np.flatnonzero(np.isnan(mean))
        if len(unknown):
            here = unknown[place[unknown] >= 0]
            mean[unknown] = 0.0
            if len(here):
                at = place[here] - genotypes.n_covariates
                own = 2.0 * genotypes.select(np.sort(at)).frequency()
                own = own[np.searchsorted(np.sort(at), at)]
                mean[here] = np.nan_to_num(np.where(matched.swapped[here], 2.0 - own, own))
        which = np.arange(len(self.weights))
        values = matched.imputed(mean).product(which, self.weights[:, None])[:, 0]
        return SampleScores(matched.samples, values, matched.n_missing(which), matched.matches)

    def write(self, file: Any, *, build: str, name: str = "", trait: str = "",
              proxies: dict | None = None) -> None:
        """Write a file of the PGS Catalog's format, which reading gives back to the last digit.

        Parameters
        ----------
        file : str or path
            Packed if its name ends in ``.gz``.
        build : str
            Genome build of the positions, such as "GRCh38"; no file of genotypes says it.
        name, trait : str, default ""
            What the score is called, and what it predicts; "" keeps what ``about`` says.
        proxies : dict, optional
            Variants that could stand for those of the score, as
            :meth:`~sparsesolve.results.Genotypes.proxies` finds them; they go into the head.
        """
        known = {"pgs_name": "", "trait_reported": "", "weight_type": "beta", **self.about}
        given = {"pgs_name": name, "trait_reported": trait, "proxies": "; ".join(
            f"{one}={','.join(others)}" for one, others in (proxies or {}).items() if others)}
        known |= {key: value for key, value in given.items() if value}
        about = {"format_version": FORMAT, **known, "genome_build": build,
                 "variants_number": len(self.weights)}  # fmt: skip
        head = [f"#{key}={' '.join(str(value).split())}" for key, value in about.items()]
        v = self.variants
        columns = (v.id, v.chromosome, v.position, v.a1, v.a2, self.weights, self.frequency)
        rows = ("\t".join([*map(str, one[:5]), f"{one[5]:.17g}", f"{one[6]:.17g}"])
                for one in zip(*columns, strict=True))  # fmt: skip
        order = ("rsID", "chr_name", "chr_position", *list(COLUMNS)[3:])
        text = "\n".join([*head, "\t".join(order), *rows]) + "\n"
        packed = os.fspath(file).endswith(".gz")
        with whole_file(file, "wb") as stream:
            data = text.encode()
            stream.write(gzip.compress(data, mtime=0) if packed else data)

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the weights in the order of their variants."""
        ax = plot_curves(np.arange(len(self.weights)), {"": self.weights},
                         ("Variant", "Weight of a copy"), ax, marker="o")  # fmt: skip
        ax.lines[0].set_linestyle("none")
        return ax

    def _columns(self):
        v = self.variants
        return {"id": v.id, "chromosome": v.chromosome, "position": v.position, "effect": v.a1,
                "other": v.a2, "weight": self.weights, "frequency": self.frequency}  # fmt: skip

    def __repr__(self):
        return f"<PolygenicScore: {len(self.weights):,} variants>"


@answers_keywords()
def polygenic_score(source: Any, s: float | str | None = None) -> PolygenicScore:
    """Return the weights of variants of a fit at one lambda, or those of a file.

    Parameters
    ----------
    source : Path, CVPath, str or path
        A fit of :func:`sparsesolve.genotypes`; or a file of the PGS Catalog's format, packed or
        not, harmonised or not.
    s : float, "lambda_1se" or "lambda_min", optional
        The lambda of a fit. Default: "lambda_1se" of a cross-validation.

    Returns
    -------
    PolygenicScore

    Raises
    ------
    ValueError
        If the fit is not of genotypes, has several responses, or needs s; or if the file is not
        what it should be, with its line.

    References
    ----------
    Lambert et al. (2021), "The Polygenic Score Catalog as an open database for reproducibility
    and systematic evaluation".

    Examples
    --------
    >>> import sparsesolve as ss
    >>> lines = ["rsID\\teffect_allele\\tother_allele\\teffect_weight", "rs1\\tA\\tC\\t0.5"]
    >>> with open("weights.txt", "w") as file:
    ...     written = file.write("\\n".join(lines))
    >>> ss.polygenic_score("weights.txt").weights
    array([0.5])
    """
    if isinstance(source, str | os.PathLike):
        return _read(os.fspath(source))
    path, s = predictor_of(source, s)
    if getattr(path, "variants", None) is None:
        raise ValueError("fit is not of genotypes; polygenic scores are of variants")
    if isinstance(path.coefs, list):
        raise ValueError("fit has several responses; fit one of them for a polygenic score")
    if s is None or np.ndim(s):
        raise ValueError("a polygenic score is at one lambda; give s")
    b = path.coef(s)
    first = len(b) - len(path.variants)
    which = np.flatnonzero(b[first:])
    about = {"intercept": f"{path.intercept(s):.17g}", "family": path.family}
    if first:
        parts = zip(path.feature_names[:first], b[:first], strict=True)
        about["covariates"] = "; ".join(f"{name}={value:.17g}" for name, value in parts)
    return PolygenicScore(path.variants.take(which), b[first:][which],
                          0.5 * path.means[first:][which], about)  # fmt: skip


def _read(file):
    """Return the PolygenicScore of a file."""
    with opened_text(file) as stream:
        lines = [line.strip() for line in stream]
    about = dict(line.lstrip("#").split("=", 1) for line in lines
                 if line.startswith("#") and "=" in line)  # fmt: skip
    cells = text_columns(file)
    for name in NOT_ADDITIVE:
        if any(one.strip().lower() in ("true", "1") for one in cells.get(name, ())):
            raise ValueError(f"{file} has effects that are no sum over copies (column {name}), "
                             "which this score cannot hold")  # fmt: skip
    if "dosage_0_weight" in cells:
        raise ValueError(f"{file} has a weight for each genotype (column dosage_0_weight); give "
                         "one with effect_weight")  # fmt: skip
    found = {name: next((cells[one] for one in names if one in cells), None)
             for name, names in COLUMNS.items()}  # fmt: skip
    for name in ("effect_allele", "other_allele", "effect_weight"):
        if found[name] is None:
            raise ValueError(f"{file} has no column {name!r}; it has {', '.join(cells)}")
    if found["rsID"] is None and found["chr_position"] is None:
        raise ValueError(f"{file} has neither rsID nor chr_position, by which variants are found")
    none = np.full(len(found["effect_weight"]), "")
    columns = {name: none if one is None else one.astype(str) for name, one in found.items()}
    position = _numbers(file, "chr_position", columns, -1, 0)
    odd = np.flatnonzero((position != np.floor(position)) | (position > 2.0**53))
    if len(odd):
        raise ValueError(f"{file}: chr_position of variant {odd[0]} (counted from 0) is "
                         f"{position[odd[0]]:g}; it must be a whole number")  # fmt: skip
    id = np.where(np.isin(columns["rsID"], list(MISSING)), ".", columns["rsID"])
    variants = Variants(columns["chr_name"], id, position.astype(np.int64),
                        columns["effect_allele"], columns["other_allele"])
    return PolygenicScore(variants, _numbers(file, "effect_weight", columns),
                          _numbers(file, "allelefrequency_effect", columns, np.nan, 0, 1),
                          about)  # fmt: skip


def _numbers(file, name, columns, gap=None, low=-np.inf, high=np.inf):
    """Return numbers of a column; an empty cell is `gap`, or refused if that is None."""
    out = np.empty(len(columns[name]))
    for k, one in enumerate(columns[name].tolist()):
        if gap is not None and one in MISSING:
            out[k] = gap
            continue
        try:
            out[k] = float(one)
        except ValueError:
            out[k] = np.nan
        if not (low <= out[k] <= high and np.isfinite(out[k])):
            raise ValueError(f"{file}: {name} of variant {k} (counted from 0) is {one!r}; it must "
                             "be a number" + " from 0 to 1" * (high == 1.0))  # fmt: skip
    return out
