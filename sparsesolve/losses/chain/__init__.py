"""Chains: kernels that decode and sum over label sequences, and their log loss."""
