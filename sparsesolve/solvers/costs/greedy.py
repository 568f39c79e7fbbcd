"""Constants of pursuits and of hard thresholding (solvers/greedy)."""
