"""Homotopy: LARS and the exact path of the lasso, knot by knot."""
