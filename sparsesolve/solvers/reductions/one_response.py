"""One real response of "several": a row of one coefficient has the size of that coefficient.

    min over b (1, p)  sum_i w_i |y_i - (Z b)_i|^2 / 2 + lam sum_j v_j (alpha |b_j| + ...)

Given: a Problem with K = 1 real response and no limits. Returned: the Problem of one response,
whose residual is u / w for u = -F' at the offset, and a state that shows its answers as rows of
one. Invariant: F of both is the same number, so that the certificate holds for both.

Reference: none; it is an identity.
"""

from dataclasses import replace

import numpy as np


def as_one_response(problem):
    """Return the Problem of one response; None with several responses, groups or limits."""
    if problem.n_responses != 1 or problem.has_groups or problem.limited:
        return None
    u = problem.loss.at(problem.offset + problem.null_intercept[:, None])[1].reshape(-1)
    w = problem.weights
    response = np.divide(u, w, out=np.zeros_like(u), where=w > 0.0)
    return replace(problem, loss=None, response=response, offset=None, null_intercept=0.0,
                   mean=float(problem.mean[0]), grouped=False)  # fmt: skip


class RowsOfOne:
    """The state of a one-response Problem, in the shapes of K = 1 responses."""

    start_at = None  # Coefficients within have other shapes.

    def __init__(self, state, null_intercept):
        self.state, self.null_intercept = state, np.asarray(null_intercept)

    def __getattr__(self, name):
        return getattr(self.state, name)

    @property
    def intercept(self):
        """Intercept, (1,)."""
        return self.null_intercept + self.state.intercept

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients (1, count)."""
        which, values = self.state.coefficients()
        return which, values[None]

    def correlations(self):
        """The level (p,) of each row."""
        return np.abs(self.state.correlations())
