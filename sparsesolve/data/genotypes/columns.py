"""Genotypes: 2 bits a value, with the names of variants and samples, as X of a path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.data.number import shown
from sparsesolve.linalg.design.genotypes import MixedColumns


@dataclass(frozen=True, eq=False)
class Variants:
    """The variants of genotypes, an array (p,) for each column of a ``.bim`` file.

    Attributes
    ----------
    chromosome : ndarray (p,) of str
    id : ndarray (p,) of str
    position : ndarray (p,) of int
        In base pairs.
    a1 : ndarray (p,) of str
        The allele that is counted.
    a2 : ndarray (p,) of str
        The other one.
    """

    chromosome: np.ndarray
    id: np.ndarray
    position: np.ndarray
    a1: np.ndarray
    a2: np.ndarray

    def __len__(self) -> int:
        return len(self.id)

    def take(self, which: Any) -> Variants:
        """Return some of the variants, by an array of indices or a mask."""
        return Variants(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of genotypes, an array (n,) for each column of a ``.fam`` file.

    Attributes
    ----------
    fid : ndarray (n,) of str
        Family.
    iid : ndarray (n,) of str
        Within its family.
    sex : ndarray (n,) of int
        1 male, 2 female, 0 unknown.
    """

    fid: np.ndarray
    iid: np.ndarray
    sex: np.ndarray

    def __len__(self) -> int:
        return len(self.iid)

    def take(self, which: Any) -> Samples:
        """Return some of the samples, by an array of indices or a mask."""
        return Samples(self.fid[which], self.iid[which], self.sex[which])


