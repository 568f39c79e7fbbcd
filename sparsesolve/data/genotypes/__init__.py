"""Genotypes in PLINK's files: mapped, checked, and aligned with tables of phenotypes."""

from .alignment import Aligned
from .columns import Genotypes, Samples, Variants
from .files import genotypes

__all__ = ["Aligned", "Genotypes", "Samples", "Variants", "genotypes"]
