"""Sparse coding and dictionary learning: many signals over one dictionary."""