class Genotypes(MixedColumns):
    """Genotypes as X of a path: 0, 1 or 2 copies of an allele, 2 bits each, read in place.

    Dosages, which are copies expected of imputed genotypes, take 16 bits each.

    :func:`sparsesolve.genotypes` opens files; :meth:`align` joins covariates and leaves samples
    out. ``X[:, which]`` returns columns as float64, NaN where a genotype is missing. In a fit a
    missing genotype stands for the weighted mean of its variant over the rows of the fit.

    Attributes
    ----------
    shape : tuple
        Samples and columns, (n, p): covariates first, then variants.
    names : ndarray (p,) of str
        Names of covariates, then ids of variants. An id that is ``.`` or stands twice becomes
        ``chromosome:position:a2:a1``.
    samples : Samples
    variants : Variants
    """

    ndim = 2

    def __init__(self, bits, variants, samples, covariates=None, covariate_names=(), sources=(),
                 encoder=None):
        self._bits, self._covariates = tuple(bits), covariates
        self.covariate_names = np.array(covariate_names, dtype=object)
        self._sources, self._variants, self.encoder = tuple(sources), variants, encoder
        self.samples = samples
        super().__init__(self._bits if covariates is None else (covariates, *self._bits))

    @property
    def n_covariates(self) -> int:
        """Number of covariates, which are the first columns."""
        return len(self.covariate_names)

    @cached_property
    def variants(self) -> Variants:
        """The variants, in the order of the columns."""
        return self._variants()

    @cached_property
    def names(self) -> np.ndarray:
        """Names of the columns, (p,)."""
        return np.append(self.covariate_names, names_of(self.variants)).astype(object)

    @cached_property
    def counts(self) -> np.ndarray:
        """Samples with 0, 1 and 2 copies of the counted allele, and missing, int64 (m, 4); of
        dosages, the nearest numbers of copies.
        """
        self.refuse_changed()
        return np.concatenate([part.counts() for part in self._bits])

    def frequency(self) -> np.ndarray:
        """Return the frequency of each variant's counted allele, (m,); NaN if none is known."""
        return self._copies[:, 0]

    def varies(self) -> np.ndarray:
        """Return which variants have more than one value among their known genotypes, (m,)."""
        return self._copies[:, 1] > 0.0

    @cached_property
    def _copies(self):
        return np.concatenate([part.copies() for part in self._bits])

    def missing_share(self) -> np.ndarray:
        """Return the share of samples without a genotype, for each variant (m,)."""
        return self.counts[:, 3] / self.shape[0]

    def select(self, which: Any) -> Genotypes:
        """Return some of the variants, without copies.

        Parameters
        ----------
        which : array-like
            Indices of variants, or a mask (m,).

        Returns
        -------
        Genotypes
            Covariates stay.
        """
        which = _indices("which", which, self.shape[1] - self.n_covariates, "variants")
        ends = np.cumsum([part.shape[1] for part in self._bits])
        bits, places = [], []
        for part, end in zip(self._bits, ends, strict=True):
            mine = np.flatnonzero((end - part.shape[1] <= which) & (which < end))
            bits.append(part.of_columns(which[mine] - end + part.shape[1]))
            places.append(mine)
        if (np.diff(np.concatenate(places)) < 0).any():
            raise ValueError("variants of several files are not in the order of the files; sort "
                             "which")  # fmt: skip
        return Genotypes(bits, lambda: self.variants.take(which), self.samples, self._covariates,
                         self.covariate_names, self._sources, self.encoder)  # fmt: skip

    def take(self, rows: Any, covariates: Any = None, covariate_names: Any = ()) -> Genotypes:
        """Return some of the samples, with covariates before the variants.

        Parameters
        ----------
        rows : array-like (m,)
            Indices of samples. Unless these are all in their order, genotypes are copied, in 2
            bits each: ``(m + 3) // 4`` bytes a variant.
        covariates : array-like (m, k) or EncodedDesign, optional
            Columns of numbers, kept as float64. A design has their names.
        covariate_names : sequence of str, optional
            Their names, (k,).

        Returns
        -------
        Genotypes
        """
        rows = _indices("rows", rows, self.shape[0], "samples")
        whole = np.array_equal(rows, np.arange(self.shape[0]))
        bits = self._bits if whole else [part.of_rows(rows) for part in self._bits]
        encoder = covariates.without_rows() if isinstance(covariates, EncodedDesign) else None
        if covariates is not None:
            covariates = np.asfortranarray(covariates, dtype=float)
        return Genotypes(bits, lambda: self.variants, self.samples.take(rows), covariates,
                         covariate_names if encoder is None else encoder.names,
                         self._sources if whole else (), encoder)  # fmt: skip

    def match(self, fit: Any, **options: Any) -> Any:
        """Find the variants of a model among these, and put them into its columns.

        ``fit.predict`` and :func:`sparsesolve.assess` do this by themselves, with these defaults;
        only genotypes of the very variants of the fit are taken as they are.

        Parameters
        ----------
        fit : Path or CVPath
            Fitted to genotypes. Its variants with a coefficient are looked for by chromosome,
            position and alleles, then by id and alleles.
        **options
            ambiguous : {"drop", "frequency", "keep"}, default "drop"
                Variants of A and T, or C and G, may be of either strand. "frequency" decides
                where it is outside 0.4 to 0.6 in both data; "keep" trusts the strand.
            min_matched : float in [0, 1], default 0.75
                Least share of the score, the sum of sizes of coefficients times standard
                deviations, that
                must be found.

        Returns
        -------
        genotypes in the columns of the model
            X for ``fit.predict``; ``matches`` is the table of decisions.

        Raises
        ------
        ValueError
            If too little is found, two variants of the model are one here, or a covariate of the
            model was not joined by ``align(table, covariates=fit)``.
        """
        from .matching import match

        return match(self, fit, **options)

    def align(self, table: Any, response: Any = (), covariates: Any = (), **options: Any) -> Any:
        """Join a table of phenotypes by the ids of samples; see :class:`Aligned`.

        Parameters
        ----------
        table : str, path, frame or dict of columns
            A text file with a header, its columns separated by tabs, commas or blanks; or a table
            in memory. NA, -9, an empty cell and NaN are missing.
        response : str, or sequence of str
            Column to fit; several for a response of several columns, such as time and status;
            none for predictions, where y is None.
        covariates : sequence of str, or fit, default ()
            Columns that join the variants as features without penalty. Text becomes a column for
            each level. A fit has its own, encoded as they were for it.
        **options
            id : str, default "IID"
                Column of sample ids; a leading ``#`` is ignored. If ids repeat across families, a
                column ``FID`` tells samples apart.
            min_frequency : float in [0, 0.5], default 0
                Variants whose rarer allele has a smaller frequency among the aligned samples are
                left out of the fit.
            max_missing : float in [0, 1], default 1
                So are variants with a larger share of missing genotypes.

        Returns
        -------
        Aligned
            X, y and options for :func:`sparsesolve.path`.

        Raises
        ------
        ValueError
            If no id matches, an id stands twice, or a column is not there, saying which.
        """
        from .alignment import align

        return align(self, table, response, covariates, **options)

    def proxies(self, which: Any) -> dict:
        """Return the variants in perfect linkage with others, whose coefficients they could share.

        Parameters
        ----------
        which : sequence of int
            Columns, such as ``fit.nonzero(s)``; covariates among them are passed over.

        Returns
        -------
        dict
            For the name of each variant those of all with the same genotypes, or with the alleles
            exchanged, in every sample where both are known.
        """
        from .matching import proxies

        return proxies(self, _indices("which", which, self.shape[1], "columns"))

    def refuse_changed(self) -> None:
        """Raise ValueError if a file was changed or truncated since it was opened."""
        for _, refuse in self._sources:
            refuse()

    def _decoded(self, part, here, which):
        return part.columns(here, np.full(len(here), np.nan))

    def __repr__(self):
        n, p = self.shape
        also = f" and {self.n_covariates} covariates" if self.n_covariates else ""
        of = f" of {', '.join(file for file, _ in self._sources)}" if self._sources else ""
        return f"<Genotypes: {n} samples, {p - self.n_covariates} variants{also}{of}>"


def _indices(name, which, count, what):
    """Return indices, or a mask, of `count` things as indices from 0."""
    array = np.asarray(which)
    try:
        return np.arange(count)[array if array.size else array.astype(np.intp)]
    except IndexError:
        raise ValueError(f"{name} is {shown(which)}; give indices of the {count:,} {what}, or a "
                         "mask of them") from None  # fmt: skip


def names_of(variants):
    """Return the ids of variants as names, without empty and repeated ones."""
    names = variants.id.astype(object)
    _, first, count = np.unique(variants.id, return_index=True, return_counts=True)
    unclear = np.ones(len(names), dtype=bool)
    unclear[first[count == 1]] = False
    for j in np.flatnonzero(unclear | (variants.id == ".")):
        parts = (variants.chromosome[j], variants.position[j], variants.a2[j], variants.a1[j])
        names[j] = ":".join(map(str, parts))
    return names
