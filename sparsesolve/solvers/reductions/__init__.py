"""Reductions: a Problem made smaller, and the way back to the problem asked."""
