"""Constants of the homotopy (solvers/homotopy)."""
