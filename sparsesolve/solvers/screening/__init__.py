"""Screening of inactive features: safe balls, correlations, inactive blocks."""
