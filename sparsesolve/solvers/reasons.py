"""Reasons: which solver `choose` takes and why, in words for the log.

The logger is "sparsesolve.solvers.reasons", below "sparsesolve". Nothing is formatted unless its
level is DEBUG.
"""

import logging

log = logging.getLogger(__name__)

REASONS = {
    "working_set": "squared error, with too many features for inner products of all",
    "sufficient": "squared error, with few enough features for inner products of all columns",
    "ridge": "squared error, alpha = 0 and few enough eigenvalues for a closed form",
    "proximal_newton": "a smooth loss of one response",
    "pass_newton": "a smooth loss, by passes over rows out of memory",
    "response_newton": "several responses, with few enough coefficients for their whole Hessian",
    "response_blocks": "several responses, with too many coefficients for their whole Hessian",
    "response_groups": "several responses with groups of features: Newton steps, and SpaRSA steps "
    "once many are active",
    "multipliers": "a loss with kinks",
    "sparsa": "a group so large that its inner products cost more than proximal gradient steps",
    "fista": "a penalty without disjoint blocks",
    "tangent_newton": "a penalty without disjoint blocks that is smooth along its tangents",
}


def log_solver(name, problem, asked):
    """Log the solver of that name; `asked` is the user's choice, or "auto"."""
    if log.isEnabledFor(logging.DEBUG):
        why = "chosen by name" if asked != "auto" else REASONS.get(name, "suits the problem")
        design = problem.design
        log.debug("solver %r for %d rows and %d columns: %s", name, design.n, design.p, why)


def log_reduction(words, before, after):
    """Log that a problem became a smaller one with so many rows and columns."""
    if log.isEnabledFor(logging.DEBUG):
        log.debug("%s: %d x %d becomes %d x %d", words, before.design.n, before.design.p,
                  after.design.n, after.design.p)  # fmt: skip
