"""Screening of inactive features: bounds on correlations, safe balls, quantised columns."""
