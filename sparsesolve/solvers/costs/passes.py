"""Constants of solvers that read X in passes over its rows (solvers/passes)."""
