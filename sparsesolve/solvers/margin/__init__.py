"""Losses with kinks: support vector machines, quantiles."""
