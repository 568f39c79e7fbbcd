"""Factors of matrices: Cholesky factors that grow and shrink, spans, low rank."""
