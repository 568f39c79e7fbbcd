"""Greedy methods: pursuits and hard thresholding."""
