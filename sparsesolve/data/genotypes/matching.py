"""Matching: the variants of a model among those of other genotypes, by place and alleles.

A model counts an effect allele e against another one o. In other files the same variant may
count o instead (swapped: 2 - x copies), name the alleles of the other strand (A for T, C for G),
or both.
Where e and o are complements of each other (A and T, or C and G) letters do not tell a swap from
the other strand: such a variant is ambiguous.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from sparsesolve.data.keywords import refuse_unknown
from sparsesolve.data.number import read_choice, read_number
from sparsesolve.linalg.design.genotypes import MixedColumns

from .columns import Variants

OTHER_STRAND = {"A": "T", "C": "G", "G": "C", "T": "A"}
SAME_CHROMOSOME = {"23": "X", "24": "Y", "25": "XY", "26": "MT", "M": "MT"}
DECISIONS = ("same", "swapped", "complement", "swapped complement")
# Frequencies between these do not tell which allele is which.
UNCLEAR = (0.4, 0.6)
# Columns that are compared at one time.
BLOCK = 256


@dataclass(frozen=True, eq=False, repr=False)
class Matches:
    """What became of each variant of a model in other genotypes, arrays (k,).

    Attributes
    ----------
    id : ndarray of str
        The variant as the model names it.
    decision : ndarray of str
        "same", "swapped", "complement" or "swapped complement" where it is used; "ambiguous",
        "other alleles" or "absent" where it stands for its mean.
    found : ndarray of str
        The variant of the new genotypes, or "".
    share : float
        How much of the spread of the score is used: of the sum of absolute weights times standard
        deviations; of weights alone if one of these is unknown, or all are 0.
    """

    id: np.ndarray
    decision: np.ndarray
    found: np.ndarray
    share: float

    def to_dict(self) -> dict:
        """Return the table as a dict of columns, which frames take."""
        return {"id": self.id, "decision": self.decision, "found": self.found}

    def __repr__(self):
        names, counts = np.unique(self.decision, return_counts=True)
        parts = [f"{count:,} {name}" for name, count in zip(names, counts, strict=True)]
        used = np.isin(self.decision, DECISIONS).sum()
        return (f"<Matches: {used:,} of {len(self.id):,} variants, {100 * self.share:.1f}% of the "
                f"score: {', '.join(parts) or 'none'}>")  # fmt: skip


class MatchedGenotypes(MixedColumns):
    """Genotypes in the columns of a model, for predictions alone; ``matches`` says how.

    A variant that was not found, like a missing genotype, stands for the mean of the model's rows.
    """

    def __init__(self, genotypes, place, swapped, matches, missing=None):
        self.genotypes, self.place, self.swapped = genotypes, place, swapped
        self.matches, self.missing, self.samples = matches, missing, genotypes.samples
        self.shape, self.dtype = (genotypes.shape[0], len(place)), genotypes.dtype

    @property
    def parts(self):
        """Refuse to be fitted: columns without a coefficient were not looked for."""
        raise TypeError("X holds genotypes matched for predictions; fit those that were opened")

    def imputed(self, missing):
        """Return these columns with what missing values stand for (p,)."""
        return type(self)(self.genotypes, self.place, self.swapped, self.matches, missing)

    def refuse_changed(self):
        """Raise ValueError if a file was changed since it was opened."""
        self.genotypes.refuse_changed()

    def n_missing(self, which: np.ndarray) -> np.ndarray:
        """Return how many of the found columns `which` lack a genotype, for each sample (n,)."""
        found = self.place[which]
        found, count = found[found >= 0], np.zeros(self.shape[0], dtype=np.int64)
        for begin in range(0, len(found), BLOCK):
            count += np.isnan(self.genotypes[:, found[begin : begin + BLOCK]]).sum(axis=1)
        return count

    def __getitem__(self, key):
        """Return X[rows, which] as float64."""
        rows, which = key
        which = np.arange(self.shape[1])[which]
        found = self.place[which] >= 0
        out = np.full((self.shape[0], len(which)), np.nan, order="F")
        out[:, found] = self.genotypes[:, self.place[which[found]]]
        turned = self.swapped[which]
        out[:, turned] = 2.0 - out[:, turned]
        if self.missing is not None:
            lost = np.isnan(out)
            out[lost] = np.broadcast_to(self.missing[which], out.shape)[lost]
        return out[rows if isinstance(rows, slice) else np.ravel(rows)]


def match(genotypes, fit, **options):
    """Return the MatchedGenotypes that :meth:`Genotypes.match` describes."""
    known = {"ambiguous": "drop", "min_matched": 0.75}
    refuse_unknown("match", options, list(known), "function")
    options = known | options
    ambiguous = read_choice("ambiguous", options["ambiguous"], ["drop", "frequency", "keep"])
    least = read_number("min_matched", options["min_matched"], 0.0, 1.0)
    path = getattr(fit, "path", fit)
    if getattr(path, "variants", None) is None:
        raise ValueError(f"{type(path).__name__} was not fitted to genotypes with names, so their "
                         "variants cannot be matched")  # fmt: skip
    matrices = path.coefs if isinstance(path.coefs, list) else [path.coefs]
    size = np.max([abs(matrix).max(axis=1).toarray().ravel() for matrix in matrices], axis=0)
    first = len(size) - len(path.variants)
    place = np.full(len(size), -1)
    place[:first] = _place_of_covariates(genotypes, path, first)
    active = np.flatnonzero(size[first:])
    wanted, means = path.variants.take(active), path.means[first:][active]
    found, swapped, matches = matched(genotypes, wanted, size[first:][active], 0.5 * means,
                                      ambiguous, least)  # fmt: skip
    place[first + active] = np.where(found < 0, -1, found + genotypes.n_covariates)
    turned = np.zeros(len(size), dtype=bool)
    turned[first + active] = swapped
    return MatchedGenotypes(genotypes, place, turned, matches, path.means)


def is_matched(genotypes, path):
    """Return True if genotypes are in the columns of a path, which then needs no matching."""
    known, own = path.variants, genotypes.variants
    return known is None or len(known) == len(own) and np.array_equal(
        genotypes.covariate_names, path.feature_names[: len(path.feature_names) - len(known)]
    ) and all(np.array_equal(getattr(known, name), getattr(own, name))
              for name in Variants.__dataclass_fields__)  # fmt: skip


def _place_of_covariates(genotypes, path, count):
    known = {name: j for j, name in enumerate(genotypes.covariate_names.tolist())}
    names = [] if path.feature_names is None else path.feature_names[:count].tolist()
    for name in names:
        if name not in known:
            raise ValueError(
                f"the model has the covariate {name!r}, which these genotypes lack; join it by "
                "align(table, covariates=fit)"
            )
    return [known[name] for name in names]


def matched(genotypes, wanted, weight, frequency, ambiguous="drop", least=0.75):
    """Return (found, swapped, Matches) for k variants: where each is, -1 for nowhere.

    `frequency` (k,) of effect alleles tells swaps of ambiguous variants from the other strand; NaN
    where it is unknown.
    """
    own, k = genotypes.variants, len(wanted)
    by_place, by_id = _candidates(own, wanted)
    found, swapped = np.full(k, -1), np.zeros(k, dtype=bool)
    decision = np.full(k, "absent", dtype=object)
    for i in range(k):
        alleles = str(wanted.a1[i]).upper(), str(wanted.a2[i]).upper()
        here = by_place[_key(wanted, i)]
        there = [j for j in by_id[wanted.id[i]] if j not in here]
        fits = [(kind, j) for j in here + there
                if (kind := _kind(*alleles, str(own.a1[j]).upper(), str(own.a2[j]).upper()))]
        if fits:
            # Of several variants at the place that fit as well, the one of the same id.
            decision[i], found[i] = min(fits, key=lambda one: (
                DECISIONS.index(one[0]), own.id[one[1]] != wanted.id[i]))  # fmt: skip
        elif here or there:
            decision[i] = "other alleles"
        if found[i] >= 0 and OTHER_STRAND.get(alleles[0]) == alleles[1]:
            decision[i] = _told(genotypes, found[i], decision[i], frequency[i], ambiguous)
            found[i] = -1 if decision[i] == "ambiguous" else found[i]
        swapped[i] = found[i] >= 0 and decision[i].startswith("swapped")
    _refuse_two_on_one(own, wanted, found)
    size = np.abs(weight)
    spread = np.sqrt(2.0 * frequency * (1.0 - frequency))
    if (size * spread).sum() > 0.0:  # known, and of variants that vary
        size = size * spread
    share = float(size[found >= 0].sum() / size.sum()) if size.sum() > 0.0 else 1.0
    names = np.array([own.id[j] if j >= 0 else "" for j in found], dtype=object)
    matches = Matches(wanted.id.astype(object), decision, names, share)
    if share < least:
        raise ValueError(
            f"only {100 * share:.1f}% of the score is found ({repr(matches).strip('<>')}); check "
            "the genome build and the alleles, or lower min_matched"
        )
    return found, swapped, matches


def _candidates(own, wanted):
    """Return the indices of variants by (chromosome, position), and by id, of those wanted."""
    by_place, by_id = defaultdict(list), defaultdict(list)
    for j in np.flatnonzero(np.isin(own.position, wanted.position)).tolist():
        if own.position[j] > 0 and str(own.chromosome[j]) not in ("0", ""):  # else unknown
            by_place[_key(own, j)].append(j)
    ids = set(wanted.id.tolist()) - {"."}
    for j, one in enumerate(own.id.tolist()):
        if one in ids:
            by_id[one].append(j)
    return by_place, by_id


def _key(variants, j):
    name = str(variants.chromosome[j]).upper().removeprefix("CHR")
    return SAME_CHROMOSOME.get(name, name), int(variants.position[j])


def _kind(effect, other, a1, a2):
    """Return how alleles a1 and a2 belong to effect and other, or None; 0 is an unseen allele."""
    pairs = [(effect, other), (other, effect)]
    if effect in OTHER_STRAND and other in OTHER_STRAND:
        pairs += [(OTHER_STRAND[one], OTHER_STRAND[two]) for one, two in pairs]
    for kind, (one, two) in zip(DECISIONS, pairs, strict=False):
        if a2 == two and a1 in (one, "0"):
            return kind
    return None


def _told(genotypes, j, letters, known, ambiguous):
    """Return the decision on a variant whose alleles are complements of each other."""
    if ambiguous == "keep":
        return letters
    new = float(genotypes.select([j]).frequency()[0])
    if ambiguous == "drop" or any(
        not (one < UNCLEAR[0] or one > UNCLEAR[1]) for one in (known, new)
    ):
        return "ambiguous"
    if (known < 0.5) == (new < 0.5):  # the allele counted here is the effect allele
        return "same" if letters == "same" else "complement"
    return "swapped" if letters == "swapped" else "swapped complement"


def _refuse_two_on_one(own, wanted, found):
    used = found[found >= 0]
    places, counts = np.unique(used, return_counts=True)
    if (counts > 1).any():
        j = places[counts.argmax()]
        twice = wanted.id[np.flatnonzero(found == j)[:2]]
        raise ValueError(f"the variants {str(twice[0])!r} and {str(twice[1])!r} of the model are "
                         f"both {str(own.id[j])!r} here; keep one")  # fmt: skip


def proxies(genotypes, which):
    """Return the dict that :meth:`Genotypes.proxies` describes."""
    first, names = genotypes.n_covariates, genotypes.names
    counts = genotypes.counts
    found = {}
    for j in np.asarray(which, dtype=int):
        if j < first:
            continue
        own = counts[j - first]
        # Columns alike differ in counts by the missing genotypes of both at most.
        slack = (own[3] + counts[:, 3])[:, None]
        alike = [(np.abs(counts[:, :3] - one) <= slack).all(axis=1)
                 for one in (own[:3], own[2::-1])]  # fmt: skip
        others = first + np.flatnonzero(alike[0] | alike[1])
        x = genotypes[:, [j]]
        near = [others[i : i + BLOCK] for i in range(0, len(others), BLOCK)]
        equal = np.concatenate([_linked(x, genotypes[:, block]) for block in near])
        found[names[j]] = [names[k] for k in others[equal] if k != j]
    return found


def _linked(x, Z):
    """Return which columns of Z are x, or 2 - x, in all rows where both are known, and vary."""
    either = np.isnan(x) | np.isnan(Z)
    seen = np.where(either, np.nan, Z)
    with np.errstate(invalid="ignore"):
        one, two = ((either | (Z == other)).all(axis=0) for other in (x, 2.0 - x))
    varies = [len(np.unique(column[~np.isnan(column)])) > 1 for column in seen.T]
    return (one | two) & np.array(varies, dtype=bool)
