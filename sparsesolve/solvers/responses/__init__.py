"""Responses: paths of K responses at once, a row of coefficients for each feature."""
