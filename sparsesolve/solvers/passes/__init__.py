"""Solvers for tall designs, which read X in passes over its rows."""
