"""Kernels over plain arrays: sums, products, single precision, threads of a pass."""
