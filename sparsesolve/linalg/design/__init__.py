"""Designs: the columns of X, dense or sparse, in memory or distributed, and summaries of rows."""
