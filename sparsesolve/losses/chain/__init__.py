"""Chains: kernels that decode and sum over label sequences, and the log loss that stands on them."""
