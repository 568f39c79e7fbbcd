"""Solvers: functions of (problem, lam, state, tolerance, budget); they know contracts, not classes."""
